//! The lists of what is special: commands that are no operation, and operations
//! whose commands take other arguments than their input has fields.

use clap::Command;
use serde_json::Value;

use super::{
    call, capture, completions, context_file, demo, eval, examples, export, help, hook, import, install, logs, man,
    mcp, open, root, serve, status, token, unit, watch,
};

/// The commands that are no operation.
pub(crate) fn others() -> Vec<Command> {
    let others = [
        serve::command(),
        open::command(),
        status::command(),
        status::stop_command(),
        logs::command(),
        unit::command(),
        install::command(),
        install::uninstall_command(),
        token::command(),
        mcp::command(),
        hook::command(),
        context_file::command(),
        call::command(),
        completions::command(),
        demo::command(),
        eval::command(),
        help::command(),
        watch::command(),
        man::command(),
        root::version_command(),
        completions::complete_command(),
    ];
    let with_examples = |command: Command| {
        let name = command.get_name().to_owned();
        examples::add(command, &name)
    };
    others.into_iter().map(with_examples).collect()
}

/// What a word is about that is no command by itself.
pub(crate) fn group_about(word: &str) -> Option<&'static str> {
    match word {
        "config" => Some("Show and change settings, and where files are"),
        "task" => Some("Keep notes of a task for as long as it lasts"),
        "projects" => Some("What is kept for each project, and which folders belong to it"),
        _ => None,
    }
}

/// What adds the arguments of an operation's command, if it takes its own.
pub(crate) fn own_arguments(operation: &str) -> Option<fn(Command, &Value) -> Command> {
    match operation {
        "capture" => Some(capture::arguments),
        "export" => Some(export::arguments),
        "import" => Some(import::arguments),
        _ => None,
    }
}
