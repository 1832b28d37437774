//! What the daemon does by itself: jobs, and what hooks left in the spool.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use scrubjay_engine::spool::Spool;
use scrubjay_engine::sync::{self, WatchEvent, Watching};
use scrubjay_engine::{Ctx, EngineError, TroubleKind, context_file, hooks, maintain, schedule, search};
use serde_json::json;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::http::{Shared, Stop};

/// How long one agent's jobs run before the next agent has its turn.
const TURN: Duration = Duration::from_millis(500);

/// How long to wait when there is nothing to do; other processes leave jobs
/// without telling.
const PAUSE: Duration = Duration::from_secs(2);

/// How often it is asked which upkeep is due.
const TICK: Duration = Duration::from_secs(30);

/// How long the index is left alone after it could not be brought up to date.
const INDEX_PAUSE: Duration = Duration::from_secs(60);

/// Works until the daemon ends.
pub(super) async fn run(shared: Arc<Shared>) {
    let mut stop = shared.stop.subscribe();
    let mut warmed = BTreeSet::new();
    let mut ticked: BTreeMap<String, Duration> = BTreeMap::new();
    let mut indexing: BTreeMap<String, JoinHandle<()>> = BTreeMap::new();
    loop {
        // Asked for before the work, so that a write in between is not missed.
        let written = shared.written.notified();
        let mut busy = false;
        for agent in agents(&shared).await {
            if *stop.borrow() != Stop::No {
                return;
            }
            let opened = shared.agents.context(&agent, None).await;
            note_opened(&shared, &agent, opened.as_ref().err());
            match opened {
                Ok(ctx) => {
                    if must_reopen(&shared, &agent, &ctx) {
                        shared.stop.send_replace(Stop::Broken);
                        return;
                    }
                    if warmed.insert(agent.clone()) {
                        watch(&shared, &agent, ctx.clone());
                        warm(&shared, &agent, &ctx).await;
                    }
                    let now = shared.clock.elapsed();
                    if ticked.get(&agent).is_none_or(|last| now.saturating_sub(*last) >= TICK) {
                        ticked.insert(agent.clone(), now);
                        if let Err(error) = maintain::tick(&ctx).await {
                            tell(&shared, "upkeep could not be queued", &agent, &error);
                        }
                    }
                    busy |= turn(&shared, &agent, &ctx).await;
                    if indexing.get(&agent).is_none_or(JoinHandle::is_finished) {
                        indexing.insert(agent.clone(), catch_up(&shared, &agent, ctx));
                    }
                }
                Err(error) => tell(&shared, "an agent's store could not be opened", &agent, &error),
            }
        }
        let pause = if busy { Duration::ZERO } else { PAUSE };
        tokio::select! {
            _ = stop.wait_for(|stop| *stop != Stop::No) => return,
            () = written, if !busy => {}
            () = tokio::time::sleep(pause) => {}
        }
    }
}

// Health knows what could not be opened, until it can.
fn note_opened(shared: &Shared, agent: &str, failure: Option<&EngineError>) {
    let mut unopened = shared.unopened.lock().unwrap_or_else(PoisonError::into_inner);
    match failure {
        Some(error) => unopened.insert(agent.to_owned(), error.to_string()),
        None => unopened.remove(agent),
    };
}

// A store whose files were replaced, or whose log could not be moved, is never
// written again by this process. The next one opens what is there, or refuses to.
fn must_reopen(shared: &Shared, agent: &str, ctx: &Ctx) -> bool {
    let trouble = ctx.store_trouble().filter(|trouble| trouble.kind == TroubleKind::NeedsReopening);
    if let Some(trouble) = &trouble {
        let fields = [("agent", json!(agent)), ("error", json!(trouble.detail))];
        shared.log.fail("the daemon ends, because it cannot write any more", &fields);
    }
    trouble.is_some()
}

async fn agents(shared: &Shared) -> BTreeSet<String> {
    let open = shared.agents.open().await.into_iter().map(|(agent, _)| agent);
    // What is wrong with the settings is told when a context is made under them.
    let stored = shared.agents.on_disk().unwrap_or_else(|_| BTreeSet::from(["default".to_owned()]));
    open.chain(stored).chain(Spool::agents(shared.agents.home())).collect()
}

