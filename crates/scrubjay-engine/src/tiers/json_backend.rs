//! A tier in one JSON file, for those who want a file that people can read.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use scrubjay_core::filter::{Filter, Order};
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::Memory;

use super::backend::Backend;
use crate::record::MemoryRecord;
use crate::{Ctx, EngineError, Result};

/// The largest file that is read.
const FILE_BYTES: u64 = 256 << 20;

/// Items in one JSON file. Writes within `debounce` of the last save are saved
/// with a later one, by [`JsonBackend::flush`], or when the backend goes; a save
/// replaces the file as a whole. Killing the process can lose what was not saved
/// yet, and never damages the file. One process at a time may use a file.
pub struct JsonBackend {
    ctx: Ctx,
    path: PathBuf,
    debounce: Duration,
    state: Mutex<State>,
}

struct State {
    items: BTreeMap<MemoryId, Memory>,
    dirty: bool,
    saved_at: Option<Duration>,
}

impl JsonBackend {
    /// Opens the file, or begins a new one at the first save.
    ///
    /// # Errors
    /// When the file cannot be read or is something else.
    pub fn open(ctx: &Ctx, path: impl Into<PathBuf>, debounce: Duration) -> Result<Self> {
        let path = path.into();
        let items = load(&path)?;
        Ok(Self { ctx: ctx.clone(), path, debounce, state: Mutex::new(State { items, dirty: false, saved_at: None }) })
    }

    /// Saves what waits.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn flush(&self) -> Result<()> {
        self.save(&mut self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Items are changed in one step each, so that a panic leaves them whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<MemoryId, Memory>) -> T) -> Result<T> {
        let mut state = self.lock();
        let result = change(&mut state.items);
        state.dirty = true;
        let waits = state.saved_at.is_some_and(|saved| self.ctx.elapsed().saturating_sub(saved) < self.debounce);
        if !waits {
            self.save(&mut state)?;
        }
        Ok(result)
    }

    fn save(&self, state: &mut State) -> Result<()> {
        if !state.dirty {
            return Ok(());
        }
        let now = self.ctx.now();
        let records: Vec<MemoryRecord> = state.items.values().map(|memory| MemoryRecord::at(memory, now)).collect();
        let text = serde_json::to_string_pretty(&records)
            .map_err(|source| EngineError::Encode { operation: "tier.save", source })?;
        replace(&self.path, text.as_bytes())?;
        state.dirty = false;
        state.saved_at = Some(self.ctx.elapsed());
        Ok(())
    }
}

impl Drop for JsonBackend {
    fn drop(&mut self) {
        // Nobody is left to hear of a failure; `flush` tells whoever wants to know.
        let _ = self.flush();
    }
}

#[async_trait]
impl Backend for JsonBackend {
    async fn add(&self, item: Memory) -> Result<()> {
        self.change(|items| {
            items.insert(item.id, item);
        })
    }

    async fn query(&self, filter: &Filter, order: &Order, limit: usize) -> Result<Vec<Memory>> {
        let mut found: Vec<Memory> =
            self.lock().items.values().filter(|memory| filter.matches(memory)).cloned().collect();
        found.sort_by(|a, b| order.compare(a, b));
        found.truncate(limit);
        Ok(found)
    }

    async fn get(&self, id: MemoryId) -> Result<Option<Memory>> {
        Ok(self.lock().items.get(&id).cloned())
    }

    async fn delete(&self, id: MemoryId) -> Result<bool> {
        if !self.lock().items.contains_key(&id) {
            return Ok(false);
        }
        self.change(|items| items.remove(&id).is_some())
    }

    async fn list_all(&self) -> Result<Vec<Memory>> {
        self.query(&Filter::default(), &Order::default(), usize::MAX).await
    }

    async fn clear(&self) -> Result<()> {
        self.change(BTreeMap::clear)
    }

    async fn count(&self) -> Result<usize> {
        Ok(self.lock().items.len())
    }
}

fn load(path: &Path) -> Result<BTreeMap<MemoryId, Memory>> {
    let failed = |error| EngineError::io("read", path, error);
    match fs::metadata(path) {
        Ok(metadata) if metadata.len() > FILE_BYTES => {
            let limit = FILE_BYTES >> 20;
            return Err(EngineError::invalid(format!("{} has more than {limit} MiB", path.display())));
        }
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(failed(error)),
    }
    let text = fs::read_to_string(path).map_err(failed)?;
    let records: Vec<MemoryRecord> = serde_json::from_str(&text)
        .map_err(|error| EngineError::invalid(format!("{} holds no list of memories: {error}", path.display())))?;
    let mut items = BTreeMap::new();
    for record in records {
        let scope = record.scope.parse().map_err(EngineError::invalid)?;
        let mut memory = record.to_memory(record.content.clone(), scope)?;
        memory.version = record.version;
        items.insert(memory.id, memory);
    }
    Ok(items)
}

// A new file beside it, on disk, then in its place: a reader sees the old one or
// the new one.
#[expect(clippy::disallowed_methods, reason = "a reader must see the old file or the new one, whole")]
fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |error| EngineError::io("write", path, error);
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let beside = PathBuf::from(name);
    let mut file =
        fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)?;
    fs::rename(&beside, path).map_err(failed)?;
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
    }
    Ok(())
}
