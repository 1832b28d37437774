//! Answering a hook.

use std::time::Duration;

use scrubjay_core::error::ErrorCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::drain::{keep_refused, spool};
use super::messages::messages;
use super::spooled::Spooled;
use crate::blocking::blocking;
use crate::capture::{CaptureResult, capture_cleaned, clean_id};
use crate::clients::{self, Client, Moment, Occasion};
use crate::context::{brief, brief_text};
use crate::ops::{self, Inject, InjectInput, Message, SessionEnd, SessionEndInput, Sync, SyncInput};
use crate::pause::Quiet;
use crate::project;
use crate::{Ctx, Result};

/// How long the history of a project may be walked for its first commit.
const WALK: Duration = Duration::from_secs(10);

/// A hook as a client called it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Hooked {
    /// The client.
    pub client: String,
    /// What the client calls the event.
    pub event: String,
    /// What the client said.
    pub payload: Value,
    /// When.
    pub received_at: String,
}

/// What a hook says back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookAnswer {
    /// What to write to the client.
    pub output: String,
    /// What went wrong without keeping the hook from its work.
    pub failures: Vec<String>,
}

/// Keeps what was said and hands back what fits.
///
/// # Errors
/// When what was said could not be kept; then it is the caller's to spool.
pub async fn answer(ctx: &Ctx, hooked: &Hooked) -> Result<HookAnswer> {
    let (client, event) = clients::event(&hooked.client, &hooked.event)?;
    let occasion = client.read(event, &hooked.payload);
    let settings = &ctx.config().settings;
    let mut answer = HookAnswer { output: client.say(event, None), failures: Vec::new() };
    if !settings.hooks.enabled || occasion.is_draft() {
        return Ok(answer);
    }
    if quiet(ctx, &occasion)?.is_some() {
        return Ok(answer);
    }
    let ctx = ctx.clone().acting_as(client.name);
    let said = messages(settings, hooked, &occasion);
    if !said.is_empty() {
        let kept = capture_cleaned(&ctx, said).await?;
        if kept.iter().any(|result| result.error.is_some()) {
            answer.failures.extend(set_aside(&ctx, messages(settings, hooked, &occasion), kept)?);
        }
    }
    if occasion.moment == Moment::SessionEnd {
        let input = SessionEndInput { session_id: occasion.session.clone(), reopen: false };
        match ops::run::<SessionEnd>(&ctx, input).await {
            Ok(_) => {}
            // A session in which nothing was said is not known.
            Err(error) if error.code() == ErrorCode::NotFound => {}
            Err(error) => answer.failures.push(error.to_string()),
        }
    }
    if occasion.moment == Moment::SessionStart {
        answer.failures.extend(ops::set_aside_warning(&ctx));
    }
    if settings.hooks.inject && client.takes_context(event) {
        match context(&ctx, client, &occasion).await {
            Ok((text, mut warnings)) => {
                if let Some(text) = text {
                    answer.output = client.say(event, Some(&text));
                }
                answer.failures.append(&mut warnings);
            }
            Err(error) => answer.failures.push(error.to_string()),
        }
    }
    Ok(answer)
}

/// Looks for what fits and does nothing else: no memory, no receipt and no session changes. For a hook whose daemon may
/// be doing the work at this very moment.
///
/// # Errors
/// When the store or the index fails.
pub async fn look(ctx: &Ctx, hooked: &Hooked) -> Result<Option<String>> {
    let (client, event) = clients::event(&hooked.client, &hooked.event)?;
    let occasion = client.read(event, &hooked.payload);
    let settings = &ctx.config().settings;
    if !settings.hooks.enabled || !settings.hooks.inject || occasion.is_draft() || !client.takes_context(event) {
        return Ok(None);
    }
    let ctx = ctx.clone().acting_as(client.name);
    let max_chars = settings.hooks.max_chars;
    let session = Some(clean_id(&occasion.session, settings.capture.redact)).filter(|session| !session.is_empty());
    let text = match (occasion.moment, occasion.text) {
        (Moment::SessionStart, _) => brief_text(&ctx, session.as_deref(), max_chars).await?,
        (Moment::SubagentStart, _) => brief_text(&ctx, None, max_chars).await?,
        (Moment::Prompt, Some(text)) => {
            let input = InjectInput { text, session, ..InjectInput::default() };
            ops::injected_text(&ctx, input).await?
        }
        _ => String::new(),
    };
    let fits = !text.trim().is_empty() && text.chars().count() <= max_chars;
    Ok(fits.then(|| client.say(event, Some(&text))))
}

