//! The words of a sentence as the classifier sees them: names of code, paths and numbers by their kind alone.

/// Endings of files that are named without a folder.
const FILE_ENDINGS: &str = " c cfg conf cpp cs css csv env ex exs go h heex html ini java js json jsx kt lock log lua md mjs php pl proto py r rb rs scss sh sql svelte svg swift tf toml ts tsx txt vue xml yaml yml zig ";

/// A word, or what stands for one.
pub(super) const KINDS: [&str; 6] = ["<code>", "<path>", "<name>", "<number>", "<version>", "<url>"];

/// The tokens of a text in order, in lower case.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    // What stands between backticks is code, whatever it holds.
    for (number, part) in text.split('`').enumerate() {
        if number % 2 == 1 && text.matches('`').count() > number {
            found.push(KINDS[0].to_owned());
        } else {
            found.extend(part.split_whitespace().filter_map(token));
        }
    }
    found
}

/// Whether a word is set as code. A text between backticks with spaces in it counts by its first word.
pub(super) fn is_code(word: &str) -> bool {
    let word = word.trim_start_matches(|c: char| "([{\"'*".contains(c));
    word.starts_with('`') && !word.starts_with("```") && word.len() > 1
}

/// Whether a word is a file or a folder beyond doubt: “his/her/their” is none.
pub(super) fn names_file(word: &str) -> bool {
    let word = trimmed(word);
    let is_address = word.contains("://") || word.starts_with("www.");
    let is_rooted = word.starts_with(['/', '~']) || word.starts_with("./") || word.starts_with("../");
    let has_letters = word.chars().any(char::is_alphabetic);
    !is_address && has_letters && (has_file_ending(word) || (is_rooted && word.matches('/').count() > 1))
}

fn trimmed(chunk: &str) -> &str {
    chunk.trim_matches(|c: char| !c.is_alphanumeric() && !"/_.@#~".contains(c)).trim_end_matches('.')
}

fn has_file_ending(word: &str) -> bool {
    let ending = word.rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
    ending.is_some_and(|ending| FILE_ENDINGS.contains(&format!(" {ending} ")))
}

fn token(chunk: &str) -> Option<String> {
    let word = trimmed(chunk);
    if !word.chars().any(char::is_alphanumeric) {
        return None;
    }
    if let Some(kind) = kind(word) {
        return Some(kind.to_owned());
    }
    let lower = word.to_lowercase();
    Some(lower.trim_matches(|c: char| !c.is_alphanumeric()).to_owned())
}

fn kind(word: &str) -> Option<&'static str> {
    if word.contains("://") || word.starts_with("www.") {
        return Some("<url>");
    }
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let is_file = has_file_ending(word);
    // “and/or” is no path, “src/main” may be one.
    let is_path = word.contains('/') && (word.matches('/').count() > 1 || word.starts_with(['/', '.', '@', '~']));
    if letters > 0 && (is_file || is_path) {
        return Some("<path>");
    }
    if has_digit && letters <= 2 {
        return Some(if word.contains('.') { "<version>" } else { "<number>" });
    }
    let characters: Vec<char> = word.chars().collect();
    let is_camel = characters.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
    let is_name = word.contains('_') || is_camel || word.contains("::") || word.contains('(') || word.contains('=');
    let is_member = word.trim_matches('.').contains('.') && letters > 2;
    (is_name || is_member || (has_digit && letters > 2)).then_some("<name>")
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn code_and_numbers_are_seen_by_their_kind() {
        let check = |text: &str, expected: &str| assert_eq!(tokens(text).join(" "), expected, "{text}");
        check("We don't use `npm ci` here, never!", "we don't use <code> here never");
        check("staging is on port 5433", "staging is on port <number>");
        check("Upgraded standard to v17.1.2", "upgraded standard to <version>");
        check("see src/app/page.tsx and README.md", "see <path> and <path>");
        check("cost_price is in formatMoney(x)", "<name> is in <name>");
        check("https://a.example/x and/or this", "<url> and/or this");
        check("Wir nehmen künftig Postgres.", "wir nehmen künftig postgres");
        check("an `unclosed tick", "an unclosed tick");
        check("… — 🎉", "");
    }
}
