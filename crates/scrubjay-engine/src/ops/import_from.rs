//! Bringing in what another tool remembered.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use crate::import::{Descriptor, Imported, Importer, Request, import};
use crate::{Ctx, EngineError, Result};

/// Everything keeps its time, its speaker and where it came from, and each record comes in once: interrupt it whenever you like, the next call goes on.
///
/// It goes into the project that `--project` names. Without one, it goes into the project of the same name, if the tool knows projects and exactly one here has that name, and otherwise it holds for all projects. `undo` with the run takes all of it back.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["path"]))]
pub struct ImportFromInput {
    /// The export: a file, a folder or a zip archive.
    #[schemars(extend("x-cli" = {"positional": "one", "value": "PATH"}))]
    pub path: String,
    /// Only this project, channel or folder of the export; may be given several times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-cli" = {"long": "only", "value": "NAME"}))]
    pub only: Vec<String>,
    /// Only say what would be imported.
    pub dry_run: bool,
}

/// What was imported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportFromOutput {
    /// The export.
    pub path: String,
    /// New episodes: what was said or done.
    pub episodes: u64,
    /// New facts: what is held true.
    pub facts: u64,
    /// The conversations of the new episodes.
    pub sessions: u64,
    /// What was here already, from an earlier import.
    pub duplicates: u64,
    /// What was left out on purpose, by reason.
    pub passed_over: BTreeMap<String, u64>,
    /// What cannot be read, the first thousand.
    pub skipped: Vec<UnreadRecord>,
    /// How much cannot be read.
    pub skipped_count: u64,
    /// How much is new in each scope.
    pub scopes: BTreeMap<String, u64>,
    /// What was taken out or changed, and what to know.
    pub warnings: Vec<String>,
    /// The run, for undoing the import whole; null if nothing was stored.
    pub run: Option<String>,
}

/// A record that cannot be read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnreadRecord {
    /// The file, by its name in the export.
    pub file: String,
    /// Which record of it.
    pub record: String,
    /// Why.
    pub reason: String,
}

/// `import.TOOL`, one for each importer.
pub struct ImportFrom<I>(PhantomData<I>);

impl<I: Importer> Operation for ImportFrom<I> {
    type Input = ImportFromInput;
    type Output = ImportFromOutput;
    const NAME: &'static str = I::OPERATION;
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: I::COMMAND, http: true, mcp: None };
    const GROUP: Group = Group::Store;
    const EXAMPLES: &'static str = I::EXAMPLES;
    const ABOUT: &'static str = I::ABOUT;

    async fn run(ctx: &Ctx, input: ImportFromInput) -> Result<ImportFromOutput> {
        if input.path.trim().is_empty() {
            return Err(EngineError::invalid(format!("say what to import: {}", I::EXPECTS)));
        }
        let path = ctx.folder().map_or_else(|| PathBuf::from(&input.path), |folder| folder.join(&input.path));
        let request = Request { path, only: input.only, dry_run: input.dry_run };
        Ok(output(import(ctx, Descriptor::of::<I>(), request).await?))
    }
}

fn output(done: Imported) -> ImportFromOutput {
    let stored = done.episodes + done.facts > 0;
    let skipped = done.skipped.into_iter().map(|skipped| UnreadRecord {
        file: skipped.place.file,
        record: skipped.place.record,
        reason: skipped.reason,
    });
    ImportFromOutput {
        path: done.path.display().to_string(),
        episodes: done.episodes,
        facts: done.facts,
        sessions: done.sessions,
        duplicates: done.duplicates,
        passed_over: done.passed_over,
        skipped: skipped.collect(),
        skipped_count: done.skipped_count,
        scopes: done.scopes,
        warnings: done.warnings,
        run: done.run.filter(|_| stored),
    }
}
