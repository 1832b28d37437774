//! Going through a workspace or a folder of notes.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use scrubjay_core::id::DocumentId;
use scrubjay_core::scope::Scope;
use scrubjay_core::source::Source;
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;
use scrubjay_ingest::chunk::Limits;
use scrubjay_ingest::source::kind::{DocFormat, FileKind, classify};
use scrubjay_ingest::source::notes;
use scrubjay_ingest::source::skip::SkipReason;
use scrubjay_ingest::source::walk::{FoundFile, WalkEntry, WalkLimits, walk};
use scrubjay_store::Store;
use scrubjay_store::item::Document;
use scrubjay_store::source::{SourceKind, SourcePlace};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::chunk_room::ChunkRoom;
use super::read::{FileRead, Known, Reading, modified_at, read};
use super::report::SyncReport;
use crate::blocking::{blocking, joined};
use crate::{Ctx, EngineError, Result};

/// A place whose notes alone are read.
pub(super) const NOTES_ONLY: &str = "notes";

/// Files looked at together.
const PART_FILES: usize = 64;
/// Their bytes together; one file may be larger.
const PART_BYTES: u64 = 4 << 20;
/// Parts that are being read at a time, so that memory stays bounded.
const PARTS_AT_ONCE: usize = 3;
/// Parts that the walk may be ahead.
const PARTS_AHEAD: usize = 1000;
/// A file changed so shortly before it was read may change again without another time.
const RACE_MS: i64 = 2000;
/// What was laid aside by a process that is gone is kept so long.
const ABANDONED_MS: i64 = 86_400_000;
/// Documents listed at a time.
const PAGE: usize = 1000;

/// How far to go.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Extent {
    /// Read every file again, whatever its time says.
    pub(super) reread: bool,
    /// Make their pieces anew, too.
    pub(super) rebuild: bool,
    /// Only the notes.
    pub(super) notes_only: bool,
    /// Only say what would be done.
    pub(super) dry_run: bool,
    /// Stop at this time of the clock that only runs forward.
    pub(super) deadline: Option<Duration>,
}

/// Brings the documents of a place in step with its files.
pub(super) async fn sync_files(ctx: &Ctx, place: &SourcePlace, extent: Extent) -> Result<SyncReport> {
    let settings = &ctx.config().settings;
    let limits = WalkLimits { file_bytes: settings.sync.max_file_bytes, depth: settings.sync.max_depth };
    let wanted: Vec<Source> = settings.sources.iter().filter_map(|name| name.parse().ok()).collect();
    let inner = inner_places(ctx, place).await?;
    let walking = Walking::begin(place, limits, &extent, wanted, inner.clone())?;
    sync_walk(ctx, place, extent, &inner, walking).await
}

// Reads what a walk comes upon, and removes what it did not.
async fn sync_walk(
    ctx: &Ctx,
    place: &SourcePlace,
    extent: Extent,
    inner: &[Inner],
    walking: Walking,
) -> Result<SyncReport> {
    let settings = &ctx.config().settings;
    let task = Arc::new(Task {
        store: ctx.store().await?,
        scope: place.scope.clone(),
        reading: Reading {
            limits: Limits::new(settings.chunking.tokens, settings.chunking.overlap),
            file_bytes: settings.sync.max_file_bytes,
            file_chunks: settings.sync.max_file_chunks,
            redact: settings.capture.redact,
        },
        build: (extent.rebuild && !extent.dry_run).then(|| ctx.nonce()).transpose()?,
        extent,
        room: ChunkRoom::new(place, &extent, settings.sync.max_place_chunks),
        now: ctx.now(),
    });
    if task.build.is_some() {
        let before = Timestamp::from_millis(task.now.millis().saturating_sub(ABANDONED_MS));
        task.store.drop_rebuilds(before).await?;
    }
    let mut report = SyncReport::default();
    let seen = read_parts(ctx, &task, walking, &mut report).await?;
    if let Some(seen) = seen {
        let gone = gone(&task, place, inner, &seen).await?;
        // What is left out although it is there (ignored by now, too large) is only no longer looked at.
        let (left_out, gone): (Vec<String>, Vec<String>) = gone.into_iter().partition(|path| Path::new(path).exists());
        report.removed = match &task.build {
            Some(build) => {
                ctx.progress().step("putting it in place", 0, None);
                task.store.finish_rebuild(build, &task.scope, gone, task.now).await? as u64
            }
            None => remove(&task, gone, Some(task.now)).await?,
        };
        report.removed += remove(&task, left_out, None).await?;
    }
    Ok(report)
}

