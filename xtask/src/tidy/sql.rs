//! SQL lives in `scrubjay-store` only: no string elsewhere may look like a statement, and no `.sql` file lie elsewhere.
//!
//! Test code, `scrubjay-test` and the benches may look into a database directly.

use super::Finding;
use crate::rust_source::TokenKind;
use crate::tree::{Tree, has_folder, is_test_file};

/// Words that together make a statement; other words may stand between them.
const SPREAD_STATEMENTS: [[&str; 2]; 2] = [["SELECT", "FROM"], ["UPDATE", "SET"]];
/// Words that make a statement when they follow each other.
const JOINED_STATEMENTS: [[&str; 2]; 12] = [
    ["INSERT", "INTO"],
    ["REPLACE", "INTO"],
    ["DELETE", "FROM"],
    ["CREATE", "TABLE"],
    ["CREATE", "INDEX"],
    ["CREATE", "TRIGGER"],
    ["CREATE", "VIEW"],
    ["ALTER", "TABLE"],
    ["DROP", "TABLE"],
    ["BEGIN", "IMMEDIATE"],
    ["ATTACH", "DATABASE"],
    ["VACUUM", "INTO"],
];
/// Words that may stand between the two, as in `INSERT OR IGNORE INTO` or `CREATE UNIQUE INDEX`.
const FILLERS: [&str; 8] = ["OR", "IGNORE", "REPLACE", "VIRTUAL", "UNIQUE", "TEMP", "TEMPORARY", "IF"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for path in tree.paths().filter(|path| path.ends_with(".sql") && !may_hold_sql(path)) {
        findings.push(Finding::violation(path, 1, "a .sql file outside crates/scrubjay-store"));
    }
    for (path, source) in tree.rust_files().filter(|(path, _)| !may_hold_sql(path)) {
        for token in source.tokens.iter().filter(|token| token.kind == TokenKind::Text) {
            if source.is_test_line(token.line) {
                continue;
            }
            if let Some((lines_in, statement)) = statement(&token.text) {
                let message = format!("SQL (`{statement}`) outside crates/scrubjay-store");
                findings.push(Finding::violation(path, token.line + lines_in, message));
            }
        }
    }
    findings
}

fn may_hold_sql(path: &str) -> bool {
    ["crates/scrubjay-store/", "crates/scrubjay-test/", "benches/"].iter().any(|folder| path.starts_with(folder))
        || is_test_file(path)
        || has_folder(path, "benches")
}

/// The first statement in a literal, and how many lines into the literal it begins.
///
/// Capitals give SQL away anywhere in a text. In small letters the words are also English (“select one from the list”),
/// so there the literal must begin with them and hold a sign that a sentence does not.
fn statement(text: &str) -> Option<(usize, String)> {
    if let Some(found) = find_statement(&words(text)) {
        return Some(found);
    }
    let looks_like_code = text.contains(['*', '=', ';', '(']) || text.contains("?1");
    let is_small = text.trim_start().starts_with(|first: char| first.is_ascii_lowercase());
    if looks_like_code && is_small {
        let capitals = words(&text.to_ascii_uppercase());
        let (line, found) = find_statement(&capitals)?;
        let begins_with_it =
            capitals.first().is_some_and(|(first_line, word)| *first_line == line && found.starts_with(word));
        return begins_with_it.then_some((line, found.to_ascii_lowercase()));
    }
    None
}

/// The words of a text with the line each is on. Punctuation separates, an underscore does not.
fn words(text: &str) -> Vec<(usize, String)> {
    text.lines()
        .enumerate()
        .flat_map(|(line, content)| {
            content
                .split(|character: char| !character.is_alphanumeric() && character != '_')
                .filter(|word| !word.is_empty())
                .map(move |word| (line, word.to_string()))
        })
        .collect()
}

fn find_statement(words: &[(usize, String)]) -> Option<(usize, String)> {
    words.iter().enumerate().find_map(|(index, (line, word))| {
        let rest = &words[index + 1..];
        let spread = SPREAD_STATEMENTS
            .iter()
            .find(|[first, second]| word == first && rest.iter().any(|(_, other)| other == second))
            .map(|[first, second]| format!("{first} … {second}"));
        let joined = || {
            let next = rest.iter().map(|(_, other)| other.as_str()).find(|other| !FILLERS.contains(other))?;
            let [first, second] = JOINED_STATEMENTS.iter().find(|[first, second]| word == first && next == *second)?;
            Some(format!("{first} {second}"))
        };
        let is_pragma = word == "PRAGMA"
            && rest.first().is_some_and(|(_, name)| index == 0 || name.starts_with(char::is_lowercase));
        spread.or_else(joined).or_else(|| is_pragma.then(|| "PRAGMA".to_string())).map(|found| (*line, found))
    })
}

#[cfg(test)]
mod tests {
    use super::super::findings::expect_findings;
    use super::*;

    #[test]
    fn statements_are_recognised() {
        for text in [
            "SELECT id FROM memories WHERE id = ?1",
            "WITH x AS (SELECT 1 FROM y) DELETE FROM x",
            "INSERT OR IGNORE INTO memories VALUES (1)",
            "UPDATE memories SET content = ?1",
            "DELETE FROM memories",
            "CREATE TABLE IF NOT EXISTS memories (id)",
            "CREATE VIRTUAL TABLE search USING fts5(text)",
            "CREATE UNIQUE INDEX by_name ON entities (name)",
            "PRAGMA journal_mode = WAL",
            "BEGIN IMMEDIATE",
            "select * from memories",
            "  insert into memories values (?1)",
            "pragma user_version;",
        ] {
            assert!(statement(text).is_some(), "{text}");
        }
    }

    #[test]
    fn sentences_are_not() {
        for text in [
            "select one from the list",
            "Select a project (or several) from the list",
            "update the settings (see below)",
            "delete from here on?",
            "UPDATED at last, SET aside",
            "SELECTED FROM",
            "a PRAGMA",
            "create a table = a grid",
            "",
        ] {
            assert_eq!(statement(text), None, "{text}");
        }
    }

    #[test]
    fn only_the_store_and_tests_may_hold_sql() {
        let code = "//! SELECT a FROM b\nconst A: &str = \"one\n two SELECT a\n FROM b\";\n";
        expect_findings(
            check,
            &[
                ("crates/scrubjay-engine/src/a.rs", code),
                ("crates/scrubjay-engine/src/a.sql", "SELECT 1;\n"),
                (
                    "crates/scrubjay-engine/src/b.rs",
                    "#[cfg(test)]\nmod tests {\n const A: &str = \"DELETE FROM b\";\n}\n",
                ),
                ("crates/scrubjay-engine/tests/it/main.rs", code),
                ("crates/scrubjay-store/src/a.rs", code),
                ("crates/scrubjay-store/src/a.sql", "SELECT 1;\n"),
                ("crates/scrubjay-test/src/a.rs", code),
                ("benches/src/a.rs", code),
            ],
            &[
                "crates/scrubjay-engine/src/a.rs:3: SQL (`SELECT … FROM`)",
                "crates/scrubjay-engine/src/a.sql:1: a .sql file",
            ],
        );
    }
}
