//! Facts as files that a person edits: a folder that goes both ways.
//!
//! Each fact of a scope is one Markdown file with the fact's id in its front
//! matter. What was written last is noted in a list beside the files, so that of
//! a difference it is known who made it: an edited file changes its fact, a
//! changed fact rewrites its file, a deleted file forgets its fact, and where
//! both changed, both are kept. A file without an id becomes a fact.
//!
//! These files are not indexed: what they say is found as facts. Nothing is
//! written outside of the folder, and a file that is no plain file is left alone.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use scrubjay_core::filter::{Field, Filter};
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Confidence, EndedBy, Kind, Link, Memory, MemoryType, Origin, OriginKind, Relation};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;
use scrubjay_ingest::source::walk::{WalkEntry, WalkLimits};
use scrubjay_ingest::source::{front_matter, notes};
use scrubjay_store::StoreError;
use scrubjay_store::change::{Applied, Change, Patch};
use scrubjay_store::query::{Activity, ListQuery};
use scrubjay_store::source::SourcePlace;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::report::SyncReport;
use super::run::{SyncOptions, sync_place};
use super::trigger::Trigger;
use crate::capture::{Draft, check_size, clean, prepare};
use crate::queue::after_writing;
use crate::replace_file::put;
use crate::tiers::{Ask, ask};
use crate::{Ctx, EngineError, Result};

/// The format of a place whose files are facts.
pub const FACT_FILES: &str = "facts";

/// The list of what was written last.
const LIST: &str = ".scrubjay.json";
/// Facts of one folder.
const AT_MOST: usize = 10_000;
/// A longer file without an id is a document, not a fact.
const NEW_BYTES: usize = 4096;
/// The operation that changes are noted under.
const OPERATION: &str = "sync";

/// Whether a folder can become one: it is new, empty, or was one before.
///
/// # Errors
/// When it holds notes that are not ours, or cannot be made.
pub fn prepare_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(|error| EngineError::io("make the folder", path, error))?;
    if path.join(LIST).exists() {
        return Ok(());
    }
    let limits = WalkLimits { file_bytes: u64::MAX, depth: 32 };
    let found = notes::of_folder(path, limits).map_err(|error| EngineError::io("read the folder", path, error))?;
    if found.is_empty() {
        return match holds_something(path)? {
            false => Ok(()),
            true => Err(EngineError::refused(format!(
                "{} is not empty, and facts are not written between other files; name a new or an empty folder",
                path.display()
            ))),
        };
    }
    Err(EngineError::refused(format!(
        "there are notes in {} already ({}), and each would become a fact; name an empty folder, or read them as they are without --write",
        path.display(),
        found.len()
    )))
}