/// What the parts of one sync share.
struct Task {
    store: Arc<dyn Store>,
    /// What is made anew is laid aside under this name until all of it is there.
    build: Option<String>,
    scope: Scope,
    reading: Reading,
    extent: Extent,
    room: ChunkRoom,
    now: Timestamp,
}

/// A walk in a thread of its own.
struct Walking {
    parts: mpsc::Receiver<Vec<WalkEntry>>,
    files: Arc<AtomicU64>,
    ended: Arc<AtomicBool>,
}

impl Walking {
    fn begin(
        place: &SourcePlace,
        limits: WalkLimits,
        extent: &Extent,
        wanted: Vec<Source>,
        inner: Vec<Inner>,
    ) -> Result<Self> {
        let root = Path::new(&place.path).to_owned();
        let failed = |error| EngineError::io("read the folder", &root, error);
        let notes = match place.kind {
            SourceKind::Notes => notes::of_folder(&root, limits),
            _ => notes::of_workspace(&root, limits),
        };
        let notes = notes.map_err(failed)?;
        let notes_only = extent.notes_only || place.kind == SourceKind::Notes || place.format == NOTES_ONLY;
        let entries = if notes_only { None } else { Some(walk(&root, limits).map_err(failed)?) };
        // The walk comes upon notes too; they were found already.
        let is_note = |found: &WalkEntry| matches!(found, WalkEntry::File(file) if file.kind == FileKind::Memory);
        let all = notes.into_iter().chain(entries.into_iter().flatten().filter(move |found| !is_note(found)));
        let all = all.filter(move |found| match found {
            WalkEntry::File(file) => {
                wanted.contains(&file.kind.source()) && !inner.iter().any(|inner| inner.takes(&path_of(file)))
            }
            WalkEntry::Skipped(_) => true,
        });
        Ok(Self::over(all))
    }

    fn over(all: impl Iterator<Item = WalkEntry> + Send + 'static) -> Self {
        let (send, parts) = mpsc::channel(PARTS_AHEAD);
        let (files, ended) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (count, end) = (Arc::clone(&files), Arc::clone(&ended));
        tokio::task::spawn_blocking(move || {
            let (mut part, mut bytes) = (Vec::new(), 0);
            for found in all {
                if let WalkEntry::File(file) = &found {
                    bytes += file.stamp.size_bytes;
                    count.fetch_add(1, Ordering::Relaxed);
                }
                part.push(found);
                if part.len() >= PART_FILES || bytes >= PART_BYTES {
                    bytes = 0;
                    // Nobody reads on once the receiver is gone.
                    if send.blocking_send(std::mem::take(&mut part)).is_err() {
                        return;
                    }
                }
            }
            end.store(true, Ordering::Relaxed);
            let _ = send.blocking_send(part);
        });
        Self { parts, files, ended }
    }

    fn total(&self) -> Option<u64> {
        self.ended.load(Ordering::Relaxed).then(|| self.files.load(Ordering::Relaxed))
    }
}

// Returns the hashes of all paths that are there; nothing if it stopped early.
async fn read_parts(
    ctx: &Ctx,
    task: &Arc<Task>,
    mut walking: Walking,
    report: &mut SyncReport,
) -> Result<Option<HashSet<u64>>> {
    let mut seen = HashSet::new();
    let mut running: JoinSet<Result<PartDone>> = JoinSet::new();
    let mut done = 0;
    loop {
        let next = if running.len() < PARTS_AT_ONCE { walking.parts.recv().await } else { None };
        let ended = next.is_none() && running.len() < PARTS_AT_ONCE;
        if let Some(part) = next {
            let task = Arc::clone(task);
            running.spawn(async move { read_part(&task, part).await });
        }
        if ended || running.len() >= PARTS_AT_ONCE {
            let Some(finished) = running.join_next().await else { break };
            let part = joined("reading files", finished)??;
            done += part.files;
            seen.extend(part.seen);
            report.add(part.report);
            ctx.progress().step("indexing", done, walking.total());
        }
        if task.extent.deadline.is_some_and(|deadline| ctx.elapsed() > deadline) {
            report.stopped_early = true;
            // What was begun is finished, so that nothing is half done.
            while let Some(finished) = running.join_next().await {
                report.add(joined("reading files", finished)??.report);
            }
            return Ok(None);
        }
    }
    // Whoever takes a walk that broke off for a whole one takes what it did not come upon for gone.
    match walking.total() {
        Some(_) => Ok(Some(seen)),
        None => Err(EngineError::defect("walking a folder was cut short")),
    }
}

