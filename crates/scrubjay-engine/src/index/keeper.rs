//! The keeper: gives snapshots that know everything, and brings the files up to
//! date.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use scrubjay_core::lexical::ANALYZER_VERSION;
use scrubjay_core::scope::View;
use scrubjay_index::{Batch, Identity, Index, IndexError, Item as Indexed, Snapshot, Summary};
use scrubjay_store::Store;
use scrubjay_store::change::{PURGES, PURGES_IN_INDEX};
use scrubjay_store::item::{Generation, GenerationState, Item, ItemKey, Tail, TailEntry};

use super::item::{ITEM_VERSION, indexed};
use super::roots::Roots;
use crate::home::Home;
use crate::{EngineError, Result};

/// What the files were made with.
const ANALYSER: u32 = ANALYZER_VERSION << 16 | ITEM_VERSION;

/// Changes read at a time.
const PAGE: usize = 2048;

/// When so many changes are not in the files, they are written there before the
/// search goes on: every process that starts would have to read them again.
const WRITE_AFTER: u64 = 512;

/// How many positions of the log are kept for an index elsewhere that lags
/// behind.
const LOG_KEPT: u64 = 100_000;

/// How long a search waits for another process that is making the files anew,
/// before it reads everything by itself.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long it waits for one that is adding to them, before it reads what they
/// lack by itself.
const PATIENCE_FOR_MORE: Duration = Duration::from_millis(500);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Keeps the index of one agent's store.
pub struct Keeper {
    index: Index,
    held: Mutex<BTreeMap<Vec<String>, Held>>,
    // The files cannot be written: what they lack is read from the store each
    // time, and so is everything once they turned out to be useless.
    read_only: bool,
    useless: AtomicBool,
}

/// What a search goes over.
#[derive(Debug, Clone)]
pub struct Sight {
    /// Everything that was stored, in the scopes of the view.
    pub snapshot: Snapshot,
    /// The vectors that serve, if there are any.
    pub serving: Option<Generation>,
}

// A snapshot with what came after the files, so that the next search need not
// read that again.
#[derive(Debug, Clone)]
struct Held {
    // Where the files stood when it was begun.
    base: (u64, u64),
    snapshot: Snapshot,
    through: u64,
    serving: Option<Generation>,
}

// How the files stand to the store.
enum Standing {
    // So much is not in them that it is better written there first; so much of it
    // is not held in memory either.
    Behind { unread: u64 },
    // They belong to another store or version, are damaged, or have missed
    // something.
    Useless,
}

