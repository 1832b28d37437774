//! What a client is.

use std::path::PathBuf;

use serde_json::Value;

use super::plan::{Surroundings, Wiring};

/// What an event means to us, whatever its client calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// A conversation begins or goes on.
    SessionStart,
    /// A person said something.
    Prompt,
    /// A tool was used.
    Tool,
    /// The agent is done answering.
    Reply,
    /// A sub-agent begins.
    SubagentStart,
    /// A sub-agent is done.
    SubagentReply,
    /// The conversation is about to be shortened.
    Compact,
    /// The conversation is over.
    SessionEnd,
}

/// One of a client's events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// What the client calls it.
    pub name: &'static str,
    /// What it means to us.
    pub moment: Moment,
}

/// What a client told, in our terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occasion {
    /// What happened.
    pub moment: Moment,
    /// The conversation; empty if the client did not say.
    pub session: String,
    /// What was said or done.
    pub text: Option<String>,
    /// The folder the client works in.
    pub folder: Option<PathBuf>,
    /// The conversation's file.
    pub transcript: Option<PathBuf>,
    /// The sub-agent, if one did it.
    pub agent: Option<String>,
}

/// A program that uses Scrubjay.
pub struct Client {
    /// Its name in commands.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The events it has hooks for and that we use.
    pub events: &'static [Event],
    pub(super) read: fn(&Event, &Value) -> Occasion,
    pub(super) say: fn(&Event, Option<&str>) -> String,
    pub(super) wiring: fn(&Surroundings) -> Wiring,
    /// Its transcripts can be read, under the client's own name.
    pub transcripts: bool,
    /// What a person has to do once we are wired in, if anything.
    pub advice: Option<&'static str>,
}

impl Client {
    /// What the client told, in our terms.
    #[must_use]
    pub fn read(&self, event: &Event, payload: &Value) -> Occasion {
        (self.read)(event, payload)
    }

    /// Whether the client hands text on at this event.
    #[must_use]
    pub fn takes_context(&self, event: &Event) -> bool {
        self.say(event, Some("text")) != self.say(event, None)
    }

    /// What to write back: text for the agent, or nothing.
    #[must_use]
    pub fn say(&self, event: &Event, context: Option<&str>) -> String {
        (self.say)(event, context)
    }
}
