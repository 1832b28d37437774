//! Does the work of a hook: asks the daemon, or works alone.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use scrubjay_engine::Ctx;
use scrubjay_engine::clients::{self, Occasion};
use scrubjay_engine::hooks::{self, Hooked, Spooled};
use scrubjay_engine::sources::{Clock, SystemClock};
use scrubjay_server::client::{Away, Connection, Request, launch, standing};
use serde_json::Value;

use super::arguments::Arguments;
use super::keep::{keep, note, rescue};
use crate::context::{self, Opened};
use crate::environment::Environment;

/// What is kept back of the deadline for the spool.
const RESERVE: Duration = Duration::from_millis(60);

/// The most that is read from a client.
const INPUT_BYTES: u64 = 32 << 20;

/// What the work has to tell.
pub(super) enum Told {
    /// How long it may take.
    Deadline(Duration),
    /// What to write if nothing better comes in time.
    Silence(String),
    /// Something was said that is nowhere but here; this brings it to safety if nothing else does.
    Holding(Box<dyn FnOnce() + Send>),
    /// It is on disk, or not to be kept.
    Safe,
    /// What to write.
    Answer(String),
}

/// A hook as its client called it.
pub(super) struct Called {
    /// What it was called with.
    pub(super) arguments: Arguments,
    /// The environment.
    pub(super) environment: Environment,
    /// Runs since the process began.
    pub(super) clock: Arc<SystemClock>,
}

/// Answers a hook and tells the answer.
pub(super) fn call(called: &Called, input: Box<dyn Read + Send>, tell: &Sender<Told>) {
    let (client, event) = (called.arguments.client.as_str(), called.arguments.event.as_str());
    // Nobody may be listening any more; the work is done all the same.
    let say = |told| drop(tell.send(told));
    let Ok((known, happened)) = clients::event(client, event) else { return };
    say(Told::Silence(known.say(happened, None)));
    let mut bytes = Vec::new();
    let read = input.take(INPUT_BYTES).read_to_end(&mut bytes);
    let payload: Option<Value> = read.ok().and_then(|_| serde_json::from_slice(&bytes).ok());
    let is_json = payload.is_some();
    let hooked = Arc::new(Hooked {
        client: client.to_owned(),
        event: event.to_owned(),
        payload: payload.unwrap_or_default(),
        received_at: called.clock.now().to_string(),
    });
    let occasion = known.read(happened, &hooked.payload);
    let globals = &called.arguments.globals;
    let environment = standing_in(&called.environment, &occasion);
    if is_json {
        let (globals, environment) = (globals.clone(), environment.clone());
        let (hooked, occasion) = (Arc::clone(&hooked), occasion.clone());
        say(Told::Holding(Box::new(move || rescue(&globals, &environment, &hooked, &occasion))));
    }
    let opened = match context::open(globals, &environment) {
        Ok(opened) => opened,
        Err(failure) => {
            let why = std::iter::once(failure.message()).chain(failure.causes()).collect::<Vec<_>>().join(": ");
            keep(globals, &environment, &hooked, &occasion, &why);
            return say(Told::Safe);
        }
    };
    let home = opened.ctx.home();
    for problem in &called.arguments.problems {
        note(home, "part of a hook's arguments was passed over", &hooked, problem);
    }
    let settings = &opened.ctx.config().settings.hooks;
    let deadline = Duration::from_millis(settings.deadline_ms);
    say(Told::Deadline(deadline));
    if !is_json {
        return note(home, "a client sent something that is not JSON", &hooked, "");
    }
    if !settings.enabled {
        return say(Told::Safe);
    }
    match hooks::quiet(&opened.ctx, &occasion) {
        Ok(None) => {}
        // What a person does not want kept must not lie in the spool either.
        Ok(Some(why)) => {
            say(Told::Safe);
            note(home, "nothing was kept or handed out", &hooked, &why);
            return say(Told::Answer(known.say(happened, None)));
        }
        Err(error) => {
            say(Told::Safe);
            note(home, "nothing was kept, because nobody can tell what is paused", &hooked, &error.to_string());
            return say(Told::Answer(known.say(happened, None)));
        }
    }
    opened.learn();
    let within = deadline.saturating_sub(called.clock.elapsed()).saturating_sub(RESERVE);
    match ask(&opened, &hooked, within.max(Duration::from_millis(5))) {
        Ok(output) => say(Told::Answer(output)),
        Err(away) => {
            let left = leave(&opened.ctx, &hooked, &occasion);
            say(Told::Safe);
            if away == Away::Hung {
                note(home, "the daemon did not answer in time", &hooked, "");
                return say(Told::Answer(known.say(happened, None)));
            }
            if let Away::Broken(why) = &away {
                note(home, "the daemon could not be asked", &hooked, why);
            }
            start_daemon(&opened);
            if let Some(output) = alone(&opened, &hooked, left.as_deref()) {
                say(Told::Answer(output));
            }
        }
    }
}

