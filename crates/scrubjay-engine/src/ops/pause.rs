//! Keeping and handing out nothing for a while.

use schemars::JsonSchema;
use scrubjay_core::error::ErrorCode;
use scrubjay_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use crate::capture::clean_id;
use crate::pause::{Pause as Span, Paused};
use crate::project::locate;
use crate::project_life::{existing, existing_or_new};
use crate::{Ctx, EngineError, Result};

/// Keep nothing and hand out nothing for a while: in this project, in another one, in a conversation, or everywhere.
///
/// Hooks do nothing meanwhile, and what was said then is not taken from transcripts later. What you remember yourself is kept, and searching works. `scrubjay resume` ends it; what was kept before you thought of it goes with `scrubjay forget --session` or `scrubjay purge --session`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PauseInput {
    /// Only this conversation, whatever its project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Everywhere.
    pub all: bool,
    /// For how long, such as 30m, 2h or 1d; until `resume`, if not given.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"value": "TIME"}))]
    pub for_time: Option<String>,
}

/// What is paused now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PauseOutput {
    /// `project`, `session` or `all`.
    pub kind: String,
    /// Which project or conversation; null for everything.
    pub name: Option<String>,
    /// Since when.
    pub since: String,
    /// Until when; null until `resume`.
    pub until: Option<String>,
    /// What may not be what you meant.
    pub warnings: Vec<String>,
}

impl From<&Span> for PauseOutput {
    fn from(span: &Span) -> Self {
        let (kind, name) = match &span.what {
            Paused::All => ("all", None),
            Paused::Project(project) => ("project", Some(project.clone())),
            Paused::Session(session) => ("session", Some(session.clone())),
        };
        Self { kind: kind.to_owned(), name, since: span.since.clone(), until: span.until.clone(), warnings: Vec::new() }
    }
}

/// `pause`.
pub struct Pause;

impl Operation for Pause {
    type Input = PauseInput;
    type Output = PauseOutput;
    const NAME: &'static str = "pause";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["pause"], http: true, mcp: None };
    const GROUP: Group = Group::Projects;
    const EXAMPLES: &'static str = r#"  scrubjay pause
  scrubjay pause --for 2h
  scrubjay pause --project app
  scrubjay pause --session standup"#;

    async fn run(ctx: &Ctx, input: PauseInput) -> Result<PauseOutput> {
        let what = meant(ctx, None, input.session.as_deref(), input.all).await?;
        begin(ctx, &what, input.for_time.as_deref()).await
    }
}

/// Begins a pause.
pub(super) async fn begin(ctx: &Ctx, what: &Paused, for_time: Option<&str>) -> Result<PauseOutput> {
    let until = for_time.map(|text| until(ctx, text)).transpose()?;
    let mut begun = PauseOutput::from(&ctx.pauses().begin(ctx, what, until)?);
    begun.warnings.extend(mistyped(ctx, what).await);
    Ok(begun)
}

// A pause may come before a project's first memory, but a name that nobody knows is more often a typing error, and what
// was meant goes on being kept. A store that cannot be read does not stop a pause.
async fn mistyped(ctx: &Ctx, what: &Paused) -> Option<String> {
    let Paused::Project(project) = what else { return None };
    if ctx.folder().is_some_and(|folder| locate(folder, &ctx.known_projects()).is_ok_and(|found| found.id == *project))
    {
        return None;
    }
    match existing(ctx, project).await {
        Err(error) if error.code() == ErrorCode::NotFound => {
            Some(format!("nothing is known of a project `{project}` yet; `scrubjay projects` lists those that are"))
        }
        _ => None,
    }
}

/// What a pause or its end is about: the project at hand, if nothing else is said.
pub(super) async fn meant(ctx: &Ctx, project: Option<&str>, session: Option<&str>, all: bool) -> Result<Paused> {
    match (project, session.map(str::trim), all) {
        (None, None, true) => Ok(Paused::All),
        (_, Some(""), false) => Err(EngineError::invalid("the session is empty; leave it out or name one")),
        (None, Some(session), false) => Ok(Paused::Session(clean_id(session, ctx.config().settings.capture.redact))),
        (Some(project), None, false) => Ok(Paused::Project(existing_or_new(ctx, project).await?.to_string())),
        (None, None, false) => match ctx.view().project_id() {
            Some(project) => Ok(Paused::Project(project.to_string())),
            None => Err(EngineError::invalid("say what: a project with --project ID, --session S, or --all")),
        },
        _ => Err(EngineError::invalid("name a session or --all, not both")),
    }
}

// A number and a unit: 90s, 30m, 2h, 1d, 1w, or several of them.
fn until(ctx: &Ctx, text: &str) -> Result<Timestamp> {
    let wrong = || EngineError::invalid(format!("`{text}` is no span of time; write 30m, 2h or 1d"));
    let (mut sum_ms, mut digits) = (0_i64, String::new());
    for character in text.trim().chars().filter(|character| !character.is_whitespace()) {
        if character.is_ascii_digit() {
            digits.push(character);
            continue;
        }
        let unit_ms: i64 = match character.to_ascii_lowercase() {
            's' => 1000,
            'm' => 60_000,
            'h' => 3_600_000,
            'd' => 86_400_000,
            'w' => 7 * 86_400_000,
            _ => return Err(wrong()),
        };
        let number: i64 = digits.parse().map_err(|_| wrong())?;
        digits.clear();
        sum_ms = number.checked_mul(unit_ms).and_then(|ms| sum_ms.checked_add(ms)).ok_or_else(wrong)?;
    }
    if sum_ms == 0 || !digits.is_empty() {
        return Err(wrong());
    }
    Ok(ctx.now().plus_millis(sum_ms))
}
