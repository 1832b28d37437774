//! What hooks left behind, seen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::list::limit;
use super::operation::{Access, Group, Operation, Risk, Surfaces};
use crate::ctx::Authority;
use crate::spool::{Content, SetAside, Spool as Folder};
use crate::{Ctx, Result};

/// How much of a message is shown, in characters.
const TEXT: usize = 200;

/// Show what hooks left in the spool: how much waits to be taken in, and what was set aside because it cannot be used.
///
/// What waits is taken in by itself. What was set aside stays until `spool retry` or `spool discard`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SpoolInput {
    /// How many at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"short": "n"}))]
    pub limit: Option<usize>,
}

/// What is in the spool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SpoolOutput {
    /// Files that wait to be taken in.
    pub waiting: usize,
    /// How much was set aside.
    pub set_aside: usize,
    /// What was set aside, oldest first.
    pub items: Vec<SetAsideRecord>,
}

/// Something that was set aside.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SetAsideRecord {
    /// By what `spool retry` and `spool discard` call it.
    pub id: String,
    /// Why it cannot be used.
    pub reason: String,
    /// When it was set aside.
    pub at: Option<String>,
    /// The project it belongs to, if that is known.
    pub project: Option<String>,
    /// The conversation it belongs to.
    pub session: Option<String>,
    /// Who said it.
    pub role: Option<String>,
    /// How it begins.
    pub text: Option<String>,
    /// How large it is.
    pub size_bytes: u64,
    /// The file.
    pub path: String,
}

/// `spool`.
pub struct Spool;

impl Operation for Spool {
    type Input = SpoolInput;
    type Output = SpoolOutput;
    const NAME: &'static str = "spool";
    const RISK: Risk = Risk::Read;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["spool"], http: true, mcp: None };
    const GROUP: Group = Group::Store;
    const EXAMPLES: &'static str = "  scrubjay spool";

    async fn run(ctx: &Ctx, input: SpoolInput) -> Result<SpoolOutput> {
        let limit = limit(input.limit, 100usize)?;
        let spool = folder(ctx);
        let aside = spool.aside();
        Ok(SpoolOutput {
            waiting: spool.waiting().len(),
            set_aside: aside.len(),
            items: aside.iter().take(limit).map(record).collect(),
        })
    }
}

/// A sentence about what was set aside here, if anything was: what is missing in memory should not be missed in silence.
/// Nobody hears of another project's.
#[must_use]
pub fn set_aside_warning(ctx: &Ctx) -> Option<String> {
    let spool = folder(ctx);
    if spool.count_aside() == 0 {
        return None;
    }
    let own = ctx.view().project_id().map(ToString::to_string);
    let is_owner = *ctx.authority() == Authority::Owner;
    let concerns = |found: &SetAside| match &found.label.project {
        Some(project) => own.as_ref() == Some(project),
        None => is_owner,
    };
    match spool.aside().iter().filter(|found| concerns(found)).count() {
        0 => None,
        1 => Some("1 message from a hook was set aside and is not known here; `scrubjay spool` says why".to_owned()),
        count => Some(format!(
            "{count} messages from hooks were set aside and are not known here; `scrubjay spool` says why"
        )),
    }
}

/// The spool of the context's agent.
pub(super) fn folder(ctx: &Ctx) -> Folder {
    Folder::of(&ctx.home().path, &ctx.home().agent)
}

fn record(found: &SetAside) -> SetAsideRecord {
    let content = match Folder::read(&found.path) {
        Ok(Content::Bytes(bytes)) => serde_json::from_slice(&bytes).unwrap_or(Value::Null),
        _ => Value::Null,
    };
    let text = |pointer: &str| content.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let lost = "the reason was lost".to_owned();
    SetAsideRecord {
        id: found.id.clone(),
        reason: if found.label.reason.is_empty() { lost } else { found.label.reason.clone() },
        at: Some(found.label.at.clone()).filter(|at| !at.is_empty()),
        project: found.label.project.clone(),
        session: text("/messages/0/session_id").or_else(|| text("/ended")),
        role: text("/messages/0/role"),
        text: text("/messages/0/content").map(|content| content.chars().take(TEXT).collect()),
        size_bytes: found.size_bytes,
        path: found.path.display().to_string(),
    }
}
