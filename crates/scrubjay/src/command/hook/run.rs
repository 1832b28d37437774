//! Waits for the answer, but never beyond the deadline.

use std::ffi::OsString;
use std::io::Write;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use clap::{Arg, Command};
use scrubjay_engine::sources::{Clock, SystemClock};

use super::call::{self, Told};
use crate::console::Console;
use crate::environment::Environment;
use crate::globals::{self, Globals};

/// How long a hook takes at most while the settings are not known yet.
const FIRST: Duration = Duration::from_millis(300);

/// Its arguments.
pub(crate) fn command() -> Command {
    Command::new("hook")
        .about("Answer a client's hook; clients call this, people use `install`")
        .arg(Arg::new("client").value_name("CLIENT").help("The client").required(true))
        .arg(Arg::new("event").value_name("EVENT").help("What the client calls the event").required(true))
        .args(globals::arguments())
}

/// Whether this is a hook, and not someone who wants to know about hooks.
pub(crate) fn is_called(arguments: &[OsString]) -> bool {
    let asks = |word: &OsString| word == "--help" || word == "-h";
    arguments.get(1).is_some_and(|word| word == "hook") && !arguments.iter().any(asks)
}

/// Answers the hook. The exit code is always 0.
pub(crate) fn run(arguments: &[OsString], environment: &Environment, console: &mut Console) -> u8 {
    let clock = SystemClock::default();
    // A defect must not show either.
    panic::set_hook(Box::new(|_| {}));
    let _ = panic::catch_unwind(AssertUnwindSafe(|| answer(arguments, environment, console, &clock)));
    0
}

fn answer(arguments: &[OsString], environment: &Environment, console: &mut Console, clock: &SystemClock) {
    // This one command alone: a hook should not pay for the rest.
    let root = Command::new("scrubjay").disable_help_flag(true).subcommand(command());
    let Ok(root) = root.try_get_matches_from(arguments) else { return };
    let Some(matches) = root.subcommand_matches("hook") else { return };
    let text = |id: &str| matches.get_one::<String>(id).cloned().unwrap_or_default();
    let (client, event) = (text("client"), text("event"));
    let globals = Globals::collect(matches);
    let (tell, told) = channel();
    let (input, environment) = (console.take_input(), environment.clone());
    start(tell, move |tell| call::call(&client, &event, &globals, &environment, input, tell));
    let mut output = String::new();
    let mut deadline = FIRST;
    loop {
        let left = deadline.saturating_sub(clock.elapsed());
        match told.recv_timeout(left) {
            Ok(Told::Deadline(time)) => deadline = time,
            Ok(Told::Silence(text)) => output = text,
            Ok(Told::Answer(text)) => {
                output = text;
                break;
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
    }
    // Whoever asked may have left.
    let mut stdout = std::io::stdout();
    let _ = stdout.write_all(output.as_bytes()).and_then(|()| stdout.flush());
}

// A thread that nobody waits for: when the deadline comes, the process ends
// under it.
fn start(tell: Sender<Told>, work: impl FnOnce(&Sender<Told>) + Send + 'static) {
    let _ = std::thread::Builder::new().spawn(move || {
        let _ = panic::catch_unwind(AssertUnwindSafe(|| work(&tell)));
    });
}
