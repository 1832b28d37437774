//! `call`: any operation by name, with JSON in and JSON out.

use clap::{Arg, ArgAction, ArgMatches, Command};
use scrubjay_engine::ops::{self, Access, Entry, REGISTRY};
use serde_json::{Value, json};

use super::operation::{caller_for, exit_code, finish};
use crate::failure::Failure;
use crate::globals;
use crate::invocation::{Invocation, block_on};
use crate::output::layout::Table;
use crate::output::style::Style;

const EXAMPLES: &str = r#"Examples:
  scrubjay call recall --json '{"query": "who owns billing", "limit": 3}'
  echo '{"query": "billing"}' | scrubjay call recall -
  scrubjay call recall --schema
  scrubjay call --list"#;

/// Its arguments.
pub(crate) fn command() -> Command {
    Command::new("call")
        .about("Run any operation by name, with JSON in and JSON out")
        .arg(Arg::new("operation").value_name("OP").help("The operation's name").required_unless_present("list"))
        .arg(Arg::new("input").value_name("JSON").help("Its input, a JSON object; - reads it from standard input"))
        .arg(
            Arg::new("json")
                .long("json")
                .value_name("JSON")
                .num_args(0..=1)
                .conflicts_with("input")
                .help("The same as a flag; without a value it changes nothing, for `call` always answers in JSON"),
        )
        .arg(
            Arg::new("json-input")
                .long("json-input")
                .value_name("JSON")
                .conflicts_with_all(["input", "json"])
                .help("The same as --json JSON"),
        )
        .arg(
            Arg::new("schema")
                .long("schema")
                .action(ArgAction::SetTrue)
                .help("Show what the operation takes and answers"),
        )
        .arg(Arg::new("list").long("list").action(ArgAction::SetTrue).help("List all operations"))
        .args(globals::arguments_without_json())
        .after_help(EXAMPLES)
}

/// Runs the operation, or tells about it.
pub(crate) fn run(invocation: &mut Invocation<'_>, matches: &ArgMatches) -> Result<u8, Failure> {
    if matches.get_flag("list") {
        let as_json = invocation.json() || matches.contains_id("json");
        return list(invocation, as_json);
    }
    // Whatever was asked for: from here on everything is for a program.
    invocation.globals.json = true;
    let name = matches.get_one::<String>("operation").map(String::as_str).unwrap_or_default();
    let Some(entry) = ops::find(name) else {
        let hint = match ops::suggest(name) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "`scrubjay call --list` shows all".to_owned(),
        };
        return Err(Failure::invalid(format!("there is no operation `{name}`; {hint}")));
    };
    if matches.get_flag("schema") {
        let schema = json!({"input": entry.input_schema(), "output": entry.output_schema()});
        invocation.console.data(&format!("{schema:#}\n"))?;
        return Ok(0);
    }
    let input = input(invocation, matches)?;
    let caller = caller_for(invocation, entry)?;
    block_on(async {
        let (answer, elsewhere) = caller.call(entry, input).await?;
        invocation.console.json(&answer)?;
        invocation.console.flush()?;
        if !elsewhere {
            finish(invocation, caller.ctx(), entry).await;
        }
        Ok(exit_code(entry, &answer))
    })
}

fn input(invocation: &mut Invocation<'_>, matches: &ArgMatches) -> Result<Value, Failure> {
    let given = ["input", "json", "json-input"].into_iter().find_map(|id| matches.get_one::<String>(id));
    let text = match given.map(String::as_str) {
        None => return Ok(json!({})),
        Some("-") => invocation.console.read_text()?,
        Some(text) => text.to_owned(),
    };
    let value: Value =
        serde_json::from_str(&text).map_err(|error| Failure::invalid(format!("the input is not JSON: {error}")))?;
    match value {
        Value::Object(_) => Ok(value),
        _ => Err(Failure::invalid("the input is not a JSON object; write {\"field\": value}")),
    }
}

fn list(invocation: &mut Invocation<'_>, as_json: bool) -> Result<u8, Failure> {
    if as_json {
        let operations: Vec<Value> = REGISTRY.iter().map(record).collect();
        invocation.console.json(&json!({"operations": operations}))?;
        return Ok(0);
    }
    let mut table = Table::new(&[Style::Strong, Style::Plain, Style::Dim, Style::Plain]);
    table.row(["OPERATION", "RISK", "SURFACES", "WHAT IT DOES"]);
    for entry in REGISTRY.iter() {
        table.row([entry.name, entry.risk.name(), &surfaces(entry).join(" "), &entry.about().0]);
    }
    let text = table.render(invocation.palette(), invocation.console.facts.columns);
    invocation.console.data(&text)?;
    Ok(0)
}

fn surfaces(entry: &Entry) -> Vec<&'static str> {
    let command = (!entry.surfaces.command.is_empty()).then_some("cli");
    let http = entry.surfaces.http.then_some("http");
    [command, http, entry.surfaces.mcp.map(|_| "mcp")].into_iter().flatten().collect()
}

fn record(entry: &Entry) -> Value {
    json!({
        "name": entry.name,
        "about": entry.about().0,
        "risk": entry.risk.name(),
        "access": match entry.access {
            Access::View => "view",
            Access::Owner => "owner",
        },
        "command": entry.surfaces.command,
        "http": entry.surfaces.http,
        "mcp": entry.surfaces.mcp,
    })
}
