//! Embedders: what turns texts into vectors.
//!
//! [`Embedder`] is the contract; [`Builtin`] needs no network and is the default, [`Fake`] and [`Replay`] are for tests.
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
mod error;
mod fake;
mod prefix;
mod provider;
mod replay;
mod window;

pub use answer::check_vectors;
pub use builtin::Builtin;
pub use calibration::Calibration;
pub use card::ModelCard;
pub use error::EmbedError;
pub use fake::Fake;
pub use prefix::PrefixScheme;
pub use provider::Embedder;
pub use replay::{Replay, record};
pub use window::by_bytes;
