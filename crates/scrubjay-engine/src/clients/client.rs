//! What a client is.

use std::path::{Path, PathBuf};

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
    /// The client asks whether a tool may be used. That is not ours to say, and we are not wired in there; but
    /// where we are called all the same, no answer would count as no.
    Permission,
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

impl Occasion {
    /// Whether it belongs to no conversation: Cursor begins one like this whenever its window opens.
    #[must_use]
    pub fn is_draft(&self) -> bool {
        self.session == "empty-state-draft"
    }
}

/// Where a client keeps what is its own.
pub struct Folder {
    /// The variable that names the folder, if one does.
    pub variable: Option<&'static str>,
    /// The folder otherwise, below the user's.
    pub below_home: &'static str,
}

/// What a client keeps of conversations, in the format of the same name, and its notes. All of it is in the client's
/// folder.
pub struct Records {
    /// The folders of transcripts in it; none if these do not tell which project they belong to.
    pub transcripts: &'static [&'static str],
    /// Its notes.
    pub notes: Notes,
    /// Its hooks do not tell all that was said, nor when a conversation is over: it is read after each reply.
    pub each_reply: bool,
}

/// Where a client keeps notes.
#[derive(Debug, Clone, Copy)]
pub enum Notes {
    /// It keeps none.
    None,
    /// In one folder, for all projects.
    Shared(&'static str),
    /// In folders of this name, one for each project's folder inside of another.
    ByProject {
        /// The folder with the projects'.
        inside: &'static str,
        /// The folder of notes in each.
        name: &'static str,
        /// What the folder of a project is called, by the path of the project.
        project: fn(&Path) -> Option<String>,
    },
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
    /// Its folder.
    pub folder: Folder,
    /// What it keeps that can be read.
    pub records: Option<Records>,
    /// Who else runs the hooks that are written for this client, told by what is sent.
    pub(super) borrowed_by: fn(&Value) -> Option<&'static str>,
    /// Whether a hook was started by a plugin of the client, told by a variable of its environment.
    pub plugin_variable: Option<&'static str>,
    /// What a person should know who wires us in although something else of ours is there already.
    pub(super) warning: fn(&Surroundings) -> Option<String>,
    /// What keeps us from working although we are wired in, as far as the client's own files tell.
    pub(super) trouble: fn(&Surroundings) -> Option<String>,
    /// What a person has to do once we are wired in, if anything.
    pub advice: Option<&'static str>,
}

impl Client {
    /// What the client told, in our terms.
    #[must_use]
    pub fn read(&self, event: &Event, payload: &Value) -> Occasion {
        (self.read)(event, payload)
    }

    /// The other client that runs our hook for this one, if it does.
    #[must_use]
    pub fn borrowed_by(&self, payload: &Value) -> Option<&'static str> {
        (self.borrowed_by)(payload)
    }

    /// What a person should know about what else of ours the client has.
    #[must_use]
    pub fn warning(&self, around: &Surroundings) -> Option<String> {
        (self.warning)(around)
    }

    /// What keeps us from working although we are wired in.
    #[must_use]
    pub fn trouble(&self, around: &Surroundings) -> Option<String> {
        (self.trouble)(around)
    }

    /// Whether the client tells when a conversation begins.
    #[must_use]
    pub fn tells_beginnings(&self) -> bool {
        self.events.iter().any(|event| event.moment == Moment::SessionStart)
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

/// Nobody else runs its hooks.
pub(super) fn nobody(_: &Value) -> Option<&'static str> {
    None
}

/// There is nothing to tell.
pub(super) fn nothing(_: &Surroundings) -> Option<String> {
    None
}
