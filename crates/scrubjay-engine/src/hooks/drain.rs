//! Taking in what hooks left in the spool.
//!
//! A file goes only after its messages are in the store. Taking one in twice, as when a process is killed in between,
//! keeps nothing twice: messages carry their time, so the store recognises them. A file that cannot be used is set
//! aside and the rest goes on; a store that cannot be used leaves everything where it is.

use std::path::Path;

use scrubjay_core::error::ErrorCode;
use scrubjay_core::scope::View;

use super::spooled::Spooled;
use crate::ops::{self, Capture, CaptureInput, Message};
use crate::spool::{Content, Label, Spool};
use crate::{Ctx, EngineError, Result};

/// How many files are taken in at once.
const AT_ONCE: usize = 200;

/// After so many failures in a row, without a success, it is hardly the files.
const SUSPECTS: usize = 3;

/// What was taken in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// Messages that are in the store now.
    pub messages: usize,
    /// What was set aside: the name of each, and why.
    pub set_aside: Vec<(String, String)>,
}

/// Takes in what was left behind for the context's agent. When another process is at it already, does nothing.
///
/// # Errors
/// When the store fails; what was not taken in stays.
pub async fn drain(ctx: &Ctx) -> Result<Taken> {
    let spool = spool(ctx);
    let mut taken = Taken::default();
    if spool.is_empty() {
        return Ok(taken);
    }
    let Some(_held) = spool.lock()? else { return Ok(taken) };
    let anywhere = ctx.at(View::global())?.acting_as("hook");
    let mut files = spool.unfinished(ctx.now());
    files.extend(spool.waiting());
    let (mut suspects, mut stuck, mut done) = (Vec::new(), None, 0);
    for path in files {
        if done >= AT_ONCE || (done == 0 && suspects.len() >= SUSPECTS) {
            break;
        }
        match one(&anywhere, &spool, &path, &mut taken).await {
            Ok(()) => done += 1,
            // What is wrong is wrong with the store, and so with whatever comes next.
            Err(Trouble::Store(error)) => return Err(error),
            Err(Trouble::Unclear(error)) => suspects.push((path, error)),
            // It stays in the way of nobody but itself.
            Err(Trouble::Files(error)) => stuck = stuck.or(Some(error)),
        }
    }
    // While others go through, it is the file. While none does, nobody knows, and it stays.
    for (path, error) in suspects {
        if done == 0 {
            return Err(error);
        }
        if let Err(error) = set_aside(ctx, &spool, &path, &told(&error), None, &mut taken) {
            stuck = stuck.or(Some(error));
        }
    }
    stuck.map_or(Ok(taken), Err)
}

/// The spool of a context's agent.
#[must_use]
pub fn spool(ctx: &Ctx) -> Spool {
    Spool::of(&ctx.home().path, &ctx.home().agent)
}

// Why a file could not be taken in.
enum Trouble {
    // The store cannot be used.
    Store(EngineError),
    // The file can neither be read nor moved.
    Files(EngineError),
    // Nobody knows whose fault it is.
    Unclear(EngineError),
}

// Takes one file in, or sets it aside.
async fn one(ctx: &Ctx, spool: &Spool, path: &Path, taken: &mut Taken) -> std::result::Result<(), Trouble> {
    let bytes = match Spool::read(path).map_err(Trouble::Files)? {
        Content::Bytes(bytes) => bytes,
        Content::Gone => return Ok(()),
        Content::Unusable(why) => return set_aside(ctx, spool, path, &why, None, taken).map_err(Trouble::Files),
    };
    let is_unfinished = path.extension().is_some_and(|extension| extension == "new");
    // A hook that was killed before it wrote anything had kept nothing.
    if is_unfinished && bytes.is_empty() {
        return Spool::remove(path).map_err(Trouble::Files);
    }
    let spooled = match parse(&bytes, is_unfinished) {
        Ok(spooled) => spooled,
        Err(why) => return set_aside(ctx, spool, path, &why, None, taken).map_err(Trouble::Files),
    };
    let refused = match take(ctx, &spooled).await {
        Ok(refused) => refused,
        Err(error) => match error.code() {
            ErrorCode::InvalidInput | ErrorCode::NotFound | ErrorCode::Refused | ErrorCode::Conflict => {
                let (why, project) = (told(&error), spooled.project);
                return set_aside(ctx, spool, path, &why, project, taken).map_err(Trouble::Files);
            }
            ErrorCode::Busy | ErrorCode::Unavailable | ErrorCode::StoreNewer | ErrorCode::StoreDamaged => {
                return Err(Trouble::Store(error));
            }
            ErrorCode::Unsupported | ErrorCode::Internal => return Err(Trouble::Unclear(error)),
        },
    };
    taken.messages += spooled.messages.len() - refused.len();
    if !refused.is_empty() {
        taken.set_aside.extend(keep_refused(ctx, spool, spooled, refused).map_err(Trouble::Files)?);
    }
    Spool::remove(path).map_err(Trouble::Files)
}

