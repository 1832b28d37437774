//! What a client needs of the outside world.

/// The time and chance, so that a test can fix them.
pub trait Outside: Send + Sync {
    /// The time of day, in milliseconds since 1970.
    fn now_ms(&self) -> i64;

    /// A random number. Where there is no randomness, any number: it only spreads retries.
    fn random(&self) -> u64;
}
