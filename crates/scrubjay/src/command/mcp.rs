//! `mcp`: the Model Context Protocol over standard streams.

use clap::Command;
use scrubjay_server::auth::Grant;
use scrubjay_server::client::{Caller, launch};
use scrubjay_server::mcp::{Server, serve_stdio};

use crate::context;
use crate::failure::Failure;
use crate::globals;
use crate::invocation::{Invocation, block_on};

const EXAMPLES: &str = "Examples:
  claude mcp add scrubjay -- scrubjay mcp
  scrubjay install --all      (wires it into every client that is here)";

/// Its arguments.
pub(crate) fn command() -> Command {
    Command::new("mcp")
        .about("Serve one client over standard streams (Model Context Protocol)")
        .args(globals::arguments())
        .after_help(EXAMPLES)
}

/// Answers messages until the client is gone.
pub(crate) fn run(invocation: &mut Invocation<'_>) -> Result<u8, Failure> {
    if invocation.environment.is_model_call() {
        invocation.note("a client that answers a question of Scrubjay needs no memory; nothing is served");
        return Ok(0);
    }
    // A client starts us anywhere and says where it works.
    let folder = invocation.environment.path("CLAUDE_PROJECT_DIR").filter(|folder| folder.is_dir());
    let environment = match folder {
        Some(folder) => invocation.environment.clone().standing_in(folder),
        None => invocation.environment.clone(),
    };
    let opened = context::open(&invocation.globals, &environment)?;
    opened.learn();
    let ctx = opened.ctx.acting_as("mcp");
    let settings = ctx.config().settings.daemon.clone();
    if settings.autostart
        && let Ok(program) = super::install::program()
    {
        // Without a daemon everything works here, only colder.
        let _ = launch(&program, &ctx.home().path, settings.idle_exit_s);
    }
    let max_bytes = usize::try_from(settings.max_body_bytes).unwrap_or(usize::MAX);
    let server = Server::new(Caller::anywhere(ctx, opened.project_file), Grant::Owner);
    let input = invocation.console.take_input();
    block_on(async {
        serve_stdio(server, input, std::io::stdout(), max_bytes).await;
        Ok(0)
    })
}
