//! How far long work has come, for people who watch.

use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::invocation::Invocation;

/// A line for each kind of work that an operation tells about, with rate and
/// time left, as soon as it takes long enough to be worth a line.
pub(super) struct Steps {
    wanted: bool,
    bar: Mutex<Option<(String, ProgressBar)>>,
}

impl Steps {
    /// Shown only to a person who watches.
    pub(super) fn new(invocation: &Invocation<'_>) -> Self {
        Self { wanted: is_watched(invocation), bar: Mutex::new(None) }
    }

    /// The line goes away.
    pub(super) fn clear(&self) {
        if let Some((_, bar)) = self.bar.lock().unwrap_or_else(PoisonError::into_inner).take() {
            bar.finish_and_clear();
        }
    }
}

impl scrubjay_engine::ctx::Progress for Steps {
    fn step(&self, what: &str, done: u64, total: Option<u64>) {
        if !self.wanted {
            return;
        }
        let mut current = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        if current.as_ref().is_none_or(|(shown, _)| shown != what) {
            if let Some((_, old)) = current.take() {
                old.finish_and_clear();
            }
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_message(what.to_owned());
            *current = Some((what.to_owned(), bar));
        }
        let Some((_, bar)) = current.as_ref() else { return };
        if total.is_some() != bar.length().is_some() || bar.position() == 0 {
            let template = match total {
                Some(_) => "{msg} {bar:30} {pos} of {len}, {rate}, {eta} left",
                None => "{msg} {pos}, {rate}",
            };
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.with_key("rate", rate));
            }
        }
        if let Some(total) = total {
            bar.set_length(total);
        }
        bar.set_position(done);
    }
}

// Of the first moment nothing can be told.
fn rate(state: &ProgressState, out: &mut dyn std::fmt::Write) {
    let _ = match state.elapsed().as_secs_f64() {
        elapsed if elapsed < 0.2 => write!(out, "…"),
        _ => write!(out, "{:.0}/s", state.per_sec()),
    };
}

fn is_watched(invocation: &Invocation<'_>) -> bool {
    invocation.console.facts.messages_are_terminal && !invocation.globals.quiet && !invocation.json()
}

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
        let wanted = is_watched(invocation);
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
