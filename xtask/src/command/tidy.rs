//! `cargo xtask tidy [ROOT]`: prints what breaks a house rule, one `path:line: message` a line.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::tidy::{CHECKS, Severity, findings};
use crate::tree::{Tree, repository_root};

pub(crate) fn run(arguments: &[String]) -> anyhow::Result<ExitCode> {
    let root = match arguments {
        [] => repository_root()?,
        [root] if !root.starts_with('-') => PathBuf::from(root),
        _ => anyhow::bail!("usage: cargo xtask tidy [ROOT]"),
    };
    let tree = Tree::load(&root)?;
    let findings = findings(&tree);
    let mut stdout = std::io::stdout().lock();
    for finding in &findings {
        writeln!(stdout, "{finding}")?;
    }
    let violations = findings.iter().filter(|finding| finding.severity == Severity::Violation).count();
    let warnings = findings.len() - violations;
    let summary = format!(
        "tidy: {} checks on {} files, {violations} violations, {warnings} warnings",
        CHECKS.len(),
        tree.file_count()
    );
    if violations == 0 {
        writeln!(stdout, "{summary}")?;
        Ok(ExitCode::SUCCESS)
    } else {
        writeln!(std::io::stderr(), "{summary}")?;
        Ok(ExitCode::FAILURE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_planted_violation_changes_the_exit_code() {
        let directory = tempfile::tempdir().unwrap();
        let arguments = [directory.path().display().to_string()];
        std::fs::write(directory.path().join("README.md"), "# Mock\n").unwrap();
        assert_eq!(run(&arguments).unwrap(), ExitCode::SUCCESS);
        std::fs::write(directory.path().join("README.md"), "[gone](nowhere.md)\n").unwrap();
        assert_eq!(run(&arguments).unwrap(), ExitCode::FAILURE);
    }

    #[test]
    fn a_missing_root_is_an_error_and_not_an_empty_tree() {
        let directory = tempfile::tempdir().unwrap();
        assert!(run(&[directory.path().join("absent").display().to_string()]).is_err());
    }
}
