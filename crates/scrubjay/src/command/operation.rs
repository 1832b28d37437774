//! A command that is one operation: collect, run, show.

use std::sync::Arc;
use std::time::Duration;

use clap::ArgMatches;
use scrubjay_core::error::ErrorCode;
use scrubjay_engine::ops::{Access, ConfirmationsList, Entry, List, Risk, find, run as run_operation};
use scrubjay_engine::{Ctx, EngineError};
use scrubjay_server::client::Caller;
use serde_json::{Map, Value, json};

use super::progress::Steps;
use crate::context::Opened;
use crate::derive::{collect, fields};
use crate::failure::{Failure, split_hint};
use crate::invocation::{Invocation, block_on};
use crate::output::{self, Answer};

/// How long a command that has given its answer may look for the first commit of its project, once.
const WALK: Duration = Duration::from_secs(1);

/// Runs the operation with what was given and shows its answer.
pub(crate) fn run(invocation: &mut Invocation<'_>, entry: &'static Entry, matches: &ArgMatches) -> Result<u8, Failure> {
    let input = collect(&fields(entry.input_schema()), matches, invocation.console)?;
    let steps = Arc::new(Steps::new(invocation));
    let opened = invocation.opened()?;
    // Whoever only looks makes no project of a folder, but one that is known is kept track of when its folder moves.
    let is_known = || opened.found.as_ref().is_some_and(|found| opened.ctx.known_projects().knows(&found.id));
    let learns = entry.name != "projects.adopt" && (entry.risk != Risk::Read || is_known());
    // A command that keeps nothing makes no home either; the first that does is learned from afterwards.
    let was_there = opened.ctx.home().path.exists();
    if learns && was_there {
        opened.learn();
    }
    let found = opened.found.clone().filter(|_| learns);
    let lost = opened.found.as_ref().and_then(|found| found.lost.clone());
    let caller = caller_in(invocation, opened, entry).reporting_to(Arc::clone(&steps) as _);
    block_on(async {
        if let Some(lost) = lost.filter(|_| entry.name != "projects.adopt") {
            invocation.tell_of_lost(caller.ctx(), &lost).await;
        }
        let answered = with_consent(invocation, &caller, entry, input.clone()).await;
        steps.clear();
        let (answer, elsewhere) = answered?;
        let found = found.filter(|_| caller.ctx().home().path.exists());
        if let Some(found) = found.as_ref().filter(|_| !was_there) {
            let _ = caller.ctx().known_projects().learn(caller.ctx(), found);
        }
        show(invocation, caller.ctx(), entry, &Value::Object(input), &answer).await?;
        if let Some(found) = &found {
            let _ = caller.ctx().known_projects().learn_history(caller.ctx(), found, WALK);
        }
        if elsewhere && invocation.globals.verbose {
            invocation.note("answered by the daemon");
        }
        if !elsewhere {
            invocation.warn_if_read_only(caller.ctx());
            finish(invocation, caller.ctx(), entry).await;
        }
        Ok(exit_code(entry, &answer))
    })
}

/// Who runs this operation. What concerns the store as a whole may take long and
/// tells of its progress, which only this process can show.
pub(crate) fn caller_for(invocation: &mut Invocation<'_>, entry: &Entry) -> Result<Caller, Failure> {
    let opened = invocation.opened()?;
    Ok(caller_in(invocation, opened, entry))
}

fn caller_in(invocation: &mut Invocation<'_>, opened: Opened, entry: &Entry) -> Caller {
    match entry.access {
        Access::View => invocation.caller_in(opened),
        Access::Owner => Caller::here(opened.ctx),
    }
}

/// Writes that leave nothing to do: settings are no memories, the doctor only
/// looks and mends, and work that was asked for by name is not done twice.
const NOTHING_LEFT: [&str; 3] = ["config.set", "doctor", "jobs.run"];

/// Works off what a write left to do.
pub(crate) async fn finish(invocation: &mut Invocation<'_>, ctx: &Ctx, entry: &Entry) {
    if entry.risk == Risk::Write && !NOTHING_LEFT.contains(&entry.name) {
        invocation.drain(ctx).await;
    }
}

/// Damage is an answer of `doctor`, and a model that fails one of `models test`; a script must see both.
pub(crate) fn exit_code(entry: &Entry, answer: &Value) -> u8 {
    match entry.name {
        "doctor" if answer.get("status").is_some_and(|status| status == "damaged") => ErrorCode::StoreDamaged.exit(),
        "models.test" if answer.get("all_answered").is_some_and(|all| all == false) => ErrorCode::Unavailable.exit(),
        _ => 0,
    }
}

