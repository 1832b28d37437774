//! What can go wrong in a provider.

use std::error::Error;

use thiserror::Error;

/// Why a provider gave no mentions.
#[derive(Debug, Error)]
pub enum NerError {
    /// A built-in pattern is wrong.
    #[error("the pattern for {what} could not be compiled")]
    Pattern {
        /// What the pattern looks for.
        what: &'static str,
        /// Why it was refused.
        #[source]
        source: regex::Error,
    },
    /// The known names do not fit into one automaton.
    #[error("a dictionary of {names} names could not be built")]
    Dictionary {
        /// How many names there were.
        names: usize,
        /// Why it was refused.
        #[source]
        source: aho_corasick::BuildError,
    },
    /// A provider behind the trait, such as a model, did not answer.
    #[error("the {provider} provider could not read the text")]
    Provider {
        /// The name of the provider.
        provider: &'static str,
        /// What happened there.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
}
