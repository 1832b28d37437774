//! Keeping what was said when nothing else can be done: without settings, without daemon, without store.

use std::sync::Arc;

use scrubjay_core::time::Timestamp;
use scrubjay_engine::EngineError;
use scrubjay_engine::capture::clean_id;
use scrubjay_engine::clients::Occasion;
use scrubjay_engine::config::validate_agent_name;
use scrubjay_engine::home::Home;
use scrubjay_engine::hooks::{Hooked, Spooled};
use scrubjay_engine::pause::Pauses;
use scrubjay_engine::sources::{Clock, Ids, SystemClock, SystemEntropy};
use scrubjay_engine::spool::Spool;
use scrubjay_server::log::Log;
use serde_json::{Value, json};

use crate::context;
use crate::environment::Environment;
use crate::globals::Globals;

/// Spools what was said although the settings cannot be read, and notes why. The home comes from flags and environment
/// alone; without one there is no place to keep anything.
pub(super) fn keep(globals: &Globals, environment: &Environment, hooked: &Hooked, occasion: &Occasion, why: &str) {
    let Ok(home) = context::home(globals, environment) else { return };
    let project = context::view(globals, environment)
        .map(|view| view.project_id().map(ToString::to_string))
        .map_err(|failure| failure.message());
    match spool(&home, hooked, occasion, project) {
        Ok(Kept::Nothing) => note(&home, "the settings cannot be read", hooked, why),
        Ok(Kept::Spooled) => {
            note(&home, "the settings cannot be read; what was said waits in the spool", hooked, why);
        }
        Ok(Kept::Aside) => note(&home, "the settings cannot be read; what was said was set aside", hooked, why),
        Err(error) => {
            let why = format!("{why}; {error}");
            note(&home, "the settings cannot be read, and what was said could not be spooled", hooked, &why);
        }
    }
}

/// The same for a hook that was stopped before it knew more than what was said.
pub(super) fn rescue(globals: &Globals, environment: &Environment, hooked: &Hooked, occasion: &Occasion) {
    let Ok(home) = context::home(globals, environment) else { return };
    let why = "its hook was stopped before it knew the project; try it again from a folder of that project";
    match spool(&home, hooked, occasion, Err(why.to_owned())) {
        Ok(Kept::Nothing) => {}
        Ok(_) => note(&home, "a hook came to no end; what was said was set aside", hooked, ""),
        Err(error) => note(&home, "a hook came to no end, and what was said is lost", hooked, &error.to_string()),
    }
}

/// Notes something that went wrong in the log of hooks.
pub(super) fn note(home: &Home, what: &str, hooked: &Hooked, why: &str) {
    if let Some(log) = log(home) {
        log.fail(what, &[client_of(hooked), event_of(hooked), ("error", json!(why))]);
    }
}

/// Notes something that is as it should be, for whoever wonders.
pub(super) fn tell_of(home: &Home, what: &str, hooked: &Hooked, why: &str) {
    if let Some(log) = log(home) {
        log.note(what, &[client_of(hooked), event_of(hooked), ("reason", json!(why))]);
    }
}

fn log(home: &Home) -> Option<Log> {
    Log::open(&home.path.join("logs").join("hooks.log"), Arc::new(SystemClock::default())).ok()
}

fn client_of(hooked: &Hooked) -> (&'static str, Value) {
    ("hook.client", json!(hooked.client))
}

fn event_of(hooked: &Hooked) -> (&'static str, Value) {
    ("hook.event", json!(hooked.event))
}

// What became of what was said.
enum Kept {
    // There was nothing to keep.
    Nothing,
    // It is taken in once the settings are mended.
    Spooled,
    // A person has to say where it belongs.
    Aside,
}

fn spool(
    home: &Home,
    hooked: &Hooked,
    occasion: &Occasion,
    project: Result<Option<String>, String>,
) -> Result<Kept, EngineError> {
    let clock = SystemClock::default();
    if is_paused(home, occasion, project.as_ref().ok().and_then(Option::as_deref), clock.now()) {
        return Ok(Kept::Nothing);
    }
    let (at, id) = (clock.now(), Ids::default().next(&clock, &SystemEntropy)?);
    let known = project.clone().unwrap_or_default();
    let Some(mut spooled) = Spooled::without_settings(hooked, occasion, known) else { return Ok(Kept::Nothing) };
    spooled.project_unknown = project.is_err();
    // No folder can have such a name, and no mended setting will ever ask for it: a person decides.
    if let Err(error) = validate_agent_name(&home.agent) {
        let spool = Spool::of(&home.path, "default");
        return spooled.put_aside(&spool, at, id, &error.to_string()).map(|_| Kept::Aside);
    }
    let spool = Spool::of(&home.path, &home.agent);
    match project {
        Ok(_) => spooled.put(&spool, at, id).map(|_| Kept::Spooled),
        Err(why) => spooled.put_aside(&spool, at, id, &why).map(|_| Kept::Aside),
    }
}

// Whether a person wants nothing kept there. A list that cannot be read lets nothing through.
fn is_paused(home: &Home, occasion: &Occasion, project: Option<&str>, now: Timestamp) -> bool {
    let session = clean_id(&occasion.session, true);
    let list = Pauses::of(&home.path).list();
    list.map_or(true, |list| list.covering(project, Some(&session), now).is_some())
}
