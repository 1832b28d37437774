//! Which places are read.

use std::path::{Path, PathBuf};

use scrubjay_core::scope::{Scope, View};
use scrubjay_store::source::{SourceKind, SourcePlace};

use crate::project::{self, Detected, How};
use crate::{Ctx, EngineError, Result};

/// The folder to index for a path, or for where the caller stands, and the scope
/// it belongs to.
///
/// The project of the folder decides the scope, so that indexing another
/// repository never mixes it into this one; a caller who named a project gets
/// that one.
///
/// # Errors
/// When there is no such folder, or it is one that nobody means: the root of the
/// disk, or a home folder.
pub fn workspace_of(ctx: &Ctx, path: Option<&str>, force: bool) -> Result<(PathBuf, Scope)> {
    let root = match path {
        Some(path) if path.trim().is_empty() => {
            return Err(EngineError::invalid("the folder has no name; use . for the one you stand in"));
        }
        Some(path) => {
            let path = ctx.folder().map_or_else(|| PathBuf::from(path), |folder| folder.join(path));
            folder_of(&path)?
        }
        None => {
            let Some(folder) = ctx.folder() else {
                return Err(EngineError::invalid("say which folder to index"));
            };
            project::locate(folder, &ctx.known_projects())?.root
        }
    };
    if !force && is_everything(ctx, &root) {
        return Err(EngineError::refused(format!(
            "{} is not one project; name a folder in it, or use --force to index all of it",
            root.display()
        )));
    }
    let scope = scope_of(ctx, &root)?;
    Ok((root, scope))
}

/// The same for a folder that is named to be kept in step. A repository, or a folder with a `.scrubjay.toml` that names
/// it, is its own project; any other folder, such as a vault of notes, belongs to where it was added from, and to all
/// projects if that is nobody's project: the home folder, or none.
///
/// # Errors
/// As for [`workspace_of`].
pub fn added_place(ctx: &Ctx, path: &str, force: bool) -> Result<(PathBuf, Scope)> {
    let (root, own) = workspace_of(ctx, Some(&with_home(ctx, path)), force)?;
    let found = project::locate(&root, &ctx.known_projects())?;
    // A folder inside of a repository belongs to that, and so does one that is the project at hand itself.
    if found.how != How::Folder || found.keys.is_repository() || own == ctx.view().home() {
        return Ok((root, own));
    }
    let stands_nowhere = ctx.folder().is_none_or(|folder| is_everything(ctx, folder));
    let scope =
        if stands_nowhere && ctx.view().project_id().is_none_or(|here| own_id(ctx).as_deref() == Some(here.as_str())) {
            ctx.at(View::global())?.view().home()
        } else {
            ctx.view().home()
        };
    Ok((root, scope))
}

// The project of the folder that the caller stands in.
fn own_id(ctx: &Ctx) -> Option<String> {
    project::locate(ctx.folder()?, &ctx.known_projects()).ok().map(|found| found.id)
}

/// A path with `~` as a shell would read it: what reaches us unread was quoted, or came over HTTP.
#[must_use]
pub fn with_home(ctx: &Ctx, path: &str) -> String {
    match (path.trim().strip_prefix('~'), ctx.variable("HOME")) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ => path.to_owned(),
    }
}

fn folder_of(path: &Path) -> Result<PathBuf> {
    let found = path.canonicalize().map_err(|error| EngineError::io("find", path, error))?;
    if found.is_dir() {
        return Ok(found);
    }
    Err(EngineError::invalid(format!("{} is a file; name the folder that it is in", path.display())))
}

fn is_everything(ctx: &Ctx, root: &Path) -> bool {
    let home = ctx.variable("HOME").and_then(|home| Path::new(home).canonicalize().ok());
    root.parent().is_none() || home.is_some_and(|home| home.starts_with(root))
}

