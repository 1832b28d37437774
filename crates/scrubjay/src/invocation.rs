//! One command in progress: what it was told, and what it may use.

use std::future::Future;
use std::time::Duration;

use scrubjay_core::abbreviation::shortened;
use scrubjay_engine::home::Home;
use scrubjay_engine::project::LostProject;
use scrubjay_engine::{Ctx, hooks, project_life, schedule, search};
use scrubjay_server::client::Caller;
use serde_json::Value;

use crate::console::Console;
use crate::context;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::globals::Globals;
use crate::output::safe;
use crate::output::style::{Palette, Style};

/// One command in progress.
pub(crate) struct Invocation<'a> {
    /// The flags that every command has.
    pub(crate) globals: Globals,
    /// The environment.
    pub(crate) environment: &'a Environment,
    /// The streams.
    pub(crate) console: &'a mut Console,
}

impl Invocation<'_> {
    /// The engine's context, with what there is to say about it said.
    pub(crate) fn context(&mut self) -> Result<Ctx, Failure> {
        Ok(self.opened()?.ctx)
    }

    /// The same, with what it was made from.
    pub(crate) fn opened(&mut self) -> Result<context::Opened, Failure> {
        let opened = context::open(&self.globals, self.environment)?;
        Home::check_ownership(&opened.ctx.home().path)?;
        // A program that asked for JSON gets nothing else, unless it wants more.
        if !self.globals.json || self.globals.verbose {
            for warning in &opened.warnings {
                self.warn(warning);
            }
        }
        if self.globals.verbose {
            self.note(&opened.place);
        }
        Ok(opened)
    }

    /// The engine's context for a look at what is there; nothing is said and nothing begun. None without a store.
    pub(crate) fn quiet_context(&self) -> Option<Ctx> {
        let ctx = context::open(&self.globals, self.environment).ok()?.ctx;
        Home::check_ownership(&ctx.home().path).ok()?;
        ctx.home().store(&ctx.config().settings).exists().then_some(ctx)
    }

    /// Who runs operations: the daemon while it lives, otherwise this process.
    pub(crate) fn caller_in(&mut self, opened: context::Opened) -> Caller {
        // A daemon does not begin a store that it has refused to begin.
        if self.globals.new {
            return Caller::here(opened.ctx);
        }
        Caller::anywhere(opened.ctx, opened.project_file)
    }

    /// Tells a person of memories that may be this folder's, under the id of a project whose folder is gone. Only while
    /// nothing is kept here: whoever has begun anew was told.
    pub(crate) async fn tell_of_lost(&mut self, ctx: &Ctx, lost: &LostProject) {
        if self.json() || !ctx.home().store(&ctx.config().settings).exists() {
            return;
        }
        if let Ok(Some(memories)) = project_life::waiting_under(ctx, lost).await {
            let (id, what) = (&lost.id, if memories == 1 { "memory is" } else { "memories are" });
            let where_from =
                if lost.folder.exists() { "this folder before its remote changed" } else { "a folder that is gone" };
            self.warn(&format!("{memories} {what} under `{id}` for {where_from}; `scrubjay projects adopt {id}`"));
        }
    }

    /// Whether the answer is for a program.
    pub(crate) fn json(&self) -> bool {
        self.globals.json
    }

    /// The colours of what goes to standard output.
    pub(crate) fn palette(&self) -> Palette {
        palette(&self.globals, self.environment, self.console.facts.output_is_terminal)
    }

    /// The colours of what goes to standard error.
    pub(crate) fn message_palette(&self) -> Palette {
        palette(&self.globals, self.environment, self.console.facts.messages_are_terminal)
    }

    /// Tells a person that something is not as it should be.
    pub(crate) fn warn(&mut self, text: &str) {
        if !self.globals.quiet {
            let label = self.message_palette().paint(Style::Careful, "warning:");
            self.console.say_styled(&format!("{label} {}\n", safe::text(&shortened(text))));
        }
    }

    /// Tells a person something that is good to know.
    pub(crate) fn note(&mut self, text: &str) {
        if !self.globals.quiet {
            self.console.say(&shortened(text));
        }
    }

    /// Tells a person what an answer warns of. A program finds it in the answer.
    pub(crate) fn warn_of(&mut self, answer: &Value) {
        if self.json() {
            return;
        }
        for warning in answer.get("warnings").and_then(Value::as_array).into_iter().flatten() {
            self.warn(warning.as_str().unwrap_or_default());
        }
    }

    /// Tells a person that the store can only be read.
    pub(crate) fn warn_if_read_only(&mut self, ctx: &Ctx) {
        if ctx.is_read_only() && !self.json() {
            let home = ctx.home().path.display().to_string();
            self.warn(&format!("{home} cannot be written, so nothing is kept: not even that something was looked up"));
        }
    }

    /// Works off what the command left to do, within the time a command has for
    /// that. What is left is done by the next command or the daemon, so only work
    /// that is stuck is told. What fails here does not undo what was done,
    /// so it is a warning.
    pub(crate) async fn drain(&mut self, ctx: &Ctx) {
        // What hooks left behind comes first: it is older.
        match hooks::drain(ctx).await {
            Ok(taken) => {
                for (name, why) in &taken.set_aside {
                    self.warn(&format!("a message from a hook was set aside as {name}: {why}"));
                }
            }
            Err(error) => self.warn(&format!("what hooks left behind was not taken in: {error}")),
        }
        // No store, no work; looking for it must not make one.
        if !ctx.home().store(&ctx.config().settings).exists() {
            return;
        }
        if let Err(error) = search::finish_purge(ctx).await {
            self.warn(&format!("the index could not be freed of what was purged: {error}"));
        }
        let budget = Duration::from_millis(ctx.config().settings.jobs.cli_budget_ms);
        match schedule::drain_briefly(ctx, budget).await {
            Ok(drained) if drained.postponed > 0 => {
                self.note(
                    "a model could not be asked just now; what needs it is done later (`scrubjay models` says why)",
                );
            }
            Ok(drained) if drained.left > 0 || drained.failed > 0 => match schedule::stuck(ctx).await {
                Ok(Some(stuck)) => self.note(&format!("{stuck}; `scrubjay jobs` says more")),
                Ok(None) if self.globals.verbose => self.note(&format!("{} jobs are left for later", drained.left)),
                Ok(None) => {}
                Err(error) => self.warn(&format!("background work could not be looked at: {error}")),
            },
            Ok(_) => {}
            Err(error) => self.warn(&format!("background work was put off: {error}")),
        }
    }
}

/// The colours for a stream.
pub(crate) fn palette(globals: &Globals, environment: &Environment, is_terminal: bool) -> Palette {
    let unwanted = globals.no_color || environment.path("NO_COLOR").is_some();
    Palette { colour: is_terminal && !unwanted }
}

/// Waits for asynchronous work on this thread.
pub(crate) fn block_on<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Failure::io("start the runtime", error))?.block_on(future)
}
