//! The files of a place.

use schemars::JsonSchema;
use scrubjay_store::source::SourceKind;
use serde::{Deserialize, Serialize};

use super::list::limit;
use super::operation::{Access, Group, Operation, Risk, Surfaces};
use super::sources::places_at;
use super::sync::SkippedRecord;
use crate::sync::{SyncOptions, Trigger, sync_place};
use crate::{Ctx, Result};

/// List the files that are read in a place, and those that are skipped, with the reason.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SourcesFilesInput {
    /// The place, as `sources` shows it; all that are read here, if not given.
    #[schemars(extend("x-cli" = {"positional": "optional", "value": "DIR"}))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Only files whose path comes after this one, to go on where a list ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// How many files at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"short": "n"}))]
    pub limit: Option<usize>,
}

/// The files.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourcesFilesOutput {
    /// Those that are in the index, by path.
    pub files: Vec<FileRecord>,
    /// Those that are not read.
    pub skipped: Vec<SkippedRecord>,
    /// Where to go on; null at the end.
    pub next: Option<String>,
}

/// A file that is read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileRecord {
    /// Where it lies.
    pub path: String,
    /// memory (notes), docs or code.
    pub source: String,
    /// Its size.
    pub size_bytes: u64,
    /// When it was last read.
    pub indexed_at: String,
}

/// `sources.files`.
pub struct SourcesFiles;

impl Operation for SourcesFiles {
    type Input = SourcesFilesInput;
    type Output = SourcesFilesOutput;
    const NAME: &'static str = "sources.files";
    const RISK: Risk = Risk::Read;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["sources", "files"], http: true, mcp: None };
    const GROUP: Group = Group::Files;
    const EXAMPLES: &'static str = r#"  scrubjay sources files
  scrubjay sources files ./notes"#;

    async fn run(ctx: &Ctx, input: SourcesFilesInput) -> Result<SourcesFilesOutput> {
        let most = limit(input.limit, 200)?;
        let store = ctx.store().await?;
        let mut places = match &input.path {
            None => store.sources(ctx.view()).await?,
            Some(path) => places_at(ctx, path).await?,
        };
        places.sort_by(|a, b| a.path.cmp(&b.path));
        places.retain(|place| place.kind != SourceKind::Transcripts);
        let mut output = SourcesFilesOutput::default();
        for place in &places {
            let prefix = format!("{}/", place.path.trim_end_matches('/'));
            let room = most.saturating_sub(output.files.len());
            let page = store.documents(&place.scope, &prefix, input.after.as_deref(), room + 1).await?;
            if page.len() > room {
                output.next = output.files.last().map(|file| file.path.clone());
                output.next = page.get(room.wrapping_sub(1)).map(|last| last.path.clone()).or(output.next);
            }
            output.files.extend(page.into_iter().take(room).map(|document| FileRecord {
                path: document.path,
                source: document.source.name().to_owned(),
                size_bytes: document.size_bytes,
                indexed_at: document.indexed_at.to_string(),
            }));
            if output.next.is_some() {
                break;
            }
        }
        // A look at the disk that changes nothing tells what would be skipped now.
        if input.after.is_none() {
            for place in places {
                let options = SyncOptions { dry_run: true, ..SyncOptions::default() };
                let looked = sync_place(ctx, &place, Trigger::Force, options).await?;
                output.skipped.extend(looked.skipped.into_iter().map(|file| SkippedRecord {
                    path: file.path,
                    reason: file.reason,
                    explanation: file.explanation,
                }));
            }
        }
        Ok(output)
    }
}
