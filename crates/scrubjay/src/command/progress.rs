//! How far long work has come, for people who watch.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::invocation::Invocation;

/// A line on standard error that shows progress; nothing unless a person is
/// there to see it.
pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Work of a known size in bytes, or of unknown size.
    pub(super) fn of_bytes(invocation: &Invocation<'_>, what: &'static str, total: Option<u64>) -> Self {
        let template = match total {
            Some(_) => "{msg} {bar:30} {bytes} of {total_bytes}",
            None => "{msg} {bytes}",
        };
        Self::new(invocation, what, total, template)
    }

    /// Work counted in lines.
    pub(super) fn of_lines(invocation: &Invocation<'_>, what: &'static str) -> Self {
        Self::new(invocation, what, None, "{msg} {pos} lines")
    }

    fn new(invocation: &Invocation<'_>, what: &'static str, total: Option<u64>, template: &str) -> Self {
        let wanted = invocation.console.facts.messages_are_terminal && !invocation.globals.quiet && !invocation.json();
        let target = if wanted { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(total, target).with_message(what);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// So much is done.
    pub(super) fn at(&self, done: u64) {
        self.bar.set_position(done);
    }

    /// The line goes away.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
