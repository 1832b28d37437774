//! Storing what an importer finds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use scrubjay_core::id::EntityId;
use scrubjay_core::memory::{DecayRate, Kind, Origin, OriginKind};
use scrubjay_core::scope::Scope;
use scrubjay_ingest::export::Export;
use scrubjay_store::change::{Captured, NewMemory, NewMention, Stamp};
use tokio::sync::mpsc;

use super::IMPORTERS;
use super::importer::{Batch, Descriptor, Record, RecordLocation, Sink};
use crate::blocking::{blocking, joined};
use crate::capture::{Draft, check_size, clean, clean_attributes, clean_label, prepare};
use crate::queue::after_capturing;
use crate::{Ctx, EngineError, Result};

/// Skipped records that are listed; more are only counted.
const LISTED: usize = 1000;
/// Parts of an export that are named to whoever asked for another one.
const NAMED: usize = 20;
/// How many records an export may have.
const RECORDS: u64 = 20_000_000;

/// What to import.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The file or folder.
    pub path: PathBuf,
    /// Only these projects, channels or folders of the export.
    pub only: Vec<String>,
    /// Store nothing.
    pub dry_run: bool,
}

/// What was imported.
#[derive(Debug, Clone, Default)]
pub struct Imported {
    /// The file or folder, with all links resolved.
    pub path: PathBuf,
    /// Episodes that are new.
    pub episodes: u64,
    /// Facts that are new.
    pub facts: u64,
    /// Conversations they belong to.
    pub sessions: u64,
    /// What was imported before.
    pub duplicates: u64,
    /// What was left out on purpose, by reason.
    pub passed_over: BTreeMap<String, u64>,
    /// What cannot be read; the first of it.
    pub skipped: Vec<SkippedRecord>,
    /// How much cannot be read.
    pub skipped_count: u64,
    /// How much went into each scope.
    pub scopes: BTreeMap<String, u64>,
    /// What was taken out or changed, and what to know.
    pub warnings: Vec<String>,
    /// The run, for undoing it whole.
    pub run: Option<String>,
}

/// A record that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedRecord {
    /// Where it stands.
    pub place: RecordLocation,
    /// Why.
    pub reason: String,
}

/// Imports what a tool exported. Repeating it changes nothing, and after an interruption goes on.
///
/// # Errors
/// When the export cannot be read, there is nothing in it, or the store fails.
pub async fn import(ctx: &Ctx, importer: Descriptor, request: Request) -> Result<Imported> {
    ctx.store().await?;
    let path = request.path.clone();
    let export = blocking("opening the export", move || Export::open(&path)).await??;
    let mut done = Imported { path: export.root().to_owned(), ..Imported::default() };
    let stamp = ctx.stamp(importer.operation)?;
    if !request.dry_run {
        done.run = Some(stamp.run.to_string());
    }
    let mut placing = Placing::new(ctx).await?;
    let (send, mut batches) = mpsc::channel::<Batch>(2);
    let reading = tokio::task::spawn_blocking(move || {
        let mut hand_on =
            |batch| send.blocking_send(batch).map_err(|_| EngineError::defect("nobody takes what is read"));
        let mut sink = Sink::new(&mut hand_on);
        let read = (importer.read)(&export, &mut sink).and_then(|()| sink.flush());
        (export, read)
    });
    let (mut sessions, mut groups) = (BTreeSet::new(), BTreeSet::new());
    let mut seen = 0;
    while let Some(batch) = batches.recv().await {
        seen += (batch.records.len() + batch.skipped.len()) as u64;
        if seen > RECORDS {
            return Err(EngineError::invalid(format!("the export has more than {RECORDS} records")));
        }
        for (reason, count) in &batch.passed_over {
            *done.passed_over.entry((*reason).to_owned()).or_default() += count;
        }
        for (place, reason) in batch.skipped {
            done.skip(place, reason);
        }
        if !request.only.is_empty() {
            groups.extend(batch.records.iter().filter_map(|record| record.group.clone()));
        }
        let records = batch.records.into_iter().filter(|record| request.wants(record)).collect();
        store(ctx, &stamp, importer, records, &request, &mut placing, &mut sessions, &mut done).await?;
        ctx.progress().step("importing", done.episodes + done.facts + done.duplicates, None);
    }
    let (export, read) = joined("reading the export", reading.await)?;
    read?;
    done.sessions = sessions.len() as u64;
    if seen == 0 && done.passed_over.is_empty() {
        return Err(nothing_in(&export, importer));
    }
    placing.tell(&mut done);
    done.warnings.extend(request.missed(&groups));
    Ok(done)
}