/// What a hook leaves to do, once its client has its answer: notes are looked at
/// when a session begins, transcripts when it is about to be shortened or ends.
/// Tells whether that is all: a reply may not be in its transcript yet, and then it
/// is to be tried again a little later.
///
/// # Errors
/// When that fails.
pub async fn afterwards(ctx: &Ctx, hooked: &Hooked) -> Result<bool> {
    let (client, event) = clients::event(&hooked.client, &hooked.event)?;
    let occasion = client.read(event, &hooked.payload);
    let settings = &ctx.config().settings;
    let reads_sessions = settings.sources.iter().any(|source| source == "sessions");
    let records = client.records.as_ref().filter(|_| reads_sessions);
    let is_time = match occasion.moment {
        Moment::Compact | Moment::SessionEnd => true,
        Moment::Reply => records.is_some_and(|records| records.each_reply),
        _ => false,
    };
    if matches!(occasion.moment, Moment::SessionStart | Moment::Reply) {
        learn_history(ctx, &occasion).await?;
    }
    let input = match (occasion.moment, &occasion.transcript) {
        (Moment::SessionStart, _) => SyncInput { trigger: Some("session-start".to_owned()), ..SyncInput::default() },
        // What was said between prompt and reply is in the transcript alone.
        (_, Some(path)) if is_time && records.is_some() && path.exists() => {
            let transcript = Some(path.to_string_lossy().into_owned());
            SyncInput { transcript, format: Some(client.name.to_owned()), ..SyncInput::default() }
        }
        // It is not there yet.
        (Moment::Reply, Some(_)) if is_time => return Ok(false),
        _ => return Ok(true),
    };
    if occasion.is_draft() || !settings.hooks.enabled || !settings.hooks.capture {
        return Ok(true);
    }
    if quiet(ctx, &occasion)?.is_some() {
        return Ok(true);
    }
    let ctx = ctx.in_folder(occasion.folder.clone()).acting_as(client.name);
    ops::run::<Sync>(&ctx, input).await?;
    Ok(occasion.moment != Moment::Reply || occasion.text.is_some())
}

// The client has its answer, so there is time to find out how its project's history began.
async fn learn_history(ctx: &Ctx, occasion: &Occasion) -> Result<()> {
    let Some(folder) = occasion.folder.clone().filter(|_| ctx.config().settings.hooks.enabled) else { return Ok(()) };
    if quiet(ctx, occasion)?.is_some() {
        return Ok(());
    }
    let ctx = ctx.clone();
    let learn = move || {
        let known = ctx.known_projects();
        known.learn_history(&ctx, &project::locate(&folder, &known)?, WALK)
    };
    blocking("looking at the history of a project", learn).await??;
    Ok(())
}

/// Why a hook has nothing to do: its project or conversation is paused, or Scrubjay is switched off there.
///
/// # Errors
/// When nobody can tell.
pub fn quiet(ctx: &Ctx, occasion: &Occasion) -> Result<Option<String>> {
    Ok(Quiet::of(ctx)?.reason(&ctx.view().home(), session_of(occasion), None))
}

fn session_of(occasion: &Occasion) -> Option<&str> {
    Some(occasion.session.as_str()).filter(|session| !session.is_empty())
}

// Keeps what was refused where a person finds it; tells what was refused and why.
fn set_aside(ctx: &Ctx, said: Vec<Message>, kept: Vec<CaptureResult>) -> Result<Vec<String>> {
    let outcomes = said.into_iter().zip(kept);
    let refused = outcomes.filter_map(|(message, result)| Some((message, result.error?))).collect();
    let project = ctx.view().project_id().map(ToString::to_string);
    let names = keep_refused(ctx, &spool(ctx), Spooled { project, ..Spooled::default() }, refused)?;
    let told = |(name, why): (String, String)| format!("a message was refused and set aside as {name}: {why}");
    Ok(names.into_iter().map(told).collect())
}

// What fits this occasion, if anything does, and what went wrong on the way.
async fn context(ctx: &Ctx, client: &Client, occasion: &Occasion) -> Result<(Option<String>, Vec<String>)> {
    let settings = &ctx.config().settings;
    let max_chars = settings.hooks.max_chars;
    let nothing = (None, Vec::new());
    match occasion.moment {
        Moment::SessionStart | Moment::SubagentStart => {
            let session = clean_id(&occasion.session, settings.capture.redact);
            // What a sub-agent is told, the conversation that started it is not shown.
            let is_own = occasion.moment == Moment::SessionStart && !session.is_empty();
            let brief = brief(ctx, is_own.then_some(session.as_str()), max_chars).await?;
            Ok(((!brief.text.is_empty()).then_some(brief.text), brief.warnings))
        }
        Moment::Prompt => {
            let Some(prompt) = occasion.text.as_ref().filter(|text| !text.trim().is_empty()) else {
                return Ok(nothing);
            };
            let mut inject = InjectInput { text: prompt.clone(), ..InjectInput::default() };
            let (mut parts, mut warnings) = (Vec::new(), Vec::new());
            if !occasion.session.is_empty() {
                inject.session = Some(occasion.session.clone());
                // Where nobody tells that a conversation begins, it begins with its first prompt.
                let session = clean_id(&occasion.session, settings.capture.redact);
                if !client.tells_beginnings() && ctx.store().await?.shown(ctx.view(), &session).await?.is_empty() {
                    let brief = brief(ctx, Some(&session), max_chars / 2).await?;
                    parts.push(brief.text);
                    warnings = brief.warnings;
                }
            }
            parts.push(ops::run::<Inject>(ctx, inject).await?.text);
            parts.retain(|part| !part.trim().is_empty());
            let text = parts.join("\n");
            // Clients put what is longer into a file, where nobody looks.
            let fits = !text.is_empty() && text.chars().count() <= max_chars;
            Ok((fits.then_some(text), warnings))
        }
        _ => Ok(nothing),
    }
}
