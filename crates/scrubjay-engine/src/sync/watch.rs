//! Watching places, so that a change is read soon after it was made.
//!
//! The system tells which folders changed; once they have been quiet for a
//! while, the place they belong to is brought in step. A place that cannot be
//! watched, because the system has no more watches or its file system tells
//! nothing, is looked at from time to time instead, and that is said.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use notify::event::EventKind;
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use scrubjay_ingest::source::walk::{WalkLimits, folders};
use scrubjay_store::source::{SourceKind, SourcePlace};
use tokio::sync::mpsc;

use super::report::SyncReport;
use super::run::{SyncOptions, sync_place};
use super::trigger::Trigger;
use crate::{Ctx, EngineError, Result};

/// How often the list of places is looked at.
const PLACES_MS: u64 = 2000;

/// Whose places are watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watching {
    /// Those of the view, and transcripts if the caller may read them.
    View,
    /// All of them. For the owner.
    Everything,
}

/// What happened while watching.
#[derive(Debug)]
pub enum WatchEvent {
    /// A place is watched.
    Watches {
        /// The place.
        path: String,
        /// How many folders.
        folders: usize,
    },
    /// A place cannot be watched and is looked at from time to time.
    Polls {
        /// The place.
        path: String,
        /// Why.
        reason: String,
        /// How often.
        every_ms: u64,
    },
    /// A place was brought in step.
    Synced {
        /// The place.
        path: String,
        /// What was done.
        report: SyncReport,
    },
    /// A place could not be read; it is tried again, and told again only if the reason is another.
    Failed {
        /// The place.
        path: String,
        /// Why.
        reason: String,
    },
}

type Key = (String, SourceKind, String);

struct Watched {
    place: SourcePlace,
    folders: BTreeSet<PathBuf>,
    polled: bool,
    /// When it changed last, while it is not in step.
    changed: Option<Duration>,
    looked: Duration,
    /// When to look again at what was put off, because too little of it was new.
    again: Option<Duration>,
    /// Why it could not be read the last time.
    failure: Option<String>,
}

impl Watched {
    // What a change of it is.
    fn trigger(&self) -> Trigger {
        match self.place.kind {
            SourceKind::Transcripts => Trigger::SessionDelta,
            SourceKind::Workspace | SourceKind::Notes => Trigger::Watch,
        }
    }
}

/// Watches until `stop` is done.
///
/// # Errors
/// When the store fails.
pub async fn watch(
    ctx: &Ctx,
    watching: Watching,
    stop: impl Future<Output = ()>,
    mut tell: impl FnMut(WatchEvent),
) -> Result<()> {
    let (send, mut changes) = mpsc::unbounded_channel();
    let handler = move |event: notify::Result<Event>| {
        // The receiver goes away when watching ends.
        let _ = send.send(event);
    };
    let mut watcher = notify::recommended_watcher(handler).map_err(|error| error.to_string());
    let mut watched: BTreeMap<Key, Watched> = BTreeMap::new();
    let settings = ctx.config().settings.sync.clone();
    let debounce = Duration::from_millis(settings.watch_debounce_ms);
    let poll = Duration::from_millis(settings.poll_ms);
    let interval = Duration::from_secs(settings.interval_minutes.saturating_mul(60));
    let mut last_interval = ctx.elapsed();
    tokio::pin!(stop);
    loop {
        follow_places(ctx, watching, &mut watcher, &mut watched, &mut tell).await?;
        let now = ctx.elapsed();
        let by_time = !interval.is_zero() && now.saturating_sub(last_interval) >= interval;
        if by_time {
            last_interval = now;
        }
        let due: Vec<(Key, Trigger)> = watched
            .iter()
            .filter_map(|(key, place)| {
                let quiet = place.changed.is_some_and(|changed| now.saturating_sub(changed) >= debounce);
                let is_polled = place.polled || place.failure.is_some();
                let polled = is_polled && now.saturating_sub(place.looked) >= poll;
                let put_off = place.again.is_some_and(|again| now >= again);
                let trigger = if by_time { Trigger::Interval } else { place.trigger() };
                (by_time || quiet || polled || put_off).then(|| (key.clone(), trigger))
            })
            .collect();
        for (key, trigger) in due {
            if let Some(place) = watched.get_mut(&key) {
                bring_in_step(ctx, place, trigger, &mut watcher, &mut tell).await?;
            }
        }
        let wait = Duration::from_millis(PLACES_MS).min(debounce).max(Duration::from_millis(10));
        tokio::select! {
            () = &mut stop => return Ok(()),
            change = changes.recv() => {
                note(ctx, change, &mut watched).await?;
                while let Ok(change) = changes.try_recv() {
                    note(ctx, Some(change), &mut watched).await?;
                }
            }
            () = tokio::time::sleep(wait) => {}
        }
    }
}