// An operation that wants a person's consent refuses without `yes`. Someone at a
// terminal is asked; everyone else gets the refusal.
async fn with_consent(
    invocation: &mut Invocation<'_>,
    caller: &Caller,
    entry: &'static Entry,
    mut input: Map<String, Value>,
) -> Result<(Value, bool), Failure> {
    let facts = invocation.console.facts;
    let someone_is_there = facts.input_is_terminal && facts.messages_are_terminal && !invocation.json();
    if someone_is_there && entry.name == "remember" && !input.contains_key("conflict") {
        input.insert("conflict".to_owned(), "ask".into());
    }
    match caller.call(entry, Value::Object(input.clone())).await {
        Err(EngineError::Refused { message }) if someone_is_there && takes_consent(entry, &input) => {
            if !invocation.console.ask(&format!("{}. Go on?", sentence(&message))) {
                invocation.note("Nothing was changed.");
                return Err(Failure::Told(scrubjay_core::error::ErrorCode::Refused.exit()));
            }
            input.insert("yes".to_owned(), Value::Bool(true));
            Ok(caller.call(entry, Value::Object(input)).await?)
        }
        // The fact that says otherwise is there to be corrected; without a yes both are kept, for `review`.
        Ok((answer, _)) if someone_is_there && answer.get("contradicts").is_some_and(Value::is_object) => {
            let known = |name: &str| {
                answer.pointer(&format!("/contradicts/{name}")).and_then(Value::as_str).unwrap_or_default()
            };
            let question = format!("It contradicts {}: “{}”. Correct that one?", known("id"), known("content"));
            let conflict = if invocation.console.ask(&question) { "correct" } else { "keep" };
            input.insert("conflict".to_owned(), conflict.into());
            Ok(caller.call(entry, Value::Object(input)).await?)
        }
        Ok((answer, elsewhere)) => match answer.get("pending").and_then(Value::as_str) {
            Some(id) if someone_is_there => Ok((settle(invocation, caller.ctx(), id, &answer).await?, elsewhere)),
            _ => Ok((answer, elsewhere)),
        },
        Err(error) => Err(error.into()),
    }
}

// A write that waits for a person has one before it: the question is put, and
// the answer is the operation's own.
async fn settle(invocation: &mut Invocation<'_>, ctx: &Ctx, id: &str, answer: &Value) -> Result<Value, Failure> {
    let waiting = run_operation::<ConfirmationsList>(ctx, Default::default()).await?;
    let Some(confirmation) = waiting.confirmations.into_iter().find(|waiting| waiting.id == id) else {
        return Ok(answer.clone());
    };
    let yes = invocation.console.ask(&format!("{}?", confirmation.question));
    let said = if yes { "yes" } else { "no" };
    let Some(entry) = find("confirmations.answer") else { return Ok(answer.clone()) };
    let settled = entry.call(ctx, json!({"id": id, "answer": said})).await?;
    if !yes {
        invocation.note("Nothing was changed.");
        return Err(Failure::Told(scrubjay_core::error::ErrorCode::Refused.exit()));
    }
    Ok(settled.get("result").cloned().unwrap_or_default())
}

fn takes_consent(entry: &Entry, input: &Map<String, Value>) -> bool {
    let schema = entry.input_schema();
    schema.pointer("/properties/yes/type").is_some_and(|name| name == "boolean") && !input.contains_key("yes")
}

// The refusal without its advice to repeat the command, as a sentence.
fn sentence(message: &str) -> String {
    let (what, _) = split_hint(message);
    let mut characters = what.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

async fn show(
    invocation: &mut Invocation<'_>,
    ctx: &Ctx,
    entry: &Entry,
    input: &Value,
    output: &Value,
) -> Result<(), Failure> {
    if invocation.json() {
        invocation.console.json(output)?;
    } else {
        let present = if entry.name == "history" { present_state(ctx, output).await? } else { None };
        let answer = Answer::new(input, output, present.as_ref());
        let page = output::page(invocation.palette(), invocation.console.facts.columns, ctx.now());
        invocation.console.data(&output::render(entry.name, &answer, page))?;
    }
    // The answer is out before anything else is done or said.
    invocation.console.flush()?;
    invocation.warn_of(output);
    Ok(())
}

// History tells what was there before each change; what is there now completes
// the last one. Listing, unlike showing, does not count as use.
async fn present_state(ctx: &Ctx, output: &Value) -> Result<Option<Value>, Failure> {
    let conditions = json!({"where": {"id": output.get("id")}, "all": true});
    let Ok(list) = serde_json::from_value(conditions) else { return Ok(None) };
    let found = run_operation::<List>(ctx, list).await?;
    Ok(found.memories.first().and_then(|memory| serde_json::to_value(memory).ok()))
}
