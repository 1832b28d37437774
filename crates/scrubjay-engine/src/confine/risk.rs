//! What needs a person's consent.

use scrubjay_core::memory::{MemoryType, OriginKind};
use scrubjay_core::scope::Scope;

use crate::memory_types::policy;

/// Whether a memory of this type, scope and origin needs a person's consent: what
/// holds in every project and steers every agent, such as a preference, and the same
/// where a tool or a web page put it into someone's mouth.
#[must_use]
pub fn is_high_risk(scope: &Scope, memory_type: &MemoryType, origin: OriginKind) -> bool {
    policy(memory_type).needs_consent && (*scope == Scope::Global || origin.is_foreign())
}