// The first question should not wait for files to be read and weights to be
// unpacked.
async fn warm(shared: &Shared, agent: &str, ctx: &Ctx) {
    if let Err(error) = search::warm(ctx).await {
        tell(shared, "search could not be warmed up", agent, &error);
    }
}

// Writes index files, so that no question has to. That may take long for one agent; the others' work goes on.
fn catch_up(shared: &Arc<Shared>, agent: &str, ctx: Ctx) -> JoinHandle<()> {
    let (shared, agent) = (Arc::clone(shared), agent.to_owned());
    tokio::spawn(async move {
        let handle = Handle::current();
        // Most of it is arithmetic and waiting for the disk.
        let done = tokio::task::spawn_blocking(move || handle.block_on(search::catch_up(&ctx))).await;
        let done = done.unwrap_or_else(|error| Err(EngineError::defect(error)));
        if let Err(error) = done {
            tell(&shared, "the index could not be brought up to date", &agent, &error);
            tokio::time::sleep(INDEX_PAUSE).await;
        }
    })
}

// Follows the files of an agent until the daemon ends.
fn watch(shared: &Arc<Shared>, agent: &str, ctx: Ctx) {
    if !ctx.config().settings.sync.watch {
        return;
    }
    let (shared, agent) = (Arc::clone(shared), agent.to_owned());
    tokio::spawn(async move {
        let mut stop = shared.stop.subscribe();
        let stopped = async {
            let _ = stop.wait_for(|stop| *stop != Stop::No).await;
        };
        let told = Arc::clone(&shared);
        let watched = sync::watch(&ctx, Watching::Everything, stopped, move |event| match event {
            WatchEvent::Watches { folders, .. } => told.log.note("a place is watched", &[("folders", json!(folders))]),
            WatchEvent::Polls { reason, every_ms, .. } => {
                let fields = [("reason", json!(reason)), ("every_ms", json!(every_ms))];
                told.log.note("a place cannot be watched and is looked at from time to time", &fields);
            }
            WatchEvent::Synced { report, .. } => {
                if report.indexed + report.removed + report.messages > 0 {
                    told.wrote();
                }
            }
            WatchEvent::Failed { reason, .. } => {
                told.log.fail("a place could not be read", &[("reason", json!(reason))]);
            }
        });
        if let Err(error) = watched.await {
            tell(&shared, "files could not be watched", &agent, &error);
        }
    });
}

// One agent's turn; true if there is more to do.
async fn turn(shared: &Shared, agent: &str, ctx: &Ctx) -> bool {
    match hooks::drain(ctx).await {
        Ok(taken) if taken.messages > 0 || !taken.set_aside.is_empty() => {
            for (name, why) in &taken.set_aside {
                let fields = [("agent", json!(agent)), ("file", json!(name)), ("reason", json!(why))];
                shared.log.fail("a message from a hook was set aside", &fields);
            }
            let fields = [("messages", json!(taken.messages)), ("set_aside", json!(taken.set_aside.len()))];
            shared.log.note("the spool was taken in", &fields);
            shared.writes.send_modify(|count| *count += 1);
        }
        Ok(_) => {}
        Err(error) => tell(shared, "the spool could not be taken in", agent, &error),
    }
    if let Err(error) = context_file::refresh(ctx).await {
        tell(shared, "a context file could not be refreshed", agent, &error);
    }
    if let Err(error) = sync::refresh_fact_files(ctx).await {
        tell(shared, "a folder of facts could not be written", agent, &error);
    }
    match schedule::drain(ctx, TURN).await {
        Ok(drained) => {
            if drained.lost > 0 {
                let fields = [("agent", json!(agent)), ("jobs", json!(drained.lost))];
                shared.log.fail("jobs were taken over by another process, because their lease ran out here", &fields);
            }
            drained.left > 0 && drained.done > 0
        }
        Err(error) => {
            tell(shared, "jobs could not be run", agent, &error);
            false
        }
    }
}

fn tell(shared: &Shared, what: &str, agent: &str, error: &EngineError) {
    let fields =
        [("agent", json!(agent)), ("error.code", json!(error.code().name())), ("error", json!(error.to_string()))];
    shared.log.fail(what, &fields);
}
