//! Each crate root and each `mod.rs` begins by saying what it is, in at least three `//!` lines.

use super::Finding;
use crate::tree::{Tree, file_name, has_folder};

const FEWEST_LINES: usize = 3;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.texts()
        .filter(|(path, _)| needs_an_introduction(path))
        .filter_map(|(path, text)| {
            let lines = text
                .lines()
                .take_while(|line| line.starts_with("//!"))
                .filter(|line| line.chars().any(char::is_alphanumeric))
                .count();
            (lines < FEWEST_LINES).then(|| {
                let message = format!(
                    "{lines} lines of `//!` at the top, {FEWEST_LINES} are needed: what it is, what it never does, \
                     where to start reading"
                );
                Finding::violation(path, 1, message)
            })
        })
        .collect()
}

fn needs_an_introduction(path: &str) -> bool {
    if !has_folder(path, "src") || has_folder(path, "tests") {
        return false;
    }
    file_name(path) == "mod.rs" || path.ends_with("/src/lib.rs") || path.ends_with("/src/main.rs")
}

#[cfg(test)]
mod tests {
    use super::super::findings::expect_findings;
    use super::*;

    #[test]
    fn a_bare_root_is_found() {
        let good = "//! What it is.\n//! What it never does.\n//!\n//! Where to start.\nmod a;\n";
        expect_findings(
            check,
            &[
                ("crates/a/src/lib.rs", good),
                ("crates/a/src/main.rs", "mod a;\n//! Late.\n//! Late.\n//! Late.\n"),
                ("crates/a/src/x/mod.rs", "//! Two\n//! lines.\n//!\nmod a;\n"),
                ("crates/a/src/x/y.rs", "fn a() {}\n"),
                ("crates/a/tests/it/mod.rs", "fn a() {}\n"),
            ],
            &["crates/a/src/main.rs:1: 0 lines", "crates/a/src/x/mod.rs:1: 2 lines"],
        );
    }
}
