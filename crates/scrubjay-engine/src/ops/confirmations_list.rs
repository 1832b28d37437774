//! What waits for a person.

use schemars::JsonSchema;
use scrubjay_core::scope::View;
use scrubjay_store::context::{Confirmation, ConfirmationState};
use serde::{Deserialize, Serialize};

use super::list::limit;
use super::operation::{Group, Operation, Risk, Surfaces};
use crate::{Ctx, EngineError, Result};

/// How many are listed unless told otherwise.
const LIMIT: usize = 100;

/// List what waits for your confirmation.
///
/// New or changed preferences for all projects, and clearing what holds for all projects, are done only after a person said yes.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ConfirmationsListInput {
    /// Also those that were answered or expired.
    pub all: bool,
    /// Those of every project, for the owner of the store.
    pub all_projects: bool,
    /// How many at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"short": "n"}))]
    pub limit: Option<usize>,
}

/// What waits.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfirmationsListOutput {
    /// The confirmations, newest first.
    pub confirmations: Vec<ConfirmationRecord>,
    /// What could not be noted.
    pub warnings: Vec<String>,
}

/// A write that waits for a person, or waited.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfirmationRecord {
    /// Its id.
    pub id: String,
    /// What is asked; empty once it is settled.
    pub question: String,
    /// The operation that waits.
    pub operation: String,
    /// `waiting`, `accepted`, `refused` or `expired`.
    pub state: String,
    /// Who wanted it.
    pub actor: String,
    /// From where it was asked.
    pub scope: String,
    /// When it was asked.
    pub created_at: String,
    /// Until when it can be answered.
    pub expires_at: String,
    /// When it was answered.
    pub answered_at: Option<String>,
}

/// `confirmations.list`.
pub struct ConfirmationsList;

impl Operation for ConfirmationsList {
    type Input = ConfirmationsListInput;
    type Output = ConfirmationsListOutput;
    const NAME: &'static str = "confirmations.list";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["confirmations"], http: true, mcp: None };
    const GROUP: Group = Group::Tasks;
    const EXAMPLES: &'static str = r#"  scrubjay confirmations
  scrubjay confirmations --all-projects"#;

    async fn run(ctx: &Ctx, input: ConfirmationsListInput) -> Result<ConfirmationsListOutput> {
        let limit = limit(input.limit, LIMIT)?;
        let store = ctx.store().await?;
        let mut warnings = Vec::new();
        if let Err(error) = store.expire_confirmations(ctx.now()).await {
            warnings.push(format!("what expired was not noted: {error}"));
        }
        let state = (!input.all).then_some(ConfirmationState::Waiting);
        let mut found = Vec::new();
        if input.all_projects {
            ctx.need_owner("listing every project's confirmations")?;
            let scopes = store.all_scopes().await?;
            for scope in scopes {
                // A view sees global as well; each is listed where it belongs.
                let own = store.confirmations(&View::of(&scope), state, limit).await?;
                found.extend(own.into_iter().filter(|confirmation| confirmation.scope == scope));
            }
            found.sort_by_key(|confirmation: &Confirmation| std::cmp::Reverse(confirmation.id));
            found.truncate(limit);
        } else {
            found = store.confirmations(ctx.view(), state, limit).await?;
        }
        // One whose time has come is not waiting, even if that could not be noted.
        found.retain(|one| input.all || one.state != ConfirmationState::Waiting || one.expires_at > ctx.now());
        Ok(ConfirmationsListOutput { confirmations: found.iter().map(record).collect(), warnings })
    }
}

/// A confirmation as answers show it.
pub(super) fn record(confirmation: &Confirmation) -> ConfirmationRecord {
    ConfirmationRecord {
        id: confirmation.id.to_string(),
        question: confirmation.question.clone(),
        operation: confirmation.operation.clone(),
        state: confirmation.state.name().to_owned(),
        actor: confirmation.actor.clone(),
        scope: confirmation.scope.to_string(),
        created_at: confirmation.created_at.to_string(),
        expires_at: confirmation.expires_at.to_string(),
        answered_at: confirmation.answered_at.map(|at| at.to_string()),
    }
}

/// Finds where a confirmation was asked from: here, or anywhere else.
pub(super) async fn place_of(ctx: &Ctx, id: scrubjay_core::id::ConfirmationId) -> Result<Ctx> {
    let store = ctx.store().await?;
    if store.confirmation(ctx.view(), id).await?.is_some() {
        return Ok(ctx.clone());
    }
    for scope in store.all_scopes().await? {
        let view = View::of(&scope);
        if store.confirmation(&view, id).await?.is_some() {
            return ctx.at(view);
        }
    }
    Err(EngineError::not_found(format!("there is no {id} here; `scrubjay confirmations` lists what waits")))
}
