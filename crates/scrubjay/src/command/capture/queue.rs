//! Lines between the thread that reads and the one that writes.

use std::collections::VecDeque;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::super::lines::Line;

/// Lines that wait at most; as many as one commit takes.
pub(super) const LINES: usize = 256;

/// Bytes that wait at most; one line is always taken in, however long.
const BYTES: usize = 32 << 20;

/// A bounded queue of lines: its memory does not grow with what is sent.
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    lines: VecDeque<Line>,
    bytes: usize,
    ended: bool,
    failure: Option<io::Error>,
    abandoned: bool,
}

impl Queue {
    /// Adds a line, when there is room. False when nobody wants lines any more.
    pub(super) fn push(&self, line: Line) -> bool {
        let full = |state: &mut State| {
            !state.abandoned
                && !state.lines.is_empty()
                && (state.lines.len() >= LINES || state.bytes + size(&line) > BYTES)
        };
        let mut state = self.changed.wait_while(self.lock(), full).unwrap_or_else(PoisonError::into_inner);
        if state.abandoned {
            return false;
        }
        state.bytes += size(&line);
        state.lines.push_back(line);
        self.changed.notify_all();
        true
    }

    /// No more lines will come, because of an error if there is one.
    pub(super) fn end(&self, failure: Option<io::Error>) {
        let mut state = self.lock();
        state.ended = true;
        state.failure = failure;
        self.changed.notify_all();
    }

    /// The first line and all others that are there already; none at the end.
    pub(super) fn take(&self) -> io::Result<Vec<Line>> {
        let waiting = |state: &mut State| state.lines.is_empty() && !state.ended;
        let mut state = self.changed.wait_while(self.lock(), waiting).unwrap_or_else(PoisonError::into_inner);
        if state.lines.is_empty() {
            return state.failure.take().map_or_else(|| Ok(Vec::new()), Err);
        }
        state.bytes = 0;
        let lines = state.lines.drain(..).collect();
        self.changed.notify_all();
        Ok(lines)
    }

    /// Nobody will take lines any more.
    pub(super) fn abandon(&self) {
        self.lock().abandoned = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn size(line: &Line) -> usize {
    line.text.as_ref().map_or(0, String::len)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    fn line(number: usize, length: usize) -> Line {
        Line { number, text: Ok("x".repeat(length)) }
    }

    #[test]
    fn all_lines_arrive_in_order_and_in_bounded_groups() {
        let queue = Arc::new(Queue::default());
        let reader = Arc::clone(&queue);
        let thread = thread::spawn(move || {
            for number in 0..5000 {
                assert!(reader.push(line(number, 10)));
            }
            reader.end(None);
        });
        let mut expected = 0;
        loop {
            let lines = queue.take().unwrap();
            assert!(lines.len() <= LINES);
            if lines.is_empty() {
                break;
            }
            for line in lines {
                assert_eq!(line.number, expected);
                expected += 1;
            }
        }
        assert_eq!(expected, 5000);
        thread.join().unwrap();
    }

    #[test]
    fn a_line_that_is_too_big_waits_until_it_is_alone() {
        let queue = Arc::new(Queue::default());
        assert!(queue.push(line(0, BYTES * 2)));
        let reader = Arc::clone(&queue);
        let thread = thread::spawn(move || reader.push(line(1, 1)));
        assert_eq!(queue.take().unwrap().len(), 1);
        assert!(thread.join().unwrap());
        assert_eq!(queue.take().unwrap().len(), 1);
    }

    #[test]
    fn an_error_comes_after_the_lines_before_it() {
        let queue = Queue::default();
        assert!(queue.push(line(0, 1)));
        queue.end(Some(io::ErrorKind::InvalidData.into()));
        assert_eq!(queue.take().unwrap().len(), 1);
        assert!(queue.take().is_err());
        queue.abandon();
        assert!(!queue.push(line(1, 1)));
    }
}
