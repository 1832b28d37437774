//! `install` and `uninstall`: wiring clients in and taking us out again.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command};
use scrubjay_core::error::ErrorCode;
use scrubjay_engine::Ctx;
use scrubjay_engine::clients::{self, CLIENTS, Client, Direction, Surroundings};
use scrubjay_engine::models;
use scrubjay_engine::ops::{self, ModelsSet, ModelsSetInput};
use serde_json::{Value, json};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::globals;
use crate::invocation::{Invocation, block_on};
use crate::output::safe;
use crate::output::style::Style;

/// A file of more lines is not shown line by line once it is written.
const LONG: usize = 20;

const EXAMPLES: &str = "Examples:
  scrubjay install --all --dry-run
  scrubjay install claude-code
  scrubjay uninstall claude-code";

/// The arguments of `install`.
pub(crate) fn command() -> Command {
    arguments(Command::new("install").about("Wire Scrubjay into clients: their hooks and MCP settings"))
        .after_help(EXAMPLES)
}

/// The arguments of `uninstall`.
pub(crate) fn uninstall_command() -> Command {
    arguments(Command::new("uninstall").about("Take Scrubjay out of clients again; memories stay"))
}

fn arguments(command: Command) -> Command {
    let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
    command
        .arg(
            Arg::new("client")
                .value_name("CLIENT")
                .num_args(0..)
                .action(ArgAction::Append)
                .help(format!("The client: {}", names.join(", "))),
        )
        .arg(Arg::new("all").long("all").action(ArgAction::SetTrue).help("Every client on this machine"))
        .arg(Arg::new("dry-run").long("dry-run").action(ArgAction::SetTrue).help("Only show what would change"))
        .args(globals::arguments())
}

/// Plans, shows and writes.
pub(crate) fn run(invocation: &mut Invocation<'_>, matches: &ArgMatches, direction: Direction) -> Result<u8, Failure> {
    let ctx = invocation.context()?;
    let around = surroundings(invocation, &ctx)?;
    let chosen = chosen(matches, &around)?;
    let dry_run = matches.get_flag("dry-run");
    let mut records = Vec::new();
    let mut wired = Vec::new();
    let mut failed = None;
    for client in chosen {
        // One that cannot be wired in is no reason to leave out the others.
        match one(invocation, &ctx, client, &around, (direction, dry_run)) {
            Ok(record) => {
                records.push(record);
                wired.push(client);
            }
            Err(failure) => {
                records.push(not_wired(invocation, client, &around, direction, &failure));
                failed.get_or_insert(failure);
            }
        }
    }
    if invocation.json() {
        invocation.console.json(&json!({"clients": records, "dry_run": dry_run}))?;
    } else if direction == Direction::Install && !dry_run {
        offer_model(invocation, &ctx, &wired)?;
    }
    match failed {
        None => Ok(0),
        // The reasons were told one by one, with what to do.
        Some(failure) if records.len() > 1 => Ok(failure.exit()),
        Some(failure) => Err(failure),
    }
}

// Plans, writes and shows what changes in one client.
fn one(
    invocation: &mut Invocation<'_>,
    ctx: &Ctx,
    client: &Client,
    around: &Surroundings,
    (direction, dry_run): (Direction, bool),
) -> Result<Value, Failure> {
    let mut changes = clients::plan(client, around, direction)?;
    if direction == Direction::Uninstall {
        changes = clients::as_before(ctx, client, changes)?;
    }
    let applied = if dry_run { Vec::new() } else { clients::apply(ctx, client, &changes, direction)? };
    let mut files = Vec::new();
    for change in changes.iter().filter(|change| change.before != change.after) {
        let (before, after) = (change.before.clone().unwrap_or_default(), change.after.clone().unwrap_or_default());
        let backup = applied.iter().find(|done| done.path == change.path).and_then(|done| done.backup.clone());
        let mut file = json!({"path": change.path, "diff": clients::diff(&before, &after), "backup": backup});
        if let Some(link) = &change.link {
            file["link"] = json!(link);
        }
        files.push(file);
    }
    show(invocation, client, &files, direction, dry_run)?;
    let warning = if direction == Direction::Install { client.warning(around) } else { None };
    if let Some(warning) = &warning {
        invocation.note(warning);
    }
    let mut record =
        json!({"client": client.name, "changed": !files.is_empty(), "files": files, "advice": client.advice});
    if let Some(warning) = warning {
        record["warning"] = json!(warning);
    }
    Ok(record)
}

