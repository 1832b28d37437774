//! The commands of `cargo xtask`: one file each, one line each in `COMMANDS`.
//!
//! A command takes its own arguments and answers with an exit code: 0 when all is well, 1 when it found something that
//! a person must mend. An `Err` means that the command could not do its work and becomes exit code 2.
//! Start reading at `tidy.rs`.

mod docs;
mod freeze_migrations;
mod planted;
mod tidy;

use std::process::ExitCode;

/// One command of `cargo xtask`.
pub(crate) struct Command {
    pub(crate) name: &'static str,
    /// One line for the usage text.
    pub(crate) summary: &'static str,
    pub(crate) run: fn(&[String]) -> anyhow::Result<ExitCode>,
}

pub(crate) const COMMANDS: &[Command] = &[
    Command {
        name: "docs",
        summary: "write the reference pages from the code, or with --check see whether they are current",
        run: docs::run,
    },
    Command {
        name: "planted",
        summary: "plant bugs in a copy of the repository, one at a time, and see that the tests find them",
        run: planted::run,
    },
    Command {
        name: "freeze-migrations",
        summary: "record the checksum of every new migration, so that it can never change again",
        run: freeze_migrations::run,
    },
    Command {
        name: "tidy",
        summary: "check the house rules on this repository, or on the tree given as argument",
        run: tidy::run,
    },
];
