//! Does the work of a hook: asks the daemon, or works alone.

use std::io::Read;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use scrubjay_engine::Ctx;
use scrubjay_engine::clients::{self, Moment, Occasion};
use scrubjay_engine::hooks::{self, Hooked, spool};
use scrubjay_engine::sources::{Clock, SystemClock};
use scrubjay_server::client::{Away, Connection, Request, launch, standing};
use scrubjay_server::log::Log;
use serde_json::{Value, json};

use crate::context::{self, Opened};
use crate::environment::Environment;
use crate::globals::Globals;

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
    /// Something was said that is nowhere but here.
    Holding,
    /// It is on disk.
    Safe,
    /// What to write.
    Answer(String),
}

/// A hook as its client called it.
pub(super) struct Called {
    /// The client.
    pub(super) client: String,
    /// What the client calls the event.
    pub(super) event: String,
    /// The flags.
    pub(super) globals: Globals,
    /// The environment.
    pub(super) environment: Environment,
    /// Runs since the process began.
    pub(super) clock: Arc<SystemClock>,
}

/// Answers a hook and tells the answer.
pub(super) fn call(called: &Called, input: Box<dyn Read + Send>, tell: &Sender<Told>) {
    let (client, event) = (called.client.as_str(), called.event.as_str());
    // Nobody may be listening any more; the work is done all the same.
    let say = |told| drop(tell.send(told));
    let Ok((known, happened)) = clients::event(client, event) else { return };
    say(Told::Silence(known.say(happened, None)));
    let mut bytes = Vec::new();
    let read = input.take(INPUT_BYTES).read_to_end(&mut bytes);
    let payload: Option<Value> = read.ok().and_then(|_| serde_json::from_slice(&bytes).ok());
    if payload.is_some() {
        say(Told::Holding);
    }
    let occasion = known.read(happened, payload.as_ref().unwrap_or(&Value::Null));
    let Ok(opened) = open(&called.globals, &called.environment, &occasion) else { return };
    let settings = &opened.ctx.config().settings.hooks;
    let deadline = Duration::from_millis(settings.deadline_ms);
    say(Told::Deadline(deadline));
    let Some(payload) = payload else {
        note(&opened.ctx, "a client sent something that is not JSON", client, event, "");
        return;
    };
    if !settings.enabled {
        return;
    }
    let hooked = Hooked {
        client: client.to_owned(),
        event: event.to_owned(),
        payload,
        received_at: opened.ctx.now().to_string(),
    };
    let within = deadline.saturating_sub(called.clock.elapsed()).saturating_sub(RESERVE);
    match ask(&opened, &hooked, within.max(Duration::from_millis(5))) {
        Ok(output) => say(Told::Answer(output)),
        Err(away) => {
            let left = leave(&opened.ctx, &hooked, &occasion);
            say(Told::Safe);
            if away == Away::Hung {
                note(&opened.ctx, "the daemon did not answer in time", client, event, "");
                return say(Told::Answer(known.say(happened, None)));
            }
            if let Away::Broken(why) = &away {
                note(&opened.ctx, "the daemon could not be asked", client, event, why);
            }
            start_daemon(&opened);
            if let Some(output) = alone(&opened, &hooked, left.as_deref()) {
                say(Told::Answer(output));
            }
        }
    }
}

// The client says where it works; that decides the project.
fn open(globals: &Globals, environment: &Environment, occasion: &Occasion) -> Result<Opened, ()> {
    let folder = occasion.folder.clone().or_else(|| environment.path("CLAUDE_PROJECT_DIR"));
    let environment = match folder.filter(|folder| folder.is_dir()) {
        Some(folder) => environment.clone().standing_in(folder),
        None => environment.clone(),
    };
    context::open(globals, &environment).map_err(drop)
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
fn leave(ctx: &Ctx, hooked: &Hooked, occasion: &Occasion) -> Option<std::path::PathBuf> {
    let messages = hooks::messages(&ctx.config().settings, hooked, occasion);
    let ended = (occasion.moment == Moment::SessionEnd).then(|| occasion.session.clone());
    if messages.is_empty() && ended.is_none() {
        return None;
    }
    let project = ctx.view().project_id().map(ToString::to_string);
    match spool::put(ctx, &spool::Spooled { project, messages, ended }) {
        Ok(path) => Some(path),
        Err(error) => {
            note(ctx, "a message could not be spooled", &hooked.client, &hooked.event, &error.to_string());
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
fn alone(opened: &Opened, hooked: &Hooked, left: Option<&std::path::Path>) -> Option<String> {
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
                note(&ctx, "part of a hook failed", &hooked.client, &hooked.event, failure);
            }
            Some(answer.output)
        }
        Err(error) => {
            note(&ctx, "a hook could not work alone", &hooked.client, &hooked.event, &error.to_string());
            None
        }
    }
}

fn note(ctx: &Ctx, what: &str, client: &str, event: &str, why: &str) {
    let path = ctx.home().path.join("logs").join("hooks.log");
    if let Ok(log) = Log::open(&path, Arc::clone(ctx.clock())) {
        log.fail(what, &[("hook.client", json!(client)), ("hook.event", json!(event)), ("error", json!(why))]);
    }
}