impl Request {
    fn wants(&self, record: &Record) -> bool {
        self.only.is_empty() || record.group.as_ref().is_some_and(|group| self.only.contains(group))
    }

    // Whoever asks for a part that the export does not have is told its parts.
    fn missed(&self, groups: &BTreeSet<String>) -> Option<String> {
        let missing: Vec<&str> = self.only.iter().map(String::as_str).filter(|name| !groups.contains(*name)).collect();
        let names: Vec<&str> = groups.iter().take(NAMED).map(String::as_str).collect();
        let more = if groups.len() > names.len() { ", …" } else { "" };
        let has = match names.is_empty() {
            true => "it has no named parts".to_owned(),
            false => format!("it has {}{more}", names.join(", ")),
        };
        (!missing.is_empty()).then(|| format!("the export has nothing of {}; {has}", missing.join(", ")))
    }
}

impl Imported {
    fn skip(&mut self, place: RecordLocation, reason: String) {
        self.skipped_count += 1;
        if self.skipped.len() < LISTED {
            self.skipped.push(SkippedRecord { place, reason });
        }
    }
}

// Whoever named the wrong file or the wrong tool is told the right one.
fn nothing_in(export: &Export, importer: Descriptor) -> EngineError {
    let other = IMPORTERS.iter().find(|other| other.name != importer.name && (other.recognises)(export));
    let advice = match other {
        Some(other) => format!("it looks like {0}; `scrubjay import {0}` reads that", other.name),
        None => format!("name {}", importer.expects),
    };
    EngineError::not_found(format!("there is nothing of {} in {}; {advice}", importer.name, export.root().display()))
}

// Where records go: into the project that was named, else into the known project of that name, else global.
struct Placing {
    named: Option<Scope>,
    known: BTreeMap<String, Vec<Scope>>,
    unknown: BTreeMap<String, u64>,
    global: u64,
}

impl Placing {
    async fn new(ctx: &Ctx) -> Result<Self> {
        let named = ctx.names_project().then(|| ctx.view().home()).filter(|scope| *scope != Scope::Global);
        let mut known: BTreeMap<String, Vec<Scope>> = BTreeMap::new();
        for scope in ctx.store().await?.all_scopes().await? {
            if let Scope::Project(id) = &scope {
                let id = id.to_string();
                let name = id.rsplit_once('-').map_or(id.as_str(), |(name, _)| name).to_owned();
                known.entry(name).or_default().push(scope);
            }
        }
        Ok(Self { named, known, unknown: BTreeMap::new(), global: 0 })
    }

    fn scope(&self, record: &Record) -> Scope {
        if let Some(named) = &self.named {
            return named.clone();
        }
        let project = record.group.as_ref().filter(|_| record.group_is_project);
        // The tool knows projects by the name of their folder.
        let key = project.map(|name| name.rsplit('/').next().unwrap_or(name).to_lowercase());
        match key.and_then(|key| self.known.get(&key)).map(Vec::as_slice) {
            Some([only]) => only.clone(),
            _ => Scope::Global,
        }
    }

    fn count(&mut self, record: &Record, scope: &Scope) {
        if *scope == Scope::Global {
            self.global += 1;
            if let Some(project) = record.group.as_ref().filter(|_| record.group_is_project) {
                *self.unknown.entry(project.clone()).or_default() += 1;
            }
        }
    }

    fn tell(&self, done: &mut Imported) {
        for (project, count) in &self.unknown {
            done.warnings.push(format!(
                "{} for all projects, because no project here has that name alone; `--project ID --only {project}` \
                 puts that into one",
                kept(*count, &format!(" of `{project}`"))
            ));
        }
        let rest = self.global - self.unknown.values().sum::<u64>();
        if rest > 0 && self.named.is_none() {
            done.warnings.push(format!("{} for all projects; `--project ID` puts that into one", kept(rest, "")));
        }
    }
}

fn kept(count: u64, of: &str) -> String {
    if count == 1 { format!("1 record{of} is kept") } else { format!("{count} records{of} are kept") }
}

