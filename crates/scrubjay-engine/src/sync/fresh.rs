//! What a search does about files that may have changed.
//!
//! Before it, notes are looked at and what is known to be out of date is read.
//! After it, the files of the hits are looked at: one that changed or went since
//! it was read shows that its place is out of date, whoever watches. Then the
//! place is brought in step as far as time allows, and the search made again.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use scrubjay_core::filter::{Field, Filter, Operator, Scalar, Test};
use scrubjay_core::memory::OriginKind;
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::source::Source;
use scrubjay_core::time::Timestamp;
use scrubjay_ingest::source::notes;
use scrubjay_ingest::source::walk::{WalkEntry, WalkLimits};
use scrubjay_store::item::{Chunk, Item};
use scrubjay_store::query::{Activity, ListQuery};
use scrubjay_store::source::{SourceKind, SourcePlace};

use super::fact_files::FACT_FILES;
use super::files::NOTES_ONLY;
use super::place::adopt;
use super::run::{SyncOptions, sync_place};
use super::trigger::Trigger;
use crate::blocking::blocking;
use crate::search::{self, FileState, Recalled};
use crate::{Ctx, EngineError, Result, project};

/// What files are looked at for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Looking<'a> {
    /// The sources that are searched; all of them if none is named.
    pub sources: &'a [Source],
    /// How long files may be looked at; the settings' time if not given.
    pub at_most: Option<Duration>,
    /// The conversation at hand.
    pub conversation: Option<&'a str>,
}

/// Makes a search whose hits are from files as they are now, as far as they can
/// be read in time; hits from others say so, and the warnings do.
///
/// # Errors
/// Those of the search.
pub async fn with_fresh_files<Searching>(
    ctx: &Ctx,
    looking: Looking<'_>,
    search: impl Fn() -> Searching,
) -> Result<Recalled>
where
    Searching: Future<Output = Result<Recalled>>,
{
    let mut stale = freshen(ctx, looking, false).await;
    let mut recalled = search().await?;
    // Nothing fits what is known; a file that nobody told of may.
    if recalled.hits.is_empty() && looking.at_most.is_none() {
        stale = freshen(ctx, looking, true).await;
        recalled = search().await?;
    }
    let mut differ = look_at_files(ctx, &mut recalled.hits).await?;
    if differ > 0 && note_difference(ctx, &recalled.hits).await? {
        stale = freshen(ctx, looking, false).await;
        recalled = search().await?;
        differ = look_at_files(ctx, &mut recalled.hits).await?;
    }
    if differ > 0 && stale.is_empty() {
        let what = match differ {
            1 => "a hit is from a file that changed or went since it was read",
            _ => "some hits are from files that changed or went since they were read",
        };
        stale.push(format!("{what}; `scrubjay sync` reads what changed"));
    }
    recalled.warnings.append(&mut stale);
    Ok(recalled)
}

// Marks the hits whose files are no longer as they were read, and counts them.
async fn look_at_files(ctx: &Ctx, hits: &mut [search::Found]) -> Result<usize> {
    let read: BTreeMap<String, Timestamp> =
        hits.iter().filter_map(chunk_of).map(|chunk| (chunk.path.clone(), chunk.modified_at)).collect();
    if read.is_empty() {
        return Ok(0);
    }
    let look = move || -> BTreeMap<String, FileState> {
        let differs = |(path, read_at): (String, Timestamp)| state(&path, read_at).map(|state| (path, state));
        read.into_iter().filter_map(differs).collect()
    };
    let mut states = blocking("looking at files", look).await?;
    // On a disk that is not there, or on another machine, nothing can be said of a file.
    if states.values().any(|state| *state == FileState::Gone) {
        let places = ctx.store().await?.sources(ctx.view()).await?;
        let is_there = |path: &str| places.iter().any(|place| holds(place, path) && Path::new(&place.path).exists());
        states.retain(|path, state| *state != FileState::Gone || is_there(path));
    }
    let mut differ = 0;
    for hit in hits {
        let Some(state) = chunk_of(hit).and_then(|chunk| states.get(&chunk.path)) else { continue };
        hit.file = *state;
        differ += 1;
    }
    Ok(differ)
}

fn chunk_of(hit: &search::Found) -> Option<&Chunk> {
    match &hit.item {
        Item::Chunk(chunk) => Some(chunk),
        Item::Memory(_) => None,
    }
}

