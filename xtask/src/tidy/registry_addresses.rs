//! No file says where packages come from: clients know their default registry, and a mirror is a matter of the machine.
//!
//! `Cargo.lock` is the one exception, because cargo writes the default registry there; any other source in it fails.

use super::Finding;
use crate::tree::{Tree, file_name};

/// Put together here so that this file does not hold the addresses itself.
const ADDRESSES: [&str; 12] = [
    concat!("index.crates", ".io"),
    concat!("static.crates", ".io"),
    concat!("://crates", ".io"),
    concat!("crates.io", "-index"),
    concat!("registry.npmjs", ".org"),
    concat!("registry.yarnpkg", ".com"),
    concat!("://pypi", ".org"),
    concat!("pythonhosted", ".org"),
    concat!("/arti", "factory/"),
    concat!("--index", "-url"),
    concat!("--extra-index", "-url"),
    concat!("npm_config", "_registry"),
];

const DEFAULT_SOURCE: &str = concat!("source = \"registry+https://github.com/rust-lang/crates.io", "-index\"");

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts() {
        for (index, line) in text.lines().enumerate() {
            if let Some(message) = objection(path, line) {
                findings.push(Finding::violation(path, index + 1, message));
            }
        }
    }
    findings
}

fn objection(path: &str, line: &str) -> Option<String> {
    if file_name(path) == "Cargo.lock" {
        let is_foreign = line.starts_with("source = ") && line != DEFAULT_SOURCE;
        return is_foreign.then(|| "a package from another source than the default registry".to_string());
    }
    let is_cargo_configuration = path.ends_with(".cargo/config.toml") || path.ends_with(".cargo/config");
    let table = line.trim_start();
    if is_cargo_configuration && ["[source", "[registr"].iter().any(|start| table.starts_with(start)) {
        return Some("a registry setting belongs in the configuration of the machine".to_string());
    }
    if file_name(path) == ".npmrc" && line.contains("registry") {
        return Some("a registry setting belongs in the configuration of the machine".to_string());
    }
    let address = ADDRESSES.into_iter().find(|address| line.contains(address))?;
    Some(format!("`{address}` is the address of a registry"))
}

#[cfg(test)]
mod tests {
    use super::super::findings::expect_findings;
    use super::*;

    #[test]
    fn addresses_are_found_anywhere() {
        let script = format!("#!/bin/sh\npip install {} x y\n", ADDRESSES[9]);
        let lock = format!("\"resolved\": \"https://{}/x\"\n", ADDRESSES[4]);
        expect_findings(
            check,
            &[
                ("scripts/get", &script),
                ("web/package-lock.json", &lock),
                (".cargo/config.toml", "[alias]\nx = \"y\"\n[source.mirror]\n[registries.mine]\n"),
                ("web/.npmrc", "registry = https://example.org\n"),
                ("README.md", "Install it from crates.io with `cargo install scrubjay`.\n"),
            ],
            &[
                ".cargo/config.toml:3: a registry setting",
                ".cargo/config.toml:4: a registry setting",
                "scripts/get:2: `",
                "web/.npmrc:1: a registry setting",
                "web/package-lock.json:1: `",
            ],
        );
    }

    #[test]
    fn the_lock_file_holds_the_default_source_only() {
        let lock = format!("name = \"a\"\n{DEFAULT_SOURCE}\nsource = \"git+https://example.org/a#1\"\n");
        expect_findings(check, &[("Cargo.lock", &lock)], &["Cargo.lock:3: a package from another source"]);
    }
}
