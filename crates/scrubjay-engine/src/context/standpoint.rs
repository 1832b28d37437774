//! From when a block is looked for.

use scrubjay_core::filter::{Field, Filter, Operator, Scalar, Test};
use scrubjay_core::time::Timestamp;
use scrubjay_store::query::Activity;

/// From when a block is looked for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Standpoint {
    Now,
    /// A time that has passed.
    Past(Timestamp),
}

impl Standpoint {
    /// The conditions as they were from there.
    pub(super) fn narrow(self, filter: Filter) -> (Filter, Activity) {
        match self {
            Self::Now => (filter, Activity::Active),
            Self::Past(time) => {
                #[expect(clippy::cast_precision_loss, reason = "a time in milliseconds has 41 bits")]
                let before = Test::Compare(Operator::Less, Scalar::Number(time.millis() as f64));
                (filter.and(Field::EventTime, before), Activity::NotEndedBy(time))
            }
        }
    }
}
