//! Does the work of a hook: asks the daemon, or works alone.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, Scope};
use std::time::Duration;

use scrubjay_engine::Ctx;
use scrubjay_engine::clients::{self, Client, Event, Moment, Occasion, Surroundings};
use scrubjay_engine::hooks::{self, Hooked, Spooled};
use scrubjay_engine::sources::{Clock, SystemClock};
use scrubjay_server::client::{Away, Connection, Request, launch, standing};
use serde_json::Value;

use super::arguments::Arguments;
use super::keep::{keep, note, rescue, tell_of};
use super::waiting::{Hook, Incoming, Outcome, Points, wait};
use crate::command::install;
use crate::context::{self, Opened};
use crate::environment::Environment;

/// The shortest time that anything is waited for.
const SHORTEST: Duration = Duration::from_millis(5);

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
    /// What to do if the deadline passes without an answer; nothing any more if it may.
    IfLate(Option<Box<dyn FnOnce() + Send>>),
    /// Nothing comes any more.
    GaveUp,
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
    let (known, happened) = match clients::event(client, event) {
        Ok(found) => found,
        Err(error) => return misnamed(called, input, &error.to_string()),
    };
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
    if occasion.is_draft() {
        return say(Told::Answer(known.say(happened, None)));
    }
    if let Some(why) = twice(called, known, happened, &hooked.payload) {
        // Once a session is enough to be told.
        if occasion.moment == Moment::SessionStart
            && let Ok(home) = context::home(globals, &called.environment)
        {
            tell_of(&home, "a hook left the work to another", &hooked, &why);
        }
        return say(Told::Answer(known.say(happened, None)));
    }
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
            tell_of(home, "nothing was kept or handed out", &hooked, &why);
            return say(Told::Answer(known.say(happened, None)));
        }
        Err(error) => {
            say(Told::Safe);
            note(home, "nothing was kept, because nobody can tell what is paused", &hooked, &error.to_string());
            return say(Told::Answer(known.say(happened, None)));
        }
    }
    let points = Points::of(deadline);
    let looks = settings.inject && known.takes_context(happened);
    thread::scope(|scope| {
        // What the project is known by is noted while the daemon works, because it may have to wait for the disk.
        let (learned, has_learned) = channel::<()>();
        scope.spawn({
            let opened = &opened;
            move || {
                opened.learn();
                drop(learned);
            }
        });
        let mut waiting = Waiting::begin(scope, called, &opened, (&hooked, &occasion), (points, looks), tell);
        let outcome = wait(&mut waiting, points);
        let left = waiting.left.take();
        let output = match outcome {
            Outcome::Answered(output) => {
                // The daemon has it.
                forget(left.as_deref());
                Some(output)
            }
            Outcome::Found(output) => Some(output),
            Outcome::Nothing => return say(Told::GaveUp),
            Outcome::Alone(away) => {
                say(Told::IfLate(None));
                if let Away::Broken(why) = &away {
                    note(home, "the daemon could not be asked", &hooked, why);
                }
                start_daemon(&opened);
                alone(&opened, &hooked, left.as_deref())
            }
        };
        // Only the first hook in a folder has something to learn, and only then there is something to wait for.
        let _ = has_learned.recv_timeout(points.end.saturating_sub(called.clock.elapsed()));
        if let Some(output) = output {
            say(Told::Answer(output));
        }
    });
}

// A hook that waits: the daemon is asked on a thread of its own, what fits is looked for on another.
struct Waiting<'scope, 'env, 'call> {
    scope: &'scope Scope<'scope, 'env>,
    called: &'call Called,
    opened: &'scope Opened,
    hooked: &'scope Hooked,
    occasion: &'call Occasion,
    looks: bool,
    send: Sender<Incoming>,
    incoming: Receiver<Incoming>,
    tell: &'call Sender<Told>,
    // Where in the spool it lies.
    left: Option<PathBuf>,
}

impl<'scope, 'env, 'call> Waiting<'scope, 'env, 'call> {
    fn begin(
        scope: &'scope Scope<'scope, 'env>,
        called: &'call Called,
        opened: &'scope Opened,
        (hooked, occasion): (&'scope Hooked, &'call Occasion),
        (points, looks): (Points, bool),
        tell: &'call Sender<Told>,
    ) -> Self {
        let (send, incoming) = channel();
        let asked = send.clone();
        let within = points.end.saturating_sub(called.clock.elapsed()).max(SHORTEST);
        scope.spawn(move || drop(asked.send(Incoming::Asked(ask(opened, hooked, within)))));
        Self { scope, called, opened, hooked, occasion, looks, send, incoming, tell, left: None }
    }
}

