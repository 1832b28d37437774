//! Runs the tests of a package in the copy and tells what came of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::Context;
use serde_json::Value;

/// What came of the tests.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    /// The tests that failed.
    Failed(Vec<String>),
    /// No test has such a name.
    NoTests,
    DoesNotBuild,
}

/// Where the tests run, and with what.
pub(crate) struct Trials {
    copy: PathBuf,
    build: PathBuf,
    logs: PathBuf,
    // It ends tests that hang, and tries a test that failed once more, so that a busy machine is no finding.
    with_nextest: bool,
}

impl Trials {
    pub(crate) fn new(copy: &Path, build: PathBuf, logs: PathBuf) -> anyhow::Result<Self> {
        fs::create_dir_all(&logs)?;
        let nextest = Command::new("cargo").args(["nextest", "--version"]).output();
        let with_nextest = nextest.is_ok_and(|output| output.status.success());
        Ok(Self { copy: copy.to_owned(), build, logs, with_nextest })
    }

    /// Where the output of the tests with that name is.
    pub(crate) fn log(&self, name: &str) -> PathBuf {
        let name: String = name.chars().map(|sign| if sign.is_alphanumeric() { sign } else { '-' }).collect();
        self.logs.join(format!("{name}.txt"))
    }

    /// Builds a package's tests and runs those with one of these words in their names.
    pub(crate) fn run(&self, log: &str, package: &str, tests: &[&str]) -> anyhow::Result<Outcome> {
        self.run_targets(log, package, &ALL_TARGETS, tests)
    }

    /// The same with some of the package's test binaries, so that the others need not be built.
    pub(crate) fn run_targets<T: AsRef<str>>(
        &self,
        log: &str,
        package: &str,
        targets: &[T],
        tests: &[&str],
    ) -> anyhow::Result<Outcome> {
        let log = self.log(log);
        let mut arguments = if self.with_nextest { vec!["nextest", "run"] } else { vec!["test"] };
        arguments.extend(["--locked", "-p", package]);
        arguments.extend(targets.iter().map(AsRef::as_ref));
        let build = self.cargo(&[&arguments[..], &["--no-run"]].concat(), &[])?;
        fs::write(&log, text(&build))?;
        if !build.status.success() {
            return Ok(Outcome::DoesNotBuild);
        }
        arguments.extend(if self.with_nextest { vec!["--retries", "1", "--color", "never"] } else { vec!["--"] });
        let output = self.cargo(&arguments, tests)?;
        let said = text(&output);
        fs::write(&log, &said)?;
        if has_no_tests(&said) {
            return Ok(Outcome::NoTests);
        }
        if output.status.success() {
            return Ok(Outcome::Passed);
        }
        Ok(Outcome::Failed(failed_tests(&said)))
    }

    /// Which arguments of cargo choose the test binaries that hold a test with one of these words in its name. All of
    /// them if nobody can tell.
    pub(crate) fn targets(&self, package: &str, tests: &[&str]) -> anyhow::Result<Vec<String>> {
        let everything = || ALL_TARGETS.map(str::to_owned).to_vec();
        if !self.with_nextest {
            return Ok(everything());
        }
        let output = self.cargo(&["nextest", "list", "--locked", "-p", package, "--message-format", "json"], tests)?;
        let listed: Value = serde_json::from_slice(&output.stdout).context("nextest's list of tests is not JSON")?;
        let targets = targets_of(&listed);
        Ok(if targets.is_empty() { everything() } else { targets })
    }

    fn cargo(&self, arguments: &[&str], tests: &[&str]) -> anyhow::Result<Output> {
        let mut command = Command::new("cargo");
        command.current_dir(&self.copy).env("CARGO_TARGET_DIR", &self.build).args(arguments).args(tests);
        command.output().context("cargo does not start")
    }
}

/// What chooses every test binary of a package: `--tests` means the unit tests of library and programs, too.
const ALL_TARGETS: [&str; 1] = ["--tests"];

