//! Conversations that a client wrote to files become episodes.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use scrubjay_core::scope::Scope;
use scrubjay_ingest::transcript::cursor::{self, Cursor, Identity, LineReader, RawLine};
use scrubjay_ingest::transcript::packed::{TooMuch, is_packed, is_transcript, plain};
use scrubjay_ingest::transcript::{self, Line, Passed, Record};
use scrubjay_store::source::TranscriptPlace;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::folder_projects::Projects;
use super::report::SyncReport;
use crate::blocking::{blocking, joined};
use crate::capture::{Message, capture, clean_id};
use crate::{Ctx, EngineError, Result};

/// Messages stored together.
const PART_MESSAGES: usize = 200;
/// Their bytes together; one message may be longer.
const PART_BYTES: usize = 4 << 20;
/// How deep folders of transcripts are.
const DEPTH: usize = 8;
/// Lines looked at for the folder of a conversation.
const LOOK_LINES: usize = 50;

/// How transcripts are written.
#[derive(Clone, Copy)]
pub struct Format(&'static transcript::Format);

impl Format {
    /// The names of all of them.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        transcript::FORMATS.iter().map(|format| format.name).collect()
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The format with this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(name: &str) -> Result<Self> {
        let found = transcript::FORMATS.iter().find(|format| format.name == name);
        found.map(Self).ok_or_else(|| {
            EngineError::invalid(format!("`{name}` is not a format of transcripts; use {}", Self::names().join(", ")))
        })
    }

    /// Where a place with such transcripts belongs. Where conversations name their folders, one place serves all
    /// projects; others belong to the project from which the place was named.
    #[must_use]
    pub fn scope_of_place(self, ctx: &Ctx) -> Scope {
        if self.0.names_folder { Scope::Global } else { ctx.view().home() }
    }

    /// The folder that a conversation took place in, if its first lines tell.
    pub(super) fn folder_in(self, path: &Path) -> Option<String> {
        let mut reader = cursor::open(path, None).ok()?;
        let mut parser = self.begin(path, "");
        for _ in 0..LOOK_LINES {
            let RawLine::Whole { bytes, .. } = reader.next_line().ok()?? else { continue };
            if let Line::Record(record) = parser.line(bytes)
                && record.project_path.is_some()
            {
                return record.project_path;
            }
        }
        None
    }

    fn begin(self, path: &Path, state: &str) -> Box<dyn transcript::Reader> {
        (self.0.begin)(path, &serde_json::from_str(state).unwrap_or_default())
    }
}

/// What reading would bring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Estimate {
    /// Transcripts there are.
    pub found: u64,
    /// Files with something new.
    pub files: u64,
    /// New bytes in them.
    pub bytes: u64,
    /// Messages in these.
    pub messages: u64,
    /// Characters of these messages.
    pub characters: u64,
}

impl Estimate {
    /// Adds what another place would bring.
    pub fn add(&mut self, other: Self) {
        self.found += other.found;
        self.files += other.files;
        self.bytes += other.bytes;
        self.messages += other.messages;
        self.characters += other.characters;
    }
}

/// How much is needed before a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Delta {
    /// So many new bytes.
    pub(super) bytes: u64,
    /// Or so many new messages.
    pub(super) messages: u64,
    /// Or so long without a change.
    pub(super) idle_ms: i64,
}

/// The transcripts in a folder, or the one file, oldest name first.
pub(super) fn files_in(path: &Path, format: Format) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let metadata = fs::metadata(path)?;
    if metadata.is_file() {
        files.push(path.to_owned());
    } else {
        collect(path, 0, &mut files)?;
        files.retain(|file| (format.0.is_one)(&plain(file)));
    }
    files.sort();
    Ok(files)
}

fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let file_type = entry.file_type()?;
        let path = entry.path();
        if file_type.is_dir() && depth < DEPTH {
            // One folder that cannot be read is no reason to leave the others.
            let _ = collect(&path, depth + 1, files);
        } else if file_type.is_file() && is_transcript(&path) {
            files.push(path);
        }
    }
    Ok(())
}