async fn note(ctx: &Ctx, change: Option<notify::Result<Event>>, watched: &mut BTreeMap<Key, Watched>) -> Result<()> {
    let now = ctx.elapsed();
    let Some(change) = change else { return Ok(()) };
    let concerned: Vec<&mut Watched> = match &change {
        // The system lost track: everything may have changed.
        Ok(event) if event.need_rescan() => watched.values_mut().collect(),
        Ok(event) if matches!(event.kind, EventKind::Access(_)) => Vec::new(),
        Ok(event) => {
            let touches = |place: &&mut Watched| event.paths.iter().any(|path| path.starts_with(&place.place.path));
            watched.values_mut().filter(touches).collect()
        }
        Err(_) => watched.values_mut().collect(),
    };
    for place in concerned {
        if place.changed.is_none() && !place.place.dirty {
            // Another process that searches now knows that it should look first.
            place.place.dirty = true;
            ctx.store().await?.put_source(place.place.clone()).await?;
        }
        place.changed = Some(now);
    }
    Ok(())
}

async fn bring_in_step(
    ctx: &Ctx,
    place: &mut Watched,
    trigger: Trigger,
    watcher: &mut std::result::Result<RecommendedWatcher, String>,
    tell: &mut impl FnMut(WatchEvent),
) -> Result<()> {
    // What changes from here on is another change.
    place.changed = None;
    place.again = None;
    place.looked = ctx.elapsed();
    // One that is gone was told of, and is taken up again when it is back.
    let is_there = Path::new(&place.place.path).exists();
    if place.failure.is_some() && !is_there {
        return Ok(());
    }
    if place.failure.is_some() {
        place.polled = false;
        place.folders.clear();
    }
    // New folders are watched before they are read, so that nothing is missed in between.
    if !place.polled {
        watch_folders(ctx, place, watcher, tell);
    }
    let path = place.place.path.clone();
    match sync_place(ctx, &place.place, trigger, SyncOptions::default()).await {
        Ok(report) => {
            place.place.dirty = report.put_off > 0;
            place.failure = None;
            if report.put_off > 0 {
                let silence = Duration::from_secs(ctx.config().settings.sync.sessions.idle_seconds);
                place.again = Some(ctx.elapsed() + silence.max(Duration::from_secs(1)));
            }
            let did_something = report.indexed + report.removed + report.messages > 0;
            // A place that is looked at every few seconds has mostly nothing to tell.
            if did_something || !(place.polled || report.put_off > 0) {
                tell(WatchEvent::Synced { path, report });
            }
        }
        Err(error @ EngineError::Store(_)) => return Err(error),
        Err(error) => {
            let reason = error.to_string();
            // Said once, however often it is tried.
            if place.failure.as_ref() != Some(&reason) {
                tell(WatchEvent::Failed { path, reason: reason.clone() });
            }
            place.failure = Some(reason);
        }
    }
    Ok(())
}

async fn follow_places(
    ctx: &Ctx,
    watching: Watching,
    watcher: &mut std::result::Result<RecommendedWatcher, String>,
    watched: &mut BTreeMap<Key, Watched>,
    tell: &mut impl FnMut(WatchEvent),
) -> Result<()> {
    let store = ctx.store().await?;
    let places = match watching {
        Watching::Everything => store.all_sources().await?,
        Watching::View => store.sources(ctx.view()).await?,
    };
    let is_owner = ctx.need_owner("reading transcripts").is_ok();
    let mut present = BTreeSet::new();
    for place in places {
        if place.kind == SourceKind::Transcripts && !is_owner {
            continue;
        }
        let key = (place.scope.to_string(), place.kind, place.path.clone());
        present.insert(key.clone());
        if let Some(known) = watched.get_mut(&key) {
            known.place = place;
            continue;
        }
        let now = ctx.elapsed();
        // What changed while nobody watched is read first.
        let mut new = Watched {
            place,
            folders: BTreeSet::new(),
            polled: false,
            changed: None,
            looked: now,
            again: None,
            failure: None,
        };
        let trigger = new.trigger();
        bring_in_step(ctx, &mut new, trigger, watcher, tell).await?;
        watched.insert(key, new);
    }
    watched.retain(|key, gone| {
        let stays = present.contains(key);
        if let (false, Ok(watcher)) = (stays, watcher.as_mut()) {
            for folder in &gone.folders {
                let _ = watcher.unwatch(folder);
            }
        }
        stays
    });
    Ok(())
}