impl Keeper {
    /// On files in a folder, which is made if it is not there.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn on_disk(folder: &Path) -> Result<Self> {
        Home::private_folder(folder)?;
        Ok(Self::of(Index::open(folder)))
    }

    /// On files that cannot be written, and may be missing.
    #[must_use]
    pub fn read_only(folder: &Path) -> Self {
        Self { read_only: true, ..Self::of(Index::open(folder)) }
    }

    /// Without files.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::of(Index::in_memory())
    }

    fn of(index: Index) -> Self {
        Self { index, held: Mutex::default(), read_only: false, useless: AtomicBool::new(false) }
    }

    /// A snapshot of what a view can see, with everything in it that finished
    /// writes have stored.
    ///
    /// # Errors
    /// When the store or the file system fails. Files that cannot be used are
    /// made again.
    pub async fn sight(&self, store: &dyn Store, view: &View) -> Result<Sight> {
        let scopes: Vec<String> = view.scopes().iter().map(ToString::to_string).collect();
        let (mut tries, mut waited, mut however_much) = (0, Duration::ZERO, self.read_only);
        if self.useless.load(Ordering::Relaxed) {
            return self.read_everything(store, view).await;
        }
        loop {
            let outcome = match self.base(&scopes) {
                Ok(held) => self.follow(store, view, held, however_much).await?,
                Err(EngineError::Index(error)) if is_useless(&error) => Err(Standing::Useless),
                Err(error) => return Err(error),
            };
            match outcome {
                Ok(held) => {
                    let sight = Sight { snapshot: held.snapshot.clone(), serving: held.serving.clone() };
                    self.held().insert(scopes, held);
                    return Ok(sight);
                }
                Err(_) if self.read_only => return self.read_everything(store, view).await,
                Err(Standing::Behind { unread }) => {
                    if self.write(store, false).await? {
                        tries += 1;
                    } else if unread > WRITE_AFTER {
                        tokio::time::sleep(LOOK_AGAIN).await;
                        waited += LOOK_AGAIN;
                    } else {
                        however_much = true;
                    }
                    // Another process is long at it, or more comes in than can be written.
                    however_much |= tries > 5 || waited >= PATIENCE_FOR_MORE;
                }
                Err(Standing::Useless) => {
                    tries += 1;
                    self.held().clear();
                    if !self.bring_up_to_date(store, tries > 1).await? || tries > 5 {
                        return self.read_everything(store, view).await;
                    }
                }
            }
        }
    }

    /// Brings the files up to date with the store, or makes them anew. False if
    /// another process is at it and did not finish in time.
    ///
    /// # Errors
    /// When the store or the file system fails.
    pub async fn bring_up_to_date(&self, store: &dyn Store, anew: bool) -> Result<bool> {
        if self.read_only {
            self.useless.fetch_or(anew, Ordering::Relaxed);
            return Ok(true);
        }
        let mut waited = Duration::ZERO;
        loop {
            if self.write(store, anew).await? {
                return Ok(true);
            }
            if waited >= PATIENCE {
                return Ok(false);
            }
            tokio::time::sleep(LOOK_AGAIN).await;
            waited += LOOK_AGAIN;
            // The other one may just have finished.
            if !anew && self.lacks(store).await?.is_some_and(|lacking| lacking <= WRITE_AFTER) {
                return Ok(true);
            }
        }
    }

    /// Does what a search would otherwise have to wait for: makes files anew that cannot be used, and writes what they
    /// lack if it is much. Drops vectors that nothing uses any more. True if there was something to do, and it was
    /// done; another process may be at it.
    ///
    /// # Errors
    /// When the store or the file system fails.
    pub async fn catch_up(&self, store: &dyn Store) -> Result<bool> {
        let stored = state(store).await?;
        let lacking = match self.summary() {
            // A small store is read with each question.
            Ok(None) => stored.newest,
            Ok(Some(_)) | Err(EngineError::Index(_)) => self.lacks(store).await?.unwrap_or(u64::MAX),
            Err(error) => return Err(error),
        };
        if lacking > WRITE_AFTER {
            return match self.write(store, false).await {
                // The manifest is fine, and a file that it names is not.
                Err(EngineError::Index(error)) if is_useless(&error) => self.write(store, true).await,
                other => other,
            };
        }
        let served: BTreeSet<u64> = stored.generations.iter().map(|generation| generation.id.0).collect();
        let scopes = self.summary()?.map_or_else(Vec::new, |summary| summary.scopes);
        let retired = |generation: &(u64, u64)| !served.contains(&generation.0);
        if scopes.iter().flat_map(|scope| &scope.vectors).any(retired) {
            return self.drop_retired(store).await;
        }
        Ok(false)
    }

    /// Makes the files anew if they may hold what was purged, because whoever
    /// purged it was killed before the files were purged too. True if they do not
    /// hold it any more.
    ///
    /// # Errors
    /// When the store or the file system fails.
    pub async fn finish_purge(&self, store: &dyn Store) -> Result<bool> {
        let purges = store.mark(PURGES).await?;
        if self.read_only || store.mark(PURGES_IN_INDEX).await? >= purges {
            return Ok(true);
        }
        if self.summary().is_ok_and(|summary| summary.is_none()) || self.write(store, true).await? {
            store.set_mark(PURGES_IN_INDEX, purges.unwrap_or(0)).await?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Makes sure that nothing of these items is left in any file. False if
    /// another process is writing; the items are hidden then, and leave with the
    /// next merge.
    ///
    /// # Errors
    /// When the file system fails.
    pub fn purge(&self, items: &BTreeMap<String, Vec<ItemKey>>) -> Result<bool> {
        self.held().clear();
        let Some(mut writer) = self.index.try_writer()? else { return Ok(false) };
        for (scope, keys) in items {
            let keys: Vec<u64> = keys.iter().map(|key| key.number()).collect();
            match writer.purge(scope, &keys) {
                // Without files there is nothing to purge; what cannot be read is
                // removed as a whole and made again.
                Err(IndexError::Invalid(_)) => {}
                Err(error) if is_useless(&error) => writer.wipe()?,
                other => other?,
            }
        }
        Ok(true)
    }

    /// Drops the vectors of retired generations from the files. False if another
    /// process is writing; they go another time.
    ///
    /// # Errors
    /// When the store or the file system fails.
    pub async fn drop_retired(&self, store: &dyn Store) -> Result<bool> {
        // While this one may write, nobody adds vectors: a generation whose vectors
        // are in the files was begun before the store is asked. One that is being
        // built must stay, since its vectors would not be written a second time.
        let Some(mut writer) = self.index.try_writer()? else { return Ok(false) };
        let generations = store.generations().await?;
        let kept = generations.iter().filter(|generation| generation.state != GenerationState::Retired);
        let kept: Vec<u64> = kept.map(|generation| generation.id.0).collect();
        match writer.retain_generations(&kept) {
            Err(IndexError::Invalid(_)) => Ok(true),
            other => Ok(other.map(|()| true)?),
        }
    }

    /// What the files say about themselves.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn summary(&self) -> Result<Option<Summary>> {
        self.index.reload_if_changed()?;
        Ok(self.index.summary()?)
    }

    /// How many bytes the files take.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn size_bytes(&self) -> Result<u64> {
        Ok(self.index.size_bytes()?)
    }

    /// Reads every byte of the files and compares checksums.
    ///
    /// # Errors
    /// When something is not as it was written.
    pub fn verify(&self) -> Result<()> {
        Ok(self.index.verify()?)
    }

    fn held(&self) -> std::sync::MutexGuard<'_, BTreeMap<Vec<String>, Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // Where to begin: what was held, if the files are still the same.
    fn base(&self, scopes: &[String]) -> Result<Held> {
        self.index.reload_if_changed()?;
        let names: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let analyser = self.index.summary()?.map(|summary| summary.identity.analyser);
        if analyser.is_some_and(|analyser| analyser != ANALYSER) {
            return Err(IndexError::Foreign("its terms were made by another version".to_owned()).into());
        }
        let snapshot = self.index.snapshot(&names)?;
        let base = (snapshot.lineage().unwrap_or(0), snapshot.through());
        if let Some(held) = self.held().get(scopes).filter(|held| held.base == base) {
            return Ok(held.clone());
        }
        let through = snapshot.through();
        Ok(Held { base, snapshot, through, serving: None })
    }

    // Lays what came later over a snapshot, unless it is much and that is not
    // asked for.
    async fn follow(
        &self,
        store: &dyn Store,
        view: &View,
        mut held: Held,
        however_much: bool,
    ) -> Result<std::result::Result<Held, Standing>> {
        let mut tail = store.tail(Some(view), held.through, PAGE).await?;
        let known = held.snapshot.lineage();
        // Without files a short log is as good as files.
        if known.is_some_and(|lineage| lineage != tail.lineage) || tail.begins_after > held.through {
            return Ok(Err(Standing::Useless));
        }
        let is_much = tail.more || tail.newest.saturating_sub(held.base.1) > WRITE_AFTER;
        if is_much && !however_much {
            return Ok(Err(Standing::Behind { unread: tail.newest.saturating_sub(held.through) }));
        }
        held.serving = serving(&tail);
        loop {
            held.through = tail.through;
            let (generations, more) = (tail.generations.clone(), tail.more);
            for (scope, batch) in batches(store, tail, &generations).await? {
                held.snapshot = held.snapshot.with_tail(&scope, batch.upserts, &batch.removals)?;
            }
            if !more {
                return Ok(Ok(held));
            }
            tail = store.tail(Some(view), held.through, PAGE).await?;
            // What was read already has no vectors of a generation that serves only now.
            if serving(&tail) != held.serving {
                return Ok(Err(Standing::Behind { unread: u64::MAX }));
            }
        }
    }

    // Everything visible, read into memory: slow, and right.
    async fn read_everything(&self, store: &dyn Store, view: &View) -> Result<Sight> {
        let scopes: Vec<String> = view.scopes().iter().map(ToString::to_string).collect();
        let names: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let tail = state(store).await?;
        let roots = Roots::of(store).await?;
        let mut snapshot = Index::in_memory().snapshot(&names)?;
        let mut after = None;
        loop {
            let rows = store.all_items(after, PAGE).await?;
            let Some(last) = rows.last() else { break };
            after = Some(last.key);
            let mut by_scope: BTreeMap<String, Vec<Indexed>> = BTreeMap::new();
            for row in rows.iter().filter(|row| view.sees(row.item.scope())) {
                let item = indexed(row, &tail.generations, &roots);
                by_scope.entry(row.item.scope().to_string()).or_default().push(item);
            }
            for (scope, items) in by_scope {
                snapshot = snapshot.with_tail(&scope, items, &[])?;
            }
        }
        Ok(Sight { snapshot, serving: serving(&tail) })
    }

    async fn is_fine(&self, store: &dyn Store) -> Result<bool> {
        Ok(self.lacks(store).await?.is_some())
    }

    // How many positions of the log are not in the files; none if there are no
    // files that belong to this store and could be brought up to date.
    async fn lacks(&self, store: &dyn Store) -> Result<Option<u64>> {
        let tail = state(store).await?;
        match self.summary() {
            Ok(Some(summary)) if summary.identity == identity(&tail) && summary.through >= tail.begins_after => {
                Ok(Some(tail.newest.saturating_sub(summary.through)))
            }
            Ok(_) => Ok(None),
            Err(EngineError::Index(error)) if is_useless(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    // Writes what the files do not know yet. False if another process writes.
    async fn write(&self, store: &dyn Store, anew: bool) -> Result<bool> {
        let Some(mut writer) = self.index.try_writer()? else { return Ok(false) };
        if anew || !self.is_fine(store).await? {
            self.held().clear();
            // What changes while the items are read is read again from here on.
            let start = state(store).await?;
            let roots = Roots::of(store).await?;
            let mut rebuild = writer.rebuild(identity(&start));
            let mut after = None;
            loop {
                let rows = store.all_items(after, PAGE).await?;
                let Some(last) = rows.last() else { break };
                after = Some(last.key);
                let mut by_scope: BTreeMap<String, Vec<Indexed>> = BTreeMap::new();
                for row in &rows {
                    let item = indexed(row, &start.generations, &roots);
                    by_scope.entry(row.item.scope().to_string()).or_default().push(item);
                }
                for (scope, items) in by_scope {
                    rebuild.add(&scope, items)?;
                }
            }
            rebuild.finish(start.newest)?;
        }
        let mut through = self.summary()?.map_or(0, |summary| summary.through);
        loop {
            let tail = store.tail(None, through, PAGE).await?;
            let more = tail.more;
            if tail.through == through {
                break;
            }
            through = tail.through;
            let generations = tail.generations.clone();
            let batches = batches(store, tail, &generations).await?.into_values().collect();
            writer.apply(batches, through)?;
            if !more {
                break;
            }
        }
        store.trim_log(through.saturating_sub(LOG_KEPT)).await?;
        Ok(true)
    }
}

// Where the store stands, without anything that changed.
async fn state(store: &dyn Store) -> Result<Tail> {
    Ok(store.tail(None, 0, 0).await?)
}

/// Whether a failure is of the index files, which can be made again.
pub(crate) fn is_of_files(error: &EngineError) -> bool {
    matches!(error, EngineError::Index(error) if is_useless(error))
}

fn is_useless(error: &IndexError) -> bool {
    matches!(error, IndexError::Damaged(_) | IndexError::Foreign(_))
}

fn identity(tail: &Tail) -> Identity {
    Identity { lineage: tail.lineage, analyser: ANALYSER }
}

fn serving(tail: &Tail) -> Option<Generation> {
    tail.generations.iter().find(|generation| generation.state == GenerationState::Serving).cloned()
}

// What changed, by scope.
async fn batches(store: &dyn Store, tail: Tail, generations: &[Generation]) -> Result<BTreeMap<String, Batch>> {
    let is_piece = |entry: &TailEntry| matches!(&entry.row, Some(row) if matches!(row.item, Item::Chunk(_)));
    let roots = if tail.entries.iter().any(is_piece) { Roots::of(store).await? } else { Roots::default() };
    let mut batches: BTreeMap<String, Batch> = BTreeMap::new();
    for entry in tail.entries {
        let scope = entry.scope.to_string();
        let batch = batches.entry(scope.clone()).or_insert_with(|| Batch { scope, ..Batch::default() });
        match &entry.row {
            Some(row) => batch.upserts.push(indexed(row, generations, &roots)),
            None => batch.removals.push(entry.key.number()),
        }
    }
    Ok(batches)
}
