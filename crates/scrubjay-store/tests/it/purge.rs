//! Not a byte of a purged text is left in any file of the store.

use std::fs;
use std::path::Path;

use rusqlite::config::DbConfig;
use scrubjay_core::entity::EntityType;
use scrubjay_core::id::{EntityId, MemoryId};
use scrubjay_core::memory::Kind;
use scrubjay_store::change::{Change, NewMemory, NewMention, Patch, UndoTarget};
use scrubjay_store::query::CheckStatus;
use scrubjay_store::sqlite::{Options, SqliteStore};
use scrubjay_store::{Memories, Store, Upkeep};

use crate::support::{Maker, block_on, names_in, open, view};

// Words that occur nowhere else, so that finding one means that text was left.
// They share no beginning, because an index stores the rest of a word alone.
const SECRETS: [&str; 6] = ["qwvzkjhx", "zzpyfgcr", "xkqjvbmw", "jvqzwkxp", "vkzxqjwh", "kqxzvjpw"];

fn places_with(folder: &Path, secret: &str) -> Vec<String> {
    let contains = |name: &String| {
        let bytes = fs::read(folder.join(name)).unwrap();
        bytes.windows(secret.len()).any(|window| window.eq_ignore_ascii_case(secret.as_bytes()))
    };
    names_in(folder).into_iter().filter(contains).collect()
}

async fn update(store: &dyn Store, maker: &mut Maker, id: MemoryId, patch: Patch) {
    let change = Change::Update { id, expected_version: None, patch: Box::new(patch) };
    store.apply(&view("project/a"), maker.stamp("test"), vec![change], Vec::new()).await.unwrap();
}

fn text(content: String) -> Patch {
    Patch { content: Some(content), ..Patch::default() }
}

// Stores what is to be purged, among other things; every secret in another way.
async fn plant(store: &dyn Store, maker: &mut Maker) -> Vec<MemoryId> {
    for number in 0..200 {
        maker.remember(store, "project/a", &format!("something harmless, number {number}")).await;
    }
    let plain = maker.remember(store, "project/a", &format!("a plain {} text", SECRETS[0])).await;
    // Edited, and the edit undone, so that both wordings are in history.
    let edited = maker.remember(store, "project/a", &format!("first {}", SECRETS[1])).await;
    update(store, maker, edited, text(format!("then {}", SECRETS[2]))).await;
    store.undo(&view("project/a"), maker.stamp("undo"), UndoTarget::Last).await.unwrap();
    update(store, maker, edited, text("harmless in the end".to_owned())).await;
    // Too large for one page.
    let large = format!("{} ", SECRETS[3]).repeat(3000);
    let large = maker.remember(store, "project/a", &large).await;
    // In everything but the text.
    let mut elsewhere = maker.memory(Kind::Episode, "project/a", "said something");
    elsewhere.tags = vec![SECRETS[4].to_owned()];
    elsewhere.attributes.insert(SECRETS[4].to_owned(), serde_json::json!({"deep": [SECRETS[4].repeat(700)]}));
    elsewhere.session_id = Some(SECRETS[4].to_owned());
    elsewhere.origin.path = Some(format!("/home/{}", SECRETS[4]));
    let elsewhere_id = elsewhere.id;
    let mut elsewhere = NewMemory::plain(elsewhere);
    elsewhere.client_id = Some(SECRETS[4].to_owned());
    store.capture(maker.stamp("capture"), vec![elsewhere], Vec::new()).await.unwrap();
    update(
        store,
        maker,
        elsewhere_id,
        Patch { tags: Some(Vec::new()), attributes: Some([].into()), ..Patch::default() },
    )
    .await;
    // As the name of someone who was merged into someone else.
    let mut mentioning = maker.fact("project/a", "about two people");
    let mut mention = |name: &str| NewMention {
        id: EntityId::from(maker.uuid()),
        name: name.to_owned(),
        entity_type: EntityType::Person,
        alias: None,
    };
    mentioning.mentions = vec![mention(SECRETS[5]), mention("Somebody")];
    let (mentioned, ids) = (mentioning.memory.id, [mentioning.mentions[1].id, mentioning.mentions[0].id]);
    let create = vec![Change::Create(Box::new(mentioning))];
    store.apply(&view("project/a"), maker.stamp("test"), create, Vec::new()).await.unwrap();
    store.merge_entities(&view("project/a"), maker.stamp("merge"), ids[0], ids[1]).await.unwrap();
    for number in 0..200 {
        maker.remember(store, "project/a", &format!("something harmless, number {number} again")).await;
    }
    vec![plain, edited, large, elsewhere_id, mentioned]
}

