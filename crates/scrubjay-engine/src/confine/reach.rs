//! How far a caller's hands go.

use scrubjay_core::memory::{MemoryType, OriginKind};
use scrubjay_core::scope::{ProjectId, Scope, View};

use super::risk::is_high_risk;

/// What a caller who is not the owner may read and change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// One project, with its tasks. What holds for all projects is read only.
    Project(ProjectId),
    /// Every project, and what holds for all of them; there, preferences are read
    /// only and nothing is destroyed.
    AllProjects,
}

impl Reach {
    /// Whether a record in this scope may be read.
    #[must_use]
    pub fn reads(&self, scope: &Scope) -> bool {
        match self {
            Self::AllProjects => true,
            Self::Project(own) => scope.project().is_none_or(|project| project == own),
        }
    }

    /// Whether something of this type may be written in this scope.
    #[must_use]
    pub fn writes(&self, scope: &Scope, memory_type: &MemoryType) -> bool {
        self.writes_in(scope) && !is_high_risk(scope, memory_type, OriginKind::User)
    }

    /// Whether records of other kinds may be written in this scope.
    #[must_use]
    pub fn writes_in(&self, scope: &Scope) -> bool {
        match self {
            Self::AllProjects => true,
            Self::Project(own) => scope.project() == Some(own),
        }
    }

    /// Where a view may change something.
    #[must_use]
    pub fn writable(&self, view: &View) -> View {
        match self {
            Self::AllProjects => view.clone(),
            Self::Project(_) => view.without_global(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_reads_global_and_few_write_there() {
        let scope = |text: &str| text.parse::<Scope>().unwrap();
        let (fact, preference): (MemoryType, MemoryType) = ("fact".parse().unwrap(), "preference".parse().unwrap());
        let own = Reach::Project("a".parse().unwrap());
        for (text, reads, writes) in [
            ("global", true, false),
            ("project/a", true, true),
            ("task/a/t", true, true),
            ("project/b", false, false),
            ("task/b/t", false, false),
        ] {
            let scope = scope(text);
            assert_eq!((own.reads(&scope), own.writes(&scope, &fact), own.writes_in(&scope)), (reads, writes, writes));
            assert!(Reach::AllProjects.reads(&scope) && Reach::AllProjects.writes(&scope, &fact));
        }
        assert!(!Reach::AllProjects.writes(&Scope::Global, &preference));
        assert!(Reach::AllProjects.writes(&scope("project/a"), &preference));
        assert!(own.writes(&scope("project/a"), &preference));
    }
}
