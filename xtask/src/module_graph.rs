//! Which top-level modules of a crate name which others.
//!
//! Read off the tokens: `crate::name`, `crate::{name, …}` and `super::name` where that is the root. What `lib.rs`
//! re-exports counts as the module it comes from. Lines under `#[cfg(test)]` and test files do not count.

use std::collections::{BTreeMap, BTreeSet};

use crate::rust_source::RustSource;
use crate::tree::{Tree, is_test_file};

/// A module names another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) path: String,
    pub(crate) line: usize,
}

/// The modules of a crate and what they name.
pub(crate) struct ModuleGraph {
    pub(crate) modules: BTreeSet<String>,
    pub(crate) uses: Vec<Use>,
}

impl ModuleGraph {
    /// Of the crate in a folder, such as `crates/scrubjay-engine`.
    pub(crate) fn of(tree: &Tree, folder: &str) -> ModuleGraph {
        let root = format!("{folder}/src/");
        let files: Vec<(Vec<&str>, &str, &RustSource)> = tree
            .rust_files()
            .filter(|(path, _)| !is_test_file(path))
            .filter_map(|(path, source)| Some((module_path(path.strip_prefix(&root)?), path, source)))
            .collect();
        let modules: BTreeSet<String> =
            files.iter().filter_map(|(module, ..)| module.first().map(|name| (*name).to_owned())).collect();
        let mut exports = BTreeMap::new();
        for (module, _, source) in &files {
            if module.is_empty() {
                exports.extend(re_exports(source, &modules));
            }
        }
        let mut uses = Vec::new();
        for (module, path, source) in &files {
            let Some(from) = module.first() else { continue };
            for (name, line) in names_at_the_root(source, module.len()) {
                let to = exports.get(&name).unwrap_or(&name);
                if modules.contains(to) && to != from && !source.is_test_line(line) {
                    uses.push(Use { from: (*from).to_owned(), to: to.clone(), path: (*path).to_owned(), line });
                }
            }
        }
        ModuleGraph { modules, uses }
    }

    /// Everything that a module names, directly or through others.
    pub(crate) fn reachable(&self, from: &str) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        let mut left = vec![from];
        while let Some(module) = left.pop() {
            for next in self.uses.iter().filter(|one| one.from == module) {
                if found.insert(next.to.as_str()) {
                    left.push(&next.to);
                }
            }
        }
        found
    }

    /// The modules in layers, lowest first: each names modules of lower layers only. What is part of a cycle, or above
    /// one, is left out.
    pub(crate) fn layers(&self) -> Vec<Vec<&str>> {
        let mut placed: BTreeSet<&str> = BTreeSet::new();
        let mut layers = Vec::new();
        loop {
            let is_next = |module: &&str| {
                let mut uses = self.uses.iter().filter(|one| one.from == *module);
                !placed.contains(module) && uses.all(|one| placed.contains(one.to.as_str()))
            };
            let layer: Vec<&str> = self.modules.iter().map(String::as_str).filter(|module| is_next(module)).collect();
            if layer.is_empty() {
                return layers;
            }
            placed.extend(&layer);
            layers.push(layer);
        }
    }
}

// `search/arm/mod.rs` is `search`, `arm`; the root is empty.
fn module_path(path: &str) -> Vec<&str> {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let mut parts: Vec<&str> = path.split('/').collect();
    if parts.last() == Some(&"mod") || matches!(parts.as_slice(), ["lib" | "main"]) {
        parts.pop();
    }
    parts
}

// What `use module::{A, B}` in the root makes known there, with the module.
fn re_exports(root: &RustSource, modules: &BTreeSet<String>) -> Vec<(String, String)> {
    let tokens = &root.tokens;
    let mut found = Vec::new();
    for at in (0..tokens.len()).filter(|at| tokens[*at].is_word("use")) {
        let Some(module) = tokens.get(at + 1).map(|token| token.text.clone()) else { continue };
        if modules.contains(&module) {
            let rest = tokens[at + 2..].iter().take_while(|token| !token.is_punctuation(';'));
            found.extend(rest.filter(|token| is_name(&token.text)).map(|token| (token.text.clone(), module.clone())));
        }
    }
    found
}

fn is_name(text: &str) -> bool {
    text.starts_with(|character: char| character.is_alphabetic() || character == '_')
}

// The names right below the root of the crate that a file of this depth mentions, with their lines.
fn names_at_the_root(source: &RustSource, depth: usize) -> Vec<(String, usize)> {
    let tokens = &source.tokens;
    let is_path = |at: usize| {
        let mark = |at: usize| tokens.get(at).is_some_and(|token| token.is_punctuation(':'));
        mark(at) && mark(at + 1)
    };
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let mut next = at + 1;
        if tokens[at].is_word("super") && !(at >= 2 && is_path(at - 2)) {
            let mut steps = 1;
            while is_path(next) && tokens.get(next + 2).is_some_and(|token| token.is_word("super")) {
                steps += 1;
                next += 3;
            }
            if steps != depth {
                continue;
            }
        } else if !tokens[at].is_word("crate") {
            continue;
        }
        if !is_path(next) {
            continue;
        }
        let Some(first) = tokens.get(next + 2) else { continue };
        if !first.is_punctuation('{') {
            found.push((first.text.clone(), first.line));
            continue;
        }
        let (mut open, mut is_first) = (1, true);
        for token in &tokens[next + 3..] {
            match token.text.chars().next() {
                Some('{') if token.is_punctuation('{') => open += 1,
                Some('}') if token.is_punctuation('}') => open -= 1,
                _ if open == 1 && token.is_punctuation(',') => is_first = true,
                _ if open == 1 && is_first => {
                    found.push((token.text.clone(), token.line));
                    is_first = false;
                }
                _ => {}
            }
            if open == 0 {
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph() -> ModuleGraph {
        let files = [
            ("crates/a/src/lib.rs", "pub mod low;\npub mod high;\npub use low::{Thing, Other as Another};\n"),
            ("crates/a/src/low/mod.rs", "mod part;\n"),
            ("crates/a/src/low/part.rs", "use super::Own;\n#[cfg(test)]\nmod tests {\n    use crate::high::X;\n}\n"),
            ("crates/a/src/high.rs", "use crate::{Thing, middle::{low, Z}};\nfn f() { super::low::g() }\n"),
            (
                "crates/a/src/middle/deep/mod.rs",
                "// crate::high\nuse super::super::low::Own;\nconst T: &str = \"crate::high\";\n",
            ),
        ];
        ModuleGraph::of(&Tree::planted(&files), "crates/a")
    }

    #[test]
    fn what_a_module_names_is_found_however_it_is_written() {
        let uses: Vec<(String, String, usize)> =
            graph().uses.into_iter().map(|one| (one.from, one.to, one.line)).collect();
        let expected = [("high", "low", 1), ("high", "middle", 1), ("high", "low", 2), ("middle", "low", 2)];
        assert_eq!(uses, expected.map(|(from, to, line)| (from.to_owned(), to.to_owned(), line)));
    }

    #[test]
    fn layers_begin_with_what_names_nothing() {
        assert_eq!(graph().layers(), [vec!["low"], vec!["middle"], vec!["high"]]);
        assert_eq!(graph().reachable("high"), BTreeSet::from(["low", "middle"]));
    }
}
