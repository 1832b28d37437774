//! Bringing what is read from outside in step.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use scrubjay_store::item::GenerationState;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use crate::sync::{Format, SyncOptions, SyncReport, Trigger, sync_all, sync_transcript};
use crate::{Ctx, EngineError, Result};

/// Bring indexed folders and transcripts in step with their files, now.
///
/// Files that did not change cost nothing but a look.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SyncInput {
    /// The occasion; it decides what is looked at: session-start notes, session-delta transcripts, everything else all.
    #[schemars(extend("enum" = ["session-start", "search", "watch", "session-delta", "interval", "force"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// Read one transcript only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
    /// How that transcript is written.
    #[schemars(extend("enum" = Format::names()))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Read every file again, whatever its time says.
    pub reread: bool,
    /// Only say what would be done.
    pub dry_run: bool,
}

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SyncRecord {
    /// Files read and stored.
    pub indexed: u64,
    /// Files that are the same as before.
    pub unchanged: u64,
    /// Files that are gone.
    pub removed: u64,
    /// Pieces that the stored files were cut into.
    pub chunks: u64,
    /// Bytes of the stored files.
    pub bytes: u64,
    /// Messages taken from transcripts.
    pub messages: u64,
    /// Messages that were there already.
    pub duplicates: u64,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// How many were skipped, by reason.
    pub skipped_by_reason: BTreeMap<String, u64>,
    /// What was skipped; the first thousand.
    pub skipped: Vec<SkippedRecord>,
    /// Items that wait for their vectors.
    pub waiting_for_vectors: u64,
    /// What was taken out, or could not be read.
    pub warnings: Vec<String>,
}

/// Something that was not read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkippedRecord {
    /// Its path.
    pub path: String,
    /// Why, for counting.
    pub reason: String,
    /// Why, in words.
    pub explanation: String,
}

/// `sync`.
pub struct Sync;

impl Operation for Sync {
    type Input = SyncInput;
    type Output = SyncRecord;
    const NAME: &'static str = "sync";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["sync"], http: true, mcp: None };
    const GROUP: Group = Group::Files;
    const EXAMPLES: &'static str = r#"  scrubjay sync
  scrubjay sync --trigger session-start"#;

    async fn run(ctx: &Ctx, input: SyncInput) -> Result<SyncRecord> {
        let started = ctx.elapsed();
        let trigger = input.trigger.as_deref().map_or(Ok(Trigger::Force), Trigger::named)?;
        let options = SyncOptions { reread: input.reread, dry_run: input.dry_run, ..SyncOptions::default() };
        let report = match (&input.transcript, &input.format) {
            (Some(path), format) => {
                let format = Format::named(format.as_deref().unwrap_or("generic"))?;
                let path = ctx.folder().map_or_else(|| Path::new(path).to_owned(), |folder| folder.join(path));
                let path = path.canonicalize().map_err(|error| EngineError::io("find", &path, error))?;
                sync_transcript(ctx, &path, format, trigger == Trigger::SessionDelta).await?
            }
            (None, Some(_)) => return Err(EngineError::invalid("a format goes with a transcript; name the file")),
            (None, None) => {
                let (wanted, _) = trigger.setting(&ctx.config().settings);
                if wanted { sync_all(ctx, trigger, options).await? } else { SyncReport::default() }
            }
        };
        SyncRecord::new(ctx, report, ctx.elapsed().saturating_sub(started)).await
    }
}

impl SyncRecord {
    /// The record of a report.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) async fn new(ctx: &Ctx, report: SyncReport, took: Duration) -> Result<Self> {
        let skipped = report.skipped.into_iter().map(|file| SkippedRecord {
            path: file.path,
            reason: file.reason,
            explanation: file.explanation,
        });
        Ok(Self {
            indexed: report.indexed,
            unchanged: report.unchanged,
            removed: report.removed,
            chunks: report.chunks,
            bytes: report.bytes,
            messages: report.messages,
            duplicates: report.duplicates,
            took_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            skipped_by_reason: report.skipped_by_reason,
            skipped: skipped.collect(),
            waiting_for_vectors: waiting_for_vectors(ctx).await?,
            warnings: report.warnings,
        })
    }
}

/// How many of the visible items have no vectors yet.
pub(super) async fn waiting_for_vectors(ctx: &Ctx) -> Result<u64> {
    if !ctx.embeds() {
        return Ok(0);
    }
    let store = ctx.store().await?;
    let generations = store.generations().await?;
    let Some(serving) = generations.iter().find(|generation| generation.state == GenerationState::Serving) else {
        let counts = store.document_counts(ctx.view()).await?;
        return Ok(counts.iter().map(|count| count.chunks).sum());
    };
    Ok(store.count_waiting(ctx.view(), serving.id).await?)
}
