//! Configuration: typed settings from five layers, each value with the place it came from.
//!
//! Layers, from weakest to strongest: defaults, the user's `config.toml`, that file's `[agents.<name>]` table, the
//! project's `.scrubjay.toml`, environment variables `SCRUBJAY_<SECTION>_<KEY>`, flags.
//!
//! - `settings` is the one table of all settings. Start there, then read `layers`.
//! - `schema` turns the table into dotted keys; `rule` and `value` check and convert what is set.
//! - `file`, `assignments` and `project_file` read files; the last holds the list of what a repository may set.
//! - `adjustable` lists what may be changed from afar.
//! - `edit` and `write` change one setting in a file and keep everything else in it.
//! - `locations` says where the home folder and the user's file are, `agents` who has a store.
//!
//! This module never reads the process's environment or current folder by itself (except to make a relative home
//! absolute), never creates a file unless asked to set something, and never shows the password of an address.

mod adjustable;
mod agents;
mod assignments;
mod connection_url;
mod edit;
mod error;
mod file;
mod layers;
mod locations;
mod origin;
mod project_file;
mod provider_settings;
mod rule;
mod schema;
mod secret_text;
mod settings;
mod suggest;
mod value;
mod write;

#[cfg(test)]
mod tests;

pub use adjustable::is_adjustable;
pub use agents::agents_with_stores;
pub(crate) use assignments::suggestion;
pub use connection_url::ConnectionUrl;
pub use edit::{Change, is_set, set, unset};
pub use error::ConfigError;
pub(crate) use error::{printable, shown};
pub use layers::{Entry, Layers, Loaded, entries, load};
pub use locations::{home_dir, user_file, validate_agent_name};
pub use origin::Origin;
pub(crate) use project_file::ignored;
pub use project_file::{PROJECT_FILE_NAME, ProjectFile, project_file};
pub use provider_settings::{Keys, vendor_variables};
pub use schema::{KeyDoc, keys};
pub use secret_text::SecretText;
pub use settings::{
    Backup, Capture, Chat, ChatCommand, Daemon, Dedup, Embedding, Hooks, Hybrid, Jobs, Memory, Query, Settings, Spend,
    Store,
};
pub use value::ValueType;