// Hidden files, such as those of git or of an editor, are nobody's notes.
fn holds_something(path: &Path) -> Result<bool> {
    let failed = |error| EngineError::io("read the folder", path, error);
    for entry in fs::read_dir(path).map_err(failed)? {
        if !entry.map_err(failed)?.file_name().as_encoded_bytes().starts_with(b".") {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Writes the files of folders whose facts changed. For whoever works in the background.
///
/// # Errors
/// When the store fails or a folder cannot be written.
pub async fn refresh_fact_files(ctx: &Ctx) -> Result<()> {
    let store = ctx.store().await?;
    for place in store.all_sources().await?.into_iter().filter(|place| place.format == FACT_FILES) {
        let mark = format!("facts:{}:{}", place.scope, place.path);
        let after = store.mark(&mark).await?.unwrap_or_default();
        let Some(last) = store.feed(&place.scope, after, 1000).await?.last().map(|item| item.position) else {
            continue;
        };
        if Path::new(&place.path).is_dir() {
            sync_place(ctx, &place, Trigger::Watch, SyncOptions::default()).await?;
        }
        store.set_mark(&mark, last).await?;
    }
    Ok(())
}

/// Brings the facts of a scope and the files of a folder in step.
pub(super) async fn sync_fact_files(ctx: &Ctx, place: &SourcePlace, dry_run: bool) -> Result<SyncReport> {
    let root = PathBuf::from(&place.path);
    let mut report = SyncReport::default();
    if dry_run {
        report.warnings.push(format!("{} goes both ways and was not looked at", root.display()));
        return Ok(report);
    }
    if !root.is_dir() {
        let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
        return Err(EngineError::io("read the folder", &root, missing));
    }
    let Some(_lock) = lock(&root)? else {
        // Another process is at it.
        report.put_off += 1;
        return Ok(report);
    };
    let ctx = ctx.at(View::of(&place.scope))?;
    let facts = facts(&ctx, &place.scope).await?;
    let limits = WalkLimits { file_bytes: ctx.config().settings.capture.max_bytes, depth: 8 };
    let list = List::read(&root)?;
    let mut folder = Folder { ctx, root, scope: place.scope.clone(), facts, list, report };
    let (known, new) = folder.notes(limits)?;
    // What is missing first: what the files that are there lead to is written, and listed, only now.
    folder.follow_missing(&known).await?;
    folder.follow_files(&known).await?;
    folder.write_missing(&known)?;
    for note in new {
        folder.take_in(&note).await?;
    }
    folder.list.write(&folder.ctx, &folder.root)?;
    Ok(folder.report)
}

// Held until it goes.
fn lock(root: &Path) -> Result<Option<File>> {
    let failed = |error| EngineError::io("lock", root, error);
    let file = File::open(root).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(error)) => Err(failed(error)),
    }
}

async fn facts(ctx: &Ctx, scope: &Scope) -> Result<BTreeMap<MemoryId, Memory>> {
    let filter = Filter::default().and_equal(Field::Kind, Kind::Fact.name()).and_equal(Field::Scope, scope.to_string());
    let query = ListQuery { filter, activity: Activity::Active, limit: AT_MOST, ..ListQuery::default() };
    let page = ctx.store().await?.list(ctx.view(), query).await?;
    if page.next.is_some() {
        return Err(EngineError::refused(format!(
            "there are more than {AT_MOST} facts; that is no folder to edit by hand"
        )));
    }
    let holds = |fact: &Memory| fact.confidence > Confidence::SUPERSEDED;
    Ok(page.memories.into_iter().filter(holds).map(|fact| (fact.id, fact)).collect())
}

/// What a file shows of a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shown {
    content: String,
    memory_type: String,
    tags: Vec<String>,
}

impl Shown {
    fn of(fact: &Memory) -> Self {
        let mut tags = fact.tags.clone();
        tags.sort();
        Self { content: fact.content.trim().to_owned(), memory_type: fact.memory_type.to_string(), tags }
    }

    fn hash(&self) -> String {
        let whole = format!("{}\n{}\n{}", self.memory_type, self.tags.join(","), self.content);
        TextHash::of_value(&whole).to_string()
    }
}

/// A file as it is.
#[derive(Debug, Clone)]
struct Note {
    file: String,
    id: Option<MemoryId>,
    shown: Shown,
}

/// What was written last, by id.
#[derive(Debug, Default, Serialize, Deserialize)]
struct List {
    files: BTreeMap<String, Written>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Written {
    file: String,
    hash: String,
}

impl List {
    fn read(root: &Path) -> Result<Self> {
        let path = root.join(LIST);
        match fs::read(&path) {
            // Without the list every difference is a conflict, and both sides are kept.
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).unwrap_or_default()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(EngineError::io("read", path, error)),
        }
    }

    fn write(&self, ctx: &Ctx, root: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|source| EngineError::Encode { operation: OPERATION, source })?;
        let path = root.join(LIST);
        if fs::read_to_string(&path).is_ok_and(|found| found == text) {
            return Ok(());
        }
        put(ctx, &path, &text)
    }
}

struct Folder {
    ctx: Ctx,
    root: PathBuf,
    scope: Scope,
    facts: BTreeMap<MemoryId, Memory>,
    list: List,
    report: SyncReport,
}

