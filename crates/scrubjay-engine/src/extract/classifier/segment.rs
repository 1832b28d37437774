//! A message, cut into the sentences and list items that may be facts.

use crate::extract::sentences::sentences;

/// The longest part of a message that is looked at, in bytes.
const LONGEST: usize = 16 << 10;

/// A lead-in such as “Now let me write the migration:” has at least so many words; “Root cause:” has fewer, and belongs
/// to what follows it.
const LEAD_IN_WORDS: usize = 4;

/// What begins the message of a commit in a command.
const COMMIT: &str = "git commit -m \"";

/// How a line is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Setting {
    Prose,
    Item,
}

/// A sentence or list item of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    /// Its text, without marks of lists and emphasis.
    pub(super) text: String,
    /// How its line is set.
    pub(super) setting: Setting,
    /// Whether something in it is emphasised.
    pub(super) is_bold: bool,
    /// The heading that it stands under; empty if there is none.
    pub(super) heading: String,
    /// What stands right before it in the same paragraph; none at the beginning of one.
    pub(super) before: Option<String>,
    /// The number of its list item.
    pub(super) number: Option<u32>,
}

/// The segments of a message, in order: no code, quotations, tables, markup or headings.
pub(super) fn segments(message: &str) -> Vec<Segment> {
    let message = &message[..message.floor_char_boundary(LONGEST)];
    let message = message.replace(['\u{2019}', '\u{02BC}'], "'");
    let mut found: Vec<Segment> = Vec::new();
    let mut heading = String::new();
    let mut in_code = false;
    let mut in_commit = false;
    for line in message.lines() {
        let mut trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            (in_code, in_commit) = (!in_code, false);
            continue;
        }
        // What a commit says of a change is said in words, though it stands among commands.
        if let Some((_, title)) = trimmed.split_once(COMMIT).filter(|_| in_code) {
            (in_commit, trimmed) = (true, title);
        }
        let is_said = !in_code || in_commit;
        if in_commit && trimmed.ends_with('"') {
            (in_commit, trimmed) = (false, trimmed.trim_end_matches('"'));
        }
        let is_markup = trimmed.starts_with('<') && trimmed.ends_with('>');
        let is_table = trimmed.matches('|').count() >= 2;
        if !is_said || trimmed.is_empty() || trimmed.starts_with('>') || is_markup || is_table {
            continue;
        }
        if let Some(title) = trimmed.strip_prefix('#') {
            heading = plain(title.trim_start_matches('#')).0;
            continue;
        }
        let item = item_text(trimmed);
        if item.is_none() && (line.starts_with("    ") || line.starts_with('\t')) {
            continue;
        }
        let setting = if item.is_some() { Setting::Item } else { Setting::Prose };
        let number = item.and_then(|_| item_number(trimmed));
        let mut before: Option<String> = None;
        for sentence in sentences(item.unwrap_or(trimmed)).into_iter().flat_map(without_lead_ins) {
            let (text, is_bold) = plain(sentence);
            if text.is_empty() {
                continue;
            }
            found.push(Segment {
                text: text.clone(),
                setting,
                is_bold,
                heading: heading.clone(),
                before: before.replace(text),
                number,
            });
        }
    }
    found
}

// What follows the mark of a list item, if a line is one.
fn item_text(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['-', '*', '•', '+']).or_else(|| {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        (1..=2).contains(&digits).then(|| line[digits..].strip_prefix(['.', ')'])).flatten()
    })?;
    rest.starts_with(char::is_whitespace).then(|| rest.trim_start())
}

// The number of a list item, if it has one.
fn item_number(line: &str) -> Option<u32> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    line[..digits].parse().ok()
}

// Agents run several announcements together: “Now let me look at the router: Now I see …”.
fn without_lead_ins(sentence: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = sentence;
    while let Some(at) = rest.match_indices(": ").map(|(at, _)| at).find(|at| {
        let follows = rest[at + 2..].trim_start().chars().next().is_some_and(char::is_uppercase);
        follows && rest[..*at].split_whitespace().count() >= LEAD_IN_WORDS
    }) {
        parts.push(&rest[..=at]);
        rest = rest[at + 2..].trim_start();
    }
    parts.push(rest);
    parts
}

// Without marks of emphasis, and whether there were any.
fn plain(text: &str) -> (String, bool) {
    let is_bold = text.contains("**") || text.contains("__");
    let text = text.replace("**", "").replace("✅", "").replace("❌", "");
    // The names of Python's methods keep their underscores.
    let text = if text.starts_with("__") && text.ends_with("__") { text.trim_matches('_').to_owned() } else { text };
    (text.split_whitespace().collect::<Vec<_>>().join(" "), is_bold)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(message: &str) -> Vec<String> {
        segments(message).into_iter().map(|segment| segment.text).collect()
    }

    #[test]
    fn sentences_and_list_items_are_segments() {
        let message = "Let me look at the router first: Now I see it. It uses **hash** routes.\n\n## Root cause\n- Two effects raced on mount\n1. yes, in cents\n```\nlet x = 1;\n```\n> quoted\n| a | b |\n    code();\n<div class=\"x\">";
        assert_eq!(
            texts(message),
            [
                "Let me look at the router first:",
                "Now I see it.",
                "It uses hash routes.",
                "Two effects raced on mount",
                "yes, in cents"
            ]
        );
        let found = segments(message);
        assert_eq!((found[3].heading.as_str(), found[3].setting), ("Root cause", Setting::Item));
        assert_eq!(found[2].before.as_deref(), Some("Now I see it."));
        assert!(found[2].is_bold && found[3].before.is_none());
    }

    #[test]
    fn the_message_of_a_commit_is_text() {
        let message = "Done:\n```bash\ngit add . && git commit -m \"feat: folders\n\n- Moved tailwind.css to app/styles\"\nls -la src\n```\nNext.";
        assert_eq!(texts(message), ["Done:", "feat: folders", "Moved tailwind.css to app/styles", "Next."]);
    }

    #[test]
    fn a_short_label_belongs_to_what_follows_it() {
        assert_eq!(
            texts("Root cause: The cache key ignored the tenant."),
            ["Root cause: The cache key ignored the tenant."]
        );
        assert_eq!(texts("- 5433 is staging"), ["5433 is staging"]);
        assert_eq!(texts("2026 was a year"), ["2026 was a year"]);
        assert_eq!(texts(""), Vec::<String>::new());
    }
}
