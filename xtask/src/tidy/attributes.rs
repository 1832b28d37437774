//! Two rules on attributes: `#[expect(…, reason)]` instead of `#[allow(…)]`, and features chosen in one place.
//!
//! `cfg(feature = …)` stands in `mod.rs` or `lib.rs` only, where it picks one of two files with the same face. The root
//! of an integration test (`tests/*/main.rs`) may choose its modules the same way.

use super::Finding;
use crate::rust_source::Token;
use crate::tree::{Tree, file_name, has_folder};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, source) in
        tree.rust_files().filter(|(path, _)| path.starts_with("crates/") || path.starts_with("xtask/"))
    {
        for attribute in source.attributes() {
            let body = &source.tokens[attribute.body.clone()];
            if calls(body, "allow") {
                let message = "`allow` hides a lint for ever: use `#[expect(…, reason = \"…\")]`";
                findings.push(Finding::violation(path, attribute.line, message));
            }
            let is_condition = body.first().is_some_and(|word| word.is_word("cfg") || word.is_word("cfg_attr"));
            if is_condition && names_feature(body) && !may_choose_features(path) {
                findings.push(misplaced_feature(path, attribute.line));
            }
        }
        for (index, token) in source.tokens.iter().enumerate().filter(|(_, token)| token.is_word("cfg")) {
            let is_macro = source.tokens.get(index + 1).is_some_and(|next| next.is_punctuation('!'));
            let arguments = source.tokens[index..].split(|token| token.is_punctuation(')')).next().unwrap_or_default();
            if is_macro && names_feature(arguments) && !may_choose_features(path) {
                findings.push(misplaced_feature(path, token.line));
            }
        }
    }
    findings
}

fn misplaced_feature(path: &str, line: usize) -> Finding {
    let message = "`cfg(feature)` belongs in mod.rs or lib.rs, where it picks enabled.rs or disabled.rs";
    Finding::violation(path, line, message)
}

fn may_choose_features(path: &str) -> bool {
    match file_name(path) {
        "mod.rs" | "lib.rs" => true,
        "main.rs" => has_folder(path, "tests"),
        _ => false,
    }
}

fn calls(tokens: &[Token], word: &str) -> bool {
    tokens.windows(2).any(|pair| pair[0].is_word(word) && pair[1].is_punctuation('('))
}

fn names_feature(tokens: &[Token]) -> bool {
    tokens.windows(2).any(|pair| pair[0].is_word("feature") && pair[1].is_punctuation('='))
}

#[cfg(test)]
mod tests {
    use super::super::findings::expect_findings;
    use super::*;

    #[test]
    fn allow_is_found_in_every_form() {
        expect_findings(
            check,
            &[
                (
                    "crates/a/src/a.rs",
                    "#![allow(dead_code)]\n#[allow(unused)]\nfn a() {}\n#[cfg_attr(test, allow(unused))]\nfn b() {}\n\
                     #[expect(unused, reason = \"allow(this)\")]\nfn c() { allow(1); }\n// #[allow(unused)]\n",
                ),
                ("benches/a.rs", "#[allow(unused)]\nfn a() {}\n"),
            ],
            &[
                "crates/a/src/a.rs:1: `allow` hides",
                "crates/a/src/a.rs:2: `allow` hides",
                "crates/a/src/a.rs:4: `allow` hides",
            ],
        );
    }

    #[test]
    fn features_are_chosen_in_mod_and_lib_only() {
        let chosen = "#[cfg(feature = \"postgres\")]\nmod enabled;\n";
        expect_findings(
            check,
            &[
                ("crates/a/src/lib.rs", chosen),
                ("crates/a/src/x/mod.rs", chosen),
                ("crates/a/tests/it/main.rs", chosen),
                ("crates/a/src/main.rs", chosen),
                (
                    "crates/a/src/x/y.rs",
                    "fn a() -> bool {\n    cfg!(feature = \"x\")\n}\n#[cfg(all(unix, feature = \"x\"))]\nfn b() {}\n\
                     #[cfg(unix)]\nfn c() { let feature = cfg!(unix); }\n",
                ),
            ],
            &[
                "crates/a/src/main.rs:1: `cfg(feature)` belongs",
                "crates/a/src/x/y.rs:2: `cfg(feature)` belongs",
                "crates/a/src/x/y.rs:4: `cfg(feature)` belongs",
            ],
        );
    }
}
