//! `logs`: what the daemon and the hooks noted.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::failure::Failure;
use crate::globals;
use crate::invocation::{Invocation, block_on};

/// The files, in the folder of logs.
const FILES: [&str; 2] = ["daemon.log", "hooks.log"];

/// Its arguments.
pub(crate) fn command() -> Command {
    Command::new("logs")
        .about("Show what the daemon and the hooks noted")
        .arg(
            Arg::new("lines")
                .short('n')
                .long("lines")
                .value_name("N")
                .value_parser(value_parser!(usize))
                .default_value("50")
                .help("How many lines of each"),
        )
        .arg(Arg::new("follow").short('f').long("follow").action(ArgAction::SetTrue).help("Wait for more"))
        .args(globals::arguments())
}

/// Shows the last lines of the logs.
pub(crate) fn run(invocation: &mut Invocation<'_>, matches: &ArgMatches) -> Result<u8, Failure> {
    let ctx = invocation.context()?;
    let count = matches.get_one::<usize>("lines").copied().unwrap_or(50);
    let folder = ctx.home().path.join("logs");
    let mut positions = Vec::new();
    let mut any = false;
    for name in FILES {
        let path = folder.join(name);
        let text = std::fs::read(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        for line in &lines[lines.len().saturating_sub(count)..] {
            any = true;
            show(invocation, line)?;
        }
        positions.push((path, text.len() as u64));
    }
    if !any {
        invocation.note(&format!("nothing was noted yet in {}", folder.display()));
    }
    if !matches.get_flag("follow") {
        return Ok(0);
    }
    invocation.console.flush()?;
    block_on(async {
        loop {
            tokio::time::sleep(Duration::from_millis(300)).await;
            for (path, position) in &mut positions {
                for line in more(path, position).lines() {
                    show(invocation, line)?;
                }
            }
            invocation.console.flush()?;
        }
    })
}

fn show(invocation: &mut Invocation<'_>, line: &str) -> Result<(), Failure> {
    let line = crate::output::safe::text(line);
    invocation.console.data(&format!("{line}\n"))
}

// What came since the last look; from the beginning if a new file began.
fn more(path: &Path, position: &mut u64) -> String {
    let Ok(mut file) = std::fs::File::open(path) else { return String::new() };
    let length = file.metadata().map_or(0, |facts| facts.len());
    if length < *position {
        *position = 0;
    }
    let mut bytes = Vec::new();
    if file.seek(SeekFrom::Start(*position)).and_then(|_| file.read_to_end(&mut bytes)).is_err() {
        return String::new();
    }
    // A line that is still being written waits for its end.
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    *position += whole as u64;
    String::from_utf8_lossy(&bytes[..whole]).into_owned()
}
