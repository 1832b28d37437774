//! `cargo xtask planted [--list] [--resume] [WORD...]`: plants the bugs whose names hold one of the words, or all of
//! them, and fails unless the tests see each.

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;

use crate::planted::{BUGS, Bug, Outcome, Record, Trials, WorkingCopy};
use crate::tree::repository_root;

const USAGE: &str = "usage: cargo xtask planted [--list] [--resume] [WORD...]
  WORD       only bugs whose names hold one of these words
  --list     tell which bugs there are
  --resume   leave out what the last run saw";

/// How a bug fared.
enum Verdict {
    Seen(Vec<String>),
    NotSeen,
    Broken(String),
}

pub(crate) fn run(arguments: &[String]) -> anyhow::Result<ExitCode> {
    let (flags, words): (Vec<&String>, Vec<&String>) = arguments.iter().partition(|word| word.starts_with("--"));
    anyhow::ensure!(flags.iter().all(|flag| ["--list", "--resume"].contains(&flag.as_str())), "{USAGE}");
    let has_flag = |name: &str| flags.iter().any(|flag| *flag == name);
    let mut bugs: Vec<&Bug> = BUGS
        .iter()
        .filter(|bug| words.is_empty() || words.iter().any(|word| bug.what.contains(word.as_str())))
        .collect();
    anyhow::ensure!(!bugs.is_empty(), "no bug has such a name");
    bugs.sort_by_key(|bug| bug.build_order());
    if has_flag("--list") {
        for bug in bugs {
            say(&format!("{} ({}: {})", bug.what, bug.package, bug.test))?;
        }
        return Ok(ExitCode::SUCCESS);
    }

    let root = repository_root()?;
    let folder = root.join("target/planted");
    let copy = WorkingCopy::in_step(root, folder.join("copy"))?;
    let trials = Trials::new(copy.folder(), folder.join("build"), folder.join("logs"))?;
    let mut record = if has_flag("--resume") || !words.is_empty() {
        Record::resume(folder.join("seen"))?
    } else {
        Record::begin(folder.join("seen"))?
    };
    if has_flag("--resume") {
        bugs.retain(|bug| !record.has(bug));
        say(&format!("{} bugs are left", bugs.len()))?;
    }

    pass_without_bugs(&trials, &bugs)?;
    // While all binaries of the sound code are there, so that a bug makes only what it concerns.
    let targets: Vec<Vec<String>> =
        bugs.iter().map(|bug| trials.targets(bug.package, &[bug.test])).collect::<anyhow::Result<_>>()?;
    let mut table = Vec::new();
    for (number, (bug, targets)) in bugs.iter().zip(&targets).enumerate() {
        let started = now();
        let verdict = try_bug(&copy, &trials, bug, targets);
        if matches!(verdict, Verdict::Seen(_)) {
            record.add(bug)?;
        }
        let line = format!("{} ({} s)", row(bug, &verdict), started.elapsed().as_secs());
        say(&format!("[{}/{}] {line}", number + 1, bugs.len()))?;
        table.push((verdict, line));
    }

    say("\nplanted:")?;
    table.sort_by_key(|(verdict, _)| matches!(verdict, Verdict::Seen(_)));
    for (_, line) in &table {
        say(line)?;
    }
    let seen = table.iter().filter(|(verdict, _)| matches!(verdict, Verdict::Seen(_))).count();
    say(&format!("{seen} of {} bugs were seen", table.len()))?;
    Ok(if seen == table.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

// Tests that fail anyway would see every bug.
fn pass_without_bugs(trials: &Trials, bugs: &[&Bug]) -> anyhow::Result<()> {
    let mut packages: Vec<&str> = bugs.iter().map(|bug| bug.package).collect();
    packages.sort_unstable();
    packages.dedup();
    for package in packages {
        let started = now();
        let mut tests: Vec<&str> = bugs.iter().filter(|bug| bug.package == package).map(|bug| bug.test).collect();
        tests.sort_unstable();
        tests.dedup();
        let log = format!("without bugs {package}");
        match trials.run(&log, package, &tests)? {
            Outcome::Passed => {
                say(&format!("{package}: the tests pass without bugs ({} s)", started.elapsed().as_secs()))?;
            }
            Outcome::Failed(tests) => {
                anyhow::bail!("{package}: these tests fail without any bug: {}", tests.join(", "))
            }
            Outcome::NoTests => anyhow::bail!("{package}: no test has one of the names {}", tests.join(", ")),
            Outcome::DoesNotBuild => {
                anyhow::bail!("{package} does not build without any bug; see {}", trials.log(&log).display())
            }
        }
    }
    Ok(())
}

fn try_bug(copy: &WorkingCopy, trials: &Trials, bug: &Bug, targets: &[String]) -> Verdict {
    match copy.with(bug, || trials.run_targets(bug.what, bug.package, targets, &[bug.test])) {
        Ok(Outcome::Failed(tests)) => Verdict::Seen(tests),
        Ok(Outcome::Passed) => Verdict::NotSeen,
        Ok(Outcome::NoTests) => Verdict::Broken(format!("no test of {} has the name {}", bug.package, bug.test)),
        Ok(Outcome::DoesNotBuild) => Verdict::Broken(format!("does not build, see {}", trials.log(bug.what).display())),
        Err(error) => Verdict::Broken(format!("{error:#}")),
    }
}

fn row(bug: &Bug, verdict: &Verdict) -> String {
    match verdict {
        Verdict::Seen(tests) => format!("seen      {}: {}", bug.what, tests.join(", ")),
        Verdict::NotSeen => format!("NOT SEEN  {}: {} {}", bug.what, bug.package, bug.test),
        Verdict::Broken(why) => format!("BROKEN    {}: {why}", bug.what),
    }
}

#[expect(clippy::disallowed_methods, reason = "how long a bug took is for people to read")]
fn now() -> Instant {
    Instant::now()
}

fn say(line: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).context("cannot print")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bug_can_be_planted() {
        let root = repository_root().unwrap();
        for bug in BUGS {
            let text = std::fs::read_to_string(root.join(bug.file)).unwrap();
            assert_eq!(text.matches(bug.find).count(), 1, "{} in {}", bug.what, bug.file);
            assert_ne!(bug.find, bug.replace, "{}", bug.what);
        }
    }

    #[test]
    fn every_bug_has_a_name_of_its_own() {
        let mut names: Vec<&str> = BUGS.iter().map(|bug| bug.what).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), BUGS.len());
    }
}
