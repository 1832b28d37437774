//! How confidence fades.
//!
//! The closed form is computed from the stored confidence and the last access
//! whenever it is needed. Nothing is written back, so running it twice, or
//! never, changes nothing.

use crate::memory::{Confidence, DecayRate, Kind, Memory};
use crate::time::Timestamp;

/// Below this effective confidence a fact is soft-deleted by maintenance.
pub const PRUNE_BELOW: f64 = 0.05;

/// The decay rate a memory of `kind` starts with: facts fade, the rest is kept.
#[must_use]
pub fn initial_rate(kind: Kind, fact_rate: DecayRate) -> DecayRate {
    match kind {
        Kind::Fact => fact_rate,
        Kind::Episode | Kind::Reflection | Kind::Scratch => DecayRate::PROTECTED,
    }
}

/// `confidence × exp(−rate × days since the last access)`.
#[must_use]
pub fn effective_confidence(confidence: Confidence, rate: DecayRate, last_access: Timestamp, now: Timestamp) -> f64 {
    let days = now.days_since(last_access).max(0.0);
    confidence.value() * (-rate.value() * days).exp()
}

/// The effective confidence of a memory; one never accessed counts from when we
/// learned it.
#[must_use]
pub fn of_memory(memory: &Memory, now: Timestamp) -> f64 {
    effective_confidence(memory.confidence, memory.decay_rate, memory.last_accessed.unwrap_or(memory.created_at), now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::DAY_MS;

    #[test]
    fn the_formula_holds() {
        let start = Timestamp::from_millis(0);
        let rate = DecayRate::new(0.1).unwrap();
        let after = |days: i64| effective_confidence(Confidence::FULL, rate, start, start.plus_millis(days * DAY_MS));
        assert!((after(10) - (-1.0f64).exp()).abs() < 1e-12);
        assert!(after(29) > PRUNE_BELOW && after(30) < PRUNE_BELOW);
        assert_eq!(
            effective_confidence(Confidence::FULL, DecayRate::PROTECTED, start, Timestamp::from_millis(i64::MAX)),
            1.0
        );
        // A clock that runs backwards must not raise confidence.
        assert_eq!(after(-5), 1.0);
    }
}
