//! What a hook waits for, in which order, and until when.
//!
//! Nothing here reads a clock or starts a thread: the caller says what came in
//! and when, so that a test can.

use std::time::Duration;

use scrubjay_server::client::Away;

/// How long before the deadline the last answer is taken: what is left is for
/// writing it, and for the process to end.
const MARGIN: Duration = Duration::from_millis(5);

/// The points in time at which something happens, counted from the start of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Points {
    /// The daemon is slow: what was said goes to disk, and what fits is looked for here, too.
    pub(super) slow: Duration,
    /// Nothing is waited for any longer.
    pub(super) end: Duration,
}

impl Points {
    /// Those of a deadline.
    pub(super) fn of(deadline: Duration) -> Self {
        Self { slow: deadline * 2 / 5, end: deadline.saturating_sub(MARGIN.min(deadline / 10)) }
    }
}

/// What comes in while a hook waits.
#[derive(Debug)]
pub(super) enum Incoming {
    /// What the daemon answered, or why it did not.
    Asked(Result<String, Away>),
    /// What this process found by itself, if it found anything.
    Looked(Option<String>),
    /// Nothing, until the time that was given.
    Timeout,
}

/// How the waiting ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The daemon answered: it has kept what was said.
    Answered(String),
    /// This process found something before the daemon did.
    Found(String),
    /// There is no daemon to wait for.
    Alone(Away),
    /// Nobody had anything in time.
    Nothing,
}

/// What a hook can do while it waits.
pub(super) trait Hook {
    /// The next thing to come in, until this time.
    fn next(&mut self, until: Duration) -> Incoming;

    /// Brings what was said to disk. Called once at most.
    fn leave(&mut self);

    /// Begins to look for what fits, if this hook hands anything out.
    fn begin_to_look(&mut self) -> bool;
}

/// Waits for the daemon. If it is slow, as on a busy machine, what was said is put on disk first, then the same is looked
/// for here, and whichever answer is there first is taken, up to the end.
pub(super) fn wait(hook: &mut impl Hook, points: Points) -> Outcome {
    let mut asks = true;
    match hook.next(points.slow) {
        Incoming::Asked(Ok(output)) => return Outcome::Answered(output),
        // Nothing more comes from it, but it may be doing the work all the same.
        Incoming::Asked(Err(Away::Hung)) => asks = false,
        Incoming::Asked(Err(away)) => {
            hook.leave();
            return Outcome::Alone(away);
        }
        Incoming::Looked(_) | Incoming::Timeout => {}
    }
    hook.leave();
    let mut looks = hook.begin_to_look();
    while looks || asks {
        match hook.next(points.end) {
            Incoming::Asked(Ok(output)) => return Outcome::Answered(output),
            Incoming::Asked(Err(Away::Hung)) => asks = false,
            Incoming::Asked(Err(away)) => return Outcome::Alone(away),
            Incoming::Looked(Some(output)) => return Outcome::Found(output),
            // Nothing found here does not mean that the daemon finds nothing: it knows what words do not tell.
            Incoming::Looked(None) => looks = false,
            Incoming::Timeout => break,
        }
    }
    Outcome::Nothing
}

#[cfg(test)]
mod tests {
    use super::*;

    // What comes in, and when; the time is that of the last thing that came in or was waited for.
    struct Script {
        incoming: Vec<(u64, Incoming)>,
        looks: bool,
        now: Duration,
        done: Vec<(u64, &'static str)>,
    }

    impl Hook for Script {
        fn next(&mut self, until: Duration) -> Incoming {
            let next = self.incoming.first().map(|(at, _)| Duration::from_millis(*at));
            match next.filter(|at| *at <= until.max(self.now)) {
                Some(at) => {
                    self.now = self.now.max(at);
                    self.incoming.remove(0).1
                }
                None => {
                    self.now = self.now.max(until);
                    Incoming::Timeout
                }
            }
        }

        fn leave(&mut self) {
            self.done.push((self.now.as_millis() as u64, "leave"));
        }

        fn begin_to_look(&mut self) -> bool {
            self.done.push((self.now.as_millis() as u64, "look"));
            self.looks
        }
    }

    fn answered() -> Incoming {
        Incoming::Asked(Ok("daemon".to_owned()))
    }

    fn away(away: Away) -> Incoming {
        Incoming::Asked(Err(away))
    }

    fn found(text: Option<&str>) -> Incoming {
        Incoming::Looked(text.map(str::to_owned))
    }

    // A hook with 300 ms: slow at 120, over at 295.
    fn check(incoming: Vec<(u64, Incoming)>, outcome: &Outcome, done: &[(u64, &'static str)], over: u64) {
        let told = format!("{incoming:?}");
        let mut script = Script { incoming, looks: true, now: Duration::ZERO, done: Vec::new() };
        assert_eq!(wait(&mut script, Points::of(Duration::from_millis(300))), *outcome, "{told}");
        assert_eq!((script.done.as_slice(), script.now.as_millis() as u64), (done, over), "{told}");
    }

    #[test]
    fn an_answer_in_time_is_taken_to_the_last_moment() {
        let answer = Outcome::Answered("daemon".to_owned());
        check(vec![(0, answered())], &answer, &[], 0);
        check(vec![(120, answered())], &answer, &[], 120);
        // A slow one is asked no less, but what was said is on disk by then.
        let slow = [(120, "leave"), (120, "look")];
        for at in [121, 239, 241, 270, 295] {
            check(vec![(at, answered())], &answer, &slow, at);
            check(vec![(121, found(None)), (at, answered())], &answer, &slow, at);
        }
        check(vec![(296, answered())], &Outcome::Nothing, &slow, 295);
        check(vec![], &Outcome::Nothing, &slow, 295);
    }

    #[test]
    fn what_is_found_here_is_taken_as_long() {
        let outcome = Outcome::Found("here".to_owned());
        let slow = [(120, "leave"), (120, "look")];
        for at in [121, 250, 295] {
            check(vec![(at, found(Some("here")))], &outcome, &slow, at);
            check(vec![(121, away(Away::Hung)), (at, found(Some("here")))], &outcome, &slow, at);
        }
        check(vec![(296, found(Some("here")))], &Outcome::Nothing, &slow, 295);
    }

    #[test]
    fn nobody_waits_for_a_daemon_that_is_not_there() {
        for gone in [Away::Absent, Away::Broken("nonsense".to_owned())] {
            check(vec![(1, away(gone.clone()))], &Outcome::Alone(gone.clone()), &[(1, "leave")], 1);
            let slow = [(120, "leave"), (120, "look")];
            check(vec![(200, away(gone.clone()))], &Outcome::Alone(gone), &slow, 200);
        }
        // A full queue is told at once; then there is only what this process finds.
        check(vec![(1, away(Away::Hung)), (90, found(None))], &Outcome::Nothing, &[(1, "leave"), (1, "look")], 90);
    }

    #[test]
    fn points_stay_within_any_deadline() {
        for deadline_ms in [0, 1, 5, 20, 60, 300, 20_000] {
            let deadline = Duration::from_millis(deadline_ms);
            let points = Points::of(deadline);
            assert!(points.slow <= points.end && points.end <= deadline, "{deadline_ms}: {points:?}");
        }
    }
}
