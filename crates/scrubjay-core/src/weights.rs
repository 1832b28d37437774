//! The weights that turn relevance into a score.

/// Importance as a factor: 3 is neutral.
#[must_use]
pub fn importance(importance: f64) -> f64 {
    importance / 3.0
}

/// Recency as a factor: 1.0 up to 7 days, falling linearly to 0.5 at 90 days.
#[must_use]
pub fn recency(age_days: f64) -> f64 {
    const FRESH_DAYS: f64 = 7.0;
    const OLD_DAYS: f64 = 90.0;
    let faded = ((age_days - FRESH_DAYS) / (OLD_DAYS - FRESH_DAYS)).clamp(0.0, 1.0);
    1.0 - 0.5 * faded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recency_has_two_knees() {
        assert_eq!(recency(-3.0), 1.0);
        assert_eq!(recency(7.0), 1.0);
        assert!((recency(48.5) - 0.75).abs() < 1e-12);
        assert_eq!(recency(90.0), 0.5);
        assert_eq!(recency(4000.0), 0.5);
    }
}
