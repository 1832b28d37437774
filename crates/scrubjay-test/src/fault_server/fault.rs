//! The ways to fail.

use std::time::Duration;

/// A way to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nobody listens.
    Refuse,
    /// Takes the request and never answers.
    Hang,
    /// Answers, but late.
    Slow(Duration),
    /// 429, with a wait in seconds.
    RateLimited(u64),
    /// 500.
    ServerError,
    /// 401, although the key is right.
    Unauthorized,
    /// 400, whatever the request is.
    BadRequest,
    /// 307 to another address.
    Redirect,
    /// 200 and something that is no JSON.
    Garbage,
    /// 200 and JSON that is no answer.
    Empty,
    /// A vector with a value that is no number.
    NotANumber,
    /// A vector that is too short.
    WrongDimension,
    /// Another model answers under the same name: all vectors have half the size.
    OtherModel,
    /// One vector too few.
    ShortBatch,
    /// The connection is reset in the middle of the answer.
    ResetMidBody,
    /// The answer ends before its announced length.
    Truncated,
    /// An answer without end.
    HugeBody,
    /// The model stops at its limit, in the middle of a word.
    CutOff,
    /// The model refuses.
    Refusal,
    /// The model answers in prose.
    Prose,
}

impl Fault {
    /// Those that any call may meet.
    pub const OF_THE_WIRE: [Self; 10] = [
        Self::Refuse,
        Self::Hang,
        Self::RateLimited(0),
        Self::ServerError,
        Self::Unauthorized,
        Self::Redirect,
        Self::Garbage,
        Self::ResetMidBody,
        Self::Truncated,
        Self::HugeBody,
    ];

    /// Those of answers that hold vectors.
    pub const OF_VECTORS: [Self; 4] = [Self::Empty, Self::NotANumber, Self::WrongDimension, Self::ShortBatch];

    /// Those of answers that hold words.
    pub const OF_CHAT: [Self; 3] = [Self::Empty, Self::CutOff, Self::Refusal];
}