fn parse(bytes: &[u8], is_unfinished: bool) -> std::result::Result<Spooled, String> {
    match serde_json::from_slice::<Spooled>(bytes) {
        Ok(spooled) if spooled.project_unknown => {
            Err("nobody knows which project it belongs to; try it again from a folder of that project".to_owned())
        }
        Ok(spooled) => Ok(spooled),
        Err(_) if is_unfinished => Err("its hook was killed while it wrote it, so it is not whole".to_owned()),
        // The parser's own words may repeat what is in the file.
        Err(error) => Err(format!("it is not what a hook writes (line {}, column {})", error.line(), error.column())),
    }
}

/// Sets messages aside that the store refused, each with its reason; tells which they are called.
///
/// # Errors
/// When they cannot be written.
pub(super) fn keep_refused(
    ctx: &Ctx,
    spool: &Spool,
    spooled: Spooled,
    refused: Vec<(Message, String)>,
) -> Result<Vec<(String, String)>> {
    let mut kept = Vec::new();
    let rest = Spooled { messages: Vec::new(), ended: None, ..spooled };
    for (message, why) in refused {
        let one = Spooled { messages: vec![message], ..rest.clone() };
        kept.push((name(&one.put_aside(spool, ctx.now(), ctx.uuid()?, &why)?), why));
    }
    Ok(kept)
}

// Keeps what is to be kept; gives back the messages that were refused, each with the reason.
async fn take(ctx: &Ctx, spooled: &Spooled) -> Result<Vec<(Message, String)>> {
    let hooks = &ctx.config().settings.hooks;
    // Nobody knew the settings when it was written; now they are known.
    let is_wanted = |message: &Message| {
        !spooled.settings_unread || (hooks.enabled && hooks.capture && (message.role != "tool" || hooks.tools))
    };
    let with_project = |message: &Message| Message {
        project: message.project.clone().or_else(|| spooled.project.clone()),
        ..message.clone()
    };
    let messages: Vec<Message> =
        spooled.messages.iter().filter(|message| is_wanted(message)).map(with_project).collect();
    let mut refused = Vec::new();
    if !messages.is_empty() {
        let kept = ops::run::<Capture>(ctx, CaptureInput { messages: messages.clone() }).await?;
        let outcomes = messages.into_iter().zip(kept.results);
        refused.extend(outcomes.filter_map(|(message, result)| Some((message, result.error?))));
    }
    if let Some(session) = spooled.ended.as_ref().filter(|_| !spooled.settings_unread || hooks.enabled) {
        let view = match &spooled.project {
            Some(project) => View::project(project.parse().map_err(EngineError::invalid)?),
            None => View::global(),
        };
        let input = serde_json::from_value(serde_json::json!({"session_id": session})).map_err(EngineError::defect)?;
        match ops::run::<ops::SessionEnd>(&ctx.at(view)?, input).await {
            Ok(_) => {}
            // Nothing was said in it.
            Err(error) if error.code() == ErrorCode::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(refused)
}

fn set_aside(
    ctx: &Ctx,
    spool: &Spool,
    path: &Path,
    why: &str,
    project: Option<String>,
    taken: &mut Taken,
) -> Result<()> {
    spool.set_aside(path, &Label::new(why, ctx.now(), project))?;
    taken.set_aside.push((name(path), why.to_owned()));
    Ok(())
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn told(error: &EngineError) -> String {
    let cause = std::error::Error::source(error).map_or_else(String::new, |cause| format!(": {cause}"));
    format!("{error}{cause}")
}
