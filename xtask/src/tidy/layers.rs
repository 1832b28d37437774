//! The modules of a crate depend one way: none names a module that comes back to it.
//!
//! The rule holds between the top-level modules of the crates listed here; inside of a module, files may know each
//! other. `cargo xtask docs` draws the layers of the engine into ARCHITECTURE.md.

use super::Finding;
use crate::module_graph::ModuleGraph;
use crate::tree::Tree;

const LAYERED: [&str; 7] = [
    "crates/scrubjay-core",
    "crates/scrubjay-ingest",
    "crates/scrubjay-index",
    "crates/scrubjay-models",
    "crates/scrubjay-store",
    "crates/scrubjay-engine",
    "crates/scrubjay-server",
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for folder in LAYERED {
        let graph = ModuleGraph::of(tree, folder);
        for one in &graph.uses {
            if graph.reachable(&one.to).contains(one.from.as_str()) {
                let message = format!(
                    "`{}` names `{}`, which comes back to it: move what both need below them",
                    one.from, one.to
                );
                findings.push(Finding::violation(&one.path, one.line, message));
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
    fn a_cycle_is_found_at_each_of_its_edges() {
        expect_findings(
            check,
            &[
                ("crates/scrubjay-engine/src/lib.rs", "mod a;\nmod b;\nmod c;\nmod d;\npub use c::Found;\n"),
                ("crates/scrubjay-engine/src/a.rs", "use crate::b::X;\n"),
                ("crates/scrubjay-engine/src/b/mod.rs", "mod part;\n"),
                ("crates/scrubjay-engine/src/b/part.rs", "use std::fmt;\nuse crate::Found;\n"),
                ("crates/scrubjay-engine/src/c.rs", "fn f() { crate::a::g() }\n"),
                ("crates/scrubjay-engine/src/d.rs", "use crate::{a, b};\n"),
                ("crates/other/src/lib.rs", "mod a;\nmod b;\n"),
                ("crates/other/src/a.rs", "use crate::b;\n"),
                ("crates/other/src/b.rs", "use crate::a;\n"),
            ],
            &[
                "crates/scrubjay-engine/src/a.rs:1: `a` names `b`",
                "crates/scrubjay-engine/src/b/part.rs:2: `b` names `c`",
                "crates/scrubjay-engine/src/c.rs:1: `c` names `a`",
            ],
        );
    }

    #[test]
    fn every_layered_crate_is_looked_at() {
        for folder in LAYERED {
            let file = |name: &str| format!("{folder}/src/{name}.rs");
            let files =
                [(file("lib"), "mod a;\nmod b;\n"), (file("a"), "use crate::b;\n"), (file("b"), "use crate::a;\n")];
            let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
            let expected = [format!("{}:1: `a` names `b`", file("a")), format!("{}:1: `b` names `a`", file("b"))];
            expect_findings(check, &files, &expected.each_ref().map(String::as_str));
        }
    }
}