// How a file differs from what was read of it, as far as that can be told.
fn state(path: &str, read_at: Timestamp) -> Option<FileState> {
    match std::fs::metadata(path) {
        Ok(file) => {
            let since = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
            let modified_at = i64::try_from(since.as_millis()).ok()?;
            (modified_at != read_at.millis()).then_some(FileState::Changed)
        }
        // A name that is not UTF-8 cannot be looked up by the letters shown for it.
        Err(error) if error.kind() == ErrorKind::NotFound && !path.contains(char::REPLACEMENT_CHARACTER) => {
            Some(FileState::Gone)
        }
        Err(_) => None,
    }
}

fn holds(place: &SourcePlace, path: &str) -> bool {
    place.kind != SourceKind::Transcripts && Path::new(path).starts_with(&place.path)
}

// Notes which places are out of date; false if that was known, or nothing is to be done about it.
async fn note_difference(ctx: &Ctx, hits: &[search::Found]) -> Result<bool> {
    if !ctx.config().settings.sync.on_search {
        return Ok(false);
    }
    let store = ctx.store().await?;
    let differing = |hit: &&search::Found| hit.file != FileState::AsRead;
    let paths: Vec<&str> =
        hits.iter().filter(differing).filter_map(chunk_of).map(|chunk| chunk.path.as_str()).collect();
    let (mut noted, writable) = (false, ctx.writable_scopes());
    for place in store.sources(ctx.view()).await? {
        let is_ours = writable.contains(&place.scope);
        if is_ours && !place.dirty && paths.iter().any(|path| holds(&place, path)) {
            store.put_source(SourcePlace { dirty: true, ..place }).await?;
            noted = true;
        }
    }
    Ok(noted)
}

/// What a search in these sources does first, or in all of them if none is named:
/// notes that changed are read, and what is known to be out of date, or all, is
/// brought in step as far as the time allows. Says what is still out of date. What goes
/// wrong here must not keep anyone from an answer out of what is known.
async fn freshen(ctx: &Ctx, looking: Looking<'_>, all: bool) -> Vec<String> {
    let wanted = |source| looking.sources.is_empty() || looking.sources.contains(&source);
    if ![Source::Memory, Source::Docs, Source::Code, Source::Sessions].into_iter().any(wanted) {
        return Vec::new();
    }
    match before_search(ctx, looking, all).await {
        Ok(warnings) => warnings,
        Err(error) => vec![format!("files were not looked at: {error}")],
    }
}

async fn before_search(ctx: &Ctx, looking: Looking<'_>, all: bool) -> Result<Vec<String>> {
    let at_most = looking.at_most;
    let settings = &ctx.config().settings;
    if !settings.sync.on_search {
        return Ok(Vec::new());
    }
    // Whoever types a question into a terminal works there; what is handed over before a turn was not asked for.
    let by_hand = at_most.is_none() && ctx.actor() == "user";
    notice_notes(ctx, by_hand, looking.conversation).await?;
    let store = ctx.store().await?;
    let budget = Duration::from_millis(settings.sync.search_budget_ms);
    let budget = at_most.map_or(budget, |at_most| budget.min(at_most));
    let started = ctx.elapsed();
    let mut warnings = Vec::new();
    let writable = ctx.writable_scopes();
    for place in store.sources(ctx.view()).await?.into_iter().filter(|place| writable.contains(&place.scope)) {
        // What a conversation said last is read when something is looked for, not before every turn.
        let is_transcripts = place.kind == SourceKind::Transcripts;
        let is_read = place.dirty && at_most.is_none() && ctx.need_owner("reading transcripts").is_ok();
        if is_transcripts && !is_read {
            continue;
        }
        // What its files say is found as facts; edits are read at the usual occasions.
        if place.format == FACT_FILES && !place.dirty {
            continue;
        }
        let left = budget.saturating_sub(ctx.elapsed().saturating_sub(started));
        // If only the notes are known to differ, the rest is left alone.
        let notes_only = !place.dirty && !all;
        if notes_only && !notes_changed(ctx, &place).await? {
            continue;
        }
        let options = SyncOptions { budget: Some(left), notes_only, ..SyncOptions::default() };
        match sync_place(ctx, &place, Trigger::Search, options).await {
            Ok(report) if !report.stopped_early => {}
            // Nobody said that it is out of date: a tree that takes longer stays as it was, and the next search is quick.
            Ok(_) if all && !place.dirty => store.put_source(place.clone()).await?,
            Err(error @ EngineError::Store(_)) => return Err(error),
            Err(_) if !Path::new(&place.path).exists() => warnings.push(format!(
                "{0} is not there any more; `scrubjay sources remove {0}` takes what was read of it out",
                place.path
            )),
            Ok(_) | Err(_) => {
                warnings.push(format!("the index of {} is out of date; `scrubjay sync` brings it in step", place.path));
            }
        }
    }
    Ok(warnings)
}

