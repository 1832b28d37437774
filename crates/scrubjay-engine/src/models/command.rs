//! Chat models that are programs of the user's own.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use scrubjay_models::chat::ChatCard;
use scrubjay_models::chat::command::{CommandChat, ENTRIES, Entry, Patience, Program, find};
use scrubjay_models::http::Breaker;

use super::open::senses;
use crate::config::Settings;
use crate::provider_list::{COMMAND, Provider};
use crate::providers::choice::chat_choice;
use crate::providers::role::Role;
use crate::{Ctx, EngineError, Result};

/// The folder in which programs run, below the home folder. Nothing is in it, so that a client finds no project there.
const FOLDER: &str = "command";

/// The chat model of a program that the settings name.
pub(super) fn command(ctx: &Ctx, provider: Provider, model: &str, breaker: Arc<Breaker>) -> Result<CommandChat> {
    let settings = &ctx.config().settings.chat.command;
    let (entry, model_of_client) = match client_of(model) {
        Some((entry, model)) => (Some(entry), model),
        None if !settings.program.is_empty() => (None, None),
        None => return Err(EngineError::invalid(unknown(model))),
    };
    let program = match (settings.program.as_str(), entry) {
        ("", Some(entry)) => PathBuf::from(entry.name),
        (program, _) => PathBuf::from(program),
    };
    let program = Program {
        entry,
        program,
        arguments: settings.arguments.clone(),
        model: model_of_client.map(str::to_owned),
        folders: search_path(ctx),
        variables: ctx.variables().clone(),
        folder: ctx.home().path.join(FOLDER),
    };
    let patience = Patience::of(Duration::from_millis(settings.timeout_ms));
    // What it is given leaves the machine with it, as far as anyone can know.
    let card = ChatCard::new(provider.name, model, true).scarce();
    Ok(CommandChat::new(program, patience, breaker, Arc::new(senses(ctx)), card))
}

/// The name under which others learn how the program of a model does.
#[must_use]
pub fn command_place(model: &str) -> String {
    format!("{}@{model}", COMMAND.name)
}

/// Where the program of a model is; none if it is not there.
#[must_use]
pub fn command_program(ctx: &Ctx, model: &str) -> Option<PathBuf> {
    let chat = command(ctx, Provider::of(&COMMAND), model, Arc::default()).ok()?;
    chat.program()
}

/// Whether a program is asked for anything.
#[must_use]
pub fn runs_commands(settings: &Settings) -> bool {
    let is_command = |role| chat_choice(settings, role).is_some_and(|choice| choice.provider.is_command());
    Role::ALL.into_iter().any(is_command)
}

/// The clients that are on the search path, with their places.
#[must_use]
pub fn found_clients(ctx: &Ctx) -> Vec<(&'static Entry, PathBuf)> {
    let folders = search_path(ctx);
    ENTRIES.iter().filter_map(|entry| Some((entry, entry.found_in(&folders)?))).collect()
}

fn client_of(model: &str) -> Option<(&'static Entry, Option<&str>)> {
    let (name, model) = match model.split_once('/') {
        Some((name, model)) => (name, Some(model).filter(|model| !model.is_empty())),
        None => (model, None),
    };
    Some((find(name)?, model))
}

fn search_path(ctx: &Ctx) -> Vec<PathBuf> {
    let search = ctx.variable("PATH").unwrap_or_default();
    // A relative folder would be another one wherever the daemon stands.
    search.split(':').map(PathBuf::from).filter(|folder| folder.is_absolute()).collect()
}

fn unknown(model: &str) -> String {
    let names: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
    let names = names.join(", ");
    format!(
        "`{model}` is no client that can be asked; set chat.model to one of {names}, or chat.command.program to a program"
    )
}