/// Reads what is new in one file.
pub(super) async fn read_file(
    ctx: &Ctx,
    path: &Path,
    format: Format,
    delta: Option<Delta>,
    report: &mut SyncReport,
) -> Result<()> {
    let Some(name) = path.to_str() else {
        report.skip(path.display().to_string(), "name-not-utf8", "its name is not valid UTF-8".to_owned());
        return Ok(());
    };
    let known = match place_of(ctx, path, name).await {
        Ok(known) => known,
        Err(error) => {
            report.skip(name.to_owned(), "failed", format!("it cannot be read: {error}"));
            return Ok(());
        }
    };
    let is_done = known.is_done(path).await?;
    let Known { place, size_bytes, modified_ms, .. } = known;
    let read_bytes = place.as_ref().map_or(0, |place| place.read_bytes);
    if is_done && place.as_ref().is_some_and(|place| place.path == name) {
        report.unchanged += 1;
        return Ok(());
    }
    if let Some(delta) = delta
        && !is_packed(path)
        && size_bytes.saturating_sub(read_bytes) < delta.bytes
        && ctx.now().millis() - modified_ms < delta.idle_ms
        && count_new(path, format, place.as_ref(), delta.messages).await? < delta.messages
    {
        report.put_off += 1;
        return Ok(());
    }
    let (send, mut parts) = mpsc::channel(2);
    let (from, before) = (path.to_owned(), place.clone());
    let reading = tokio::task::spawn_blocking(move || read_parts(&from, format, before.as_ref(), &send));
    let mut projects = Projects::of(ctx);
    let mut messages = place.as_ref().map_or(0, |place| place.messages);
    let mut through = None;
    while let Some(part) = parts.recv().await {
        let part: TranscriptBatch = part;
        let Captured { kept, again } = store(ctx, name, format, part.records, &mut projects, report).await?;
        messages += kept + again;
        report.messages += kept;
        report.duplicates += again;
        // After the messages: if the process dies in between, they are read again and known again.
        let place = TranscriptPlace { messages, read_at: ctx.now(), ..part.place };
        if is_packed(path) {
            through = Some(place);
        } else {
            ctx.store().await?.put_transcript(place).await?;
        }
        ctx.progress().step("reading transcripts", report.messages, None);
    }
    match joined("reading a transcript", reading.await)? {
        Ok(left_out) => {
            report.indexed += 1;
            if let Some(place) = through {
                ctx.store().await?.put_transcript(place).await?;
            }
            for size_bytes in left_out.too_long {
                report.skip(name.to_owned(), "line-too-long", format!("a line of {size_bytes} bytes was passed over"));
            }
            if let Some(first) = left_out.first_not_json {
                let lines = match left_out.not_json {
                    1 => "a line that is no JSON was".to_owned(),
                    count => format!("{count} lines that are no JSON were"),
                };
                report.skip(name.to_owned(), "not-json", format!("{lines} passed over, from byte {first} on"));
            }
        }
        Err(error) => {
            let reason = TooMuch::of(&error).map_or("failed", TooMuch::name);
            report.skip(name.to_owned(), reason, format!("reading stopped: {error}"));
        }
    }
    Ok(())
}

/// Counts what reading a file would bring.
pub(super) async fn estimate_file(ctx: &Ctx, path: &Path, format: Format, sum: &mut Estimate) -> Result<()> {
    let Some(name) = path.to_str() else { return Ok(()) };
    let Ok(known) = place_of(ctx, path, name).await else { return Ok(()) };
    if known.is_done(path).await? {
        return Ok(());
    }
    let Known { place, size_bytes, .. } = known;
    let read_bytes = place.as_ref().map_or(0, |place| place.read_bytes);
    let from = path.to_owned();
    let count = move || -> io::Result<(u64, u64)> {
        let mut sum = (0, 0);
        each_record(&from, format, place.as_ref(), |record| {
            sum = (sum.0 + 1, sum.1 + record.text.chars().count() as u64);
            true
        })?;
        Ok(sum)
    };
    let Ok((messages, characters)) = blocking("counting messages", count).await? else { return Ok(()) };
    if messages > 0 {
        sum.files += 1;
    }
    sum.bytes += size_bytes.saturating_sub(read_bytes);
    sum.messages += messages;
    sum.characters += characters;
    Ok(())
}

struct Known {
    place: Option<TranscriptPlace>,
    identity: Identity,
    size_bytes: u64,
    modified_ms: i64,
}

