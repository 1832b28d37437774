//! Drawing facts from conversations, now.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Group, Operation, Risk, Surfaces};
use super::pick::session_id;
use crate::consolidate::{Consolidated, Extent, Outcome, consolidate};
use crate::maintain::{Waiting, consolidate_all};
use crate::{Ctx, EngineError, Result};

/// Draw facts from conversations that were not gone through yet.
///
/// Happens by itself every few messages and at night. What is known is merged, what it contradicts steps back, and what you deleted does not come back. Each conversation is one run, which `undo` takes back whole.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ConsolidateInput {
    /// Only this conversation; all that are visible here if not given.
    #[schemars(extend("x-cli" = {"positional": "optional", "value": "SESSION"}))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Only say what would be kept.
    pub dry_run: bool,
}

/// What was drawn from conversations.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConsolidateOutput {
    /// The conversations that were gone through.
    pub sessions: Vec<SessionFacts>,
    /// Nothing was changed; this is what would have been.
    pub dry_run: bool,
    /// What went wrong on the way.
    pub warnings: Vec<String>,
}

/// What was drawn from one conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionFacts {
    /// Its id, as the client names it.
    pub session_id: String,
    /// Where it took place.
    pub scope: String,
    /// How many messages were gone through.
    pub messages: usize,
    /// In how many windows.
    pub windows: usize,
    /// How many of them seemed worth a closer look.
    pub passed: usize,
    /// The run, for undoing it whole.
    pub run: Option<String>,
    /// What was found, and what became of it.
    pub facts: Vec<FoundFact>,
}

/// A fact that was found in a conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FoundFact {
    /// What it says.
    pub content: String,
    /// Its type.
    #[serde(rename = "type")]
    pub memory_type: String,
    /// `new`, `merged`, `known`, `pending`, `blocked`, `unusable` or `too_many`.
    pub outcome: String,
    /// The fact it became or was merged into.
    pub id: Option<String>,
    /// Known facts whose place it takes.
    pub supersedes: Vec<String>,
    /// Known facts that it contradicts.
    pub contradicts: Vec<String>,
    /// Why it was not kept.
    pub why: Option<String>,
    /// Who found it: `rules`, or a model.
    pub extractor: String,
}

/// `consolidate`.
pub struct Consolidate;

impl Operation for Consolidate {
    type Input = ConsolidateInput;
    type Output = ConsolidateOutput;
    const NAME: &'static str = "consolidate";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["consolidate"], http: true, mcp: None };
    const GROUP: Group = Group::Facts;
    const EXAMPLES: &'static str = r#"  scrubjay consolidate --dry-run
  scrubjay consolidate standup"#;

    async fn run(ctx: &Ctx, input: ConsolidateInput) -> Result<ConsolidateOutput> {
        let extent = extent(input.dry_run);
        let mut done = Vec::new();
        match &input.session {
            Some(session) => {
                let session_id = session_id(ctx, session);
                let session = ctx.store().await?.session(ctx.view(), &session_id).await?;
                let session = session
                    .ok_or_else(|| EngineError::not_found(format!("there is no session `{session_id}` here")))?;
                done.push(consolidate(ctx, &session, extent).await?);
            }
            None => {
                for scope in ctx.writable_scopes() {
                    done.extend(consolidate_all(ctx, &scope, Waiting::All, extent).await?);
                }
            }
        }
        Ok(ConsolidateOutput {
            warnings: done.iter().flat_map(|one| one.warnings.clone()).collect(),
            sessions: done.iter().map(session_facts).collect(),
            dry_run: input.dry_run,
        })
    }
}

/// Whether changes are made.
pub(super) fn extent(dry_run: bool) -> Extent {
    if dry_run { Extent::DryRun } else { Extent::Apply }
}

fn session_facts(done: &Consolidated) -> SessionFacts {
    SessionFacts {
        session_id: done.session.session_id.clone(),
        scope: done.session.scope.to_string(),
        messages: done.episodes,
        windows: done.windows,
        passed: done.passed,
        run: done.run.map(|run| run.to_string()),
        facts: done.outcomes.iter().map(found).collect(),
    }
}

fn found(outcome: &Outcome) -> FoundFact {
    FoundFact {
        content: outcome.content.clone(),
        memory_type: outcome.memory_type.clone(),
        outcome: outcome.fate.name().to_owned(),
        id: outcome.id.map(|id| id.to_string()),
        supersedes: outcome.supersedes.iter().map(ToString::to_string).collect(),
        contradicts: outcome.contradicts.iter().map(ToString::to_string).collect(),
        why: outcome.why.clone(),
        extractor: outcome.extractor.clone(),
    }
}
