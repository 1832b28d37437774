//! What an importer is, and what it gives.

use std::collections::BTreeMap;
use std::fmt::Display;

use scrubjay_core::entity::EntityType;
use scrubjay_core::memory::{Attributes, Kind};
use scrubjay_core::time::Timestamp;
use scrubjay_ingest::export::Export;

use crate::Result;

/// How many records are handed over at once.
const BATCH: usize = 500;

/// Reads what one other tool exports.
///
/// A record's key must be the same each time the export is read, and different
/// for every record of it: it is what makes an import repeatable. What cannot be
/// read is skipped with its file and record; only what spoils everything is an
/// error.
pub trait Importer: Send + Sync + 'static {
    /// What the tool is called on the command line.
    const NAME: &'static str;
    /// The name of the operation that imports from it.
    const OPERATION: &'static str;
    /// The words of its command.
    const COMMAND: &'static [&'static str];
    /// Examples for the help of its command.
    const EXAMPLES: &'static str;
    /// What is imported, from what; one sentence.
    const ABOUT: &'static str;
    /// The file or folder to name, for whoever named another.
    const EXPECTS: &'static str;

    /// Whether this looks like an export of the tool.
    fn recognises(export: &Export) -> bool;

    /// Hands over every record.
    ///
    /// # Errors
    /// When nothing of the export can be read.
    fn read(export: &Export, sink: &mut Sink<'_>) -> Result<()>;
}

/// An importer without its type.
#[derive(Clone, Copy)]
pub struct Descriptor {
    /// What the tool is called.
    pub name: &'static str,
    /// The name of its operation.
    pub operation: &'static str,
    /// What is imported, from what.
    pub about: &'static str,
    /// The file or folder to name.
    pub expects: &'static str,
    /// Whether this looks like an export of the tool.
    pub recognises: fn(&Export) -> bool,
    /// Hands over every record.
    pub read: fn(&Export, &mut Sink<'_>) -> Result<()>,
}

impl Descriptor {
    /// That of an importer.
    #[must_use]
    pub const fn of<I: Importer>() -> Self {
        Self {
            name: I::NAME,
            operation: I::OPERATION,
            about: I::ABOUT,
            expects: I::EXPECTS,
            recognises: I::recognises,
            read: I::read,
        }
    }
}

/// Who said something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Speaker {
    /// The person whose memory it is.
    User,
    /// The model.
    Assistant,
    /// Instructions around the conversation.
    System,
    /// A tool, or a program that posts by itself.
    Tool,
    /// Someone else, by name.
    Named(String),
}

impl Speaker {
    /// The role under which it is kept.
    #[must_use]
    pub fn role(&self) -> &str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
            Self::Tool => "tool",
            Self::Named(name) => name,
        }
    }

    /// The group of roles that the setting `capture.roles` speaks of.
    #[must_use]
    pub fn group(&self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant | Self::Named(_) => "assistant",
            Self::System => "system",
            Self::Tool => "tool",
        }
    }
}

/// Where in an export something stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordLocation {
    /// The file, by its name in the export.
    pub file: String,
    /// What stands there: a number, an id or a title.
    pub record: String,
}

impl RecordLocation {
    /// A record of a file.
    pub fn new(file: &str, record: impl Display) -> Self {
        Self { file: file.to_owned(), record: record.to_string() }
    }
}

/// One thing that another tool remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Where it stands.
    pub place: RecordLocation,
    /// What it is known by in that tool, for ever.
    pub key: String,
    /// An episode for what was said or done, a fact for what is held true.
    pub kind: Kind,
    /// Its type, if not the usual one.
    pub memory_type: Option<String>,
    /// The conversation it belongs to.
    pub session: Option<String>,
    /// Who said it.
    pub speaker: Option<Speaker>,
    /// What it says.
    pub content: String,
    /// When it happened.
    pub time: Option<Timestamp>,
    /// Its labels.
    pub tags: Vec<String>,
    /// Whom and what it is about, as far as the tool says.
    pub names: Vec<(String, EntityType)>,
    /// The project, channel or folder it belongs to there.
    pub group: Option<String>,
    /// Whether that group is a software project, which may be known here, too.
    pub group_is_project: bool,
    /// Whatever else is worth keeping.
    pub attributes: Attributes,
}

impl Record {
    /// Something that was said or done.
    #[must_use]
    pub fn episode(place: RecordLocation, key: String, content: String) -> Self {
        Self {
            place,
            key,
            kind: Kind::Episode,
            memory_type: None,
            session: None,
            speaker: None,
            content,
            time: None,
            tags: Vec::new(),
            names: Vec::new(),
            group: None,
            group_is_project: false,
            attributes: BTreeMap::new(),
        }
    }

    /// Something that is held true.
    #[must_use]
    pub fn fact(place: RecordLocation, key: String, content: String) -> Self {
        Self { kind: Kind::Fact, ..Self::episode(place, key, content) }
    }

    /// The same with one more attribute, if there is a value.
    #[must_use]
    pub fn with(mut self, name: &str, value: Option<&str>) -> Self {
        if let Some(value) = value.map(str::trim).filter(|value| !value.is_empty()) {
            self.attributes.insert(name.to_owned(), value.into());
        }
        self
    }
}

/// What an importer found in one go.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) records: Vec<Record>,
    pub(super) skipped: Vec<(RecordLocation, String)>,
    pub(super) passed_over: BTreeMap<&'static str, u64>,
}

/// Takes what an importer finds.
pub struct Sink<'a> {
    batch: Batch,
    send: &'a mut dyn FnMut(Batch) -> Result<()>,
}

impl<'a> Sink<'a> {
    /// A sink that hands on what it has whenever that is enough.
    pub(super) fn new(send: &'a mut dyn FnMut(Batch) -> Result<()>) -> Self {
        Self { batch: Batch::default(), send }
    }

    /// Takes a record.
    ///
    /// # Errors
    /// When nobody wants more.
    pub fn put(&mut self, record: Record) -> Result<()> {
        if record.content.trim().is_empty() {
            return self.pass_over("empty");
        }
        self.batch.records.push(record);
        self.send_if_full()
    }

    /// Notes what cannot be read, and why.
    ///
    /// # Errors
    /// When nobody wants more.
    pub fn skip(&mut self, place: RecordLocation, reason: impl Into<String>) -> Result<()> {
        self.batch.skipped.push((place, reason.into()));
        self.send_if_full()
    }

    /// Counts what is left out on purpose.
    ///
    /// # Errors
    /// When nobody wants more.
    pub fn pass_over(&mut self, reason: &'static str) -> Result<()> {
        *self.batch.passed_over.entry(reason).or_default() += 1;
        Ok(())
    }

    fn send_if_full(&mut self) -> Result<()> {
        if self.batch.records.len() + self.batch.skipped.len() >= BATCH { self.flush() } else { Ok(()) }
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        (self.send)(std::mem::take(&mut self.batch))
    }
}
