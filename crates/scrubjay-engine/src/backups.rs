//! The copies in the backup folder: which there are, which is the best to go
//! back to, and which may go.

use std::fs;
use std::path::{Path, PathBuf};

use scrubjay_core::time::Timestamp;
use scrubjay_store::Store;
use scrubjay_store::sqlite::{BackupFacts, SqliteStore};
use scrubjay_store::traits::BackupCopy;

use crate::home::Home;
use crate::{EngineError, Result};

/// A copy in the backup folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BackupFile {
    /// The file.
    pub(crate) path: PathBuf,
    /// Its size.
    pub(crate) size_bytes: u64,
}

/// What became of the older copies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Pruned {
    /// Those that were removed.
    pub(crate) removed: Vec<PathBuf>,
    /// Those that would have gone by their age, but hold what no newer one does.
    pub(crate) spared: Vec<PathBuf>,
}

/// Copies the store into the backup folder, proves the copy, and removes older ones beyond the newest `keep`.
///
/// # Errors
/// When the copy fails or does not restore.
pub(crate) async fn make(store: &dyn Store, home: &Home, now: Timestamp, keep: usize) -> Result<(BackupCopy, Pruned)> {
    Home::private_folder(&home.backups())?;
    let digits: String = now.to_string().chars().filter(char::is_ascii_digit).take(17).collect();
    let copy = store.backup(&home.backups().join(format!("{}.{digits}.backup", home.agent))).await?;
    let pruned = prune(home, keep)?;
    Ok((copy, pruned))
}

/// The agent's copies, newest first.
///
/// # Errors
/// When the folder cannot be read.
pub(crate) fn list(home: &Home) -> Result<Vec<BackupFile>> {
    let folder = home.backups();
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(EngineError::io("read the backup folder", folder, error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| EngineError::io("read the backup folder", &folder, error))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if is_ours(&home.agent, &name) {
            let size_bytes = entry.metadata().map_or(0, |metadata| metadata.len());
            found.push(BackupFile { path: entry.path(), size_bytes });
        }
    }
    // The names end in the time, so they sort by it.
    found.sort_by(|a, b| b.path.cmp(&a.path));
    Ok(found)
}

/// The copy to go back to when the store at this place is lost or damaged: the
/// newest of that store that holds not much less than any other. None if there
/// is none that can be read.
///
/// # Errors
/// When the folder cannot be read.
pub(crate) fn best(home: &Home, store: &Path) -> Result<Option<(PathBuf, BackupFacts)>> {
    let mut known = inspected(home)?;
    if let Some(noted) = SqliteStore::noted_lineage(store) {
        let of_this_store = |facts: &BackupFacts| facts.lineage.is_some_and(|lineage| lineage.root == noted.root);
        if known.iter().any(|(_, facts)| of_this_store(facts)) {
            known.retain(|(_, facts)| of_this_store(facts));
        }
    }
    let most = known.iter().map(|(_, facts)| facts.memories).max().unwrap_or(0);
    Ok(known.into_iter().find(|(_, facts)| holds_enough(facts.memories, most)))
}

/// Removes copies until `keep` are left. A copy goes only if `keep` newer ones
/// could take its place: copies of the same store that hold not much less.
///
/// # Errors
/// When the folder cannot be read, or a copy cannot be removed.
pub(crate) fn prune(home: &Home, keep: usize) -> Result<Pruned> {
    let keep = keep.max(1);
    let mut pruned = Pruned::default();
    let mut kept: Vec<BackupFacts> = Vec::new();
    for (position, copy) in list(home)?.into_iter().enumerate() {
        // What cannot be read now may be all that is left of something.
        let facts = SqliteStore::inspect_backup(&copy.path).ok();
        let replaced =
            facts.is_some_and(|facts| kept.iter().filter(|newer| can_replace(newer, &facts)).count() >= keep);
        if replaced {
            fs::remove_file(&copy.path).map_err(|error| EngineError::io("remove the old backup", &copy.path, error))?;
            pruned.removed.push(copy.path);
            continue;
        }
        kept.extend(facts);
        if position >= keep {
            pruned.spared.push(copy.path);
        }
    }
    Ok(pruned)
}

fn inspected(home: &Home) -> Result<Vec<(PathBuf, BackupFacts)>> {
    let inspect = |copy: BackupFile| Some((copy.path.clone(), SqliteStore::inspect_backup(&copy.path).ok()?));
    Ok(list(home)?.into_iter().filter_map(inspect).collect())
}

fn can_replace(newer: &BackupFacts, older: &BackupFacts) -> bool {
    // The copies of the first schema do not say of which store they are.
    let same_store = match (newer.lineage, older.lineage) {
        (Some(newer), Some(older)) => newer.root == older.root,
        _ => true,
    };
    same_store && holds_enough(newer.memories, older.memories)
}

// Only a purge makes a store smaller, and hardly ever by half.
fn holds_enough(memories: u64, most: u64) -> bool {
    memories.saturating_mul(2) >= most
}

// Only names that we give: the agent, 17 digits of time, `.backup`.
fn is_ours(agent: &str, name: &str) -> bool {
    let stamp = name.strip_prefix(agent).and_then(|rest| rest.strip_prefix('.')?.strip_suffix(".backup"));
    stamp.is_some_and(|stamp| stamp.len() == 17 && stamp.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use scrubjay_store::sqlite::Lineage;

    use super::*;

    #[test]
    fn a_copy_takes_the_place_of_one_of_the_same_store_that_holds_no_more() {
        let facts = |root, memories| BackupFacts { lineage: Some(Lineage { current: 9, root }), memories };
        let full = facts(1, 100);
        assert!(can_replace(&facts(1, 100), &full) && can_replace(&facts(1, 50), &full));
        assert!(!can_replace(&facts(1, 49), &full), "far less");
        assert!(!can_replace(&facts(1, 0), &full), "nothing");
        assert!(!can_replace(&facts(2, 1000), &full), "another store");
        assert!(can_replace(&full, &BackupFacts { lineage: None, memories: 100 }), "of the first schema");
    }
}