impl Folder {
    // The files of known facts, each fact once, and those that are not known yet.
    fn notes(&mut self, limits: WalkLimits) -> Result<(BTreeMap<MemoryId, Note>, Vec<Note>)> {
        let found = notes::of_folder(&self.root, limits)
            .map_err(|error| EngineError::io("read the folder", &self.root, error))?;
        let (mut known, mut new): (BTreeMap<MemoryId, Note>, Vec<Note>) = (BTreeMap::new(), Vec::new());
        for found in found {
            let path = match found {
                WalkEntry::File(file) => file.path,
                WalkEntry::Skipped(skipped) => {
                    self.report.skip(
                        skipped.relative.clone(),
                        "not-read",
                        "it is no plain file in this folder".to_owned(),
                    );
                    continue;
                }
            };
            let Some(file) = path.strip_prefix(&self.root).ok().and_then(Path::to_str) else { continue };
            let Ok(text) = fs::read_to_string(&path) else {
                self.report.skip(file.to_owned(), "not-text", "it is no text in UTF-8".to_owned());
                continue;
            };
            let note = read(file, &text);
            match note.id {
                None => new.push(note),
                Some(id) => match known.get(&id) {
                    None => drop(known.insert(id, note)),
                    // A copy that says the same is no second fact.
                    Some(first) if first.shown == note.shown => {
                        self.report.skip(note.file, "copy", format!("it is a copy of {}", first.file));
                    }
                    Some(_) => new.push(Note { id: None, ..note }),
                },
            }
        }
        Ok((known, new))
    }

    async fn follow_files(&mut self, known: &BTreeMap<MemoryId, Note>) -> Result<()> {
        for (id, note) in known {
            let written = self.list.files.get(&id.to_string()).map(|written| written.hash.clone());
            let file_changed = written.as_deref() != Some(note.shown.hash().as_str());
            let Some(fact) = self.facts.get(id).cloned() else {
                match written {
                    None => {
                        let why = "its fact is not one of these; without its id it becomes a new one".to_owned();
                        self.report.skip(note.file.clone(), "unknown-id", why);
                    }
                    // It was edited after its fact had ended: the edit is kept as a fact of its own.
                    Some(_) => {
                        self.list.files.remove(&id.to_string());
                        if file_changed {
                            self.take_in(&Note { id: None, ..note.clone() }).await?;
                        } else {
                            self.remove(&note.file)?;
                        }
                    }
                }
                continue;
            };
            let shown = Shown::of(&fact);
            let fact_changed = written.as_deref() != Some(shown.hash().as_str());
            if note.shown == shown {
                self.note(*id, &note.file, &shown);
                self.report.unchanged += 1;
            } else if note.shown.content.is_empty() {
                let why = "it is empty; delete the file to forget the fact".to_owned();
                self.report.skip(note.file.clone(), "empty", why);
            } else if file_changed && !fact_changed {
                self.edit(&fact, note).await?;
            } else if file_changed {
                self.keep_both(&fact, note).await?;
            } else {
                self.write(&fact, Some(&note.file))?;
            }
        }
        Ok(())
    }

    // A file that is gone forgets its fact, unless the fact changed meanwhile or everything is gone at once.
    async fn follow_missing(&mut self, known: &BTreeMap<MemoryId, Note>) -> Result<()> {
        let listed: Vec<(MemoryId, Written)> = (self.list.files.iter())
            .filter_map(|(id, written)| Some((id.parse().ok()?, written.clone())))
            .filter(|(id, _)| !known.contains_key(id))
            .collect();
        let emptied = known.is_empty() && listed.len() > 1;
        if emptied {
            let message = format!(
                "all {} files in {} are gone, which is more likely an accident than a wish: nothing was forgotten, and \
                 they are written again",
                listed.len(),
                self.root.display()
            );
            self.report.warnings.push(message);
        }
        let mut forgotten = Vec::new();
        for (id, written) in listed {
            self.list.files.remove(&id.to_string());
            let Some(fact) = self.facts.get(&id) else { continue };
            if emptied {
                continue;
            }
            if Shown::of(fact).hash() == written.hash {
                forgotten.push(Change::End { id, expected_version: Some(fact.version), by: EndedBy::Forgotten });
                self.facts.remove(&id);
            } else {
                let message = format!("{} was deleted, but its fact had changed; it is written again", written.file);
                self.report.warnings.push(message);
            }
        }
        if !forgotten.is_empty() {
            self.report.removed += forgotten.len() as u64;
            let stamp = self.ctx.stamp(OPERATION)?;
            self.ctx.store().await?.apply(self.ctx.view(), stamp, forgotten, Vec::new()).await?;
        }
        Ok(())
    }

    fn write_missing(&mut self, known: &BTreeMap<MemoryId, Note>) -> Result<()> {
        let missing: Vec<Memory> = (self.facts.values())
            .filter(|fact| !known.contains_key(&fact.id) && !self.list.files.contains_key(&fact.id.to_string()))
            .cloned()
            .collect();
        for fact in missing {
            self.write(&fact, None)?;
        }
        Ok(())
    }

