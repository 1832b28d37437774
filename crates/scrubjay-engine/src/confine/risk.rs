//! What needs a person's consent.

use scrubjay_core::memory::{MemoryType, OriginKind};
use scrubjay_core::scope::Scope;

/// Whether a memory of this type, scope and origin needs a person's consent: what
/// holds in every project and steers every agent, and a preference that a tool or
/// a web page put into someone's mouth.
#[must_use]
pub fn is_high_risk(scope: &Scope, memory_type: &MemoryType, origin: OriginKind) -> bool {
    memory_type.as_str() == "preference" && (*scope == Scope::Global || origin.is_foreign())
}
