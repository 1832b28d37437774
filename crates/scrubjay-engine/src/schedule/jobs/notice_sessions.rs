//! Noticing which conversations have something new to draw facts from.

use std::collections::BTreeSet;

use scrubjay_core::memory::Kind;
use scrubjay_core::scope::Scope;
use scrubjay_store::change::{Effect, NewJob};
use scrubjay_store::query::Job;

use super::{Extract, JobKind, Urgency};
use crate::{Ctx, Result, queue};

/// How many changes are read at a time.
const PAGE: usize = 500;

/// How many changes one run goes through, so that whoever has little time can stop in between. Each conversation is looked
/// at once for all of them: after an import, hundreds of pages may hold a message of each.
const AT_ONCE: usize = 5_000;

/// How many earlier conversations are gone through when another begins; the night takes the rest.
const BEFORE: usize = 100;

/// The kind of work.
pub struct NoticeSessions;

impl NoticeSessions {
    /// What the worker knows of it.
    pub(super) const KIND: JobKind = JobKind {
        name: Self::NAME,
        about: "notices which conversations have something new",
        takes_turns: false,
        asks_chat: false,
        wait_ms: |_| 0,
        run: |ctx, job| Box::pin(Self::run(ctx, job)),
    };

    /// Its name in the store.
    pub const NAME: &'static str = queue::NOTICE_SESSIONS;

    /// Goes through what changed since the last time and queues each conversation: at once if enough of it is new or
    /// another has begun since, otherwise for when the first new message is old enough. If much changed, it queues itself
    /// again.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn run(ctx: &Ctx, job: &Job) -> Result<()> {
        let store = ctx.store().await?;
        let mark = format!("{}:{}", Self::NAME, job.scope);
        let (mut position, mut read) = (store.mark(&mark).await?.unwrap_or(0), 0);
        let mut sessions = BTreeSet::new();
        while read < AT_ONCE {
            let items = store.feed(&job.scope, position, PAGE).await?;
            let Some(last) = items.last() else { break };
            position = last.position;
            read += items.len();
            let created = items.into_iter().filter(|item| item.effect == Effect::Created);
            let episodes = created.filter_map(|item| item.memory).filter(|memory| memory.kind() == Kind::Episode);
            sessions.extend(episodes.filter_map(|memory| memory.session_id));
        }
        if read == 0 {
            return Ok(());
        }
        let mut jobs = extractions(ctx, &job.scope, &sessions).await?;
        if read >= AT_ONCE {
            jobs.push(queue::in_scope(ctx, Self::NAME, &job.scope)?);
        }
        store.enqueue(jobs, ctx.now()).await?;
        Ok(store.set_mark(&mark, position).await?)
    }
}

// A job for each conversation of which something waits, and for those that are over because one of these began.
async fn extractions(ctx: &Ctx, scope: &Scope, sessions: &BTreeSet<String>) -> Result<Vec<NewJob>> {
    let store = ctx.store().await?;
    let settings = &ctx.config().settings.extract;
    let wait_ms = i64::try_from(settings.every_seconds.saturating_mul(1000)).unwrap_or(i64::MAX);
    let mut jobs = Vec::new();
    let mut began_last = None;
    for session_id in sessions {
        for waiting in store.waiting_sessions(scope, Some(session_id), 1).await? {
            began_last = began_last.max(Some(waiting.session.first_seen));
            let enough = waiting.episodes >= settings.every_messages || waiting.session.ended_at.is_some();
            jobs.push(if enough {
                Extract::job(ctx, scope, session_id, Urgency::Now)?
            } else {
                // What was said ahead of the clock waits no longer than what is said now.
                let since = waiting.since.min(ctx.now());
                Extract::job(ctx, scope, session_id, Urgency::At(since.plus_millis(wait_ms)))?
            });
        }
    }
    if let Some(began_last) = began_last {
        // Who turned to another conversation is done with those before.
        for session in store.open_sessions(scope, began_last, BEFORE).await? {
            jobs.push(Extract::job(ctx, scope, &session.session_id, Urgency::Now)?);
        }
    }
    Ok(jobs)
}
