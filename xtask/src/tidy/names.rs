//! Names that say nothing: a type or module is called after what it is, not `Manager` or `Util`.

use super::Finding;
use crate::rust_source::TokenKind;
use crate::tree::Tree;

const EMPTY_WORDS: [&str; 7] = ["manager", "service", "helper", "util", "base", "impl", "processor"];
const KEYWORDS: [&str; 5] = ["struct", "enum", "trait", "type", "mod"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, source) in tree.rust_files() {
        let impl_blocks = source.impl_blocks();
        for (index, pair) in source.tokens.windows(2).enumerate() {
            let [keyword, name] = pair else { continue };
            if name.kind != TokenKind::Word || !KEYWORDS.iter().any(|word| keyword.is_word(word)) {
                continue;
            }
            // The trait chose the name of an associated type, not the one who implements it.
            if keyword.is_word("type") && impl_blocks.iter().any(|block| block.contains(&index)) {
                continue;
            }
            if let Some(word) = empty_word(&name.text) {
                let message = format!("`{}` holds the empty word `{word}`: name what it is, or split it", name.text);
                findings.push(Finding::violation(path, name.line, message));
            }
        }
    }
    findings
}

/// The part of a name that is on the list, in the singular or with an `s`.
fn empty_word(name: &str) -> Option<&'static str> {
    parts(name).iter().find_map(|part| {
        EMPTY_WORDS.into_iter().find(|word| part == word || part.strip_suffix('s').is_some_and(|stem| stem == *word))
    })
}

/// `HTTPServiceMap` and `http_service_map` both become http, service, map.
fn parts(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().collect();
    let mut parts = vec![String::new()];
    for (index, character) in characters.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| characters[before]);
        let after = characters.get(index + 1);
        let begins_part = character.is_uppercase()
            && before.is_some_and(|before| !before.is_uppercase() || after.is_some_and(|after| after.is_lowercase()));
        if *character == '_' || begins_part {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| *character != '_') {
            part.extend(character.to_lowercase());
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::super::findings::expect_findings;
    use super::*;

    #[test]
    fn parts_follow_case_and_underscores() {
        assert_eq!(parts("HTTPServiceMap"), ["http", "service", "map"]);
        assert_eq!(parts("job_util"), ["job", "util"]);
        assert_eq!(parts("Database"), ["database"]);
        assert_eq!(parts("Base64"), ["base64"]);
    }

    #[test]
    fn each_kind_of_definition_is_looked_at() {
        expect_findings(
            check,
            &[(
                "crates/a/src/a.rs",
                "struct JobManager;\nenum ServiceKind {}\ntrait HelperOf {}\ntype StoreImpl = u8;\nmod text_utils;\n\
                 pub struct MCPBase<T>(T);\nstruct WordProcessor;\n",
            )],
            &[
                "crates/a/src/a.rs:1: `JobManager` holds the empty word `manager`",
                "crates/a/src/a.rs:2: `ServiceKind` holds the empty word `service`",
                "crates/a/src/a.rs:3: `HelperOf` holds the empty word `helper`",
                "crates/a/src/a.rs:4: `StoreImpl` holds the empty word `impl`",
                "crates/a/src/a.rs:5: `text_utils` holds the empty word `util`",
                "crates/a/src/a.rs:6: `MCPBase` holds the empty word `base`",
                "crates/a/src/a.rs:7: `WordProcessor` holds the empty word `processor`",
            ],
        );
    }

    #[test]
    fn words_that_only_contain_one_are_fine() {
        expect_findings(
            check,
            &[(
                "crates/a/src/a.rs",
                "struct Database;\nstruct Simple;\nstruct Utility;\nmod baseline;\nuse tower::Service;\n\
                 // struct JobManager\nconst A: &str = \"struct JobManager\";\nfn manager() {}\n\
                 impl<S> Layer<S> for Guard {\n    type Service = Guarded<S>;\n}\n",
            )],
            &[],
        );
    }
}
