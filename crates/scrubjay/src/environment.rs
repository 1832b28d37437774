//! The environment, read once and only here.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use scrubjay_core::error::ErrorCode;
use scrubjay_engine::config::vendor_variables;
use scrubjay_engine::models::GUARD_VARIABLE;

use crate::failure::Failure;

/// What the process was started with, apart from its arguments.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    variables: Vec<(OsString, OsString)>,
    current_dir: Option<PathBuf>,
}

impl Environment {
    /// The environment of this process.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
    pub(crate) fn of_process() -> Self {
        Self { variables: std::env::vars_os().collect(), current_dir: std::env::current_dir().ok() }
    }

    /// An environment with nothing but a folder to stand in.
    pub(crate) fn bare(current_dir: PathBuf) -> Self {
        Self { variables: Vec::new(), current_dir: Some(current_dir) }
    }

    /// The same, standing elsewhere.
    pub(crate) fn standing_in(self, folder: PathBuf) -> Self {
        Self { current_dir: Some(folder), ..self }
    }

    /// The folder to find the project from; none if it was deleted meanwhile.
    pub(crate) fn current_dir(&self) -> Option<&PathBuf> {
        self.current_dir.as_ref()
    }

    /// A variable as a path; an empty one counts as not set.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        let (_, value) = self.variables.iter().find(|(variable, _)| variable == name)?;
        (!value.is_empty()).then(|| PathBuf::from(value))
    }

    /// A variable as text; an empty one, or one that is not UTF-8, counts as not set.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.path(name)?.into_os_string().into_string().ok()
    }

    /// Whether this process was started by a program that answers a question of ours: nobody is talking there.
    pub(crate) fn is_model_call(&self) -> bool {
        self.path(GUARD_VARIABLE).is_some()
    }

    /// All variables that are text.
    pub(crate) fn texts(&self) -> BTreeMap<String, String> {
        let text = |(name, value): &(OsString, OsString)| Some((name.to_str()?.to_owned(), value.to_str()?.to_owned()));
        self.variables.iter().filter_map(text).collect()
    }

    /// The variables that may hold settings: those that start with `SCRUBJAY_`, and those in which vendors' programs
    /// look for their keys.
    pub(crate) fn settings(&self) -> Result<Vec<(String, String)>, Failure> {
        let mut settings = Vec::new();
        let of_vendors = vendor_variables();
        for (name, value) in &self.variables {
            let vendors = |name: &str| of_vendors.iter().any(|(variable, _)| *variable == name);
            let ours = |name: &&str| name.starts_with("SCRUBJAY_") || vendors(name);
            let Some(name) = name.to_str().filter(ours) else { continue };
            // A home folder may have any name; it is read as a path.
            if name == "SCRUBJAY_HOME" {
                continue;
            }
            let Some(value) = value.to_str() else {
                let message = format!("the environment variable {name} is not valid UTF-8; set it to plain text");
                return Err(Failure::plain(ErrorCode::InvalidInput, message));
            };
            settings.push((name.to_owned(), value.to_owned()));
        }
        Ok(settings)
    }

    /// Where temporary files go.
    pub(crate) fn temporary_folder(&self) -> PathBuf {
        self.path("TMPDIR").unwrap_or_else(|| PathBuf::from("/tmp"))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    fn with(variables: &[(&str, &[u8])]) -> Environment {
        let variables =
            variables.iter().map(|(name, value)| ((*name).into(), OsString::from_vec(value.to_vec()))).collect();
        Environment { variables, current_dir: None }
    }

    #[test]
    fn empty_and_foreign_values() {
        let environment = with(&[("A", b""), ("B", b"\xff"), ("C", b"c")]);
        assert_eq!(environment.path("A"), None);
        assert_eq!(environment.text("B"), None);
        assert!(environment.path("B").is_some());
        assert_eq!(environment.text("C").as_deref(), Some("c"));
        assert!(!environment.is_model_call() && with(&[(GUARD_VARIABLE, b"1")]).is_model_call());
    }

    #[test]
    fn settings_are_text_and_ours() {
        let environment = with(&[("SCRUBJAY_HOME", b"\xff"), ("SCRUBJAY_QUERY_MIN_SCORE", b"0.1"), ("PATH", b"\xff")]);
        assert_eq!(environment.settings().unwrap(), [("SCRUBJAY_QUERY_MIN_SCORE".to_owned(), "0.1".to_owned())]);
        assert!(with(&[("SCRUBJAY_STORE_PATH", b"\xff")]).settings().is_err());
    }
}