fn scope_of(ctx: &Ctx, root: &Path) -> Result<Scope> {
    let own = project::locate(root, &ctx.known_projects())?;
    let here = ctx.folder().and_then(|folder| project::locate(folder, &ctx.known_projects()).ok());
    let standing = ctx.view().project_id().map(ToString::to_string);
    // A view that is not the project of the folder the caller stands in was asked for by name.
    let chosen = standing.is_some() && here.is_none_or(|here: Detected| Some(here.id) != standing);
    if chosen || standing.as_deref() == Some(own.id.as_str()) {
        return Ok(ctx.view().home());
    }
    let project = own.id.parse().map_err(EngineError::defect)?;
    Ok(ctx.at(View::project(project))?.view().home())
}

/// The place that holds a folder or file, or what would become one.
///
/// # Errors
/// When the store fails, or the name is not UTF-8.
pub async fn place_for(ctx: &Ctx, scope: &Scope, kind: SourceKind, path: &Path, format: &str) -> Result<SourcePlace> {
    Ok(match find(ctx, scope, kind, path, format).await? {
        PlaceLookup::Known(place) | PlaceLookup::New { place, .. } => place,
    })
}

/// Takes a place in: the one that holds it already, or a new one. Places inside
/// a new workspace become part of it.
///
/// # Errors
/// When the store fails, or the name is not UTF-8.
pub async fn adopt(ctx: &Ctx, scope: &Scope, kind: SourceKind, path: &Path, format: &str) -> Result<SourcePlace> {
    let (place, inner) = match find(ctx, scope, kind, path, format).await? {
        PlaceLookup::Known(place) => return Ok(place),
        PlaceLookup::New { place, inner } => (place, inner),
    };
    let store = ctx.store().await?;
    store.put_source(place.clone()).await?;
    for inner in &inner {
        store.remove_source(scope, kind, inner).await?;
    }
    // What is in them is known by a longer path from now on.
    if !inner.is_empty() {
        ctx.index().await?.bring_up_to_date(&*store, true).await?;
    }
    Ok(place)
}

enum PlaceLookup {
    Known(SourcePlace),
    New {
        place: SourcePlace,
        /// Known places in it that become part of it.
        inner: Vec<String>,
    },
}

async fn find(ctx: &Ctx, scope: &Scope, kind: SourceKind, path: &Path, format: &str) -> Result<PlaceLookup> {
    let store = ctx.store().await?;
    let Some(text) = path.to_str() else {
        return Err(EngineError::invalid(format!("the name of {} is not valid UTF-8; rename it", path.display())));
    };
    let places: Vec<SourcePlace> =
        store.all_sources().await?.into_iter().filter(|place| place.scope == *scope).collect();
    // Two kinds would take the same files from each other, again and again.
    let is_files = |kind: SourceKind| kind != SourceKind::Transcripts;
    let other = |place: &&SourcePlace| place.path == text && place.kind != kind && is_files(place.kind);
    if let Some(other) = places.iter().find(other).filter(|_| is_files(kind)) {
        return Err(EngineError::refused(format!(
            "{text} is read already, as {}; `scrubjay sources remove {text}` ends that",
            other.kind.name()
        )));
    }
    let places: Vec<SourcePlace> = places.into_iter().filter(|place| place.kind == kind).collect();
    let holds = |outer: &SourcePlace| Path::new(&outer.path) == path || path.starts_with(&outer.path);
    // One that is read for its notes alone does not hold the rest of its files.
    let covers = |place: &SourcePlace| place.format.is_empty() || place.format == format;
    if let Some(place) = places.iter().find(|place| holds(place) && covers(place)) {
        return Ok(PlaceLookup::Known(place.clone()));
    }
    let place = SourcePlace {
        scope: scope.clone(),
        kind,
        path: text.to_owned(),
        format: format.to_owned(),
        added_at: ctx.now(),
        synced_at: None,
        dirty: true,
    };
    let mut inner = Vec::new();
    if kind == SourceKind::Workspace && format.is_empty() {
        let inside = |inner: &&SourcePlace| inner.path != text && Path::new(&inner.path).starts_with(path);
        inner = places.iter().filter(inside).map(|inner| inner.path.clone()).collect();
    }
    Ok(PlaceLookup::New { place, inner })
}
