//! Who may depend on whom: core ← {index, ingest, models, store} ← engine ← server ← scrubjay, and never the other way.
//!
//! A crate sees only crates of a lower layer, so the middle ones never see one another. `scrubjay-test` is for tests,
//! and some outside crates belong to one place, so that what they do is done in one place. All kinds of dependencies
//! count, those of tests too.

use toml_edit::{Document, Item, Table, TableLike};

use super::Finding;
use crate::tree::Tree;

const LAYERS: [(&str, u8); 8] = [
    ("scrubjay-core", 0),
    ("scrubjay-ingest", 1),
    ("scrubjay-index", 1),
    ("scrubjay-models", 1),
    ("scrubjay-store", 1),
    ("scrubjay-engine", 2),
    ("scrubjay-server", 3),
    ("scrubjay", 4),
];
const TEST_CRATE: &str = "scrubjay-test";

/// Outside crates and the folders that may use them. A name also covers its family: `clap` means `clap_complete` too.
const OWNERS: [(&str, &[&str]); 9] = [
    ("clap", &["scrubjay", "xtask"]),
    ("rusqlite", &["scrubjay-store", TEST_CRATE, "benches"]),
    ("tokio-postgres", &["scrubjay-store", TEST_CRATE, "benches"]),
    ("reqwest", &["scrubjay-models"]),
    ("tokio-rustls", &["scrubjay-models", "scrubjay-store"]),
    ("axum", &["scrubjay-server"]),
    ("rmcp", &["scrubjay-server"]),
    ("tree-sitter", &["scrubjay-ingest"]),
    ("anyhow", &["scrubjay", "xtask", "benches"]),
];

const KINDS: [&str; 3] = ["dependencies", "build-dependencies", "dev-dependencies"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let renamed = tree.text("Cargo.toml").map_or_else(Vec::new, workspace_packages);
    let mut findings = Vec::new();
    for (path, text) in tree.texts() {
        let Some(folder) = package_folder(path) else { continue };
        match Document::parse(text) {
            Ok(document) => check_manifest(path, folder, text, document.as_table(), &renamed, &mut findings),
            Err(error) => {
                findings.push(Finding::violation(path, 1, format!("not a manifest: {}", error.message())));
            }
        }
    }
    findings
}

/// The name of the folder whose manifest this is: a crate, or one of the packages beside `crates/`.
fn package_folder(path: &str) -> Option<&str> {
    let folder = path.strip_suffix("/Cargo.toml")?;
    let folder = folder.strip_prefix("crates/").unwrap_or(folder);
    (!folder.contains('/')).then_some(folder)
}

fn check_manifest(
    path: &str,
    folder: &str,
    text: &str,
    manifest: &Table,
    renamed: &[(String, String)],
    findings: &mut Vec<Finding>,
) {
    if path.starts_with("crates/") {
        let is_known = folder == TEST_CRATE || layer(folder).is_some();
        if !is_known {
            findings.push(Finding::violation(path, 1, format!("`{folder}` has no layer in xtask's dependency check")));
        }
        let name = manifest.get("package").and_then(|package| package.get("name")).and_then(Item::as_str);
        if name != Some(folder) {
            findings.push(Finding::violation(path, 1, format!("the package is not called `{folder}` like its folder")));
        }
    }
    for (kind, dependencies) in dependency_tables(manifest) {
        for (key, item) in dependencies.iter() {
            let package = package_name(key, item, renamed);
            if let Some(message) = objection(folder, kind, &package) {
                let line = dependencies
                    .get_key_value(key)
                    .and_then(|(key, _)| key.span())
                    .map_or(1, |span| text[..span.start].matches('\n').count() + 1);
                findings.push(Finding::violation(path, line, message));
            }
        }
    }
}

/// The dependency tables of a manifest, those of `[target.…]` included.
fn dependency_tables(manifest: &Table) -> Vec<(&'static str, &dyn TableLike)> {
    let mut tables: Vec<&dyn TableLike> = vec![manifest];
    if let Some(targets) = manifest.get("target").and_then(Item::as_table_like) {
        tables.extend(targets.iter().filter_map(|(_, target)| target.as_table_like()));
    }
    tables
        .into_iter()
        .flat_map(|table| {
            KINDS.into_iter().filter_map(move |kind| Some((kind, table.get(kind).and_then(Item::as_table_like)?)))
        })
        .collect()
}

/// What a dependency is called where it is published: `package = …` here or in the workspace wins over the key.
fn package_name(key: &str, item: &Item, renamed: &[(String, String)]) -> String {
    if let Some(package) = item.get("package").and_then(Item::as_str) {
        return package.to_string();
    }
    let from_workspace = item.get("workspace").is_some();
    let package = renamed.iter().find(|(alias, _)| from_workspace && alias == key).map(|(_, package)| package.as_str());
    package.unwrap_or(key).to_string()
}

/// The entries of `[workspace.dependencies]` that are known by another name.
fn workspace_packages(text: &str) -> Vec<(String, String)> {
    let Ok(document) = Document::parse(text) else {
        return Vec::new();
    };
    let dependencies = document
        .as_table()
        .get("workspace")
        .and_then(|workspace| workspace.get("dependencies"))
        .and_then(Item::as_table_like);
    dependencies
        .into_iter()
        .flat_map(|table| table.iter())
        .filter_map(|(key, item)| Some((key.to_string(), item.get("package")?.as_str()?.to_string())))
        .collect()
}

