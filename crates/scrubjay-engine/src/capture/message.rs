//! From messages to episodes.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use scrubjay_core::memory::{Kind, Origin, OriginKind};
use scrubjay_core::scope::{ProjectId, Scope, View};
use scrubjay_store::change::{Captured, NewMemory};
use serde::{Deserialize, Serialize};

use super::{Draft, origin_of, prepare};
use crate::clean::{Cleaned, check_size, clean, clean_attributes};
use crate::pause::Quiet;
use crate::queue::after_capturing;
use crate::record::time;
use crate::times::date;
use crate::{Ctx, EngineError, Result};

/// The operation that history names.
const OPERATION: &str = "capture";

/// One message of a conversation.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// The conversation it belongs to.
    pub session_id: String,
    /// Who said it: user, assistant, system, tool, or an agent's name.
    pub role: String,
    /// What was said.
    pub content: String,
    /// When it was said; now, if not given.
    #[serde(default)]
    pub time: Option<serde_json::Value>,
    /// The client's own id of the message; makes a repetition harmless.
    #[serde(default)]
    pub id: Option<String>,
    /// The project it belongs to, if not the one at hand.
    #[serde(default)]
    pub project: Option<String>,
    /// The type of the episode; message, if not given.
    #[serde(default, rename = "type")]
    pub memory_type: Option<String>,
    /// Where the text came from, if not from the speaker: tool, file or web. A caller who is not the owner cannot make it more trusted than its role is.
    #[serde(default)]
    pub origin: Option<String>,
    /// Free metadata.
    #[serde(default)]
    pub attributes: BTreeMap<String, serde_json::Value>,
}

/// What became of one message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaptureResult {
    /// The episode's id; null if nothing was kept.
    pub id: Option<String>,
    /// The id the client gave.
    pub client_id: Option<String>,
    /// It had been kept before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub duplicate: bool,
    /// Why nothing was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// What is wrong with the message; nothing was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What was taken out of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Keeps messages of a conversation; one entry per message, in their order. One that is bad does not stand in the way of
/// the others.
///
/// # Errors
/// When the store fails; then nothing was kept.
pub async fn capture(ctx: &Ctx, messages: Vec<Message>) -> Result<Vec<CaptureResult>> {
    keep(ctx, messages, clean).await
}

/// The same for messages whose contents were cleaned under the settings of this context.
///
/// # Errors
/// When the store fails; then nothing was kept.
pub(crate) async fn capture_cleaned(ctx: &Ctx, messages: Vec<Message>) -> Result<Vec<CaptureResult>> {
    keep(ctx, messages, |text, _| Cleaned { text: text.to_owned(), warnings: Vec::new() }).await
}

async fn keep(ctx: &Ctx, messages: Vec<Message>, clean: fn(&str, bool) -> Cleaned) -> Result<Vec<CaptureResult>> {
    let mut quiet = Quiet::of(ctx)?;
    let mut results = Vec::with_capacity(messages.len());
    let mut kept: Vec<(usize, NewMemory)> = Vec::new();
    for message in messages {
        let mut result = CaptureResult { client_id: message.id.clone(), ..CaptureResult::default() };
        match read(ctx, message, &mut quiet, clean) {
            Ok(Read::Keep(new, warnings)) => {
                result.warnings = warnings;
                kept.push((results.len(), *new));
            }
            Ok(Read::Skip(why, warnings)) => {
                result.skipped = Some(why);
                result.warnings = warnings;
            }
            // One bad message must not stand in the way of the others.
            Err(error) => result.error = Some(error.to_string()),
        }
        results.push(result);
    }
    if kept.is_empty() {
        return Ok(results);
    }
    let scopes: BTreeSet<Scope> = kept.iter().map(|(_, new)| new.memory.scope.clone()).collect();
    let mut jobs = Vec::new();
    for scope in &scopes {
        jobs.extend(after_capturing(ctx, scope)?);
    }
    let (places, memories): (Vec<usize>, Vec<NewMemory>) = kept.into_iter().unzip();
    let captured = ctx.store().await?.capture(ctx.stamp(OPERATION)?, memories, jobs).await?;
    for (place, captured) in places.into_iter().zip(captured) {
        let result = &mut results[place];
        match captured {
            Captured::Stored(id) => result.id = Some(id.to_string()),
            Captured::Duplicate(id) => {
                result.id = Some(id.to_string());
                result.duplicate = true;
            }
            Captured::Purged => result.skipped = Some("this text was purged and is not kept again".to_owned()),
        }
    }
    Ok(results)
}

enum Read {
    Keep(Box<NewMemory>, Vec<String>),
    Skip(String, Vec<String>),
}

fn read(ctx: &Ctx, message: Message, quiet: &mut Quiet, clean: fn(&str, bool) -> Cleaned) -> Result<Read> {
    let settings = &ctx.config().settings.capture;
    check_size(ctx, &message.content)?;
    if message.role.trim().is_empty() {
        return Err(EngineError::invalid("role is empty; use user, assistant, system, tool or an agent's name"));
    }
    // Anyone but system and tool is a speaker, whatever they are called.
    let role = message.role.trim().to_lowercase();
    let group = match role.as_str() {
        "user" | "human" => "user",
        "system" | "developer" => "system",
        "tool" | "function" => "tool",
        _ => "assistant",
    };
    if !settings.roles.iter().any(|kept| kept == group || *kept == role) {
        return Ok(Read::Skip(format!("messages of role {group} are not kept (capture.roles)"), Vec::new()));
    }
    let cleaned = clean(&message.content, settings.redact);
    if cleaned.text.is_empty() {
        return Ok(Read::Skip("there is nothing in it to keep".to_owned(), cleaned.warnings));
    }
    let scope = match message.project {
        Some(project) => {
            let project: ProjectId = project.parse().map_err(EngineError::invalid)?;
            ctx.at(View::project(project))?.view().home()
        }
        None => ctx.view().home(),
    };
    let event_time = message.time.filter(|value| !value.is_null()).map(|value| match value {
        serde_json::Value::String(mut text) => {
            date(ctx, false, &mut text)?;
            time(&text)
        }
        other => time(&other.to_string()),
    });
    let event_time = event_time.transpose()?;
    if let Some(why) = quiet.reason(&scope, Some(&message.session_id), event_time) {
        return Ok(Read::Skip(format!("nothing is kept here: {why}"), Vec::new()));
    }
    let (origin, not_theirs) = origin_of(ctx, message.origin.as_deref(), OriginKind::of_role(group))?;
    let warnings = cleaned.warnings.into_iter().chain(not_theirs).collect();
    let new = prepare(
        ctx,
        Draft {
            kind: Kind::Episode,
            scope,
            content: cleaned.text,
            memory_type: message.memory_type,
            session_id: Some(message.session_id),
            role: Some(message.role),
            importance: None,
            confidence: None,
            event_time,
            origin: Origin::from(origin),
            tags: Vec::new(),
            source_ids: Vec::new(),
            attributes: clean_attributes(message.attributes, settings.redact),
            client_id: message.id,
            explicit: false,
        },
    )?;
    Ok(Read::Keep(Box::new(new), warnings))
}
