//! Runs the tests of a package in the copy and tells what came of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::Context;

/// What came of the tests.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    /// The tests that failed.
    Failed(Vec<String>),
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
        let log = self.log(log);
        let build = if self.with_nextest {
            self.cargo(&["nextest", "run", "--locked", "-p", package, "--no-run"], &[])?
        } else {
            self.cargo(&["test", "--locked", "-p", package, "--lib", "--bins", "--tests", "--no-run"], &[])?
        };
        fs::write(&log, text(&build))?;
        if !build.status.success() {
            return Ok(Outcome::DoesNotBuild);
        }
        let output = if self.with_nextest {
            self.cargo(&["nextest", "run", "--locked", "-p", package, "--retries", "1", "--color", "never"], tests)?
        } else {
            self.cargo(&["test", "--locked", "-p", package, "--lib", "--bins", "--tests", "--"], tests)?
        };
        let said = text(&output);
        fs::write(&log, &said)?;
        if output.status.success() || has_no_tests(&said) {
            return Ok(Outcome::Passed);
        }
        Ok(Outcome::Failed(failed_tests(&said)))
    }

    fn cargo(&self, arguments: &[&str], tests: &[&str]) -> anyhow::Result<Output> {
        let mut command = Command::new("cargo");
        command.current_dir(&self.copy).env("CARGO_TARGET_DIR", &self.build).args(arguments).args(tests);
        command.output().context("cargo does not start")
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

// nextest fails if no test has the name. Nothing was seen then.
fn has_no_tests(said: &str) -> bool {
    said.lines().any(|line| line.starts_with("error: no tests to run"))
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
        assert!(has_no_tests("     Summary\nerror: no tests to run\n(hint: use `--no-tests` to customize)"));
    }
}