fn objection(folder: &str, kind: &str, package: &str) -> Option<String> {
    if package == TEST_CRATE && kind != "dev-dependencies" && folder != TEST_CRATE && folder != "benches" {
        return Some(format!("`{TEST_CRATE}` is a dev-dependency only"));
    }
    if let (Some(mine), Some(theirs)) = (layer(folder), layer(package))
        && theirs >= mine
    {
        return Some(format!(
            "`{folder}` may not depend on `{package}`: core ← {{ingest, models, store}} ← engine ← server ← scrubjay"
        ));
    }
    let (family, owners) = OWNERS.iter().find(|(family, _)| is_of_family(package, family))?;
    (!owners.contains(&folder)).then(|| format!("`{family}` is used in {} only", owners.join(", ")))
}

fn layer(package: &str) -> Option<u8> {
    LAYERS.iter().find(|(name, _)| *name == package).map(|(_, layer)| *layer)
}

fn is_of_family(package: &str, family: &str) -> bool {
    package.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

#[cfg(test)]
mod tests {
    use super::super::findings::expect_findings;
    use super::*;

    /// Plants one manifest; `dependencies` begins on line 3.
    fn check_crate(folder: &str, dependencies: &str, expect: &[&str]) {
        let path = if folder.contains("scrubjay") { format!("crates/{folder}") } else { folder.to_string() };
        let path = format!("{path}/Cargo.toml");
        let expect: Vec<String> = expect.iter().map(|message| format!("{path}:{message}")).collect();
        expect_findings(
            check,
            &[
                ("Cargo.toml", "[workspace.dependencies]\nargs = { version = \"4\", package = \"clap\" }\n"),
                (&path, &format!("[package]\nname = \"{folder}\"\n{dependencies}")),
            ],
            &expect.iter().map(String::as_str).collect::<Vec<_>>(),
        );
    }

    #[test]
    fn lower_layers_are_fine_and_others_are_not() {
        let path = |name: &str| format!("[dependencies]\n{name} = {{ path = \"x\" }}\n");
        check_crate("scrubjay-engine", &path("scrubjay-store"), &[]);
        check_crate("scrubjay", &path("scrubjay-core"), &[]);
        check_crate(
            "scrubjay-store",
            &path("scrubjay-models"),
            &["4: `scrubjay-store` may not depend on `scrubjay-models`"],
        );
        check_crate("scrubjay-core", &path("scrubjay-engine"), &["4: `scrubjay-core` may not depend"]);
        check_crate("scrubjay-engine", &path("scrubjay-server"), &["4: `scrubjay-engine` may not depend"]);
        check_crate("scrubjay-ingest", "[dev-dependencies]\nscrubjay-store.workspace = true\n", &["4: "]);
    }

    #[test]
    fn the_test_crate_is_for_tests() {
        check_crate("scrubjay-store", "[dev-dependencies]\nscrubjay-test.workspace = true\n", &[]);
        check_crate("benches", "[dependencies]\nscrubjay-test.workspace = true\n", &[]);
        check_crate("scrubjay-test", "[dependencies]\nscrubjay-engine.workspace = true\nrusqlite = \"1\"\n", &[]);
        check_crate(
            "scrubjay-store",
            "[dependencies]\nscrubjay-test.workspace = true\n",
            &["4: `scrubjay-test` is a dev-dependency only"],
        );
    }

    #[test]
    fn outside_crates_have_owners() {
        check_crate("scrubjay", "[dependencies]\nclap.workspace = true\nclap_complete = \"4\"\nanyhow = \"1\"\n", &[]);
        check_crate("scrubjay-ingest", "[dependencies]\ntree-sitter-rust = \"1\"\n", &[]);
        check_crate(
            "scrubjay-engine",
            "[dependencies]\nclap.workspace = true\nrusqlite = { version = \"1\" }\nreqwest = \"1\"\naxum = \"1\"\n\
             rmcp = \"1\"\ntree-sitter-go = \"1\"\nanyhow = \"1\"\nclapper = \"1\"\n",
            &[
                "4: `clap` is used in",
                "5: `rusqlite` is used in",
                "6: `reqwest` is used in",
                "7: `axum` is used in",
                "8: `rmcp` is used in",
                "9: `tree-sitter` is used in",
                "10: `anyhow` is used in scrubjay, xtask, benches only",
            ],
        );
    }

    #[test]
    fn a_dependency_cannot_hide() {
        check_crate("scrubjay-core", "[dependencies.tool]\nversion = \"1\"\npackage = \"clap\"\n", &["3: `clap`"]);
        check_crate("scrubjay-core", "[dependencies]\nargs.workspace = true\n", &["4: `clap`"]);
        check_crate("scrubjay-core", "[target.'cfg(unix)'.dependencies]\nclap = \"4\"\n", &["4: `clap`"]);
        check_crate("scrubjay-core", "[build-dependencies]\nanyhow = \"1\"\n", &["4: `anyhow`"]);
    }

    #[test]
    fn an_unknown_crate_must_be_placed() {
        check_crate("scrubjay-extra", "", &["1: `scrubjay-extra` has no layer"]);
        expect_findings(
            check,
            &[("crates/scrubjay-core/Cargo.toml", "[package]\nname = \"core\"\n"), ("xtask/Cargo.toml", "[package\n")],
            &["crates/scrubjay-core/Cargo.toml:1: the package is not called", "xtask/Cargo.toml:1: not a manifest"],
        );
    }
}
