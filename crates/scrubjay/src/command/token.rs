//! `token`: tokens for the daemon.

use clap::{Arg, ArgAction, ArgMatches, Command};
use scrubjay_core::error::ErrorCode;
use scrubjay_core::scope::ProjectId;
use scrubjay_server::auth::{GrantRecord, Grants, NewGrant, OwnerToken, read_token};
use scrubjay_server::daemon_files::DaemonFiles;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::globals;
use crate::invocation::Invocation;
use crate::output::layout::Table;
use crate::output::style::Style;

const EXAMPLES: &str = "Examples:
  scrubjay token create --project app-1a2b3c4d --read \"chat bridge\"
  scrubjay token list
  scrubjay token revoke 1a2b3c4d
  curl -H \"Authorization: Bearer $(scrubjay token show)\" http://127.0.0.1:4747/v1/status";

/// Its arguments.
pub(crate) fn command() -> Command {
    let create = Command::new("create")
        .about("Make a token for part of the memory; it is shown this once")
        .arg(Arg::new("label").value_name("NAME").help("What it is for").default_value("unnamed"))
        .arg(Arg::new("read").long("read").action(ArgAction::SetTrue).help("It may look, not change"))
        .arg(
            Arg::new("all-projects")
                .long("all-projects")
                .action(ArgAction::SetTrue)
                .help("It is good for all projects, not only the one at hand"),
        )
        .args(globals::arguments());
    let list = Command::new("list").about("List the tokens, without the tokens").args(globals::arguments());
    let revoke = Command::new("revoke")
        .about("Make a token worthless")
        .arg(Arg::new("which").value_name("ID").help("Its id or name").required(true))
        .args(globals::arguments());
    let show = Command::new("show").about("Print the owner's token").args(globals::arguments());
    Command::new("token")
        .about("Make, list and revoke tokens for the daemon")
        .args(globals::arguments())
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommands([create, list, revoke, show])
        .after_help(EXAMPLES)
}

/// Does what the second word says.
pub(crate) fn run(invocation: &mut Invocation<'_>, path: &[&str], matches: &ArgMatches) -> Result<u8, Failure> {
    let ctx = invocation.context()?;
    let place = DaemonFiles::of(&ctx.home().path);
    let grants = Grants::at(&place.grants);
    match path.get(1).copied() {
        Some("create") => {
            let project: Option<ProjectId> =
                if matches.get_flag("all-projects") { None } else { ctx.view().project_id().cloned() };
            let new = NewGrant {
                name: matches.get_one::<String>("label").cloned().unwrap_or_default(),
                agent: ctx.home().agent.clone(),
                project,
                read_only: matches.get_flag("read"),
            };
            let (token, record) = grants.create(&ctx, new)?;
            if invocation.json() {
                let mut line = shown(&record);
                line["token"] = json!(token);
                invocation.console.json(&line)?;
            } else {
                invocation.console.data(&format!("{token}\n"))?;
                invocation.note(&format!("It is good for {}. It is not shown again.", worth(&record)));
            }
        }
        Some("list") => {
            let records = grants.list()?;
            if invocation.json() {
                invocation.console.json(&json!({"tokens": records.iter().map(shown).collect::<Vec<_>>()}))?;
            } else if records.is_empty() {
                invocation.console.data("There are none but the owner's.\n")?;
            } else {
                let mut table = Table::new(&[Style::Strong, Style::Plain, Style::Plain, Style::Dim]);
                table.row(["ID", "NAME", "GOOD FOR", "MADE"]);
                for record in &records {
                    table.row([&record.id, &record.name, &worth(record), &record.created_at]);
                }
                let page = table.render(invocation.palette(), invocation.console.facts.columns);
                invocation.console.data(&page)?;
            }
        }
        Some("revoke") => {
            let which = matches.get_one::<String>("which").cloned().unwrap_or_default();
            if !grants.revoke(&ctx, &which)? {
                let message = format!("there is no token `{which}`; `scrubjay token list` shows all");
                return Err(Failure::plain(ErrorCode::NotFound, message));
            }
            if invocation.json() {
                invocation.console.json(&json!({"revoked": which}))?;
            } else {
                invocation.console.data("It is worthless now.\n")?;
            }
        }
        _ => {
            OwnerToken::load_or_create(&place.token, &ctx)?;
            let token = read_token(&place.token)?;
            if invocation.json() {
                invocation.console.json(&json!({"token": token}))?;
            } else {
                invocation.console.data(&format!("{token}\n"))?;
            }
        }
    }
    Ok(0)
}

fn shown(record: &GrantRecord) -> Value {
    json!({
        "id": record.id, "name": record.name, "agent": record.agent, "project": record.project,
        "read_only": record.read_only, "created_at": record.created_at,
    })
}

fn worth(record: &GrantRecord) -> String {
    let place =
        record.project.as_ref().map_or_else(|| "all projects".to_owned(), |project| format!("project {project}"));
    let what = if record.read_only { "looking" } else { "looking and changing" };
    format!("{what}, {place}, agent {}", record.agent)
}
