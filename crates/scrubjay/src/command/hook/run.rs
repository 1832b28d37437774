//! Waits for the answer, but never beyond the deadline.

use std::ffi::OsString;
use std::io::Write;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use clap::{Arg, Command};
use scrubjay_engine::sources::{Clock, SystemClock};

use super::call::{self, Called, Told};
use crate::console::Console;
use crate::environment::Environment;
use crate::globals::{self, Globals};

/// How long a hook takes at most while the settings are not known yet.
const FIRST: Duration = Duration::from_millis(300);

/// How much longer it may take to bring what was said to safety: being late is
/// better than losing it.
const GRACE: Duration = Duration::from_secs(3);

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
    let clock = Arc::new(SystemClock::default());
    // A defect must not show either.
    panic::set_hook(Box::new(|_| {}));
    let _ = panic::catch_unwind(AssertUnwindSafe(|| answer(arguments, environment, console, &clock)));
    0
}

fn answer(arguments: &[OsString], environment: &Environment, console: &mut Console, clock: &Arc<SystemClock>) {
    // This one command alone: a hook should not pay for the rest.
    let root = Command::new("scrubjay").disable_help_flag(true).subcommand(command());
    let Ok(root) = root.try_get_matches_from(arguments) else { return };
    let Some(matches) = root.subcommand_matches("hook") else { return };
    let text = |id: &str| matches.get_one::<String>(id).cloned().unwrap_or_default();
    let called = Called {
        client: text("client"),
        event: text("event"),
        globals: Globals::collect(matches),
        environment: environment.clone(),
        clock: Arc::clone(clock),
    };
    let (tell, told) = channel();
    let input = console.take_input();
    start(tell, move |tell| call::call(&called, input, tell));
    let mut output = String::new();
    let (mut deadline, mut holding) = (FIRST, false);
    loop {
        let until = if holding { deadline + GRACE } else { deadline };
        let left = until.saturating_sub(clock.elapsed());
        match told.recv_timeout(left) {
            Ok(Told::Deadline(time)) => deadline = time,
            Ok(Told::Silence(text)) => output = text,
            Ok(Told::Holding) => holding = true,
            Ok(Told::Safe) => holding = false,
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
