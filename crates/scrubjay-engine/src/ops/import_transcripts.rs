//! Taking in the conversations that a client kept.

use std::path::PathBuf;

use schemars::JsonSchema;
use scrubjay_store::source::SourceKind;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use super::sync::SyncRecord;
use crate::sync::{Estimate, Format, SyncOptions, SyncReport, Trigger, adopt, estimate, sync_place, transcripts};
use crate::{Ctx, EngineError, Result};

/// Characters that become vectors in a second, on a usual machine: for an
/// estimate that should be right within a factor of two.
const CHARACTERS_A_SECOND: u64 = 20_000;

/// Take in the conversations that a client kept on this machine, each message once and in its own project.
///
/// It says first how much that is and asks. Interrupt it whenever you like: the next call goes on where it stopped.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ImportTranscriptsInput {
    /// Whose conversations: a client's, or generic for lines of {"role","content"}.
    #[schemars(extend("x-cli" = {"positional": "one", "value": "CLIENT"}, "enum" = Format::names()))]
    pub client: String,
    /// The folder or file, if not the usual one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Go on reading them whenever sources are synced.
    pub keep: bool,
    /// Only say how much it is.
    pub dry_run: bool,
    /// Do not ask.
    pub yes: bool,
}

/// What was taken in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportTranscriptsOutput {
    /// Where they lie.
    pub path: String,
    /// Files with something new.
    pub files: u64,
    /// New bytes in them.
    pub new_bytes: u64,
    /// Messages in these.
    pub new_messages: u64,
    /// How long their vectors take in the background, roughly, in seconds.
    pub embedding_seconds: u64,
    /// What was done.
    #[serde(flatten)]
    pub done: SyncRecord,
}

/// `import.transcripts`.
pub struct ImportTranscripts;

impl Operation for ImportTranscripts {
    type Input = ImportTranscriptsInput;
    type Output = ImportTranscriptsOutput;
    const NAME: &'static str = "import.transcripts";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["import", "transcripts"], http: true, mcp: None };
    const GROUP: Group = Group::Store;
    const EXAMPLES: &'static str = r#"  scrubjay import transcripts claude-code --dry-run
  scrubjay import transcripts codex --yes
  scrubjay import transcripts generic --path conversation.jsonl --yes --keep"#;

    async fn run(ctx: &Ctx, input: ImportTranscriptsInput) -> Result<ImportTranscriptsOutput> {
        let started = ctx.elapsed();
        let format = Format::named(&input.client)?;
        // A store that cannot be used is told before anything is looked for.
        ctx.store().await?;
        let paths = match &input.path {
            Some(path) if path.trim().is_empty() => {
                return Err(EngineError::invalid("the folder has no name; use . for the one you stand in"));
            }
            Some(path) => vec![ctx.folder().map_or_else(|| PathBuf::from(path), |folder| folder.join(path))],
            None if format.name() == "generic" => {
                return Err(EngineError::invalid("say where they are with --path; there is no usual place"));
            }
            None => transcripts(ctx, &input.client)?,
        };
        let real = |path: PathBuf| {
            path.canonicalize().map_err(|error| EngineError::io("find the transcripts in", &path, error))
        };
        let paths: Vec<PathBuf> = paths.into_iter().map(real).collect::<Result<_>>()?;
        let mut sum = Estimate::default();
        for path in &paths {
            sum.add(estimate(ctx, path, format).await?);
        }
        let mut output = ImportTranscriptsOutput {
            path: paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "),
            files: sum.files,
            new_bytes: sum.bytes,
            new_messages: sum.messages,
            embedding_seconds: if ctx.embeds() { sum.characters.div_ceil(CHARACTERS_A_SECOND) } else { 0 },
            done: SyncRecord::default(),
        };
        if !input.dry_run && !input.yes && sum.messages > 0 {
            let (messages, files) = (counted(sum.messages, "message"), counted(sum.files, "file"));
            return Err(EngineError::refused(format!(
                "{messages} in {files} in {} would be taken in, and their vectors take about {} s in the \
                 background; use --yes to do it, --dry-run for figures",
                output.path, output.embedding_seconds
            )));
        }
        let mut report = SyncReport::default();
        if sum.found == 0 {
            report.warnings.push(format!("there are no transcripts in {}", output.path));
        }
        // What cannot be read is told even if nothing else is new.
        if !input.dry_run && (sum.found > 0 || input.keep) {
            for path in &paths {
                let place =
                    adopt(ctx, &format.scope_of_place(ctx), SourceKind::Transcripts, path, format.name()).await?;
                report.add(sync_place(ctx, &place, Trigger::Force, SyncOptions::default()).await?);
                if !input.keep && place.synced_at.is_none() {
                    ctx.store().await?.remove_source(&place.scope, place.kind, &place.path).await?;
                }
            }
        }
        output.done = SyncRecord::new(ctx, report, ctx.elapsed().saturating_sub(started)).await?;
        Ok(output)
    }
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
