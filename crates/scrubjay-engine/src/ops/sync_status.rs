//! How things stand with what is read from outside.

use schemars::JsonSchema;
use scrubjay_store::source::SourceKind;
use serde::{Deserialize, Serialize};

use super::operation::{Group, Operation, Risk, Surfaces};
use super::sources::SourceRecord;
use super::sync::waiting_for_vectors;
use crate::sync::Trigger;
use crate::{Ctx, Result};

/// Show what is read from outside, on which occasions, and when each of them last did something.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct SyncStatusInput {}

/// How things stand.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SyncStatusOutput {
    /// The places that are read.
    pub sources: Vec<SourceRecord>,
    /// The occasions on which they are.
    pub triggers: Vec<TriggerRecord>,
    /// What is indexed, by kind of file.
    pub documents: Vec<DocumentsRecord>,
    /// Items that wait for their vectors.
    pub waiting_for_vectors: u64,
    /// What is being read at this moment, by this process.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub running: Vec<RunningRecord>,
}

/// A place that is being read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunningRecord {
    /// The folder or file.
    pub path: String,
    /// The occasion.
    pub trigger: String,
    /// Since when.
    pub since: String,
    /// What is being done; empty before the first step.
    pub step: String,
    /// How many files are done, or whatever the step counts.
    pub done: u64,
    /// Of how many, once that is known.
    pub total: Option<u64>,
}

/// One occasion.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TriggerRecord {
    /// Its name.
    pub trigger: String,
    /// Whether the settings want it.
    pub enabled: bool,
    /// What they say about it.
    pub about: String,
    /// When it last did something here.
    pub last: Option<String>,
    /// How long that took, in milliseconds.
    pub took_ms: Option<u64>,
    /// Files read and stored then.
    pub indexed: Option<u64>,
    /// Files that were gone.
    pub removed: Option<u64>,
    /// Messages taken from transcripts.
    pub messages: Option<u64>,
    /// Why it did not come to its end.
    pub failure: Option<String>,
}

/// How much is indexed of one kind of file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentsRecord {
    /// memory, docs or code.
    pub source: String,
    /// Files.
    pub documents: u64,
    /// Pieces of them.
    pub chunks: u64,
}

/// `sync.status`.
pub struct SyncStatus;

impl Operation for SyncStatus {
    type Input = SyncStatusInput;
    type Output = SyncStatusOutput;
    const NAME: &'static str = "sync.status";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["sync", "status"], http: true, mcp: None };
    const GROUP: Group = Group::Files;
    const EXAMPLES: &'static str = "  scrubjay sync status";

    async fn run(ctx: &Ctx, _input: SyncStatusInput) -> Result<SyncStatusOutput> {
        let store = ctx.store().await?;
        let is_owner = ctx.need_owner("reading transcripts").is_ok();
        let mut sources = store.sources(ctx.view()).await?;
        // Where transcripts lie is the owner's business: they are of many projects.
        sources.retain(|place| is_owner || place.kind != SourceKind::Transcripts);
        let mut runs = store.syncs(&ctx.view().home()).await?;
        if is_owner {
            runs.extend(store.syncs(&scrubjay_core::scope::Scope::Global).await?);
        }
        let triggers = Trigger::ALL.into_iter().map(|trigger| {
            let (enabled, about) = trigger.setting(&ctx.config().settings);
            let last = runs.iter().filter(|run| run.cause == trigger.name()).max_by_key(|run| run.at);
            TriggerRecord {
                trigger: trigger.name().to_owned(),
                enabled,
                about,
                last: last.map(|run| run.at.to_string()),
                took_ms: last.map(|run| run.took_ms),
                indexed: last.map(|run| run.counts.indexed),
                removed: last.map(|run| run.counts.removed),
                messages: last.map(|run| run.counts.messages),
                failure: last.and_then(|run| run.failure.clone()),
            }
        });
        let documents = store.document_counts(ctx.view()).await?.into_iter().map(|count| DocumentsRecord {
            source: count.source.to_string(),
            documents: count.documents,
            chunks: count.chunks,
        });
        // Of the places that are listed: what is read elsewhere is not the caller's business.
        let readings = ctx.underway().list().into_iter();
        let readings = readings.filter(|reading| {
            sources.iter().any(|place| place.scope == reading.place.scope && place.path == reading.place.path)
        });
        let running = readings.map(|reading| RunningRecord {
            path: reading.place.path,
            trigger: reading.trigger.to_owned(),
            since: reading.since,
            step: reading.step,
            done: reading.done,
            total: reading.total,
        });
        Ok(SyncStatusOutput {
            running: running.collect(),
            sources: sources.iter().map(SourceRecord::from).collect(),
            triggers: triggers.collect(),
            documents: documents.collect(),
            waiting_for_vectors: waiting_for_vectors(ctx).await?,
        })
    }
}
