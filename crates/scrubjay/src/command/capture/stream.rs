//! Keeping lines as they come, in groups that share a commit.

use std::sync::Arc;
use std::thread;

use scrubjay_core::error::ErrorCode;
use scrubjay_engine::Ctx;
use scrubjay_engine::ops::{self, Capture, CaptureInput, CaptureResult};

use super::super::lines::{Line, Lines};
use super::answer::{Preview, for_person, for_program};
use super::message::parse;
use super::queue::Queue;
use crate::failure::Failure;
use crate::invocation::Invocation;

/// The longest line, in bytes.
const LINE_BYTES: usize = 64 << 20;

/// A capture in progress.
pub(super) struct Stream<'a, 'b> {
    invocation: &'a mut Invocation<'b>,
    ctx: &'a Ctx,
    for_people: bool,
    answers_are_read: bool,
    failed: usize,
    // Whether the store has taken anything yet: only then can trouble pass.
    kept_any: bool,
}

/// Starts a thread that reads standard input into a queue.
pub(super) fn read_input(invocation: &mut Invocation<'_>) -> Result<Arc<Queue>, Failure> {
    let queue = Arc::new(Queue::default());
    let reader = Arc::clone(&queue);
    let mut lines = Lines::new(invocation.console.take_input(), LINE_BYTES);
    let read = move || {
        let failure = loop {
            match lines.next() {
                Ok(Some(line)) => {
                    if !reader.push(line) {
                        break None;
                    }
                }
                Ok(None) => break None,
                Err(error) => break Some(error),
            }
        };
        reader.end(failure);
    };
    // It is not joined: it may wait for a line that never comes.
    let started = thread::Builder::new().name("scrubjay-input".to_owned()).spawn(read);
    started.map_err(|error| Failure::io("start reading", error))?;
    Ok(queue)
}

impl<'a, 'b> Stream<'a, 'b> {
    /// A capture of nothing yet.
    pub(super) fn new(invocation: &'a mut Invocation<'b>, ctx: &'a Ctx) -> Self {
        // A program that reads our output gets JSON whether or not it says so.
        let for_people = invocation.console.facts.output_is_terminal && !invocation.json();
        Self { invocation, ctx, for_people, answers_are_read: true, failed: 0, kept_any: false }
    }

    /// How many lines were not kept because something is wrong with them.
    pub(super) fn failed(&self) -> usize {
        self.failed
    }

    /// Keeps everything that comes until the input ends.
    pub(super) async fn keep_all(
        &mut self,
        start: impl FnOnce(&mut Invocation<'b>) -> Result<Arc<Queue>, Failure>,
    ) -> Result<(), Failure> {
        let queue = start(self.invocation)?;
        loop {
            // Waiting here holds up nobody: this thread has nothing else to do.
            let lines = queue.take().map_err(|error| Failure::io("read standard input", error))?;
            if lines.is_empty() {
                return Ok(());
            }
            if let Err(failure) = self.keep(lines).await {
                queue.abandon();
                return Err(failure);
            }
        }
    }

    /// Keeps some lines in one commit and answers each.
    pub(super) async fn keep(&mut self, lines: Vec<Line>) -> Result<(), Failure> {
        let mut previews = Vec::with_capacity(lines.len());
        let mut results: Vec<Option<CaptureResult>> = Vec::with_capacity(lines.len());
        let mut client_ids = Vec::new();
        let mut all = CaptureInput::default();
        for line in lines {
            let parsed = parse(line);
            previews.push(Preview::from(&parsed));
            match parsed.input {
                Ok(one) => {
                    all.messages.extend(one.messages);
                    client_ids.push(parsed.client_id);
                    results.push(None);
                }
                Err(reason) => results.push(Some(refused(parsed.client_id, reason))),
            }
        }
        let (mut kept, failure) = match self.capture(all).await {
            Ok(kept) => (kept, None),
            // Each line gets its answer even if none could be kept. A full disk or
            // a busy store may be better in a moment, so the stream goes on.
            Err(failure) => {
                let message = failure.message();
                let refused = client_ids.into_iter().map(|id| refused(id, message.clone())).collect();
                let passing = matches!(failure.code(), ErrorCode::Unavailable | ErrorCode::Busy) && self.kept_any;
                (refused, (!passing).then_some(failure))
            }
        };
        kept.reverse();
        for (preview, result) in previews.iter().zip(results) {
            // One result per message, in order, is what the operation promises.
            let result = result.or_else(|| kept.pop()).unwrap_or_default();
            self.failed += usize::from(result.error.is_some());
            self.kept_any |= result.id.is_some();
            self.answer(preview, &result)?;
        }
        self.flush()?;
        failure.map_or(Ok(()), Err)
    }

    async fn capture(&self, input: CaptureInput) -> Result<Vec<CaptureResult>, Failure> {
        if input.messages.is_empty() {
            return Ok(Vec::new());
        }
        Ok(ops::run::<Capture>(self.ctx, input).await?.results)
    }

    // A reader that left gets no more answers; what still comes in is kept.
    fn answer(&mut self, preview: &Preview, result: &CaptureResult) -> Result<(), Failure> {
        if !self.answers_are_read {
            return Ok(());
        }
        let written = if self.for_people {
            let line = for_person(preview, result, self.invocation.palette(), self.invocation.console.facts.columns);
            self.invocation.console.data(&line)
        } else {
            self.invocation.console.json(&for_program(preview.number, result))
        };
        self.unless_closed(written)
    }

    fn flush(&mut self) -> Result<(), Failure> {
        let flushed = if self.answers_are_read { self.invocation.console.flush() } else { Ok(()) };
        self.unless_closed(flushed)
    }

    fn unless_closed(&mut self, written: Result<(), Failure>) -> Result<(), Failure> {
        match written {
            Err(Failure::OutputClosed) => {
                self.answers_are_read = false;
                Ok(())
            }
            other => other,
        }
    }
}

fn refused(client_id: Option<String>, reason: String) -> CaptureResult {
    CaptureResult { client_id, error: Some(reason), ..CaptureResult::default() }
}
