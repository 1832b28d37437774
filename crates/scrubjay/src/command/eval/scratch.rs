//! An empty home that goes away.

use scrubjay_engine::Ctx;
use scrubjay_engine::eval::Trial;

use crate::context;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::globals::Globals;
use crate::invocation::Invocation;
use crate::scratch_folder::ScratchFolder;

/// An empty home that goes away, with default settings but for those of the command line.
pub(super) struct ScratchHome {
    /// Standing in it.
    pub(super) ctx: Ctx,
    _folder: ScratchFolder,
}

impl ScratchHome {
    /// Makes one.
    pub(super) fn new(invocation: &Invocation<'_>) -> Result<Self, Failure> {
        let folder = ScratchFolder::new(&invocation.environment.temporary_folder(), false)?;
        let globals = Globals {
            home: Some(folder.path.clone()),
            project: Some("eval".to_owned()),
            settings: invocation.globals.settings.clone(),
            ..Globals::default()
        };
        // The user's settings would make a measurement that nobody can repeat.
        let ctx = context::open(&globals, &Environment::bare(folder.path.clone()))?.ctx;
        Ok(Self { ctx, _folder: folder })
    }
}

/// An empty store to be filled and asked.
pub(super) struct ScratchTrial {
    /// What is measured.
    pub(super) trial: Trial,
    _home: ScratchHome,
}

impl ScratchTrial {
    /// Makes one.
    pub(super) fn new(invocation: &Invocation<'_>, as_files: Option<&str>) -> Result<Self, Failure> {
        let home = ScratchHome::new(invocation)?;
        let trial = match as_files {
            Some(ending) => Trial::new(home.ctx.clone()).with_files(ending),
            None => Trial::new(home.ctx.clone()),
        };
        Ok(Self { trial, _home: home })
    }
}
