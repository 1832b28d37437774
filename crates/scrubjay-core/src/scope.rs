//! Where a record lives and who may see it.
//!
//! [`Scope`] is the place of a record. [`View`] is where a caller stands, and
//! the only thing that store methods accept to select rows: it can name its own
//! task, its project and the global scope, and has no way to name another
//! project.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A project's slug, `[a-z0-9._-]`, at most 80 characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectId(String);

/// A task's slug within its project; the same alphabet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(String);

/// The text is not a slug or a scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {wanted}")]
pub struct InvalidScope {
    /// What was given, shortened.
    pub text: String,
    /// What was wanted.
    pub wanted: &'static str,
}

macro_rules! slug {
    ($name:ident, $wanted:literal) => {
        impl $name {
            /// The slug as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = InvalidScope;

            fn from_str(text: &str) -> Result<Self, InvalidScope> {
                if is_slug(text) {
                    Ok(Self(text.to_owned()))
                } else {
                    Err(InvalidScope { text: text.chars().take(60).collect(), wanted: $wanted })
                }
            }
        }
    };
}

slug!(ProjectId, "a project id: 1 to 80 of a-z 0-9 . _ - starting with a letter or digit");
slug!(TaskId, "a task id: 1 to 80 of a-z 0-9 . _ - starting with a letter or digit");

/// Where a record lives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Seen from every project of the agent.
    Global,
    /// Seen from one project.
    Project(ProjectId),
    /// Seen from one task of one project.
    Task(ProjectId, TaskId),
}

impl Scope {
    /// The project it belongs to, if any.
    #[must_use]
    pub fn project(&self) -> Option<&ProjectId> {
        match self {
            Self::Global => None,
            Self::Project(project) | Self::Task(project, _) => Some(project),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Global => f.write_str("global"),
            Self::Project(project) => write!(f, "project/{project}"),
            Self::Task(project, task) => write!(f, "task/{project}/{task}"),
        }
    }
}

impl FromStr for Scope {
    type Err = InvalidScope;

    fn from_str(text: &str) -> Result<Self, InvalidScope> {
        let wanted = "a scope: global, project/<id> or task/<project>/<task>";
        let invalid = || InvalidScope { text: text.chars().take(60).collect(), wanted };
        let mut parts = text.split('/');
        let scope = match (parts.next(), parts.next(), parts.next()) {
            (Some("global"), None, None) => Self::Global,
            (Some("project"), Some(project), None) => Self::Project(project.parse().map_err(|_| invalid())?),
            (Some("task"), Some(project), Some(task)) => {
                Self::Task(project.parse().map_err(|_| invalid())?, task.parse().map_err(|_| invalid())?)
            }
            _ => return Err(invalid()),
        };
        if parts.next().is_some() {
            return Err(invalid());
        }
        Ok(scope)
    }
}

impl Serialize for Scope {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Scope {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Where a caller stands: what it sees, and where it writes by default.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct View {
    project: Option<ProjectId>,
    task: Option<TaskId>,
    hides_global: bool,
}

impl View {
    /// A view of the global scope alone.
    #[must_use]
    pub fn global() -> Self {
        Self { project: None, task: None, hides_global: false }
    }

    /// A view from within a project: the project and global.
    #[must_use]
    pub fn project(project: ProjectId) -> Self {
        Self { project: Some(project), task: None, hides_global: false }
    }

    /// A view from within a task: the task, its project and global.
    #[must_use]
    pub fn task(project: ProjectId, task: TaskId) -> Self {
        Self { project: Some(project), task: Some(task), hides_global: false }
    }

    /// The view that sees `scope` and what surrounds it.
    #[must_use]
    pub fn of(scope: &Scope) -> Self {
        match scope {
            Scope::Global => Self::global(),
            Scope::Project(project) => Self::project(project.clone()),
            Scope::Task(project, task) => Self::task(project.clone(), task.clone()),
        }
    }

    /// The project it stands in.
    #[must_use]
    pub fn project_id(&self) -> Option<&ProjectId> {
        self.project.as_ref()
    }

    /// The task it stands in.
    #[must_use]
    pub fn task_id(&self) -> Option<&TaskId> {
        self.task.as_ref()
    }

    /// The same place, seen from within a task of it. Outside a project there
    /// are no tasks.
    #[must_use]
    pub fn with_task(&self, task: TaskId) -> Option<Self> {
        Some(Self { project: Some(self.project.clone()?), task: Some(task), hides_global: self.hides_global })
    }

    /// The same place without the global scope: what a caller may change that
    /// only reads what holds for all projects.
    #[must_use]
    pub fn without_global(&self) -> Self {
        Self { hides_global: true, ..self.clone() }
    }

    /// Whether the global scope is out of its sight.
    #[must_use]
    pub fn hides_global(&self) -> bool {
        self.hides_global
    }

    /// Where a write goes when nothing else is said: the project, or global
    /// outside of any.
    #[must_use]
    pub fn home(&self) -> Scope {
        match &self.project {
            Some(project) => Scope::Project(project.clone()),
            None => Scope::Global,
        }
    }

    /// Every scope this view may see, innermost first.
    #[must_use]
    pub fn scopes(&self) -> Vec<Scope> {
        let mut scopes = Vec::with_capacity(3);
        if let (Some(project), Some(task)) = (&self.project, &self.task) {
            scopes.push(Scope::Task(project.clone(), task.clone()));
        }
        if let Some(project) = &self.project {
            scopes.push(Scope::Project(project.clone()));
        }
        if !self.hides_global {
            scopes.push(Scope::Global);
        }
        scopes
    }

    /// Whether a record in `scope` may be seen.
    #[must_use]
    pub fn sees(&self, scope: &Scope) -> bool {
        match scope {
            Scope::Global => !self.hides_global,
            Scope::Project(project) => self.project.as_ref() == Some(project),
            Scope::Task(project, task) => self.project.as_ref() == Some(project) && self.task.as_ref() == Some(task),
        }
    }
}

/// Whether `text` is a valid slug.
#[must_use]
pub fn is_slug(text: &str) -> bool {
    let mut bytes = text.bytes();
    text.len() <= 80
        && bytes.next().is_some_and(|first| first.is_ascii_lowercase() || first.is_ascii_digit())
        && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_read_back_and_refuse_tricks() {
        for good in ["global", "project/app-12345678", "task/app/t1"] {
            assert_eq!(good.parse::<Scope>().unwrap().to_string(), good);
        }
        for bad in [
            "",
            "Global",
            "global/",
            "project/",
            "project/..",
            "project/a/b",
            "task/a",
            "task/a/b/c",
            "project/A",
            "project/a b",
        ] {
            assert!(bad.parse::<Scope>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_view_sees_its_own_scopes_and_nothing_else() {
        let (a, b): (ProjectId, ProjectId) = ("a".parse().unwrap(), "b".parse().unwrap());
        let task: TaskId = "t".parse().unwrap();
        let all = [
            Scope::Global,
            Scope::Project(a.clone()),
            Scope::Project(b.clone()),
            Scope::Task(a.clone(), task.clone()),
            Scope::Task(b, task.clone()),
        ];
        let views = [View::global(), View::project(a.clone()), View::task(a, task)];
        let without_global: Vec<View> = views.iter().map(View::without_global).collect();
        assert!(without_global.iter().all(|view| !view.sees(&Scope::Global)));
        for view in views.into_iter().chain(without_global) {
            let listed = view.scopes();
            for scope in &all {
                assert_eq!(view.sees(scope), listed.contains(scope), "{view:?} {scope}");
            }
        }
    }
}
