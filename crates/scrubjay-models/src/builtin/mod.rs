//! The built-in encoders: no network, no download, no file to lose.
//!
//! Small encoders of the BERT family with int8 weights, which are compiled into the binary and used where they lie.
//! [`Model`] takes texts and gives vectors of length 1; [`Builtin`](crate::embed::Builtin) puts the
//! asynchronous [`Embedder`](crate::embed::Embedder) in front of it. [`CrossEncoder`] takes a question and passages and
//! gives a score for each; [`rerank`](crate::rerank) has the [`Reranker`](crate::rerank::Reranker) in front of it.
//!
//! [`StaticTable`] needs no encoder: a text is the mean of the vectors of its pieces, in any of 101 languages.
//!
//! File and tokenizer also serve the model that finds names (`ner/local/`).
//!
//! It knows nothing of prefixes, memories or stores, never opens a socket, and gives the same numbers on every machine.
//!
//! Start with `model.rs`, then `encoder.rs`; `kernel/` has the arithmetic, `linear/` the layers for it, `tokenizer/` the
//! tokens, `weights.rs` and `sections.rs` the file, `table/` the static table.

mod architecture;
mod batch;
mod cross_encoder;
mod embedded;
mod encoder;
mod error;
mod kernel;
mod layer;
mod linear;
mod model;
mod sections;
mod table;
pub(crate) mod tokenizer;
mod weights;
pub(crate) mod window;

pub use architecture::{Architecture, Pooling};
pub use cross_encoder::CrossEncoder;
pub(crate) use embedded::tinybert_ner;
pub use embedded::{granite, ms_marco_minilm, potion_multilingual};
pub use error::WeightError;
pub use model::Model;
pub use table::StaticTable;
pub use weights::Weights;
