//! What a person types while `serve` runs in the foreground.

use std::io;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::getpgrp;
use rustix::termios::tcgetpgrp;
use scrubjay_engine::Ctx;

use super::open;
use crate::environment::Environment;

/// How often it is looked whether we are in the foreground.
const LOOK: Duration = Duration::from_millis(500);

/// Opens the dashboard whenever somebody types `o`, for as long as the process
/// lives. A process in the background that reads from its terminal is stopped,
/// so nothing is read there.
pub(super) fn listen(ctx: Ctx, environment: Environment) {
    let listening = std::thread::Builder::new().name("keys".to_owned());
    // Without it the daemon runs as well.
    let _ = listening.spawn(move || {
        let mut line = String::new();
        while let Some(is_there) = wait() {
            if !is_there {
                continue;
            }
            line.clear();
            if !io::stdin().read_line(&mut line).is_ok_and(|count| count > 0) {
                return;
            }
            if line.trim().eq_ignore_ascii_case("o")
                && let Ok(link) = open::link(&ctx)
                && !open::show(&environment, &ctx.home().path, &link).unwrap_or(false)
            {
                tell(&link);
            }
        }
    });
}

// Whether there is something to read now; none if there never will be.
fn wait() -> Option<bool> {
    let time = Timespec::try_from(LOOK).ok()?;
    let input = io::stdin();
    let in_foreground = || tcgetpgrp(&input).is_ok_and(|group| group == getpgrp());
    if !in_foreground() {
        poll(&mut [], Some(&time)).ok()?;
        return Some(false);
    }
    let mut watched = [PollFd::new(&input, PollFlags::IN)];
    match poll(&mut watched, Some(&time)) {
        Ok(count) => Some(count > 0 && in_foreground()),
        Err(rustix::io::Errno::INTR) => Some(false),
        Err(_) => None,
    }
}

// There is no browser to ask, so the person is.
fn tell(link: &str) {
    use io::Write;
    let _ = writeln!(io::stdout(), "{link}");
}
