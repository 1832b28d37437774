//! The commands that are more than one operation, or none.
//!
//! `operation.rs` runs any operation and shows its answer; nearly every command
//! is that. `capture`, `export` and `import` stream lines from or to one
//! operation, called many times. `call` gives raw access to all operations.
//! `eval` measures. `serve`, `status`, `logs`, `token` and `unit` (the command
//! `service`) are about the daemon, `open` about its pages, `mcp` and `hook` about clients, which
//! `install` wires in.
//! `root`, `help`, `man`, `completions` and `demo` explain; `aliases` holds other
//! names of commands and `examples` the examples in their help. One file each, or a folder
//! where a command has parts.
//!
//! No command does anything to the store but by an operation.

pub(crate) mod aliases;
pub(crate) mod call;
pub(crate) mod capture;
pub(crate) mod completions;
pub(crate) mod context_file;
pub(crate) mod demo;
pub(crate) mod eval;
pub(crate) mod examples;
pub(crate) mod export;
pub(crate) mod help;
pub(crate) mod hook;
pub(crate) mod import;
pub(crate) mod install;
mod keys;
pub(crate) mod lines;
pub(crate) mod logs;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod open;
pub(crate) mod operation;
mod others;
mod overview;
mod progress;
pub(crate) mod root;
pub(crate) mod serve;
pub(crate) mod status;
pub(crate) mod token;
pub(crate) mod unit;
pub(crate) mod watch;

pub(crate) use others::{group_about, others, own_arguments};