// The notes of the project that a command stands in need no invitation, once a person has worked there: a repository
// that was only just fetched must not speak before its reader has.
pub(super) async fn notice_notes(ctx: &Ctx, by_hand: bool, conversation: Option<&str>) -> Result<()> {
    let (Some(folder), Some(standing)) = (ctx.folder(), ctx.view().project_id()) else { return Ok(()) };
    let wanted = ctx.config().settings.sources.iter().any(|source| source == "memory");
    let Some(detected) = wanted.then(|| project::locate(folder, &ctx.known_projects()).ok()).flatten() else {
        return Ok(());
    };
    let has_notes = ["MEMORY.md", "memory.md", "memory"].iter().any(|name| detected.root.join(name).exists());
    if !has_notes || detected.id != standing.to_string() {
        return Ok(());
    }
    let scope = View::project(standing.clone()).home();
    let known = ctx.store().await?.sources(ctx.view()).await?;
    let is_known = known.iter().any(|place| {
        place.scope == scope && place.kind != SourceKind::Transcripts && detected.root.starts_with(&place.path)
    });
    if !is_known && (by_hand || has_worked(ctx, &scope, conversation).await?) {
        adopt(ctx, &scope, SourceKind::Workspace, &detected.root, NOTES_ONLY).await?;
    }
    Ok(())
}

// Whether a person said or kept something in a project before the conversation at hand. What the notes hold could
// otherwise answer the very first question that is asked in a repository.
async fn has_worked(ctx: &Ctx, scope: &Scope, conversation: Option<&str>) -> Result<bool> {
    let mut filter =
        Filter::default().and_equal(Field::Scope, scope.to_string()).and_equal(Field::Origin, OriginKind::User.name());
    if let Some(conversation) = conversation {
        let other = Test::Compare(Operator::NotEqual, Scalar::Text(conversation.to_owned()));
        filter = filter.and(Field::SessionId, other);
    }
    let query = ListQuery { filter, activity: Activity::Any, limit: 1, ..ListQuery::default() };
    Ok(!ctx.store().await?.list(ctx.view(), query).await?.memories.is_empty())
}

// A few looks at the disk, nothing read.
async fn notes_changed(ctx: &Ctx, place: &SourcePlace) -> Result<bool> {
    let settings = &ctx.config().settings;
    let limits = WalkLimits { file_bytes: settings.sync.max_file_bytes, depth: settings.sync.max_depth };
    let root = Path::new(&place.path);
    let found = match place.kind {
        SourceKind::Notes => notes::of_folder(root, limits),
        _ => notes::of_workspace(root, limits),
    };
    let Ok(found) = found else { return Ok(true) };
    let files: Vec<_> = found
        .into_iter()
        .filter_map(|found| match found {
            WalkEntry::File(file) => Some(file),
            WalkEntry::Skipped(_) => None,
        })
        .collect();
    let paths: Vec<String> = files.iter().map(|file| file.path.to_string_lossy().into_owned()).collect();
    let store = ctx.store().await?;
    let known = store.documents_at(&place.scope, paths).await?;
    let same = files.iter().all(|file| {
        known.iter().any(|document| {
            Path::new(&document.path) == file.path
                && document.size_bytes == file.stamp.size_bytes
                && document.modified_at == super::read::modified_at(file)
        })
    });
    if !same {
        return Ok(true);
    }
    // A note that is gone shows in the number of those that are known.
    let prefix = format!("{}/", place.path.trim_end_matches('/'));
    let stored = notes_below(ctx, &place.scope, &prefix).await?;
    Ok(stored > files.len())
}

async fn notes_below(ctx: &Ctx, scope: &Scope, prefix: &str) -> Result<usize> {
    let store = ctx.store().await?;
    let mut count = 0;
    for start in [format!("{prefix}MEMORY.md"), format!("{prefix}memory")] {
        let page = store.documents(scope, &start, None, 1000).await?;
        count += page.iter().filter(|document| document.source == Source::Memory).count();
    }
    Ok(count)
}