/// Tells the answer of a hook that has nothing to say, and does nothing else. What the client sends is read to its end,
/// because some clients fail when nobody does.
pub(super) fn pass_over(called: &Called, input: Box<dyn Read + Send>, tell: &Sender<Told>) {
    let silence = clients::event(&called.arguments.client, &called.arguments.event)
        .map(|(client, event)| client.say(event, None))
        .unwrap_or_default();
    let _ = tell.send(Told::Silence(silence.clone()));
    let _ = std::io::copy(&mut input.take(INPUT_BYTES), &mut std::io::sink());
    let _ = tell.send(Told::Answer(silence));
}

// The client says where it works; that decides the project.
fn standing_in(environment: &Environment, occasion: &Occasion) -> Environment {
    let folder = occasion.folder.clone().or_else(|| environment.path("CLAUDE_PROJECT_DIR"));
    match folder.filter(|folder| folder.is_dir()) {
        Some(folder) => environment.clone().standing_in(folder),
        None => environment.clone(),
    }
}

fn ask(opened: &Opened, hooked: &Hooked, within: Duration) -> Result<String, Away> {
    let connection = Connection::to(&opened.ctx.home().path).ok_or(Away::Absent)?;
    let headers = standing(&opened.ctx, opened.project_file.as_deref());
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let body = serde_json::to_vec(hooked).map_err(|error| Away::Broken(error.to_string()))?;
    let request = Request { method: "POST", path: "/v1/hook", headers: &headers, body: &body };
    let answer = connection.ask(request, within)?;
    let value: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    match (answer.status, value["output"].as_str()) {
        (200, Some(output)) => Ok(output.to_owned()),
        (status, _) => {
            let code = value["code"].as_str().unwrap_or("unknown");
            Err(Away::Broken(format!("it answered {status} ({code})")))
        }
    }
}

// Puts what was said where it is safe, before anything else is tried.
fn leave(ctx: &Ctx, hooked: &Hooked, occasion: &Occasion) -> Option<PathBuf> {
    let project = ctx.view().project_id().map(ToString::to_string);
    let spooled = Spooled::of(&ctx.config().settings, hooked, occasion, project)?;
    match ctx.uuid().and_then(|id| spooled.put(&hooks::spool(ctx), ctx.now(), id)) {
        Ok(path) => Some(path),
        Err(error) => {
            note(ctx.home(), "a message could not be spooled", hooked, &error.to_string());
            None
        }
    }
}

fn start_daemon(opened: &Opened) {
    let settings = &opened.ctx.config().settings.daemon;
    if settings.autostart
        && let Ok(program) = crate::command::install::program()
    {
        let _ = launch(&program, &opened.ctx.home().path, settings.idle_exit_s);
    }
}

// Does it here: what was said is kept, and what fits is looked for by words,
// because there is no time to load a model. What is in the store needs no place
// in the spool any more.
fn alone(opened: &Opened, hooked: &Hooked, left: Option<&Path>) -> Option<String> {
    let mut config = opened.ctx.config().clone();
    config.settings.query.hybrid.enabled = false;
    let ctx = opened.ctx.with_config(config);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().ok()?;
    let answered = runtime.block_on(hooks::answer(&ctx, hooked));
    match answered {
        Ok(answer) => {
            if let Some(path) = left {
                let _ = std::fs::remove_file(path);
            }
            for failure in &answer.failures {
                note(ctx.home(), "part of a hook failed", hooked, failure);
            }
            Some(answer.output)
        }
        Err(error) => {
            note(ctx.home(), "a hook could not work alone", hooked, &error.to_string());
            None
        }
    }
}
