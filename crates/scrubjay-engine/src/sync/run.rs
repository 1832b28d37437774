//! Bringing places in step, noting when and why.

use std::path::Path;
use std::time::Duration;

use scrubjay_core::scope::View;
use scrubjay_store::source::{SourceKind, SourcePlace, SyncRun};

use super::fact_files::{FACT_FILES, sync_fact_files};
use super::files::{Extent, sync_files};
use super::fresh::notice_notes;
use super::read::SCHEME;
use super::report::SyncReport;
use super::transcripts::{Delta, Estimate, Format, estimate_file, files_in, read_file};
use super::trigger::Trigger;
use super::underway::Visible;
use crate::queue;
use crate::{Ctx, EngineError, Result};

/// New items after which the index files are written at once.
const MANY: u64 = 500;

/// How to look.
#[derive(Debug, Clone, Copy, Default)]
pub struct SyncOptions {
    /// Read every file again, whatever its time says.
    pub reread: bool,
    /// Make the pieces of every file anew, whether it changed or not.
    pub rebuild: bool,
    /// Only the notes.
    pub notes_only: bool,
    /// Only say what would be done.
    pub dry_run: bool,
    /// Stop after this long.
    pub budget: Option<Duration>,
}

/// Brings one place in step.
///
/// # Errors
/// When the place cannot be read at all, or the store fails.
pub async fn sync_place(ctx: &Ctx, place: &SourcePlace, trigger: Trigger, options: SyncOptions) -> Result<SyncReport> {
    let options = SyncOptions { notes_only: options.notes_only || trigger == Trigger::SessionStart, ..options };
    let (_visible, ctx) = Visible::begin(ctx, place, trigger);
    let ctx = &ctx;
    let (started, at) = (ctx.elapsed(), ctx.now());
    let deadline = options.budget.map(|budget| started + budget);
    let store = ctx.store().await?;
    // Files that were cut in another way are read again, whether they changed or not.
    let cut = format!("cut:{}:{}", place.scope, place.path);
    let cut_anew = place.kind != SourceKind::Transcripts && store.mark(&cut).await? != Some(SCHEME);
    let options = SyncOptions { reread: options.reread || options.rebuild || cut_anew, ..options };
    let result = match place.kind {
        SourceKind::Transcripts => sync_transcripts(ctx, place, trigger, options, deadline).await,
        SourceKind::Notes if place.format == FACT_FILES => sync_fact_files(ctx, place, options.dry_run).await,
        SourceKind::Workspace | SourceKind::Notes => {
            let SyncOptions { reread, rebuild, notes_only, dry_run, .. } = options;
            let extent = Extent { reread, rebuild, notes_only, dry_run, deadline };
            sync_files(ctx, place, extent).await
        }
    };
    if options.dry_run {
        return result;
    }
    let took_ms = u64::try_from(ctx.elapsed().saturating_sub(started).as_millis()).unwrap_or(u64::MAX);
    let (counts, failure) = match &result {
        Ok(report) => (report.counts(), report.stopped_early.then(|| "time ran out".to_owned())),
        Err(error) => (SyncReport::default().counts(), Some(error.to_string())),
    };
    let run = SyncRun { cause: trigger.name().to_owned(), at, took_ms, counts, failure };
    let complete = run.failure.is_none();
    store.note_sync(&place.scope, run).await?;
    if complete && !options.notes_only {
        if cut_anew {
            store.set_mark(&cut, SCHEME).await?;
        }
        let put_off = matches!(&result, Ok(report) if report.put_off > 0);
        store.put_source(SourcePlace { synced_at: Some(at), dirty: put_off, ..place.clone() }).await?;
    } else if !complete && !place.dirty {
        store.put_source(SourcePlace { dirty: true, ..place.clone() }).await?;
    }
    let report = result?;
    if report.indexed + report.messages > 0 && place.kind != SourceKind::Transcripts && ctx.embeds() {
        store.enqueue(vec![queue::in_scope(ctx, queue::EMBED, &place.scope)?], ctx.now()).await?;
    }
    // A search would have to do it otherwise, and that should never take long.
    if report.chunks + report.messages >= MANY {
        ctx.progress().step("writing the index", 0, None);
        ctx.index().await?.bring_up_to_date(&*store, false).await?;
    }
    Ok(report)
}

