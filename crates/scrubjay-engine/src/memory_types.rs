//! The types of memories that are treated in a way of their own, with everything that depends on the type.
//!
//! The set of types is open: a type that is not listed here is stored and found like any other, and has the policy
//! [`OTHER`]. To treat a type in its own way, add its line to [`TYPES`].

use scrubjay_core::memory::MemoryType;

/// What depends on a memory's type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TypePolicy {
    /// The type.
    pub name: &'static str,
    /// The importance of a memory whose importance nobody gave, 1 to 5.
    pub importance: f64,
    /// Whether such facts fade at `memory.lasting_decay_rate`, unless the settings list other types.
    pub is_lasting: bool,
    /// Whether such facts count against `tiers.max_items` of a project, and go when it holds too much.
    pub is_counted: bool,
    /// Whether a person is asked before one holds in all projects, or is taken over from a tool or a web page.
    pub needs_consent: bool,
    /// Where a digest has such a fact.
    pub digest: DigestHeading,
}

/// A heading of a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DigestHeading {
    /// What was decided.
    Decisions,
    /// What is still to come; a plan is listed as long as its day is not past.
    Plans,
    /// What went wrong.
    Failures,
    /// Everything else that was learned.
    Learned,
}

/// The policy of every type that is not listed.
pub const OTHER: TypePolicy = TypePolicy {
    name: "",
    importance: 3.0,
    is_lasting: false,
    is_counted: false,
    needs_consent: false,
    digest: DigestHeading::Learned,
};

const DECISION: TypePolicy =
    TypePolicy { is_lasting: true, is_counted: true, digest: DigestHeading::Decisions, ..OTHER };

/// Every type with a policy of its own.
pub static TYPES: &[TypePolicy] = &[
    TypePolicy { name: "decision", importance: 4.6, ..DECISION },
    TypePolicy { name: "convention", importance: 4.2, ..DECISION },
    TypePolicy { name: "preference", importance: 4.6, needs_consent: true, ..DECISION },
    TypePolicy { name: "environment", is_lasting: true, ..OTHER },
    TypePolicy { name: "failure", importance: 4.4, digest: DigestHeading::Failures, ..DECISION },
    TypePolicy { name: "pattern", importance: 3.8, is_counted: true, ..OTHER },
    TypePolicy { name: "tool_output", importance: 3.8, ..OTHER },
    TypePolicy { name: "fix", digest: DigestHeading::Failures, ..OTHER },
    TypePolicy { name: "error", digest: DigestHeading::Failures, ..OTHER },
    TypePolicy { name: "plan", digest: DigestHeading::Plans, ..OTHER },
    #[cfg(test)]
    TypePolicy { name: "omen", importance: 1.5, needs_consent: true, digest: DigestHeading::Failures, ..DECISION },
];

/// The policy of a type.
#[must_use]
pub fn policy(memory_type: &MemoryType) -> &'static TypePolicy {
    TYPES.iter().find(|policy| policy.name == memory_type.as_str()).unwrap_or(&OTHER)
}

/// The types that fade slowly unless the settings list others.
#[must_use]
pub fn lasting() -> Vec<String> {
    TYPES.iter().filter(|policy| policy.is_lasting).map(|policy| policy.name.to_owned()).collect()
}

/// The types that count against what a project holds.
#[must_use]
pub fn counted() -> Vec<String> {
    TYPES.iter().filter(|policy| policy.is_counted).map(|policy| policy.name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_one_policy_and_an_importance_in_range() {
        for (place, policy) in TYPES.iter().enumerate() {
            assert!((1.0..=5.0).contains(&policy.importance), "{}", policy.name);
            assert!(TYPES[..place].iter().all(|other| other.name != policy.name), "{}", policy.name);
        }
    }

    #[test]
    fn a_type_that_is_not_listed_has_the_common_policy() {
        let of = |name: &str| policy(&name.parse().unwrap());
        assert_eq!(of("incident-report"), &OTHER);
        assert_eq!(of("decision").importance, 4.6);
        assert_eq!(of("pattern").digest, DigestHeading::Learned);
    }
}
