//! From flags and environment to the engine's context: home, agent, settings,
//! project. Nothing is opened or created here.

use std::path::PathBuf;

use scrubjay_core::scope::{ProjectId, View};
use scrubjay_engine::config::{self, Layers};
use scrubjay_engine::ctx::{Ctx, Parts, ProcessContext};
use scrubjay_engine::home::Home;
use scrubjay_engine::project::{self, Detected, KnownProjects};
use scrubjay_server::agents::Origin;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::globals::Globals;

/// A context, and what there is to say about how it came about.
pub(crate) struct Opened {
    /// The context.
    pub(crate) ctx: Ctx,
    /// What was ignored, and why.
    pub(crate) warnings: Vec<String>,
    /// Where it stands, for people who want to know.
    pub(crate) place: String,
    /// The project's own settings.
    pub(crate) project_file: Option<PathBuf>,
    /// Where the settings come from, for a process that reads them again.
    pub(crate) origin: Origin,
    /// The project of the folder, unless another one was named.
    pub(crate) found: Option<Detected>,
}

impl Opened {
    /// Notes what the project of this folder is known by, so that it is found again when that changes. What cannot be
    /// noted now is noted the next time.
    pub(crate) fn learn(&self) {
        if let Some(found) = &self.found {
            let _ = self.ctx.known_projects().learn(&self.ctx, found);
        }
    }
}

/// Where everything lives, by flags and environment alone: no file is read. The agent's name is not checked yet.
pub(crate) fn home(globals: &Globals, environment: &Environment) -> Result<Home, Failure> {
    // A home folder need not have a name in UTF-8, so the variable is handed on
    // as a path, like the flag that it stands for.
    let chosen = globals.home.clone().or_else(|| environment.path("SCRUBJAY_HOME"));
    let variable = |name: &str| environment.text(name);
    let path = config::home_dir(chosen.as_deref(), variable)?;
    let config_file = config::user_file(chosen.as_deref(), variable)?;
    let agent =
        globals.agent.clone().or_else(|| environment.text("SCRUBJAY_AGENT")).unwrap_or_else(|| "default".to_owned());
    Ok(Home { path, config_file, agent })
}

/// The project that flags and environment name, or that the folder belongs to; no settings are read.
pub(crate) fn view(globals: &Globals, environment: &Environment) -> Result<View, Failure> {
    let home = home(globals, environment)?;
    Ok(standing(globals, environment, &KnownProjects::of(&home.path, &home.agent))?.view)
}

/// Makes the context that flags and environment describe.
pub(crate) fn open(globals: &Globals, environment: &Environment) -> Result<Opened, Failure> {
    let home = home(globals, environment)?;
    let Home { path, config_file, agent } = home.clone();
    let standing = standing(globals, environment, &KnownProjects::of(&path, &agent))?;
    let layers = Layers {
        home: path.clone(),
        user_file: Some(config_file.clone()),
        agent: agent.clone(),
        project_file: standing.project_file.clone(),
        env: environment.settings()?,
        flags: globals.settings.clone(),
    };
    let mut config = config::load(&layers)?;
    // What was passed over on the way to the project is told wherever settings are.
    config.warnings.splice(0..0, standing.warnings);
    let warnings = config.warnings.clone();
    let place = format!("{}, agent {agent}, home {}", standing.described, path.display());
    let origin =
        Origin { home: path, config_file, env: layers.env, flags: layers.flags, variables: environment.texts() };
    let names_project = globals.project.is_some() || environment.text("SCRUBJAY_PROJECT").is_some();
    let surroundings =
        ProcessContext { folder: environment.current_dir().cloned(), variables: environment.texts(), names_project };
    let parts = Parts { surroundings, new_store: globals.new, ..Parts::new(home, config, standing.view) };
    let ctx = Ctx::new(parts);
    Ok(Opened { ctx, warnings, place, project_file: standing.project_file, origin, found: standing.found })
}

struct Standing {
    view: View,
    project_file: Option<PathBuf>,
    warnings: Vec<String>,
    described: String,
    found: Option<Detected>,
}

fn standing(globals: &Globals, environment: &Environment, known: &KnownProjects) -> Result<Standing, Failure> {
    let named = globals.project.clone().or_else(|| environment.text("SCRUBJAY_PROJECT"));
    let at = |view, described| Standing { view, project_file: None, warnings: Vec::new(), described, found: None };
    if let Some(name) = named {
        if name == "none" || name == "-" {
            return Ok(at(View::global(), "no project".to_owned()));
        }
        project::validate_slug(&name)?;
        // A name that the project had before leads to it still.
        let name = known.canonical(&name).unwrap_or(name);
        // The settings in this folder belong to the project that is named here
        // only if the folder says so itself; a folder that cannot be read then
        // does not matter either.
        let detected = environment.current_dir().and_then(|folder| project::locate(folder, known).ok());
        let project_file = detected.filter(|found| found.id == name).and_then(|found| found.config_file);
        return Ok(Standing { project_file, ..at(View::project(slug(&name)?), format!("project {name}")) });
    }
    let Some(folder) = environment.current_dir() else {
        let message =
            "the current folder does not exist any more; go to another one, or name the project with --project ID";
        return Err(Failure::invalid(message));
    };
    let detected = project::locate(folder, known)?;
    let how = match detected.how {
        project::How::ConfigFile => "its .scrubjay.toml",
        project::How::GitRemote => "its git remote",
        project::How::Folder => "its folder",
    };
    Ok(Standing {
        view: View::project(slug(&detected.id)?),
        project_file: detected.config_file.clone(),
        warnings: detected.warnings.clone(),
        described: format!("project {} (from {how})", detected.id),
        found: Some(detected),
    })
}

fn slug(text: &str) -> Result<ProjectId, Failure> {
    text.parse().map_err(|error: scrubjay_core::scope::InvalidScope| Failure::invalid(error.to_string()))
}
