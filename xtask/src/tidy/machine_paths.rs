//! No text file names a folder of somebody's machine: such a path works nowhere else and tells what it should not.
//!
//! Examples that need an absolute home use one of the placeholder people below.

use super::Finding;
use crate::tree::Tree;

const PLACEHOLDER_PEOPLE: [&str; 4] = ["alice", "bob", "user", "you"];
/// Folders of one machine. They are put together here so that this file does not name them itself.
const FOLDERS: [&str; 2] = [concat!("/", "root/"), concat!("/", "work/")];
const HOMES: [&str; 2] = [concat!("/", "home/"), concat!("/", "Users/")];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts() {
        for (index, line) in text.lines().enumerate() {
            if let Some(found) = machine_path(line) {
                findings.push(Finding::violation(path, index + 1, format!("`{found}` is a path of one machine")));
            }
        }
    }
    findings
}

fn machine_path(line: &str) -> Option<String> {
    let folder = FOLDERS.into_iter().find(|folder| starts_of(line, folder).next().is_some());
    folder.map(str::to_string).or_else(|| {
        HOMES.into_iter().find_map(|home| starts_of(line, home).find_map(|start| person_in(&line[start..], home)))
    })
}

/// The home with its owner, unless the owner is a placeholder, a variable or a pattern.
fn person_in(text: &str, home: &str) -> Option<String> {
    let person: String = text[home.len()..]
        .chars()
        .take_while(|character| character.is_alphanumeric() || "_-.".contains(*character))
        .collect();
    let is_somebody = person.starts_with(char::is_alphanumeric) && !PLACEHOLDER_PEOPLE.contains(&person.as_str());
    is_somebody.then(|| format!("{home}{person}"))
}

/// Where a path begins in a line: not in the middle of a longer path, a relative one, or an address with a host.
fn starts_of<'a>(line: &'a str, folder: &'a str) -> impl Iterator<Item = usize> + 'a {
    line.match_indices(folder).map(|(start, _)| start).filter(move |start| {
        let before = &line[..*start];
        before.ends_with("file://")
            || !before.ends_with(|last: char| last.is_alphanumeric() || "_-./~$}>)]*%".contains(last))
    })
}

#[cfg(test)]
mod tests {
    use super::super::findings::expect_findings;
    use super::*;

    fn path_of(folder: &str, rest: &str) -> String {
        format!("/{folder}/{rest}")
    }

    #[test]
    fn paths_of_a_machine_are_found() {
        for path in [
            path_of("home", "carol/notes"),
            path_of("Users", "carol"),
            path_of("root", ".config"),
            path_of("work", "x"),
            format!("see file://{}", path_of("root", "x")),
            format!("open(\"{}\")", path_of("home", "dave")),
            format!("PATH={}:/bin", path_of("root", "bin")),
        ] {
            assert!(machine_path(&path).is_some(), "{path}");
        }
    }

    #[test]
    fn examples_and_longer_paths_are_not() {
        for path in [
            path_of("home", "alice/project"),
            path_of("home", "$USER"),
            path_of("home", "<name>"),
            path_of("Users", "you/notes"),
            format!("docs{}", path_of("work", "x")),
            format!("~{}", path_of("work", "x")),
            format!("https://example.org{}", path_of("home", "page")),
            format!("{{home}}{}", path_of("root", "x")),
            "homework/root".to_string(),
        ] {
            assert_eq!(machine_path(&path), None, "{path}");
        }
    }

    #[test]
    fn every_text_file_is_read() {
        let text = format!("one\n# {}\n", path_of("home", "carol"));
        expect_findings(check, &[("check", &text), ("docs/a.md", "fine\n")], &["check:2: `"]);
    }
}