#[test]
fn no_byte_of_a_purged_text_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path().join("store.db"));
    let mut maker = Maker::new(1);
    block_on(async {
        let doomed = plant(&store, &mut maker).await;
        store.checkpoint().await.unwrap();
        for secret in SECRETS {
            assert_eq!(places_with(folder.path(), secret), ["store.db"], "{secret} must be there to be purged");
        }
        store.purge(&view("project/a"), maker.stamp("purge"), doomed, false).await.unwrap();
        for secret in SECRETS {
            assert!(
                places_with(folder.path(), secret).is_empty(),
                "{secret} is left in {:?}",
                places_with(folder.path(), secret)
            );
        }
        for finding in store.check(true).await.unwrap() {
            assert_eq!(finding.status, CheckStatus::Good, "{finding:?}");
        }
    });
}

#[test]
fn what_is_still_in_the_log_goes_too() {
    let folder = tempfile::tempdir().unwrap();
    // The log is never moved into the main file before the purge.
    let options = Options { checkpoint_bytes: 1 << 40, ..Options::new(folder.path().join("store.db")) };
    let store = SqliteStore::open(options).unwrap();
    let mut maker = Maker::new(1);
    block_on(async {
        let doomed = plant(&store, &mut maker).await;
        assert_eq!(places_with(folder.path(), SECRETS[0]), ["store.db-wal"], "it must be in the log to be purged");
        store.purge(&view("project/a"), maker.stamp("purge"), doomed, false).await.unwrap();
        for secret in SECRETS {
            assert!(
                places_with(folder.path(), secret).is_empty(),
                "{secret} is left in {:?}",
                places_with(folder.path(), secret)
            );
        }
    });
}

#[test]
fn a_reader_delays_the_wiping_but_does_not_prevent_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = SqliteStore::open(Options { busy_timeout_ms: 50, ..Options::new(&path) }).unwrap();
    let mut maker = Maker::new(1);
    block_on(async {
        let id = maker.remember(&store, "project/a", &format!("a plain {} text", SECRETS[0])).await;
        // Another process reads, and its state of the store must stay whole.
        let reader = rusqlite::Connection::open(&path).unwrap();
        reader.execute_batch("BEGIN").unwrap();
        let count = || reader.query_row("SELECT count(*) FROM memories", [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(count(), 1);
        let purged = store.purge(&view("project/a"), maker.stamp("purge"), vec![id], false).await.unwrap();
        assert!(purged.still_in_log, "whoever purged is told");
        assert!(store.get(&view("project/a"), id).await.unwrap().is_none());
        assert_eq!(count(), 1, "the reader sees what it saw");
        assert!(!places_with(folder.path(), SECRETS[0]).is_empty(), "so the text cannot be gone yet");
        reader.execute_batch("COMMIT").unwrap();
        drop(reader);
        maker.remember(&store, "project/a", "the next write").await;
        store.get(&view("project/a"), id).await.unwrap();
        // The writer cuts the log after the batch, so ask it something else first.
        maker.remember(&store, "project/a", "and one more").await;
        assert!(places_with(folder.path(), SECRETS[0]).is_empty(), "{:?}", places_with(folder.path(), SECRETS[0]));
    });
}

#[test]
fn a_purge_that_was_cut_short_is_finished_when_the_store_is_next_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let options = || Options { busy_timeout_ms: 50, ..Options::new(&path) };
    let reader = {
        let store = SqliteStore::open(options()).unwrap();
        let mut maker = Maker::new(1);
        block_on(async {
            let id = maker.remember(&store, "project/a", &format!("a plain {} text", SECRETS[0])).await;
            let reader = rusqlite::Connection::open(&path).unwrap();
            // Like one that is killed: the last connection to close would cut the log.
            reader.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
            reader.execute_batch("BEGIN; SELECT count(*) FROM memories").unwrap();
            store.purge(&view("project/a"), maker.stamp("purge"), vec![id], false).await.unwrap();
            reader
        })
    };
    drop(reader);
    assert_eq!(places_with(folder.path(), SECRETS[0]), ["store.db-wal"], "nobody was left to cut the log");
    // Nothing is written: opening and closing is enough.
    drop(SqliteStore::open(options()).unwrap());
    assert!(places_with(folder.path(), SECRETS[0]).is_empty(), "{:?}", places_with(folder.path(), SECRETS[0]));
}
