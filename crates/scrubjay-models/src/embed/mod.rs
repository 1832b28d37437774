//! Embedders: what turns texts into vectors.
//!
//! [`Embedder`] is the contract; [`Builtin`] needs no network and is the default, [`Multilingual`] neither and knows more
//! languages ([`BuiltinModel`] has both by name), [`Folder`] runs a model that lies on the disk, [`served`] asks a
//! server, [`Fake`] and [`Replay`] are for tests.
//! Every provider describes itself with a [`ModelCard`], whose id and prefix scheme together name one space of vectors:
//! vectors of two spaces are never compared. What a provider answers goes through [`check_vectors`], so that nothing
//! else needs to ask whether a vector can be used.
//!
//! An embedder never sees the store, never decides what is embedded, and never shortens an answer: a failure is an
//! error.
//!
//! Start with `provider.rs`.

mod answer;
mod builtin;
mod calibration;
mod card;
mod computed;
mod error;
mod fake;
mod folder;
mod inside;
mod known;
mod llama;
mod multilingual;
mod probe;
mod provider;
mod replay;
pub mod served;

pub use crate::prefix::PrefixScheme;
pub use answer::check_vectors;
pub use builtin::Builtin;
pub use calibration::Calibration;
pub use card::ModelCard;
pub use error::EmbedError;
pub use fake::Fake;
pub use folder::Folder;
pub use inside::BuiltinModel;
pub use known::{Known, known};
pub use llama::{LOADING, LlamaServer, Served as LlamaUse, find_program, is_gguf};
pub use multilingual::Multilingual;
pub use probe::learn;
pub use provider::{Embedder, Spent};
pub use replay::{Replay, record};