    async fn edit(&mut self, fact: &Memory, note: &Note) -> Result<()> {
        let redact = self.ctx.config().settings.capture.redact;
        let cleaned = clean(&note.shown.content, redact);
        let memory_type: MemoryType = note.shown.memory_type.parse().map_err(EngineError::invalid)?;
        self.report.warnings.extend(cleaned.warnings);
        if cleaned.text.is_empty() {
            self.report.skip(note.file.clone(), "empty", "there is nothing in it to keep".to_owned());
            return Ok(());
        }
        let origin = fact.origin.kind;
        let must_ask = |one: &MemoryType| self.ctx.must_ask(&fact.scope, one, origin, false);
        if must_ask(&memory_type) || must_ask(&fact.memory_type) {
            // What steers every agent waits for the owner's word; a file may be anyone's.
            let question = format!("Change “{}” to “{}” for all projects", fact.content, cleaned.text);
            let input = json!({"id": fact.id.to_string(), "content": cleaned.text, "type": memory_type.to_string()});
            let id = ask(&self.ctx, "edit", input, question).await?;
            self.report
                .warnings
                .push(format!("the edit of {} waits as {id}; `scrubjay confirmations` lists it", note.file));
            return self.write(fact, Some(&note.file));
        }
        let patch = Patch {
            content: Some(cleaned.text),
            memory_type: Some(memory_type),
            tags: Some(note.shown.tags.clone()),
            ..Patch::default()
        };
        let change = Change::Update { id: fact.id, expected_version: Some(fact.version), patch: Box::new(patch) };
        let store = self.ctx.store().await?;
        let jobs = after_writing(&self.ctx, &fact.scope)?;
        match store.apply(self.ctx.view(), self.ctx.stamp(OPERATION)?, vec![change], jobs).await {
            // It changed just now; the next look keeps both.
            Err(StoreError::Changed { .. }) => {
                self.report.put_off += 1;
                return Ok(());
            }
            Err(error) => return Err(error.into()),
            Ok(applied) => {
                if let Some(Applied::Memory(fact)) = applied.into_iter().next() {
                    self.report.indexed += 1;
                    self.agree(&fact, note)?;
                }
            }
        }
        Ok(())
    }

    // Both changed: the fact stays as it is, and what the file says becomes another one that contradicts it.
    async fn keep_both(&mut self, fact: &Memory, note: &Note) -> Result<()> {
        let message = format!(
            "{} and its fact both changed; both are kept, and `scrubjay review` asks which one holds",
            note.file
        );
        self.report.warnings.push(message);
        if let Some(other) = self.create(note, Some(fact.id)).await? {
            self.write(&other, None)?;
        }
        self.write(fact, Some(&note.file))
    }

    // A file that is not known yet becomes a fact.
    async fn take_in(&mut self, note: &Note) -> Result<()> {
        if note.shown.content.len() > NEW_BYTES {
            let why = format!("it is longer than {NEW_BYTES} bytes, so it is no fact; keep it in another folder");
            self.report.skip(note.file.clone(), "too-long", why);
            return Ok(());
        }
        if let Some(fact) = self.create(note, None).await? {
            self.agree(&fact, note)?;
        }
        Ok(())
    }

