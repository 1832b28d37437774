//! The name that a piece of code defines.

/// Lines at the top of a text in which a definition is looked for; comments and
/// attributes stand before it.
const LINES: usize = 40;

/// Words that begin a definition.
const KEYWORDS: [&str; 11] =
    ["fn", "def", "class", "function", "struct", "enum", "trait", "func", "interface", "module", "type"];

/// Words that may stand before one.
const MODIFIERS: [&str; 20] = [
    "pub",
    "pub(crate)",
    "pub(super)",
    "async",
    "const",
    "unsafe",
    "extern",
    "export",
    "default",
    "static",
    "public",
    "private",
    "protected",
    "internal",
    "final",
    "abstract",
    "override",
    "inline",
    "virtual",
    "sealed",
];

/// The name of the first function, class or type that a text defines, in words;
/// none if it is no code.
#[must_use]
pub fn defined_name(text: &str) -> Option<String> {
    text.lines().take(LINES).find_map(|line| in_words(name_in(line.trim_start())?))
}

/// Whether code explains itself: a documentation string, or a comment of three
/// words.
#[must_use]
pub(super) fn has_prose(code: &str) -> bool {
    let marked = ["\"\"\"", "'''", "///", "/**"].iter().any(|mark| code.contains(mark));
    let comment = |line: &str| {
        let text =
            line.find("//").map(|place| &line[place + 2..]).or_else(|| line.find('#').map(|place| &line[place + 1..]));
        text.is_some_and(|text| {
            text.split_whitespace().filter(|word| word.chars().all(char::is_alphabetic)).count() >= 3
        })
    };
    marked || code.lines().any(comment)
}

fn name_in(line: &str) -> Option<&str> {
    let mut rest = line;
    loop {
        let (word, after) = rest.split_once(' ')?;
        if KEYWORDS.contains(&word) {
            return name_at(after.trim_start());
        }
        if !MODIFIERS.contains(&word) {
            return None;
        }
        rest = after.trim_start();
    }
}

// A name is followed by what a definition goes on with; in prose, “class” and
// “type” are followed by other words.
fn name_at(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    let (name, after) = text.split_at(end);
    let goes_on = after.trim_start().starts_with(['(', '<', '{', ':', '=', ';', '[']);
    (name.len() > 1 && !name.starts_with(|c: char| c.is_numeric()) && goes_on).then_some(name)
}

fn in_words(name: &str) -> Option<String> {
    let mut words = String::with_capacity(name.len() + 8);
    let mut before = '_';
    for character in name.chars() {
        let begins = character.is_uppercase() && before.is_lowercase();
        if character == '_' || begins {
            words.push(' ');
        }
        if character != '_' {
            words.extend(character.to_lowercase());
        }
        before = character;
    }
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    (!words.is_empty()).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_a_doc_string_or_a_comment_of_words() {
        for (code, prose) in [
            ("def f(x):\n    \"\"\"Adds one.\"\"\"\n    return x + 1", true),
            ("fn f() { g(); } // see the other one", true),
            ("// crates/cli/src/x.rs\nfn f() { g(); }", false),
            ("#[test]\nfn f() {}", false),
        ] {
            assert_eq!(has_prose(code), prose, "{code}");
        }
    }

    #[test]
    fn definitions_have_names_and_prose_has_none() {
        for (text, name) in [
            ("def parse_size(text):\n    pass", Some("parse size")),
            ("// crates/cli/src/x.rs\n    pub fn try_associate<P, I>(\n", Some("try associate")),
            ("export default async function loadUserData() {", Some("load user data")),
            ("public static class HttpServer {", Some("http server")),
            ("    \"\"\"Docs\"\"\"\nclass Foo:\n", Some("foo")),
            ("struct Point { x: i32 }", Some("point")),
            ("I took a class last summer: it was great", None),
            ("type of thing: none", None),
            ("function words are common (very)", None),
            ("", None),
            ("fn", None),
        ] {
            assert_eq!(defined_name(text).as_deref(), name, "{text}");
        }
    }
}
