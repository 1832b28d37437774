//! A project's `.scrubjay.toml`. It came with a repository that may be hostile, or made for another version of
//! Scrubjay: it may set only what [`PROJECT_FILE_MAY_SET`] lists, and everything else in it is left out with a
//! warning.

use std::path::Path;

use super::assignments::{AGENTS_KEY, Assignment, checked, entries, suggestion};
use super::error::{ConfigError, printable, shown};
use super::file::{ConfigFile, read_project_file};
use super::origin::Origin;
use super::schema::schema;
use super::value::Value;

/// Name of a project's configuration file.
pub const PROJECT_FILE_NAME: &str = ".scrubjay.toml";

/// The key by which the file names its project. It is no setting: `crate::project` uses it.
const PROJECT_KEY: &str = "project";

/// The top-level keys that the file may hold: its project's name, and sections that cannot move data, open
/// connections or weaken protection. Whoever adds a section decides here whether a repository may set it.
const PROJECT_FILE_MAY_SET: &[&str] = &[PROJECT_KEY, ENABLED_KEY, "query", "dedup"];

/// The key by which the file switches Scrubjay off. It can only do that: on again is the user's.
const ENABLED_KEY: &str = "enabled";

/// After so many warnings about one file the rest is only counted.
const SHOWN_WARNINGS: usize = 20;

/// What a project's file says about the project itself.
pub struct ProjectFile {
    /// The name that it gives its project, and where.
    pub project: Result<Option<(String, Origin)>, ConfigError>,
    /// Whether it switches Scrubjay off there.
    pub is_off: bool,
}

/// What a project's file says about the project; nothing when it does not exist.
pub fn project_file(path: &Path) -> Result<ProjectFile, ConfigError> {
    Ok(match read_project_file(path)? {
        Some(file) => {
            let is_off = file.document.as_table().get(ENABLED_KEY).is_some_and(|item| item.as_bool() == Some(false));
            ProjectFile { project: id_in(&file), is_off }
        }
        None => ProjectFile { project: Ok(None), is_off: false },
    })
}

/// What a project's file sets, and a warning for each thing in it that was left out. Whatever is wrong with it, its
/// project can be worked in: the file came with a repository, and who cloned that may not be able to mend it.
pub(super) fn of_project_file(path: &Path) -> (Vec<Assignment>, Vec<String>) {
    match read_project_file(path) {
        Ok(Some(file)) => of_file(&file),
        Ok(None) => (Vec::new(), vec![format!("the project's file {} is ignored: it is gone", shown(path))]),
        Err(error) => (Vec::new(), vec![ignored(&error)]),
    }
}

/// The warning about a project's file that cannot be used at all.
pub(crate) fn ignored(error: &ConfigError) -> String {
    let cause = std::error::Error::source(error).map_or_else(String::new, |cause| format!(" ({cause})"));
    format!("a project's file is ignored: {error}{cause}")
}

fn of_file(file: &ConfigFile) -> (Vec<Assignment>, Vec<String>) {
    let mut assignments = Vec::new();
    let mut warnings = Vec::new();
    let mut left_out = 0;
    for found in entries(file.document.as_table(), "") {
        let known = schema().key(&found.key).is_some() || schema().is_section(&found.key);
        if found.key == PROJECT_KEY {
            continue;
        }
        let checked = (known && may_set(&found.key)).then(|| checked(file, &found));
        let problem = match checked {
            Some(Ok(assignment)) => {
                if found.key != ENABLED_KEY || assignment.value == Value::Boolean(false) {
                    assignments.push(assignment);
                }
                continue;
            }
            Some(Err(error)) => Some(error),
            None => None,
        };
        left_out += 1;
        if left_out <= SHOWN_WARNINGS {
            if let Some(error) = problem {
                warnings.push(format!("a project's setting is ignored: {error}"));
                continue;
            }
            let origin = file.origin(found.toml_key, found.item);
            let key = printable(&found.key);
            warnings.push(if known || found.key == AGENTS_KEY {
                format!("{origin}: `{key}` can only be set in the user file and is ignored here")
            } else {
                match suggestion(&found.key) {
                    Some(meant) => format!("{origin}: unknown setting `{key}` is ignored; did you mean `{meant}`?"),
                    None => format!("{origin}: unknown setting `{key}` is ignored"),
                }
            });
        }
    }
    if left_out > SHOWN_WARNINGS {
        let more = left_out - SHOWN_WARNINGS;
        warnings.push(format!("{}: {more} more keys are ignored", shown(&file.path)));
    }
    (assignments, warnings)
}

/// Whether this path names a project's file, whose settings are limited.
pub(super) fn is_project_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == PROJECT_FILE_NAME)
}

/// Whether a project's file may hold this dotted key.
pub(super) fn may_set(key: &str) -> bool {
    let top = key.split('.').next().unwrap_or_default();
    PROJECT_FILE_MAY_SET.contains(&top)
}

fn id_in(file: &ConfigFile) -> Result<Option<(String, Origin)>, ConfigError> {
    let Some((key, item)) = file.document.as_table().get_key_value(PROJECT_KEY) else {
        return Ok(None);
    };
    let origin = file.origin(Some(key), item);
    match item.as_str() {
        Some(id) => Ok(Some((id.to_owned(), origin))),
        None => Err(ConfigError::WrongType {
            key: PROJECT_KEY.to_owned(),
            expected: "of type text".to_owned(),
            found: format!("of type {}", item.type_name()),
            origin,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_project_may_set_exists() {
        for top in PROJECT_FILE_MAY_SET {
            let is_key = *top == ENABLED_KEY && schema().key(top).is_some();
            assert!(*top == PROJECT_KEY || is_key || schema().is_section(top), "{top} is no section");
        }
    }
}
