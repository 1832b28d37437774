//! `mod.rs` explains and re-exports: it holds no function with a body and no `impl` outside tests.

use super::Finding;
use crate::tree::{Tree, file_name, has_folder};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, source) in tree.rust_files() {
        if file_name(path) != "mod.rs" || !has_folder(path, "src") {
            continue;
        }
        let functions = source.functions_with_body().into_iter().map(|index| (index, "a function"));
        let blocks = source.impl_blocks().into_iter().map(|block| (block.start, "an `impl`"));
        for (index, what) in functions.chain(blocks) {
            let line = source.tokens[index].line;
            if !source.is_test_line(line) {
                findings.push(Finding::violation(
                    path,
                    line,
                    format!("mod.rs holds {what}: give it a file of its own"),
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::findings::expect_findings;
    use super::*;

    #[test]
    fn logic_is_found_and_declarations_are_not() {
        expect_findings(
            check,
            &[
                (
                    "crates/a/src/x/mod.rs",
                    "pub struct S;\nfn logic() {\n}\nimpl S {\n    const fn one() -> u8 { 1 }\n}\n",
                ),
                ("crates/a/src/y/mod.rs", "//! fn no() {}\npub trait T {\n    fn a(&self) -> u8;\n}\npub use b::C;\n"),
                ("crates/a/src/z/mod.rs", "#[cfg(test)]\nmod tests {\n    impl S {}\n    fn a() {}\n}\n"),
                ("crates/a/src/file.rs", "fn logic() {}\n"),
                ("crates/a/tests/it/mod.rs", "fn logic() {}\n"),
            ],
            &[
                "crates/a/src/x/mod.rs:2: mod.rs holds a function",
                "crates/a/src/x/mod.rs:4: mod.rs holds an `impl`",
                "crates/a/src/x/mod.rs:5: mod.rs holds a function",
            ],
        );
    }
}
