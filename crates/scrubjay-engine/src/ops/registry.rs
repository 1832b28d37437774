//! The list of all operations.

use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::operation::Entry;
use crate::import::{BasicMemory, ChatGpt, Claude, ClaudeMem, Mem0, Obsidian, OpenMemory, Slack};

/// Every operation, in the order in which people are shown them.
pub static REGISTRY: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    vec![
        Entry::of::<super::Remember>(),
        Entry::of::<super::Recall>(),
        Entry::of::<super::WhyNot>(),
        Entry::of::<super::Capture>(),
        Entry::of::<super::Inject>(),
        Entry::of::<super::Context>(),
        Entry::of::<super::Receipts>(),
        Entry::of::<super::Feedback>(),
        Entry::of::<super::Tune>(),
        Entry::of::<super::TaskBegin>(),
        Entry::of::<super::TaskAdd>(),
        Entry::of::<super::TaskShow>(),
        Entry::of::<super::TaskEnd>(),
        Entry::of::<super::Promote>(),
        Entry::of::<super::ConfirmationsList>(),
        Entry::of::<super::ConfirmationsAnswer>(),
        Entry::of::<super::List>(),
        Entry::of::<super::Show>(),
        Entry::of::<super::History>(),
        Entry::of::<super::Sessions>(),
        Entry::of::<super::SessionEnd>(),
        Entry::of::<super::Stats>(),
        Entry::of::<super::Growth>(),
        Entry::of::<super::Correct>(),
        Entry::of::<super::Confirm>(),
        Entry::of::<super::Edit>(),
        Entry::of::<super::Link>(),
        Entry::of::<super::Forget>(),
        Entry::of::<super::Restore>(),
        Entry::of::<super::Undo>(),
        Entry::of::<super::Purge>(),
        Entry::of::<super::Entity>(),
        Entry::of::<super::Entities>(),
        Entry::of::<super::EntityMerge>(),
        Entry::of::<super::Digest>(),
        Entry::of::<super::Review>(),
        Entry::of::<super::ReviewKeep>(),
        Entry::of::<super::ReviewEdit>(),
        Entry::of::<super::ReviewReject>(),
        Entry::of::<super::Consolidate>(),
        Entry::of::<super::Summarize>(),
        Entry::of::<super::Reflect>(),
        Entry::of::<super::Decay>(),
        Entry::of::<super::Enrich>(),
        Entry::of::<super::Maintain>(),
        Entry::of::<super::Projects>(),
        Entry::of::<super::ProjectsShow>(),
        Entry::of::<super::ProjectsRename>(),
        Entry::of::<super::ProjectsMerge>(),
        Entry::of::<super::ProjectsMove>(),
        Entry::of::<super::ProjectsPause>(),
        Entry::of::<super::ProjectsResume>(),
        Entry::of::<super::ProjectsAdopt>(),
        Entry::of::<super::ProjectsPurge>(),
        Entry::of::<super::ProjectsTrust>(),
        Entry::of::<super::Pause>(),
        Entry::of::<super::Resume>(),
        Entry::of::<super::Index>(),
        Entry::of::<super::Sync>(),
        Entry::of::<super::SyncStatus>(),
        Entry::of::<super::Sources>(),
        Entry::of::<super::SourcesFiles>(),
        Entry::of::<super::SourcesAdd>(),
        Entry::of::<super::SourcesRemove>(),
        Entry::of::<super::Backup>(),
        Entry::of::<super::RestoreBackup>(),
        Entry::of::<super::Export>(),
        Entry::of::<super::Import>(),
        Entry::of::<super::ImportTranscripts>(),
        Entry::of::<super::ImportNotes>(),
        Entry::of::<super::ImportFrom<ChatGpt>>(),
        Entry::of::<super::ImportFrom<Claude>>(),
        Entry::of::<super::ImportFrom<Mem0>>(),
        Entry::of::<super::ImportFrom<ClaudeMem>>(),
        Entry::of::<super::ImportFrom<BasicMemory>>(),
        Entry::of::<super::ImportFrom<OpenMemory>>(),
        Entry::of::<super::ImportFrom<Slack>>(),
        Entry::of::<super::ImportFrom<Obsidian>>(),
        Entry::of::<super::Doctor>(),
        Entry::of::<super::Jobs>(),
        Entry::of::<super::JobsRun>(),
        Entry::of::<super::JobsRetry>(),
        Entry::of::<super::JobsCancel>(),
        Entry::of::<super::Spool>(),
        Entry::of::<super::SpoolRetry>(),
        Entry::of::<super::SpoolDiscard>(),
        Entry::of::<super::Models>(),
        Entry::of::<super::ModelsTest>(),
        Entry::of::<super::ModelsSet>(),
        Entry::of::<super::Spend>(),
        Entry::of::<super::Reembed>(),
        Entry::of::<super::ConfigShow>(),
        Entry::of::<super::ConfigSet>(),
        Entry::of::<super::ConfigAdjust>(),
        Entry::of::<super::ConfigPath>(),
        #[cfg(test)]
        Entry::of::<super::fake::Fake>(),
    ]
});

/// The operation with this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    REGISTRY.iter().find(|entry| entry.name == name)
}

/// The schemas of operations, each under its name, and what refers to them.
#[derive(Debug, Clone, Default)]
pub struct NamedSchemas {
    /// Every schema by its name; schemas refer to each other.
    pub schemas: Map<String, Value>,
    /// What refers to an operation's input and output, in the order of the operations.
    pub references: Vec<(Value, Value)>,
}

/// The schemas of these operations, for a document that keeps schemas below this path.
#[must_use]
pub fn named_schemas<'a>(entries: impl Iterator<Item = &'a Entry>, path: &'static str) -> NamedSchemas {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.definitions_path = path.into());
    let mut generator = settings.into_generator();
    let references = entries.map(|entry| entry.named_schemas(&mut generator)).collect();
    NamedSchemas { schemas: generator.take_definitions(true), references }
}

/// The name most like this one, for "did you mean".
#[must_use]
pub fn suggest(name: &str) -> Option<&'static str> {
    let likeness = |entry: &&Entry| strsim::jaro_winkler(name, entry.name);
    let best = REGISTRY.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(&best) > 0.75).then_some(best.name)
}
