//! Notes of other tools: cut into pieces, or into single statements.

use scrubjay_core::text::TextHash;
use scrubjay_ingest::source::front_matter;

/// About how long a piece of a note gets, in bytes: what can be read in one go.
const PIECE_BYTES: usize = 2000;

/// A statement taken from a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    /// What it says, with the heading it stands under.
    pub(super) text: String,
}

impl Statement {
    /// The same for the same words.
    pub(super) fn key(&self) -> String {
        digest(&self.text)
    }
}

/// A short name of a text.
pub(super) fn digest(text: &str) -> String {
    TextHash::of_value(text).to_string().chars().take(24).collect()
}

/// The pieces of a note: its sections, long ones divided between paragraphs. Front matter is left out.
pub(super) fn note_pieces(text: &str) -> Vec<String> {
    let body = front_matter::body(text);
    let mut pieces: Vec<String> = Vec::new();
    let mut in_code = false;
    for block in body.split_inclusive('\n') {
        let line = block.trim_end();
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        let is_heading = !in_code && line.starts_with('#') && line.trim_start_matches('#').starts_with(' ');
        // A heading without a text belongs to what follows it.
        let is_full = |piece: &str| piece.len() > PIECE_BYTES && line.is_empty() && !in_code;
        let begins_anew = |piece: &str| is_full(piece) || (is_heading && has_words(piece));
        match pieces.last_mut() {
            Some(piece) if !begins_anew(piece) => piece.push_str(block),
            _ => pieces.push(block.to_owned()),
        }
    }
    pieces.into_iter().map(|piece| piece.trim().to_owned()).filter(|piece| !piece.is_empty()).collect()
}

fn has_words(piece: &str) -> bool {
    piece.lines().any(|line| !line.trim().is_empty() && !line.starts_with('#'))
}

/// The statements of a text: each item of a list and each paragraph, under its heading.
pub(super) fn statements(text: &str) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    let mut heading = String::new();
    let mut open = false;
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty() {
            open = false;
            continue;
        }
        if let Some(title) = title(line) {
            title.clone_into(&mut heading);
            open = false;
            continue;
        }
        let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
        match (item, found.last_mut()) {
            (None, Some(last)) if open => {
                last.text.push(' ');
                last.text.push_str(line);
            }
            _ => {
                let words = item.unwrap_or(line).trim();
                let text = if heading.is_empty() { words.to_owned() } else { format!("{heading}: {words}") };
                found.push(Statement { text });
            }
        }
        open = true;
    }
    found
}

// A heading, or a paragraph that is nothing but bold.
fn title(line: &str) -> Option<&str> {
    let hashes = line.trim_start_matches('#');
    if hashes.len() < line.len() && hashes.starts_with(' ') {
        return Some(hashes.trim());
    }
    line.strip_prefix("**")?
        .strip_suffix("**")
        .filter(|title| !title.contains("**"))
        .map(|title| title.trim_end_matches(':'))
}

/// The titles of other notes that a text links to: `[[Title]]`, `[[Title|shown]]`, `[[Title#Section]]`.
pub(super) fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in text.split("[[").skip(1) {
        let Some((inside, _)) = part.split_once("]]") else { continue };
        let title = inside.split(['|', '#']).next().unwrap_or_default().trim();
        if !title.is_empty() && title.len() <= 200 && !found.iter().any(|known| known == title) {
            found.push(title.to_owned());
        }
    }
    found
}

/// A text with links to other notes as plain words.
pub(super) fn unlinked(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("[[") {
        words.push_str(before);
        let Some((inside, behind)) = after.split_once("]]") else {
            words.push_str("[[");
            rest = after;
            continue;
        };
        words.push_str(inside.rsplit('|').next().unwrap_or(inside));
        rest = behind;
    }
    words.push_str(rest);
    words
}

/// The tags in a line: `#word`.
pub(super) fn hashtags(text: &str) -> Vec<String> {
    let is_tag =
        |word: &&str| word.strip_prefix('#').is_some_and(|tag| tag.starts_with(|first: char| first.is_alphabetic()));
    let trimmed = |word: &str| word.trim_start_matches('#').trim_end_matches([',', '.', ';', ')', ':']).to_owned();
    text.split_whitespace().filter(is_tag).map(trimmed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_pieces_and_code_is_not_cut() {
        let note = "---\ntitle: x\n---\n# A\n\nOne.\n\n```\n# no heading\n```\n\n## B\nTwo.\n";
        assert_eq!(note_pieces(note), ["# A\n\nOne.\n\n```\n# no heading\n```", "## B\nTwo."]);
        assert_eq!(note_pieces("# Only\n## Headings\nand words"), ["# Only\n## Headings\nand words"]);
        let long = "word ".repeat(500);
        assert_eq!(note_pieces(&format!("{long}\n\n{long}\n\n{long}")).len(), 3);
        assert_eq!(note_pieces(""), Vec::<String>::new());
    }

    #[test]
    fn statements_stand_under_their_heading() {
        let told: Vec<String> =
            statements("Lives in Bern.\nWorks\nat home.\n\n**Work**\n- Uses Rust\n* Likes tea\n  a lot\n\n# Other:\nX")
                .into_iter()
                .map(|statement| statement.text)
                .collect();
        assert_eq!(told, ["Lives in Bern. Works at home.", "Work: Uses Rust", "Work: Likes tea a lot", "Other:: X"]);
    }

    #[test]
    fn links_and_tags_are_read() {
        assert_eq!(links("see [[A|the a]], [[B#c]], [[A]] and [[]] [["), ["A", "B"]);
        assert_eq!(unlinked("see [[A|the a]] and [[B]] [["), "see the a and B [[");
        assert_eq!(hashtags("a #tag, #2 # #two."), ["tag", "two"]);
    }
}
