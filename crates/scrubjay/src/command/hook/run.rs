//! Waits for the answer, but never beyond the deadline.

use std::ffi::OsString;
use std::io::Write;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use clap::{Arg, Command};
use scrubjay_engine::sources::{Clock, SystemClock};

use super::arguments::{Arguments, call_hook};
use super::call::{self, Called, Told};
use crate::console::Console;
use crate::derive;
use crate::environment::Environment;
use crate::globals;

/// How long a hook takes at most while the settings are not known yet.
const FIRST: Duration = Duration::from_millis(300);

/// How much longer it may take to bring what was said to safety: being late is
/// better than losing it.
const GRACE: Duration = Duration::from_secs(3);

/// Its arguments.
pub(crate) fn command() -> Command {
    Command::new("hook")
        .about("Answer a client's hook; clients call this, people use `install`")
        .arg(Arg::new("client").value_name("CLIENT").help(format!("The client: {}", client_names())).required(true))
        .arg(Arg::new("event").value_name("EVENT").help("What the client calls the event").required(true))
        .args(globals::arguments())
}

fn client_names() -> String {
    scrubjay_engine::clients::CLIENTS.iter().map(|client| client.name).collect::<Vec<_>>().join(", ")
}

/// Whether this is a hook, and not someone who wants to know about hooks.
pub(crate) fn is_called(arguments: &[OsString]) -> bool {
    let asks = |word: &OsString| word == "--help" || word == "-h";
    // Only asked when the first word is neither a flag nor `hook`.
    let is_command = |word: &str| derive::root(80).get_subcommands().any(|command| command.get_name() == word);
    call_hook(arguments.get(1..).unwrap_or_default(), is_command) && !arguments.iter().any(asks)
}

/// Answers the hook. The exit code is always 0.
pub(crate) fn run(arguments: &[OsString], environment: &Environment, console: &mut Console) -> u8 {
    let clock = Arc::new(SystemClock::of_process());
    // A defect must not show either.
    panic::set_hook(Box::new(|_| {}));
    let _ = panic::catch_unwind(AssertUnwindSafe(|| answer(arguments, environment, console, &clock)));
    0
}

fn answer(arguments: &[OsString], environment: &Environment, console: &mut Console, clock: &Arc<SystemClock>) {
    let called = Called {
        arguments: Arguments::read(arguments.get(1..).unwrap_or_default()),
        environment: environment.clone(),
        clock: Arc::clone(clock),
    };
    let (tell, told) = channel();
    let input = console.take_input();
    if environment.is_model_call() {
        // What is said there is our own question to a model.
        start(tell, move |tell| call::pass_over(&called, input, tell));
    } else {
        start(tell, move |tell| call::call(&called, input, tell));
    }
    let mut output = String::new();
    let (mut deadline, mut holding, mut if_late) = (FIRST, None, None);
    loop {
        let until = if holding.is_some() { deadline + GRACE } else { deadline };
        let left = until.saturating_sub(clock.elapsed());
        match told.recv_timeout(left) {
            Ok(Told::Deadline(time)) => deadline = time,
            Ok(Told::Silence(text)) => output = text,
            Ok(Told::Holding(rescue)) => holding = Some(rescue),
            Ok(Told::Safe) => holding = None,
            Ok(Told::IfLate(then)) => if_late = then,
            Ok(Told::Answer(text)) => {
                output = text;
                (holding, if_late) = (None, None);
                break;
            }
            Ok(Told::GaveUp) => break,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
    }
    // The work died or hangs, and what was said is nowhere else.
    if let Some(rescue) = holding {
        rescue();
    }
    // Whoever asked may have left.
    let mut stdout = std::io::stdout();
    let _ = stdout.write_all(output.as_bytes()).and_then(|()| stdout.flush());
    if let Some(late) = if_late {
        late();
    }
}

// A thread that nobody waits for: when the deadline comes, the process ends
// under it.
fn start(tell: Sender<Told>, work: impl FnOnce(&Sender<Told>) + Send + 'static) {
    let _ = std::thread::Builder::new().spawn(move || {
        let _ = panic::catch_unwind(AssertUnwindSafe(|| work(&tell)));
    });
}
