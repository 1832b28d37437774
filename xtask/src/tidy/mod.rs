//! The house rules, as far as a machine can check them: one file a rule, one line each in `CHECKS`.
//!
//! A check is a pure function from the tree to its findings, and carries a unit test with planted violations, because a
//! check that cannot fail is worthless. A check never fixes anything and never reads a file by itself.
//! Start reading at `file_size.rs`; `findings.rs` runs them all and holds the test on this repository.

mod attributes;
mod dependencies;
mod file_size;
mod findings;
mod layers;
mod links;
mod machine_paths;
mod markdown;
mod migrations;
mod mod_files;
mod module_docs;
mod names;
mod registry_addresses;
mod sql;

use crate::tree::Tree;

pub(crate) use findings::{Finding, Severity, findings};
pub(crate) use migrations::{CHECKSUMS, migration_checksum, unreleased_migrations};

pub(crate) type Check = fn(&Tree) -> Vec<Finding>;

pub(crate) const CHECKS: &[Check] = &[
    attributes::check,
    dependencies::check,
    file_size::check,
    layers::check,
    links::check,
    machine_paths::check,
    migrations::check,
    mod_files::check,
    module_docs::check,
    names::check,
    registry_addresses::check,
    sql::check,
];
