//! What a check reports, and the run of all of them.

use std::fmt;

use super::CHECKS;
use crate::tree::Tree;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Severity {
    Violation,
    Warning,
}

/// One place that breaks a rule. The order of the fields is the order of the report.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) message: String,
    pub(crate) severity: Severity,
}

impl Finding {
    pub(crate) fn violation(path: &str, line: usize, message: impl Into<String>) -> Finding {
        Finding { path: path.to_string(), line, message: message.into(), severity: Severity::Violation }
    }

    pub(crate) fn warning(path: &str, line: usize, message: impl Into<String>) -> Finding {
        Finding { path: path.to_string(), line, message: message.into(), severity: Severity::Warning }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.severity {
            Severity::Violation => "",
            Severity::Warning => "warning: ",
        };
        write!(formatter, "{}:{}: {mark}{}", self.path, self.line, self.message)
    }
}

/// The findings of every check, sorted by place.
pub(crate) fn findings(tree: &Tree) -> Vec<Finding> {
    let mut findings: Vec<Finding> = CHECKS.iter().flat_map(|check| check(tree)).collect();
    findings.sort();
    findings.dedup();
    findings
}

/// Runs one check on planted files; each expectation is the beginning of a line of the report, in order.
#[cfg(test)]
pub(crate) fn expect_findings(check: super::Check, files: &[(&str, &str)], expect: &[&str]) {
    let mut found = check(&Tree::planted(files));
    found.sort();
    let shown: Vec<String> = found.iter().map(Finding::to_string).collect();
    let fits = shown.len() == expect.len() && shown.iter().zip(expect).all(|(line, start)| line.starts_with(start));
    assert!(fits, "expected {expect:#?}\nfound {shown:#?}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::repository_root;

    #[test]
    fn this_repository_keeps_the_house_rules() {
        let tree = Tree::load(&repository_root().unwrap()).unwrap();
        assert!(tree.exists("xtask/src/tidy/findings.rs"), "the tree was not found");
        let violations: Vec<String> = findings(&tree)
            .into_iter()
            .filter(|finding| finding.severity == Severity::Violation)
            .map(|finding| finding.to_string())
            .collect();
        assert!(violations.is_empty(), "{}", violations.join("\n"));
    }

    #[test]
    fn the_report_is_sorted_by_path_and_then_by_line_as_a_number() {
        let text = "[a](gone)\n".repeat(11);
        let tree = Tree::planted(&[("b.md", "[a](gone)\n"), ("a.md", &text)]);
        let lines: Vec<_> = findings(&tree).into_iter().map(|finding| (finding.path, finding.line)).collect();
        assert_eq!(lines.len(), 12);
        assert_eq!(lines[1], ("a.md".to_string(), 2));
        assert_eq!(lines[10], ("a.md".to_string(), 11));
        assert_eq!(lines[11], ("b.md".to_string(), 1));
    }
}
