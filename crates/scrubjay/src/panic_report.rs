//! What a defect looks like from outside: one line and exit code 1.

use std::io::Write;
use std::panic::{self, PanicHookInfo, UnwindSafe};
use std::process::ExitCode;

/// Runs `work` and returns its exit code. A panic, which is always a defect,
/// becomes one line on standard error and exit code 1.
pub(crate) fn guarded(work: impl FnOnce() -> u8 + UnwindSafe) -> ExitCode {
    panic::set_hook(Box::new(report));
    ExitCode::from(panic::catch_unwind(work).unwrap_or(1))
}

fn report(info: &PanicHookInfo<'_>) {
    let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    // Standard error may be closed; there is nowhere else to tell.
    let _ = writeln!(std::io::stderr(), "{}", line(&place));
}

// The message of a panic may hold text from a memory, so only its place is told.
fn line(place: &str) -> String {
    format!("error: this is a bug in scrubjay {} at {place}; please report this line", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_exit_code_1() {
        let exit = |work: fn() -> u8| format!("{:?}", guarded(work));
        assert_eq!(exit(|| panic!("on purpose")), format!("{:?}", ExitCode::from(1)));
        assert_eq!(exit(|| 3), format!("{:?}", ExitCode::from(3)));
        let _ = panic::take_hook();
    }

    #[test]
    fn the_line_says_where_and_that_it_is_a_bug() {
        let line = line("src/a.rs:1:2");
        assert!(line.contains("this is a bug") && line.contains("src/a.rs:1:2"), "{line}");
        assert_eq!(line.lines().count(), 1);
    }
}