    async fn create(&mut self, note: &Note, contradicts: Option<MemoryId>) -> Result<Option<Memory>> {
        let settings = &self.ctx.config().settings.capture;
        check_size(&self.ctx, &note.shown.content)?;
        let cleaned = clean(&note.shown.content, settings.redact);
        self.report.warnings.extend(cleaned.warnings);
        if cleaned.text.is_empty() {
            self.report.skip(note.file.clone(), "empty", "there is nothing in it to keep".to_owned());
            return Ok(None);
        }
        let path = self.root.join(&note.file).display().to_string();
        let draft = Draft {
            kind: Kind::Fact,
            scope: self.scope.clone(),
            content: cleaned.text,
            memory_type: Some(note.shown.memory_type.clone()),
            session_id: None,
            role: None,
            importance: None,
            confidence: None,
            event_time: None,
            origin: Origin { path: Some(path), ..Origin::from(OriginKind::File) },
            tags: note.shown.tags.clone(),
            source_ids: Vec::new(),
            attributes: BTreeMap::new(),
            client_id: None,
            explicit: false,
        };
        let mut new = prepare(&self.ctx, draft)?;
        if self.ctx.must_ask(&new.memory.scope, &new.memory.memory_type, OriginKind::File, false) {
            let why = "it would hold for all projects as a preference; `scrubjay remember --scope global --type preference` asks for it";
            self.report.skip(note.file.clone(), "needs-consent", why.to_owned());
            return Ok(None);
        }
        let mut changes = Vec::new();
        if let Some(to) = contradicts {
            new.memory.attributes.insert("review".to_owned(), "conflict".into());
            changes.push(Change::Link(Link { from: new.memory.id, relation: Relation::Contradicts, to }));
        }
        changes.insert(0, Change::Create(Box::new(new)));
        let jobs = after_writing(&self.ctx, &self.scope)?;
        let store = self.ctx.store().await?;
        let applied = store.apply(self.ctx.view(), self.ctx.stamp(OPERATION)?, changes, jobs).await?;
        match applied.into_iter().next() {
            Some(Applied::Memory(fact)) => {
                self.report.indexed += 1;
                Ok(Some(*fact))
            }
            Some(Applied::Purged) => {
                self.report.skip(note.file.clone(), "purged", "this text was purged and is not kept again".to_owned());
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    // The file is written again only if the fact says something else, or the id is missing in it.
    fn agree(&mut self, fact: &Memory, note: &Note) -> Result<()> {
        let shown = Shown::of(fact);
        if note.id == Some(fact.id) && note.shown == shown {
            self.note(fact.id, &note.file, &shown);
            return Ok(());
        }
        self.write(fact, Some(&note.file))
    }

    fn write(&mut self, fact: &Memory, file: Option<&str>) -> Result<()> {
        let file = file.map_or_else(|| file_name(fact), str::to_owned);
        let path = self.root.join(&file);
        // Only a plain file is replaced: a link could lead anywhere.
        if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
            self.report.skip(file, "not-a-file", "there is something else by that name".to_owned());
            return Ok(());
        }
        put(&self.ctx, &path, &render(fact))?;
        self.report.indexed += 1;
        self.note(fact.id, &file, &Shown::of(fact));
        Ok(())
    }

    fn remove(&mut self, file: &str) -> Result<()> {
        let path = self.root.join(file);
        fs::remove_file(&path).map_err(|error| EngineError::io("remove", &path, error))?;
        self.report.removed += 1;
        Ok(())
    }

    fn note(&mut self, id: MemoryId, file: &str, shown: &Shown) {
        self.list.files.insert(id.to_string(), Written { file: file.to_owned(), hash: shown.hash() });
    }
}

fn render(fact: &Memory) -> String {
    let shown = Shown::of(fact);
    format!(
        "---\nid: {}\ntype: {}\ntags: [{}]\ncreated: {}\n---\n\n{}\n",
        fact.id,
        shown.memory_type,
        shown.tags.join(", "),
        fact.created_at,
        shown.content
    )
}

fn read(file: &str, text: &str) -> Note {
    let front = front_matter::parse(text);
    let body = front.as_ref().map_or(text, |front| &text[front.body_start..]);
    let block = front.as_ref().map_or("", |front| &text[..front.body_start]);
    let id = block.lines().find_map(|line| line.strip_prefix("id:")).and_then(|id| id.trim().parse().ok());
    let mut tags = front.as_ref().map(|front| front.tags.clone()).unwrap_or_default();
    tags.sort();
    let memory_type = front.and_then(|front| front.kind).unwrap_or_else(|| Kind::Fact.default_type().to_string());
    Note { file: file.to_owned(), id, shown: Shown { content: body.trim().to_owned(), memory_type, tags } }
}

// The first words, and enough of the id to tell two facts apart.
fn file_name(fact: &Memory) -> String {
    let letters = fact.content.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { ' ' });
    let words: String = letters.take(60).collect();
    let words = words.split_whitespace().take(7).collect::<Vec<_>>().join("-");
    let id = fact.id.to_string();
    let tail = &id[id.len().saturating_sub(8)..];
    if words.is_empty() { format!("{tail}.md") } else { format!("{words}-{tail}.md") }
}