// Tells why a client was left as it is, and which lines a person can add.
fn not_wired(
    invocation: &mut Invocation<'_>,
    client: &Client,
    around: &Surroundings,
    direction: Direction,
    failure: &Failure,
) -> Value {
    let why = failure.message();
    let lines = if direction == Direction::Install { clients::lines_to_add(client, around) } else { Vec::new() };
    let mut text = format!("{} was left as it is: {}", client.title, safe::text(&why));
    for (path, lines) in &lines {
        text.push_str(&format!("\nIn {}, add:\n{}", safe::text(&path.display().to_string()), lines.trim_end()));
    }
    invocation.note(&text);
    let files: Vec<Value> = lines.into_iter().map(|(path, lines)| json!({"path": path, "lines": lines})).collect();
    json!({"client": client.name, "changed": false, "error": why, "to_add": files})
}

// A client that is wired in can draw facts too. That takes calls of the user's plan, so that nobody but a person at a
// terminal can want it.
fn offer_model(invocation: &mut Invocation<'_>, ctx: &Ctx, chosen: &[&Client]) -> Result<(), Failure> {
    let facts = invocation.console.facts;
    let settings = &ctx.config().settings.chat;
    if !facts.input_is_terminal || !facts.messages_are_terminal || settings.provider != "none" {
        return Ok(());
    }
    let found = models::found_clients(ctx);
    let is_chosen = |name: Option<&str>| chosen.iter().any(|client| Some(client.name) == name);
    let preferred = found.iter().find(|(entry, _)| is_chosen(entry.client)).or_else(|| found.first());
    let Some((entry, _)) = preferred else { return Ok(()) };
    let (name, title, calls) = (entry.name, entry.title, settings.command.calls_per_day);
    let question = format!(
        "Facts are drawn from conversations by rules. {title} can do it better, in the background: it costs no money, but up to {calls} calls of your plan a day (with an API key it is billed), and sends parts of conversations to its vendor once more. Use it?"
    );
    if !invocation.console.ask(&question) {
        invocation.note(&format!("Rules go on. Later: scrubjay models set chat command/{name}"));
        return Ok(());
    }
    let input =
        ModelsSetInput { role: "chat".to_owned(), model: format!("command/{name}"), ..ModelsSetInput::default() };
    block_on(async { Ok(ops::run::<ModelsSet>(ctx, input).await?) })?;
    invocation.note(&format!(
        "{title} draws facts from now on. Try it: scrubjay models test. Off again: scrubjay models set chat none"
    ));
    Ok(())
}

fn chosen(matches: &ArgMatches, around: &Surroundings) -> Result<Vec<&'static Client>, Failure> {
    let names: Vec<&String> = matches.get_many("client").into_iter().flatten().collect();
    match (matches.get_flag("all"), names.is_empty()) {
        (true, false) => Err(Failure::invalid("name clients or say --all, not both")),
        (false, true) => {
            let known: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
            Err(Failure::invalid(format!("say which client: {}, or --all", known.join(", "))))
        }
        (false, false) => {
            let found: Result<Vec<_>, _> = names.iter().map(|name| clients::find(name)).collect();
            Ok(found?)
        }
        (true, true) => {
            let found: Vec<&Client> = CLIENTS.iter().filter(|client| clients::is_present(client, around)).collect();
            if found.is_empty() {
                let message = "no client was found on this machine; name one to wire it in anyway";
                return Err(Failure::plain(ErrorCode::NotFound, message));
            }
            Ok(found)
        }
    }
}

