//! A released migration never changes, and none is slipped in before it.
//!
//! A file `CHECKSUMS` beside the migrations of a database lists the released ones, one `<blake3>  <file name>` a line;
//! `cargo xtask freeze-migrations` appends to it. A folder without that file has nothing released yet.

use super::Finding;
use crate::tree::{Tree, file_name};

pub(crate) const CHECKSUMS: &str = "CHECKSUMS";
const STORE: &str = "crates/scrubjay-store/";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in checksum_files(tree) {
        let folder = path.trim_end_matches(CHECKSUMS);
        for (index, line) in text.lines().enumerate() {
            if let Some(message) = objection(tree, folder, line) {
                findings.push(Finding::violation(path, index + 1, message));
            }
        }
        let last_released = text.lines().filter_map(released).filter_map(|(_, name)| number(name)).max();
        for name in unlisted(tree, folder, text) {
            if number(name) <= last_released {
                let message = "a new migration must come after every released one: give it the next number";
                findings.push(Finding::violation(&format!("{folder}{name}"), 1, message));
            }
        }
    }
    findings
}

/// For each `CHECKSUMS` file, its path and the migrations that it does not list yet.
pub(crate) fn unreleased_migrations(tree: &Tree) -> Vec<(&str, Vec<&str>)> {
    checksum_files(tree).map(|(path, text)| (path, unlisted(tree, path.trim_end_matches(CHECKSUMS), text))).collect()
}

pub(crate) fn migration_checksum(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn checksum_files(tree: &Tree) -> impl Iterator<Item = (&str, &str)> {
    tree.texts().filter(|(path, _)| path.starts_with(STORE) && file_name(path) == CHECKSUMS)
}

fn objection(tree: &Tree, folder: &str, line: &str) -> Option<String> {
    let Some((checksum, name)) = released(line) else {
        return Some("not a line of the form `<blake3>  <file name>`".to_string());
    };
    match tree.text(&format!("{folder}{name}")) {
        None => Some(format!("the released migration `{name}` is gone")),
        Some(text) if migration_checksum(text) != checksum => {
            Some(format!("the released migration `{name}` was changed: undo that and write a new one"))
        }
        Some(_) => None,
    }
}

fn released(line: &str) -> Option<(&str, &str)> {
    let (checksum, name) = line.split_once("  ")?;
    let is_checksum = checksum.len() == 64 && checksum.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_checksum && !name.is_empty() && !name.contains('/')).then_some((checksum, name))
}

/// The numbered files directly in the folder that the list does not name.
fn unlisted<'a>(tree: &'a Tree, folder: &str, list: &str) -> Vec<&'a str> {
    tree.paths()
        .filter_map(|path| path.strip_prefix(folder))
        .filter(|name| !name.contains('/') && number(name).is_some())
        .filter(|name| !list.lines().filter_map(released).any(|(_, listed)| listed == *name))
        .collect()
}

/// The number of a migration: `0007_links.sql` and `V7__links.sql` are both 7.
fn number(name: &str) -> Option<u64> {
    let digits = name.trim_start_matches(['V', 'v']);
    let end = digits.find(|character: char| !character.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::findings::expect_findings;
    use super::*;

    const FOLDER: &str = "crates/scrubjay-store/migrations/";

    fn line(text: &str, name: &str) -> String {
        format!("{}  {name}\n", migration_checksum(text))
    }

    #[test]
    fn a_changed_or_missing_release_is_found() {
        let list =
            line("one", "0001_start.sql") + &line("two", "0002_links.sql") + &line("three", "0003_gone.sql") + "junk\n";
        expect_findings(
            check,
            &[
                (&format!("{FOLDER}CHECKSUMS"), &list),
                (&format!("{FOLDER}0001_start.sql"), "one"),
                (&format!("{FOLDER}0002_links.sql"), "two, but better"),
                (&format!("{FOLDER}0004_new.sql"), "four"),
            ],
            &[
                "crates/scrubjay-store/migrations/CHECKSUMS:2: the released migration `0002_links.sql` was changed",
                "crates/scrubjay-store/migrations/CHECKSUMS:3: the released migration `0003_gone.sql` is gone",
                "crates/scrubjay-store/migrations/CHECKSUMS:4: not a line of the form",
            ],
        );
    }

    #[test]
    fn nothing_is_slipped_in_before_a_release() {
        expect_findings(
            check,
            &[
                (&format!("{FOLDER}sqlite/CHECKSUMS"), &line("two", "V2__links.sql")),
                (&format!("{FOLDER}sqlite/V2__links.sql"), "two"),
                (&format!("{FOLDER}sqlite/V1__early.sql"), "one"),
                (&format!("{FOLDER}sqlite/V10__late.sql"), "ten"),
                (&format!("{FOLDER}postgres/V1__free.sql"), "no list, nothing to check"),
            ],
            &["crates/scrubjay-store/migrations/sqlite/V1__early.sql:1: a new migration must come after"],
        );
    }

    #[test]
    fn unreleased_migrations_are_listed() {
        let checksums = format!("{FOLDER}CHECKSUMS");
        let files = [
            (checksums.as_str(), &*line("one", "0001_start.sql")),
            ("crates/scrubjay-store/migrations/0001_start.sql", "one"),
            ("crates/scrubjay-store/migrations/0002_next.sql", "two"),
            ("crates/scrubjay-store/migrations/README.md", "not one"),
        ];
        let tree = Tree::planted(&files);
        assert_eq!(unreleased_migrations(&tree), [(checksums.as_str(), vec!["0002_next.sql"])]);
    }
}