#[expect(clippy::too_many_arguments, reason = "one step of the loop above, cut out to be read alone")]
async fn store(
    ctx: &Ctx,
    stamp: &Stamp,
    importer: Descriptor,
    records: Vec<Record>,
    request: &Request,
    placing: &mut Placing,
    sessions: &mut BTreeSet<String>,
    done: &mut Imported,
) -> Result<()> {
    let mut prepared = Vec::with_capacity(records.len());
    for record in records {
        let scope = placing.scope(&record);
        match make(ctx, importer, &record, &scope, &done.path) {
            Ok(Made::Memory(new, warnings)) => {
                let place = &record.place;
                let told = warnings.into_iter().map(|warning| format!("{}, {}: {warning}", place.file, place.record));
                done.warnings.extend(told.take(LISTED.saturating_sub(done.warnings.len())));
                prepared.push((record, scope, *new));
            }
            Ok(Made::Nothing(reason)) => *done.passed_over.entry(reason).or_default() += 1,
            Err(error) => done.skip(record.place, error.to_string()),
        }
    }
    let captured = if request.dry_run || prepared.is_empty() {
        prepared.iter().map(|(_, _, new)| Captured::Stored(new.memory.id)).collect()
    } else {
        let scopes: BTreeSet<&Scope> = prepared.iter().map(|(_, scope, _)| scope).collect();
        let mut jobs = Vec::new();
        for scope in scopes {
            jobs.extend(after_capturing(ctx, scope)?);
        }
        let memories = prepared.iter().map(|(_, _, new)| new.clone()).collect();
        ctx.store().await?.capture(stamp.clone(), memories, jobs).await?
    };
    for ((record, scope, _), captured) in prepared.into_iter().zip(captured) {
        match captured {
            Captured::Duplicate(_) => done.duplicates += 1,
            Captured::Purged => *done.passed_over.entry("purged here".to_owned()).or_default() += 1,
            Captured::Stored(_) => {
                match record.kind {
                    Kind::Fact => done.facts += 1,
                    _ => done.episodes += 1,
                }
                placing.count(&record, &scope);
                *done.scopes.entry(scope.to_string()).or_default() += 1;
                sessions.extend(record.session);
            }
        }
    }
    Ok(())
}

enum Made {
    Memory(Box<NewMemory>, Vec<String>),
    Nothing(String),
}

fn make(ctx: &Ctx, importer: Descriptor, record: &Record, scope: &Scope, root: &Path) -> Result<Made> {
    let settings = &ctx.config().settings;
    if let Some(speaker) = &record.speaker
        && record.kind == Kind::Episode
        && !settings.capture.roles.iter().any(|kept| kept == speaker.group())
    {
        return Ok(Made::Nothing(format!("messages of role {} (capture.roles)", speaker.group())));
    }
    check_size(ctx, &record.content)?;
    let cleaned = clean(&record.content, settings.capture.redact);
    if cleaned.text.is_empty() {
        return Ok(Made::Nothing("private, or our own".to_owned()));
    }
    let mut attributes = record.attributes.clone();
    if let Some(group) = &record.group {
        attributes.entry("group".to_owned()).or_insert_with(|| group.clone().into());
    }
    let mut tags = record.tags.clone();
    tags.retain(|tag| !tag.is_empty());
    tags.push(importer.name.to_owned());
    let inside = if root.is_file() && record.place.file == file_name(root) {
        String::new()
    } else {
        format!("/{}", record.place.file)
    };
    let draft = Draft {
        kind: record.kind,
        scope: scope.clone(),
        content: cleaned.text,
        memory_type: record.memory_type.clone(),
        session_id: record.session.clone(),
        role: record.speaker.as_ref().map(|speaker| speaker.role().to_owned()),
        importance: None,
        confidence: None,
        event_time: record.time,
        origin: Origin { path: Some(format!("{}{inside}", root.display())), ..Origin::from(OriginKind::Import) },
        tags,
        source_ids: Vec::new(),
        attributes: clean_attributes(attributes, settings.capture.redact),
        client_id: Some(format!("{}:{}", importer.name, record.key)),
        explicit: false,
    };
    let mut new = prepare(ctx, draft)?;
    if record.kind == Kind::Fact {
        // It was kept elsewhere on purpose, so it does not fade within a month.
        let slowest = settings.memory.lasting_decay_rate.min(new.memory.decay_rate.value());
        new.memory.decay_rate = DecayRate::new(slowest).map_err(EngineError::defect)?;
    }
    for (name, entity_type) in &record.names {
        let name = clean_label(name, settings.capture.redact);
        if !name.is_empty() && new.mentions.iter().all(|mention| mention.name != name) {
            let id = EntityId::from(ctx.uuid()?);
            new.mentions.push(NewMention { id, name, entity_type: *entity_type, alias: None });
        }
    }
    Ok(Made::Memory(Box::new(new), cleaned.warnings))
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