fn show(
    invocation: &mut Invocation<'_>,
    client: &Client,
    files: &[Value],
    direction: Direction,
    dry_run: bool,
) -> Result<(), Failure> {
    if invocation.json() {
        return Ok(());
    }
    let palette = invocation.palette();
    let mut text = String::new();
    for file in files {
        let path = file["path"].as_str().unwrap_or_default();
        text.push_str(&format!("{}\n", palette.paint(Style::Strong, &safe::text(path))));
        if let Some(link) = file["link"].as_str() {
            let link = safe::text(link);
            text.push_str(&format!("{link} is a link to this file; the file is changed and the link stays\n"));
        }
        let diff = file["diff"].as_str().unwrap_or_default();
        // A file that is ours from its first line to its last says nothing that one has to see now.
        let whole = whole_file(diff).filter(|_| !dry_run);
        for line in diff.lines().take_while(|_| whole.is_none()) {
            let style = match line.as_bytes().first() {
                Some(b'+') => Style::Good,
                Some(b'-') => Style::Bad,
                _ => Style::Dim,
            };
            text.push_str(&format!("{}\n", palette.paint(style, &safe::text(line))));
        }
        if let Some(whole) = whole {
            text.push_str(&format!("{}\n", palette.paint(Style::Dim, &whole)));
        }
        if let Some(backup) = file["backup"].as_str() {
            text.push_str(&format!("the former file is kept at {backup}\n"));
        }
    }
    let said = match (files.is_empty(), dry_run, direction) {
        (true, _, Direction::Install) => "is wired in already",
        (true, _, Direction::Uninstall) => "has nothing of Scrubjay in it",
        (false, true, _) => "would be changed like this; nothing was written",
        (false, false, Direction::Install) => "is wired in",
        (false, false, Direction::Uninstall) => "is as it was before Scrubjay",
    };
    text.push_str(&format!("{} {said}.\n", client.title));
    if let Some(advice) = client.advice.filter(|_| direction == Direction::Install && !files.is_empty() && !dry_run) {
        text.push_str(&format!("{advice}\n"));
    }
    invocation.console.data(&text)
}

// What became of a file that was made or removed whole, if it is long.
fn whole_file(diff: &str) -> Option<String> {
    let count = diff.lines().count();
    let all = |sign: char| count > LONG && diff.lines().all(|line| line.starts_with(sign));
    let what = if all('+') { "made" } else { all('-').then_some("removed")? };
    Some(format!("{what}, {count} lines; --dry-run shows them beforehand"))
}

/// What surrounds clients on this machine.
pub(crate) fn surroundings(invocation: &Invocation<'_>, ctx: &Ctx) -> Result<Surroundings, Failure> {
    let environment = invocation.environment;
    let user = environment.path("HOME").ok_or_else(|| Failure::invalid("HOME is not set; set it to your folder"))?;
    let given_home = invocation.globals.home.is_some() || environment.path("SCRUBJAY_HOME").is_some();
    let agent = ctx.home().agent.clone();
    Ok(Surroundings {
        user,
        program: program()?,
        home: given_home.then(|| ctx.home().path.clone()),
        agent: (agent != "default").then_some(agent),
        tools: ctx.config().settings.hooks.tools,
        variables: client_variables(environment),
    })
}

/// The folders that variables name to clients.
pub(crate) fn client_variables(environment: &Environment) -> Vec<(String, PathBuf)> {
    let names = clients::variables().into_iter();
    names.filter_map(|name| Some((name.to_owned(), environment.path(name)?))).collect()
}

/// Where this program lies.
pub(crate) fn program() -> Result<PathBuf, Failure> {
    let path = std::env::current_exe().and_then(std::fs::canonicalize);
    path.map_err(|error| Failure::io("find out where this program lies", error))
}