// The binaries of which at least one test matches, as arguments of cargo.
fn targets_of(listed: &Value) -> Vec<String> {
    let mut arguments = Vec::new();
    for suite in listed["rust-suites"].as_object().into_iter().flat_map(|suites| suites.values()) {
        let mut cases = suite["testcases"].as_object().into_iter().flat_map(|cases| cases.values());
        if !cases.any(|case| case["filter-match"]["status"] == "matches") {
            continue;
        }
        match (suite["kind"].as_str(), suite["binary-name"].as_str()) {
            (Some("lib"), _) => arguments.push("--lib".to_owned()),
            (Some(kind @ ("bin" | "test")), Some(name)) => arguments.extend([format!("--{kind}"), name.to_owned()]),
            _ => {}
        }
    }
    arguments
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

// nextest fails if no test has the name; `cargo test` is content with each binary that runs none.
fn has_no_tests(said: &str) -> bool {
    let mut runs = said.lines().filter(|line| line.starts_with("running ") && line.contains(" test")).peekable();
    said.lines().any(|line| line.starts_with("error: no tests to run"))
        || (runs.peek().is_some() && runs.all(|line| line == "running 0 tests"))
}

// The names of failed tests, each once, as nextest and `cargo test` print them.
fn failed_tests(said: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in said.lines().map(str::trim_start) {
        let name = if let Some(rest) = line.strip_prefix("test ") {
            rest.strip_suffix(" ... FAILED")
        } else {
            let verdict = line.strip_prefix("TRY 2 ").unwrap_or(line);
            let failed =
                ["FAIL [", "TIMEOUT [", "TMT [", "ABORT [", "SIG"].iter().any(|word| verdict.starts_with(word));
            line.split_whitespace().last().filter(|_| failed && line.contains(']'))
        };
        if let Some(name) = name.map(str::to_owned)
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_binaries_with_a_test_of_that_name_are_built() {
        let case = |status: &str| serde_json::json!({"a::test": {"filter-match": {"status": status}}});
        let suite = |kind: &str, name: &str, status: &str| serde_json::json!({"kind": kind, "binary-name": name, "testcases": case(status)});
        let listed = serde_json::json!({"rust-suites": {
            "scrubjay": suite("lib", "scrubjay", "mismatch"),
            "scrubjay::bin/scrubjay": suite("bin", "scrubjay", "matches"),
            "scrubjay::it": suite("test", "it", "matches"),
        }});
        assert_eq!(targets_of(&listed), ["--bin", "scrubjay", "--test", "it"]);
        assert!(targets_of(&Value::Null).is_empty());
    }

    #[test]
    fn failed_tests_are_told_by_name() {
        let nextest = "
  TRY 1 FAIL [   0.016s] ( 1/32) xtask tidy::flaky
  TRY 2 PASS [   0.016s] ( 1/32) xtask tidy::flaky
  TRY 1 FAIL [   0.016s] ( 2/32) xtask tidy::wrong
  TRY 2 FAIL [   0.016s] ( 2/32) xtask tidy::wrong
     TIMEOUT [ 300.016s] ( 3/32) scrubjay::it hooks::hung
     SIGABRT [   0.016s] ( 4/32) scrubjay::it crash::killed
        PASS [   0.016s] ( 5/32) xtask tidy::right
   TRY 2 FAIL [   0.016s] (  2/32) xtask tidy::wrong
";
        assert_eq!(failed_tests(nextest), ["tidy::wrong", "hooks::hung", "crash::killed"]);
        let plain = "running 2 tests\ntest tidy::right ... ok\ntest tidy::wrong ... FAILED\n";
        assert_eq!(failed_tests(plain), ["tidy::wrong"]);
    }

    #[test]
    fn a_name_that_no_test_has_is_told() {
        assert!(has_no_tests("     Summary\nerror: no tests to run\n(hint: use `--no-tests` to customize)"));
        assert!(has_no_tests("running 0 tests\n\nrunning 0 tests\n"));
        assert!(!has_no_tests("running 0 tests\n\nrunning 1 test\ntest tidy::right ... ok\n"));
        assert!(!has_no_tests("     Summary [   0.181s] 1 test run: 1 passed, 260 skipped"));
    }
}