impl Known {
    // Whether there is nothing new in it.
    async fn is_done(&self, path: &Path) -> Result<bool> {
        let Some(place) = &self.place else { return Ok(false) };
        // The size of a compressed one tells nothing of its text's.
        if !is_packed(path) && place.read_bytes != self.size_bytes {
            return Ok(false);
        }
        let is_same_file = Identity { device: place.device, inode: place.inode } == self.identity;
        if is_same_file && Path::new(&place.path) == path && self.modified_ms < place.read_at.millis() {
            return Ok(true);
        }
        // Another file may have taken its place, or its number, and be as long.
        let (path, cursor) = (path.to_owned(), cursor_of(place));
        blocking("looking at a transcript", move || was_read(&path, &cursor)).await
    }
}

// Whether a file begins with what was read, and has nothing after it.
fn was_read(path: &Path, cursor: &Cursor) -> bool {
    let Ok(mut reader) = cursor::open(path, Some(cursor)) else { return false };
    let goes_on = matches!(reader.start(), cursor::Start::Continued | cursor::Start::Moved);
    goes_on && matches!(reader.next_line(), Ok(None))
}

// How far a file was read, under this name or under the one it had before.
async fn place_of(ctx: &Ctx, path: &Path, name: &str) -> Result<Known> {
    let metadata = fs::metadata(path).map_err(|error| EngineError::io("read", path, error))?;
    let store = ctx.store().await?;
    let identity = cursor::identity(&metadata);
    let mut place = store.transcript(name).await?;
    if place.is_none() && identity != Identity::default() {
        place = store.transcripts_of_file(identity.device, identity.inode).await?.pop();
    }
    let since = metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let modified_ms = i64::try_from(since.unwrap_or(Duration::ZERO).as_millis()).unwrap_or(i64::MAX);
    Ok(Known { place, identity, size_bytes: metadata.len(), modified_ms })
}

async fn count_new(path: &Path, format: Format, place: Option<&TranscriptPlace>, enough: u64) -> Result<u64> {
    let (from, place) = (path.to_owned(), place.cloned());
    let count = move || {
        let mut count = 0;
        let _ = each_record(&from, format, place.as_ref(), |_| {
            count += 1;
            count < enough
        });
        count
    };
    blocking("counting messages", count).await
}

fn each_record(
    path: &Path,
    format: Format,
    place: Option<&TranscriptPlace>,
    mut each: impl FnMut(&Record) -> bool,
) -> io::Result<()> {
    let mut reader = cursor::open(path, place.map(cursor_of).as_ref())?;
    let mut parser = format.begin(path, place.map_or("", |place| place.state.as_str()));
    while let Some(line) = reader.next_line()? {
        if let RawLine::Whole { bytes, .. } = line
            && let Line::Record(record) = parser.line(bytes)
            && !each(&record)
        {
            return Ok(());
        }
    }
    Ok(())
}

/// What was read, and where reading stands after it.
struct TranscriptBatch {
    records: Vec<Record>,
    place: TranscriptPlace,
}

/// Lines that may have held something that was said.
#[derive(Default)]
struct LeftOut {
    /// The sizes of those that are too long.
    too_long: Vec<u64>,
    /// How many are damaged, or of another format.
    not_json: u64,
    /// Where the first of them begins.
    first_not_json: Option<u64>,
}

// Sends part after part; returns what was passed over.
fn read_parts(
    path: &Path,
    format: Format,
    place: Option<&TranscriptPlace>,
    send: &mpsc::Sender<TranscriptBatch>,
) -> io::Result<LeftOut> {
    let mut reader = cursor::open(path, place.map(cursor_of).as_ref())?;
    let goes_on = matches!(reader.start(), cursor::Start::Continued | cursor::Start::Moved);
    let mut parser = format.begin(path, place.filter(|_| goes_on).map_or("", |place| place.state.as_str()));
    let (mut records, mut bytes) = (Vec::new(), 0);
    let mut left_out = LeftOut::default();
    loop {
        let line = reader.next_line()?;
        let ended = line.is_none();
        match line {
            Some(RawLine::Whole { bytes: line, offset }) => match parser.line(line) {
                Line::Record(record) => {
                    bytes += record.text.len();
                    records.push(*record);
                }
                Line::Passed(Passed::NotJson) => {
                    left_out.not_json += 1;
                    left_out.first_not_json.get_or_insert(offset);
                }
                Line::Passed(_) => {}
            },
            Some(RawLine::TooLong { size_bytes, .. }) => left_out.too_long.push(size_bytes),
            None => {}
        }
        if ended || records.len() >= PART_MESSAGES || bytes >= PART_BYTES {
            bytes = 0;
            let place = place_after(path, format, &mut reader, &*parser)?;
            if send.blocking_send(TranscriptBatch { records: std::mem::take(&mut records), place }).is_err() || ended {
                return Ok(left_out);
            }
        }
    }
}

