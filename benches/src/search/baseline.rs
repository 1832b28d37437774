//! What is compared with: sqlite-vec with 32-bit floats, as its crate builds it, and FTS5 ranked by BM25.
//!
//! Each has a file of its own and what makes it fast: a scope is a partition there and an indexed token here, files are
//! mapped into memory, the full-text index is merged into one piece.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use rusqlite::{Connection, ToSql, params};
use scrubjay_core::lexical::terms;

use super::contender::{Among, Contender, WANTED};
use super::corpus::{Corpus, DIMS, Document, WANTED_KIND};
use crate::measure::{Stopwatch, Taken};

const VECTORS: &str = "vectors.db";
const WORDS: &str = "words.db";
/// How many documents are made at once.
const AT_ONCE: u64 = 4_096;
/// The most that SQLite maps.
const MAPPED_BYTES: u64 = 0x7fff_0000;

/// Both databases, open.
pub(super) struct Baseline {
    vectors: Connection,
    words: Connection,
}

/// What making the databases took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Built {
    pub(super) vectors: Taken,
    pub(super) vectors_bytes: u64,
    pub(super) words: Taken,
    pub(super) words_bytes: u64,
}

/// Makes the databases of so many documents.
pub(super) fn build(corpus: &Corpus, size: u64, folder: &Path) -> anyhow::Result<Built> {
    let side = Baseline::open(folder)?;
    side.vectors.execute_batch(&format!(
        "PRAGMA journal_mode = off; PRAGMA synchronous = off;
         CREATE VIRTUAL TABLE items USING vec0(scope INTEGER PARTITION KEY, kind INTEGER, embedding float[{DIMS}]);
         BEGIN;"
    ))?;
    side.words.execute_batch(
        "PRAGMA journal_mode = off; PRAGMA synchronous = off;
         CREATE TABLE kinds (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL);
         CREATE VIRTUAL TABLE items USING fts5(words, scope, content = '', tokenize = 'ascii');
         INSERT INTO items (items, rank) VALUES ('rank', 'bm25(1.0, 0.0)');
         BEGIN;",
    )?;
    let (mut vectors, mut words) = (Stopwatch::default(), Stopwatch::default());
    let mut next = 0;
    while next < size {
        let end = (next + AT_ONCE).min(size);
        let documents: Vec<Document> = (next..end).map(|key| corpus.document(key)).collect();
        vectors.time(|| add_vectors(&side.vectors, &documents))?;
        words.time(|| add_words(&side.words, &documents))?;
        next = end;
    }
    vectors.time(|| Ok(side.vectors.execute_batch("COMMIT")?))?;
    words.time(|| Ok(side.words.execute_batch("COMMIT; INSERT INTO items (items) VALUES ('optimize')")?))?;
    drop(side);
    Ok(Built {
        vectors: vectors.taken(),
        vectors_bytes: fs::metadata(folder.join(VECTORS))?.len(),
        words: words.taken(),
        words_bytes: fs::metadata(folder.join(WORDS))?.len(),
    })
}

fn add_vectors(connection: &Connection, documents: &[Document]) -> anyhow::Result<()> {
    let mut insert =
        connection.prepare_cached("INSERT INTO items (rowid, scope, kind, embedding) VALUES (?, ?, ?, ?)")?;
    for document in documents {
        let scope = i64::from(document.in_small_scope);
        insert.execute(params![row_of(document.key), scope, document.kind, bytes_of(&document.vector)])?;
    }
    Ok(())
}

fn add_words(connection: &Connection, documents: &[Document]) -> anyhow::Result<()> {
    let mut insert = connection.prepare_cached("INSERT INTO items (rowid, words, scope) VALUES (?, ?, ?)")?;
    let mut insert_kind = connection.prepare_cached("INSERT INTO kinds (id, kind) VALUES (?, ?)")?;
    for document in documents {
        let scope = if document.in_small_scope { "scopesmall" } else { "scopelarge" };
        insert.execute(params![row_of(document.key), terms(&document.text).join(" "), scope])?;
        insert_kind.execute(params![row_of(document.key), document.kind])?;
    }
    Ok(())
}

impl Baseline {
    /// Opens the databases in a folder.
    pub(super) fn open(folder: &Path) -> anyhow::Result<Baseline> {
        register_sqlite_vec()?;
        let open = |name: &str| -> anyhow::Result<Connection> {
            let connection = Connection::open(folder.join(name))?;
            connection.execute_batch(&format!("PRAGMA mmap_size = {MAPPED_BYTES}"))?;
            Ok(connection)
        };
        Ok(Baseline { vectors: open(VECTORS)?, words: open(WORDS)? })
    }
}

impl Contender for Baseline {
    fn by_vector(&self, vector: &[f32], among: Among) -> anyhow::Result<Vec<u64>> {
        let condition = match among {
            Among::All => "",
            Among::Scope => "AND scope = 1",
            Among::Kind => "AND kind = ?2",
        };
        let statement =
            format!("SELECT rowid FROM items WHERE embedding MATCH ?1 AND k = {WANTED} {condition} ORDER BY distance");
        let bytes = bytes_of(vector);
        let values: &[&dyn ToSql] = if among == Among::Kind { &[&bytes, &WANTED_KIND] } else { &[&bytes] };
        keys(&self.vectors, &statement, values)
    }

    fn by_words(&self, words: &str, among: Among) -> anyhow::Result<Vec<u64>> {
        let mut words = terms(words);
        words.sort_unstable();
        words.dedup();
        let mut expression = words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" OR ");
        if among == Among::Scope {
            expression = format!("scope : scopesmall AND ({expression})");
        }
        let (condition, values): (_, &[&dyn ToSql]) = match among {
            Among::All | Among::Scope => ("", &[&expression]),
            Among::Kind => ("AND (SELECT kind FROM kinds WHERE id = items.rowid) = ?2", &[&expression, &WANTED_KIND]),
        };
        let statement =
            format!("SELECT rowid FROM items WHERE items MATCH ?1 {condition} ORDER BY rank LIMIT {WANTED}");
        keys(&self.words, &statement, values)
    }
}

fn keys(connection: &Connection, statement: &str, values: &[&dyn ToSql]) -> anyhow::Result<Vec<u64>> {
    let mut statement = connection.prepare_cached(statement)?;
    let rows = statement.query_map(values, |row| row.get::<_, i64>(0))?;
    rows.map(|row| Ok(u64::try_from(row? - 1)?)).collect()
}

/// Row numbers begin with 1, keys with 0.
fn row_of(key: u64) -> i64 {
    key as i64 + 1
}

fn bytes_of(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Makes `vec0` known to all connections of this process that are opened from now on.
#[expect(
    unsafe_code,
    reason = "SQLite takes an extension as a C function, and the crate declares it without arguments"
)]
fn register_sqlite_vec() -> anyhow::Result<()> {
    static REGISTERED: OnceLock<bool> = OnceLock::new();
    let registered = REGISTERED.get_or_init(|| {
        // SAFETY: the C source declares `sqlite3_vec_init` with exactly the three arguments and the result of an
        // entry point of an extension; the declaration in the crate leaves them out. It opens and closes nothing.
        unsafe {
            let entry = std::mem::transmute::<*const (), rusqlite::auto_extension::RawAutoExtension>(
                sqlite_vec::sqlite3_vec_init as *const (),
            );
            rusqlite::auto_extension::register_auto_extension(entry).is_ok()
        }
    });
    anyhow::ensure!(registered, "sqlite-vec cannot be registered");
    Ok(())
}
