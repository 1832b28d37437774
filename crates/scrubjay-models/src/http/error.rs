//! Why a provider gave no answer.

use std::error::Error;
use std::time::Duration;

use thiserror::Error;

/// Why a provider gave no answer that can be used. Never holds a key, nor the text that was sent.
#[derive(Debug, Error)]
pub enum CallError {
    /// The address is none that may be called.
    #[error("{provider}: the address {address} is not used: {why}")]
    Address {
        /// Whose address.
        provider: String,
        /// The address without user and password.
        address: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// There is no key.
    #[error("{provider} needs a key; set {variable} in the environment")]
    NoKey {
        /// Who needs it.
        provider: String,
        /// Where it is looked for.
        variable: String,
    },
    /// The settings name something that cannot be used.
    #[error("{provider}: {what}")]
    Setup {
        /// Whose settings.
        provider: String,
        /// What is wrong.
        what: String,
    },
    /// No connection could be made.
    #[error("{provider} could not be reached at {address}")]
    Connect {
        /// Who.
        provider: String,
        /// Host and port.
        address: String,
        /// Why not.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The answer took too long.
    #[error("{provider} did not answer within {} s", after.as_secs_f32())]
    TimedOut {
        /// Who.
        provider: String,
        /// How long was waited.
        after: Duration,
    },
    /// The provider said no.
    #[error("{provider} answered {status}: {message}")]
    Status {
        /// Who.
        provider: String,
        /// The HTTP status.
        status: u16,
        /// What it said, shortened.
        message: String,
        /// How long it wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// The connection broke before the answer was complete.
    #[error("the answer of {provider} broke off")]
    BrokenOff {
        /// Who.
        provider: String,
        /// What happened.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The answer is longer than any should be.
    #[error("the answer of {provider} is larger than {limit_bytes} bytes")]
    TooLarge {
        /// Who.
        provider: String,
        /// The limit.
        limit_bytes: usize,
    },
    /// The answer is not what was asked for.
    #[error("{provider} gave an answer that cannot be used: {what}")]
    Garbled {
        /// Who.
        provider: String,
        /// What is wrong with it, in our own words.
        what: String,
    },
    /// It failed a moment ago and is left alone.
    #[error("{provider} failed a moment ago and is tried again in {} s", retry_in.as_secs().max(1))]
    Resting {
        /// Who.
        provider: String,
        /// How long it is left alone.
        retry_in: Duration,
    },
}

/// Whose fault a failure is, and so what helps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blame {
    /// The provider's, for the moment: try again later.
    Provider,
    /// The settings': the same call fails until a person changes something.
    Settings,
    /// The request's: this text fails, others may not.
    Request,
}

impl CallError {
    /// Whose fault it is.
    #[must_use]
    pub fn blame(&self) -> Blame {
        match self {
            Self::Address { .. } | Self::NoKey { .. } | Self::Setup { .. } => Blame::Settings,
            Self::Status { status, .. } => match status {
                // A model that does not exist, a key that is not valid, an account without money.
                401..=405 => Blame::Settings,
                408 | 409 | 425 | 429 => Blame::Provider,
                400..=499 => Blame::Request,
                // A redirect is not followed: someone set an address that is not the right one.
                300..=399 => Blame::Settings,
                _ => Blame::Provider,
            },
            _ => Blame::Provider,
        }
    }

    /// Whether the same request may succeed if it is sent again at once, or after a short wait.
    #[must_use]
    pub fn is_worth_another_try(&self) -> bool {
        match self {
            Self::Connect { .. } | Self::BrokenOff { .. } => true,
            Self::Status { status, .. } => matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504 | 529),
            _ => false,
        }
    }

    /// How long the provider wants to be left alone, if it said so or is resting.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            Self::Resting { retry_in, .. } => Some(*retry_in),
            _ => None,
        }
    }
}