#[derive(Default)]
struct PartDone {
    files: u64,
    seen: Vec<u64>,
    report: SyncReport,
}

async fn read_part(task: &Arc<Task>, part: Vec<WalkEntry>) -> Result<PartDone> {
    let mut done = PartDone::default();
    let mut files = Vec::new();
    for found in part {
        match found {
            WalkEntry::File(file) => files.push(file),
            WalkEntry::Skipped(skipped) => skip(&mut done.report, skipped.relative, &skipped.reason),
        }
    }
    done.files = files.len() as u64;
    let paths: Vec<String> = files.iter().map(path_of).collect();
    let known = task.store.documents_at(&task.scope, paths).await?;
    let known: BTreeMap<String, Document> =
        known.into_iter().map(|document| (document.path.clone(), document)).collect();
    let mut changed = Vec::new();
    for file in files {
        let document = known.get(&path_of(&file));
        if !task.extent.reread && document.is_some_and(|document| is_untouched(document, &file)) {
            done.seen.push(path_key(&path_of(&file)));
            done.report.unchanged += 1;
            continue;
        }
        // A new document's id says nothing but which it is: the path and the scope decide it.
        let known = Known {
            id: document.map_or_else(|| document_id(&task.scope, &path_of(&file)), |document| document.id),
            hash: document.filter(|_| !task.extent.rebuild).map(|document| document.hash),
        };
        changed.push((file, known));
    }
    if changed.is_empty() {
        return Ok(done);
    }
    let worker = Arc::clone(task);
    let read_all = move || -> Vec<(FoundFile, std::result::Result<FileRead, SkipReason>)> {
        let one = |(file, known): (FoundFile, Known)| {
            let result = read(&file, &worker.scope, &known, &worker.reading, worker.now);
            (file, result)
        };
        changed.into_iter().map(one).collect()
    };
    let results = blocking("reading files", read_all).await?;
    store_part(task, results, &mut done).await?;
    Ok(done)
}

async fn store_part(
    task: &Arc<Task>,
    results: Vec<(FoundFile, std::result::Result<FileRead, SkipReason>)>,
    done: &mut PartDone,
) -> Result<()> {
    let mut writes: JoinSet<scrubjay_store::Result<()>> = JoinSet::new();
    for (file, result) in results {
        let path = path_of(&file);
        match result {
            Ok(FileRead::Same(document)) => {
                done.seen.push(path_key(&path));
                done.report.unchanged += 1;
                if !task.extent.dry_run {
                    let store = Arc::clone(&task.store);
                    writes.spawn(async move { store.note_document(document).await });
                }
            }
            Ok(FileRead::New(_, chunks)) if !task.room.takes(&*task.store, &task.scope, chunks.len()).await? => {
                skip(&mut done.report, file.relative, &SkipReason::PlaceFull { limit: task.room.limit });
            }
            Ok(FileRead::New(document, chunks)) => {
                done.seen.push(path_key(&path));
                done.report.indexed += 1;
                done.report.chunks += chunks.len() as u64;
                done.report.bytes += file.stamp.size_bytes;
                if !task.extent.dry_run {
                    let store = Arc::clone(&task.store);
                    let build = task.build.clone();
                    writes.spawn(async move {
                        match build {
                            Some(build) => store.stage_document(&build, document, chunks).await,
                            None => store.put_document(document, chunks).await,
                        }
                    });
                }
            }
            Err(reason) => skip(&mut done.report, file.relative, &reason),
        }
    }
    // All at once, so that they share a commit.
    while let Some(written) = writes.join_next().await {
        joined("storing files", written)??;
    }
    Ok(())
}

fn is_untouched(document: &Document, file: &FoundFile) -> bool {
    let modified_at = modified_at(file);
    document.modified_at == modified_at
        && document.size_bytes == file.stamp.size_bytes
        && document.source == file.kind.source()
        && document.indexed_at.millis() - modified_at.millis() >= RACE_MS
}