/// Brings everything in step that a trigger is about: the places of the view,
/// and transcripts if the caller may read them.
///
/// # Errors
/// When the store fails. A place that cannot be read is a warning.
pub async fn sync_all(ctx: &Ctx, trigger: Trigger, options: SyncOptions) -> Result<SyncReport> {
    let store = ctx.store().await?;
    let is_owner = ctx.need_owner("reading transcripts").is_ok();
    if trigger == Trigger::SessionStart && !options.dry_run {
        notice_notes(ctx, false, None).await?;
    }
    let mut places = store.sources(ctx.view()).await?;
    let writable = ctx.writable_scopes();
    places.retain(|place| writable.contains(&place.scope));
    let mut sum = SyncReport::default();
    for place in places {
        let is_transcripts = place.kind == SourceKind::Transcripts;
        let concerned = match trigger {
            Trigger::SessionStart => !is_transcripts,
            Trigger::SessionDelta => is_transcripts,
            _ => true,
        };
        if !concerned || (is_transcripts && !is_owner) {
            continue;
        }
        match sync_place(ctx, &place, trigger, options).await {
            Ok(report) => sum.add(report),
            Err(error @ EngineError::Store(_)) => return Err(error),
            Err(error) => {
                let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
                sum.warnings.push(format!("{} was not read: {error}{cause}", place.path));
            }
        }
    }
    Ok(sum)
}

/// Reads what is new in one transcript, as when a hook names it.
///
/// # Errors
/// When the store fails.
pub async fn sync_transcript(ctx: &Ctx, path: &Path, format: Format, delta_only: bool) -> Result<SyncReport> {
    ctx.need_owner("reading transcripts")?;
    let mut report = SyncReport::default();
    let delta = delta_only.then(|| delta(ctx));
    read_file(ctx, path, format, delta, &mut report).await?;
    Ok(report)
}

/// What reading the transcripts in a folder would bring.
///
/// # Errors
/// When the folder cannot be read, or the store fails.
pub async fn estimate(ctx: &Ctx, path: &Path, format: Format) -> Result<Estimate> {
    let files = files_in(path, format).map_err(|error| EngineError::io("read the folder", path, error))?;
    let total = files.len() as u64;
    let mut sum = Estimate { found: total, ..Estimate::default() };
    for (done, file) in files.iter().enumerate() {
        ctx.progress().step("estimating", done as u64, Some(total));
        estimate_file(ctx, file, format, &mut sum).await?;
    }
    Ok(sum)
}

fn delta(ctx: &Ctx) -> Delta {
    let sessions = &ctx.config().settings.sync.sessions;
    Delta {
        bytes: sessions.delta_bytes,
        messages: sessions.delta_messages,
        idle_ms: i64::try_from(sessions.idle_seconds).unwrap_or(i64::MAX).saturating_mul(1000),
    }
}

async fn sync_transcripts(
    ctx: &Ctx,
    place: &SourcePlace,
    trigger: Trigger,
    options: SyncOptions,
    deadline: Option<Duration>,
) -> Result<SyncReport> {
    let mut report = SyncReport::default();
    if !ctx.config().settings.sources.iter().any(|source| source == "sessions") {
        return Ok(report);
    }
    let format = Format::named(&place.format)?;
    // Whoever sets this off may stand in another project: a line that names none belongs where the place does.
    let ctx = &ctx.at(View::of(&place.scope))?;
    let path = Path::new(&place.path);
    let files = files_in(path, format).map_err(|error| EngineError::io("read the folder", path, error))?;
    // While conversations go on, a file is read when enough of it is new.
    let delta = matches!(trigger, Trigger::SessionDelta | Trigger::Watch).then(|| delta(ctx));
    for file in files {
        if deadline.is_some_and(|deadline| ctx.elapsed() > deadline) {
            report.stopped_early = true;
            break;
        }
        if options.dry_run {
            let mut estimate = Estimate::default();
            estimate_file(ctx, &file, format, &mut estimate).await?;
            report.messages += estimate.messages;
            continue;
        }
        read_file(ctx, &file, format, delta, &mut report).await?;
    }
    Ok(report)
}