fn place_after(
    path: &Path,
    format: Format,
    reader: &mut LineReader<fs::File>,
    parser: &dyn transcript::Reader,
) -> io::Result<TranscriptPlace> {
    let cursor = reader.cursor()?;
    Ok(TranscriptPlace {
        path: path.to_string_lossy().into_owned(),
        format: format.name().to_owned(),
        read_bytes: cursor.offset,
        device: cursor.identity.device,
        inode: cursor.identity.inode,
        head_hash: cursor.head_hash,
        tail_hash: cursor.tail_hash,
        state: state_of(parser),
        messages: 0,
        read_at: scrubjay_core::time::Timestamp::from_millis(0),
    })
}

fn cursor_of(place: &TranscriptPlace) -> Cursor {
    Cursor {
        offset: place.read_bytes,
        identity: Identity { device: place.device, inode: place.inode },
        head_hash: place.head_hash,
        tail_hash: place.tail_hash,
    }
}

#[derive(Default)]
struct Captured {
    kept: u64,
    again: u64,
}

async fn store(
    ctx: &Ctx,
    path: &str,
    format: Format,
    records: Vec<Record>,
    projects: &mut Projects,
    report: &mut SyncReport,
) -> Result<Captured> {
    let mut captured = Captured::default();
    if records.is_empty() {
        return Ok(captured);
    }
    let plain = plain(Path::new(path));
    let session = plain.file_stem().and_then(|stem| stem.to_str()).unwrap_or(path).to_owned();
    let mut messages: Vec<Message> = records
        .into_iter()
        .filter_map(|record| {
            let is_off = projects.is_off(&record);
            (!is_off).then(|| message(record, &session, format, projects))
        })
        .collect();
    if ctx.view().project_id().is_none() {
        for message in messages.iter_mut().filter(|message| message.project.is_none()) {
            message.project = projects.of_session(ctx, &message.session_id).await?;
        }
    }
    for result in capture(ctx, messages).await? {
        match (result.id, result.duplicate, result.error) {
            (_, _, Some(error)) => report.skip(path.to_owned(), "message-refused", error),
            (Some(_), true, _) => captured.again += 1,
            (Some(_), false, _) => captured.kept += 1,
            (None, ..) => {}
        }
        for warning in result.warnings {
            if report.warnings.len() < 100 && !report.warnings.contains(&warning) {
                report.warnings.push(warning);
            }
        }
    }
    Ok(captured)
}

fn message(record: Record, session: &str, format: Format, projects: &mut Projects) -> Message {
    let mut attributes: BTreeMap<String, Value> = BTreeMap::new();
    attributes.insert("client".to_owned(), json!(format.name()));
    for (name, value) in [("model", record.model), ("git_branch", record.git_branch)] {
        if let Some(value) = value {
            attributes.insert(name.to_owned(), json!(value));
        }
    }
    Message {
        session_id: record.session_id.unwrap_or_else(|| session.to_owned()),
        role: record.speaker.unwrap_or_else(|| record.role.name().to_owned()),
        content: record.text,
        time: record.time.map(|time| json!(time.to_string())),
        id: Some(record.message_id),
        project: record.project_path.map(|folder| projects.id(&folder)),
        memory_type: None,
        origin: None,
        attributes,
    }
}

// What is kept of a reader.
fn state_of(parser: &dyn transcript::Reader) -> String {
    let Some(mut state) = parser.state() else { return String::new() };
    // It may be a secret; what is stored under it carries the same name.
    if let Some(session) = state.get_mut("session_id")
        && let Some(text) = session.as_str()
    {
        *session = json!(clean_id(text, true));
    }
    state.to_string()
}
