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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::io::{self, Write};
    use std::path::PathBuf;
    use std::sync::Mutex;

    use scrubjay_core::id::{MemoryId, RunId};
    use scrubjay_test::TestApp;
    use serde_json::{Value, json};

    use super::*;
    use crate::console::{Console, Facts};
    use crate::environment::Environment;
    use crate::globals::Globals;
    use crate::invocation::block_on;

    const FACTS: Facts =
        Facts { input_is_terminal: false, output_is_terminal: false, messages_are_terminal: false, columns: 80 };

    // What was answered, and what is sent after each answer that was flushed.
    #[derive(Clone, Default)]
    struct Reader {
        written: Arc<Mutex<Vec<u8>>>,
        sends: Option<(Arc<Queue>, usize)>,
    }

    impl Write for Reader {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.written.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            let answered = self.answers().len();
            match &self.sends {
                Some((queue, lines)) if answered < *lines => drop(queue.push(line(answered))),
                Some((queue, _)) => queue.end(None),
                None => {}
            }
            Ok(())
        }
    }

    impl Reader {
        fn answers(&self) -> Vec<Value> {
            let written = String::from_utf8(self.written.lock().unwrap().clone()).unwrap();
            written.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        }
    }

    fn line(number: usize) -> Line {
        let message =
            json!({"session_id": "s", "role": "user", "content": format!("line {number}"), "id": number.to_string()});
        Line { number: number + 1, text: Ok(message.to_string()) }
    }

    // Keeps what comes through the queue; what was answered, and the runs that kept it: one for each commit.
    fn keep(app: &TestApp, queue: &Arc<Queue>, reader: &Reader) -> (Vec<Value>, BTreeSet<RunId>) {
        let ctx = app.in_project("tern");
        let mut console = Console::new(reader.clone(), io::sink(), None, FACTS);
        let environment = Environment::bare(PathBuf::from("/"));
        let globals = Globals { json: true, ..Globals::default() };
        let mut invocation = Invocation { globals, environment: &environment, console: &mut console };
        let queue = Arc::clone(queue);
        block_on(async {
            Stream::new(&mut invocation, &ctx).keep_all(|_| Ok(queue)).await?;
            let store = ctx.store().await?;
            let mut runs = BTreeSet::new();
            for answer in reader.answers() {
                let id: MemoryId = answer["id"].as_str().unwrap().parse().unwrap();
                runs.insert(store.history(ctx.view(), id).await.unwrap()[0].run);
            }
            Ok((reader.answers(), runs))
        })
        .unwrap_or_else(|failure| panic!("{}", failure.message()))
    }

    #[test]
    fn lines_that_wait_share_a_commit_and_are_answered_in_order() {
        let (app, queue) = (TestApp::on_sqlite(), Arc::new(Queue::default()));
        for number in 0..200 {
            assert!(queue.push(line(number)));
        }
        queue.end(None);
        let (answers, runs) = keep(&app, &queue, &Reader::default());
        let order: Vec<String> =
            answers.iter().map(|answer| answer["client_id"].as_str().unwrap().to_owned()).collect();
        assert_eq!(order, (0..200).map(|number| number.to_string()).collect::<Vec<_>>());
        assert_eq!(runs.len(), 1);
    }

    #[test]
    fn whoever_waits_for_an_answer_gets_it_before_sending_more() {
        let (app, queue) = (TestApp::on_sqlite(), Arc::new(Queue::default()));
        assert!(queue.push(line(0)));
        let reader = Reader { sends: Some((Arc::clone(&queue), 5)), ..Reader::default() };
        let (answers, runs) = keep(&app, &queue, &reader);
        assert_eq!((answers.len(), runs.len()), (5, 5));
    }
}