impl Hook for Waiting<'_, '_, '_> {
    fn next(&mut self, until: Duration) -> Incoming {
        let left = until.saturating_sub(self.called.clock.elapsed()).max(SHORTEST);
        self.incoming.recv_timeout(left).unwrap_or(Incoming::Timeout)
    }

    fn leave(&mut self) {
        self.left = leave(&self.opened.ctx, self.hooked, self.occasion);
        // Nobody may be listening any more.
        let _ = self.tell.send(Told::Safe);
    }

    fn begin_to_look(&mut self) -> bool {
        // Told by whoever watches the clock, because this thread has no time left by then.
        let (home, hooked) = (self.opened.ctx.home().clone(), self.hooked.clone());
        let what = if self.looks { ", and nothing was found without it" } else { "" };
        let late = move || note(&home, &format!("the daemon did not answer in time{what}"), &hooked, "");
        let _ = self.tell.send(Told::IfLate(Some(Box::new(late))));
        if self.looks {
            let (send, opened, hooked) = (self.send.clone(), self.opened, self.hooked);
            self.scope.spawn(move || drop(send.send(Incoming::Looked(look(opened, hooked)))));
        }
        self.looks
    }
}

// Looks for what fits by words, because there is no time to load a model.
fn look(opened: &Opened, hooked: &Hooked) -> Option<String> {
    let ctx = by_words(opened);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().ok()?;
    match runtime.block_on(hooks::look(&ctx, hooked)) {
        Ok(output) => output,
        Err(error) => {
            note(ctx.home(), "a hook could not look for itself", hooked, &error.to_string());
            None
        }
    }
}

// Someone wrote a hook by hand and got its name wrong. That must not fail the client, but somebody should be told.
fn misnamed(called: &Called, input: Box<dyn Read + Send>, why: &str) {
    // Some clients fail when nobody reads what they send.
    let _ = std::io::copy(&mut input.take(INPUT_BYTES), &mut std::io::sink());
    let hooked =
        Hooked { client: called.arguments.client.clone(), event: called.arguments.event.clone(), ..Hooked::default() };
    if let Ok(home) = context::home(&called.arguments.globals, &called.environment) {
        note(&home, "a hook was called by a wrong name", &hooked, why);
    }
}

// Whether another hook of ours does the same for the same event, and why.
fn twice(called: &Called, client: &Client, event: &Event, payload: &Value) -> Option<String> {
    let environment = &called.environment;
    let around = Surroundings {
        user: environment.path("HOME")?,
        variables: install::client_variables(environment),
        ..Surroundings::default()
    };
    if let Some(other) = client.borrowed_by(payload).and_then(|name| clients::find(name).ok()) {
        let same = other.events.iter().find(|theirs| theirs.moment == event.moment)?;
        let why = format!("{} runs the hooks of {}, too, and has its own", other.title, client.title);
        return clients::has_hook(other, &around, same).then_some(why);
    }
    environment.text(client.plugin_variable?)?;
    let why = format!(
        "the plugin and `scrubjay install {}` are both there; the plugin's hooks do nothing, remove one of the two",
        client.name
    );
    clients::has_hook(client, &around, event).then_some(why)
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

// What is in the store needs no place in the spool any more. Should it stay, it is taken in once more and recognised.
fn forget(left: Option<&Path>) {
    if let Some(path) = left {
        let _ = std::fs::remove_file(path);
    }
}

fn start_daemon(opened: &Opened) {
    let settings = &opened.ctx.config().settings.daemon;
    if settings.autostart
        && let Ok(program) = install::program()
    {
        let _ = launch(&program, &opened.ctx.home().path, settings.idle_exit_s);
    }
}

// Does it here: what was said is kept, and what fits is looked for by words,
// because there is no time to load a model.
fn alone(opened: &Opened, hooked: &Hooked, left: Option<&Path>) -> Option<String> {
    let ctx = by_words(opened);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().ok()?;
    let answered = runtime.block_on(hooks::answer(&ctx, hooked));
    match answered {
        Ok(answer) => {
            forget(left);
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

// The same context without a model.
fn by_words(opened: &Opened) -> Ctx {
    let mut config = opened.ctx.config().clone();
    config.settings.query.hybrid.enabled = false;
    opened.ctx.with_config(config)
}