fn watch_folders(
    ctx: &Ctx,
    place: &mut Watched,
    watcher: &mut std::result::Result<RecommendedWatcher, String>,
    tell: &mut impl FnMut(WatchEvent),
) {
    let settings = &ctx.config().settings.sync;
    let every_ms = settings.poll_ms;
    let path = place.place.path.clone();
    let result = match (watcher, network_drive(Path::new(&path))) {
        _ if settings.poll => Err("sync.poll is set".to_owned()),
        (_, Some(name)) => Err(format!("{name} does not tell of changes made elsewhere")),
        (Err(reason), None) => Err(reason.clone()),
        (Ok(watcher), None) => add_folders(ctx, place, watcher),
    };
    match result {
        Ok(0) => {}
        Ok(_) => tell(WatchEvent::Watches { path, folders: place.folders.len() }),
        Err(reason) => {
            place.polled = true;
            tell(WatchEvent::Polls { path, reason, every_ms });
        }
    }
}

// File systems whose files change on another machine, of which this one is told nothing.
#[cfg(target_os = "linux")]
fn network_drive(path: &Path) -> Option<&'static str> {
    const NAMES: [(i128, &str); 6] = [
        (0x6969, "NFS"),
        (0xff53_4d42, "CIFS"),
        (0xfe53_4d42, "SMB"),
        (0x0102_1997, "9P"),
        (0x6573_5546, "FUSE"),
        (0x00c3_6400, "Ceph"),
    ];
    // How wide the number is, and whether it has a sign, depends on the machine.
    let kind = i128::from(rustix::fs::statfs(path).ok()?.f_type);
    NAMES.iter().find(|(number, _)| *number == kind & 0xffff_ffff).map(|(_, name)| *name)
}

#[cfg(not(target_os = "linux"))]
fn network_drive(_: &Path) -> Option<&'static str> {
    None
}

// Returns how many folders are new.
fn add_folders(ctx: &Ctx, place: &mut Watched, watcher: &mut RecommendedWatcher) -> std::result::Result<usize, String> {
    let wanted = folders_of(ctx, &place.place).map_err(|error| error.to_string())?;
    let mut added = 0;
    for folder in &wanted {
        if !place.folders.contains(folder) {
            match watcher.watch(folder, RecursiveMode::NonRecursive) {
                Ok(()) => added += 1,
                // It went away meanwhile, and its parent will tell.
                Err(notify::Error { kind: notify::ErrorKind::PathNotFound, .. }) => continue,
                Err(error) => return Err(error.to_string()),
            }
        }
    }
    place.folders = wanted;
    Ok(added)
}

fn folders_of(ctx: &Ctx, place: &SourcePlace) -> std::io::Result<BTreeSet<PathBuf>> {
    let settings = &ctx.config().settings.sync;
    let root = Path::new(&place.path);
    let mut found = BTreeSet::new();
    match place.kind {
        SourceKind::Workspace => {
            let limits = WalkLimits { file_bytes: settings.max_file_bytes, depth: settings.max_depth };
            found.extend(folders(root, limits)?);
            // Notes are read even where ignore files hide them.
            let notes = root.join("memory");
            if notes.is_dir() {
                all_folders(&notes, settings.max_depth, &mut found);
            }
        }
        SourceKind::Notes | SourceKind::Transcripts => {
            if root.is_file() {
                found.extend(root.parent().map(Path::to_owned));
            } else {
                std::fs::read_dir(root)?;
                all_folders(root, settings.max_depth, &mut found);
            }
        }
    }
    Ok(found)
}

fn all_folders(folder: &Path, depth: usize, found: &mut BTreeSet<PathBuf>) {
    found.insert(folder.to_owned());
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.filter_map(std::result::Result::ok) {
        let is_folder = entry.file_type().is_ok_and(|file_type| file_type.is_dir());
        if is_folder && depth > 0 && entry.file_name() != ".git" {
            all_folders(&entry.path(), depth - 1, found);
        }
    }
}
