//! What `capture` takes: lines on standard input, or one message as arguments.

use clap::{ArgMatches, Command};
use scrubjay_engine::ops;
use serde_json::{Map, Value};

use super::super::examples;
use super::super::lines::Line;
use super::stream::{Stream, read_input};
use crate::derive::{Field, Position, argument, collect, message_fields};
use crate::failure::Failure;
use crate::invocation::{Invocation, block_on};

/// Adds its arguments: the fields of one message.
pub(crate) fn arguments(command: Command, schema: &Value) -> Command {
    command.args(fields(schema).iter().filter_map(argument))
}

/// Keeps what is given.
pub(crate) fn run(invocation: &mut Invocation<'_>, matches: &ArgMatches) -> Result<u8, Failure> {
    let schema = ops::find("capture").map(ops::Entry::input_schema).cloned().unwrap_or_default();
    let given = collect(&fields(&schema), matches, invocation.console)?;
    let single = single_message(invocation, given)?;
    if single.is_none() && invocation.console.facts.input_is_terminal {
        invocation.console.say(&format!(
            "capture reads messages from standard input, one JSON object per line:\n\n  {}\n\n\
             Pipe them in (scrubjay capture < conversation.jsonl), or give one message:\n\n  \
             scrubjay capture --session standup --role user \"We ship on Friday\"\n\n\
             `scrubjay help capture` tells more.",
            examples::MESSAGE
        ));
        return Err(Failure::Told(2));
    }
    let ctx = invocation.context()?;
    block_on(async {
        let mut stream = Stream::new(invocation, &ctx);
        let kept = match single {
            Some(line) => stream.keep(vec![line]).await,
            None => stream.keep_all(read_input).await,
        };
        let failed = stream.failed();
        invocation.drain(&ctx).await;
        kept?;
        Ok(u8::from(failed > 0))
    })
}

// The fields of a message, as flags. The project is a flag of every command.
fn fields(schema: &Value) -> Vec<Field> {
    let mut fields = message_fields(schema, "messages");
    for field in &mut fields {
        field.required = false;
        match field.name.as_str() {
            "content" => {
                field.hints.position = Some(Position::Rest);
                field.hints.optional = true;
                field.hints.value = Some("TEXT".to_owned());
                field.help = "What was said; without it, messages are read from standard input".to_owned();
            }
            "session_id" => field.hints.long = Some("session".to_owned()),
            "attributes" => field.hints.long = Some("attribute".to_owned()),
            "project" => field.hints.hide = true,
            _ => {}
        }
    }
    fields
}

// A message given as arguments, as the line that it stands for.
fn single_message(invocation: &mut Invocation<'_>, mut given: Map<String, Value>) -> Result<Option<Line>, Failure> {
    if given.is_empty() {
        return Ok(None);
    }
    match given.get("content").and_then(Value::as_str) {
        None => {
            let message = "TEXT is missing; write what was said after the flags, or - to read it from standard input";
            return Err(Failure::invalid(message));
        }
        Some("-") => {
            let text = invocation.console.read_text()?;
            given.insert("content".to_owned(), Value::String(text));
        }
        Some(_) => {}
    }
    if !given.contains_key("session_id") {
        return Err(Failure::invalid("say which conversation it belongs to; for example --session standup"));
    }
    given.entry("role").or_insert_with(|| Value::from("user"));
    Ok(Some(Line { number: 1, text: Ok(Value::Object(given).to_string()) }))
}