// Documents below the root that the walk did not come upon are gone.
async fn gone(task: &Task, place: &SourcePlace, inner: &[Inner], seen: &HashSet<u64>) -> Result<Vec<String>> {
    let prefix = format!("{}/", place.path.trim_end_matches('/'));
    // Code beside notes is looked after by the workspace around them, if there is one.
    let only_notes = task.extent.notes_only || place.format == NOTES_ONLY || place.kind == SourceKind::Notes;
    let mut gone = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let page = task.store.documents(&task.scope, &prefix, after.as_deref(), PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.path.clone());
        for document in page {
            let is_elsewhere = inner.iter().any(|inner| inner.takes(&document.path));
            let is_other = only_notes && document.source != Source::Memory;
            if !is_elsewhere && !is_other && !seen.contains(&path_key(&document.path)) {
                gone.push(document.path);
            }
        }
    }
    Ok(gone)
}

async fn remove(task: &Task, paths: Vec<String>, gone_at: Option<Timestamp>) -> Result<u64> {
    if task.extent.dry_run {
        return Ok(paths.len() as u64);
    }
    let mut removed = 0;
    for part in paths.chunks(PART_FILES) {
        removed += task.store.remove_documents(&task.scope, part.to_vec(), gone_at).await? as u64;
    }
    Ok(removed)
}

/// A place of the same scope inside another looks after its own files: a folder of notes after its Markdown.
#[derive(Debug, Clone)]
struct Inner {
    /// Its path, ended.
    prefix: String,
    notes: bool,
}

impl Inner {
    fn takes(&self, path: &str) -> bool {
        path.starts_with(&self.prefix)
            && (!self.notes || matches!(classify(path), Ok(FileKind::Memory | FileKind::Docs(DocFormat::Markdown))))
    }
}

async fn inner_places(ctx: &Ctx, place: &SourcePlace) -> Result<Vec<Inner>> {
    let outside = format!("{}/", place.path.trim_end_matches('/'));
    let all = ctx.store().await?.all_sources().await?;
    let inner = all.into_iter().filter(|other| {
        let is_files = other.kind != SourceKind::Transcripts && other.format != NOTES_ONLY;
        is_files && other.scope == place.scope && other.path.starts_with(&outside)
    });
    let one = |other: SourcePlace| Inner { prefix: format!("{}/", other.path), notes: other.kind == SourceKind::Notes };
    Ok(inner.map(one).collect())
}

fn skip(report: &mut SyncReport, path: String, reason: &SkipReason) {
    report.skip(path, reason.name(), reason.to_string());
}

fn path_of(file: &FoundFile) -> String {
    file.path.to_string_lossy().into_owned()
}

fn path_key(path: &str) -> u64 {
    let hash = TextHash::of_bytes(path.as_bytes());
    hash.as_bytes()[..8].iter().fold(0, |key, &byte| key << 8 | u64::from(byte))
}

fn document_id(scope: &Scope, path: &str) -> DocumentId {
    let hash = TextHash::of_bytes(format!("{scope}\n{path}").as_bytes());
    DocumentId::from(uuid::Builder::from_custom_bytes(*hash.as_bytes()).into_uuid())
}

#[cfg(test)]
mod tests {
    use scrubjay_core::error::ErrorCode;
    use scrubjay_core::scope::View;

    use super::*;
    use crate::sync::adopt;
    use crate::tests::Engine;

    #[test]
    fn a_walk_that_panics_removes_nothing() {
        let engine = Engine::with(&[], &[]);
        let ctx = engine.ctx(None);
        let root = tempfile::tempdir().unwrap();
        for name in ["a.md", "b.md"] {
            std::fs::write(root.path().join(name), format!("# About {name}\n")).unwrap();
        }
        engine.run(async {
            let scope = View::project("app".parse().unwrap()).home();
            let place = adopt(&ctx, &scope, SourceKind::Workspace, root.path(), "").await.unwrap();
            assert_eq!(sync_files(&ctx, &place, Extent::default()).await.unwrap().indexed, 2);
            // It comes upon the first file, and not upon the second.
            let limits = WalkLimits { file_bytes: 1 << 20, depth: 8 };
            let first = walk(root.path(), limits).unwrap().take(1);
            let broken = first.chain(std::iter::from_fn(|| std::panic::panic_any("the disk is on fire")));
            let failed = sync_walk(&ctx, &place, Extent::default(), &[], Walking::over(broken)).await.unwrap_err();
            assert_eq!(failed.code(), ErrorCode::Internal);
            let store = ctx.store().await.unwrap();
            assert_eq!(store.documents(&scope, "", None, 10).await.unwrap().len(), 2);
        });
    }
}
