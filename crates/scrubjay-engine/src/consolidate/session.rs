//! Going through a session.

use scrubjay_core::filter::{Field, Filter, Operator, Scalar, Test};
use scrubjay_core::id::{MemoryId, RunId};
use scrubjay_core::memory::Kind;
use scrubjay_core::scope::View;
use scrubjay_store::StoreError;
use scrubjay_store::change::Change;
use scrubjay_store::query::{Activity, ListQuery, Part, Session, SessionStep};

use super::known::{Book, related};
use super::pending;
use super::save::{self, Fate, Outcome, Plan};
use crate::extract::{Candidate, RULES, Window, by_classifier, candidates, gate, windows};
use crate::queue::after_writing;
use crate::tiers::evict;
use crate::{Ctx, Result};

/// How many episodes are read at a time. The sentences of these compete with each other for the room that a conversation
/// has, so that a long one is better not cut up.
const PAGE: usize = 100;

/// How many earlier episodes are read, to understand the first new one.
const EARLIER: usize = 6;

/// How often a window is planned again because something changed meanwhile.
const TRIES: usize = 5;

/// Whether changes are made, or only told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Make them.
    Apply,
    /// Only tell.
    DryRun,
}

/// What a run did with a session.
#[derive(Debug, Clone)]
pub struct Consolidated {
    /// The session as it was.
    pub session: Session,
    /// The run, if it changed anything.
    pub run: Option<RunId>,
    /// How many episodes it went through.
    pub episodes: usize,
    /// In how many windows.
    pub windows: usize,
    /// How many of them passed the gate.
    pub passed: usize,
    /// What became of each candidate.
    pub outcomes: Vec<Outcome>,
    /// What went wrong on the way.
    pub warnings: Vec<String>,
}

/// Draws facts from everything in a session that no facts were drawn from yet. Every change carries the same run.
///
/// Harmless when repeated, and at any point: each window is one transaction, which also notes how far it reached.
///
/// # Errors
/// When the store, the index or a model fails; windows that were done stay done.
pub async fn consolidate(ctx: &Ctx, session: &Session, extent: Extent) -> Result<Consolidated> {
    one(ctx, session, extent, &mut Book::default()).await
}

/// The same for several sessions, one after the other. A dry run sees for each what would have come of those before.
///
/// # Errors
/// When the store, the index or a model fails; sessions that were done stay done.
pub async fn consolidate_each(ctx: &Ctx, sessions: &[Session], extent: Extent) -> Result<Vec<Consolidated>> {
    let mut book = Book::default();
    let mut done = Vec::with_capacity(sessions.len());
    for session in sessions {
        ctx.progress().step("conversations", done.len() as u64, Some(sessions.len() as u64));
        done.push(one(ctx, session, extent, &mut book).await?);
    }
    Ok(done)
}

async fn one(ctx: &Ctx, session: &Session, extent: Extent, book: &mut Book) -> Result<Consolidated> {
    let store = ctx.store().await?;
    let run = ctx.stamp(OPERATION)?.run;
    let mut done = Consolidated {
        session: session.clone(),
        run: None,
        episodes: 0,
        windows: 0,
        passed: 0,
        outcomes: Vec::new(),
        warnings: Vec::new(),
    };
    let settings = &ctx.config().settings.extract;
    let mut room = settings.max_facts_per_session.saturating_sub(given(ctx, session).await?);
    let mut mark = session.consolidated_through;
    loop {
        let page = store.episodes(&session.scope, &session.session_id, Part::After(mark), PAGE).await?;
        if page.is_empty() {
            if done.run.is_some() {
                // A project holds so many decisions and conventions, whoever made them.
                evict(&ctx.at(View::of(&session.scope))?, &session.scope).await?;
            }
            if extent == Extent::Apply {
                complete(ctx, session, mark).await?;
            }
            return Ok(done);
        }
        let before = match mark {
            Some(id) => store.episodes(&session.scope, &session.session_id, Part::UpTo(id), EARLIER).await?,
            None => Vec::new(),
        };
        let windows = windows(&before, &page, settings.window_tokens, settings.overlap_tokens);
        let is_over = page.len() < PAGE && is_over(ctx, session).await?;
        let picked = by_classifier(&windows, is_over)?;
        for (window, picked) in windows.into_iter().zip(&picked) {
            let step = Step { session, run, from: mark, room, picked };
            let Some(plan) = step.take(ctx, &window, book, extent, &mut done).await? else {
                // Another worker went through this session meanwhile; it goes on from there.
                return Ok(done);
            };
            room = room.saturating_sub(plan.outcomes.iter().filter(|outcome| outcome.fate == Fate::New).count());
            if extent == Extent::Apply && !plan.changes.is_empty() {
                done.run = Some(run);
            }
            done.windows += 1;
            done.outcomes.extend(plan.outcomes);
            done.warnings.extend(plan.warnings);
            mark = Some(window.through);
        }
        done.episodes += page.len();
    }
}

// Whether nobody is expected to answer any more: it was declared over, it is quiet for long, or another session of the
// same place began since.
async fn is_over(ctx: &Ctx, session: &Session) -> Result<bool> {
    let idle_ms = i64::try_from(ctx.config().settings.maintain.idle_minutes).unwrap_or(i64::MAX).saturating_mul(60_000);
    if session.ended_at.is_some() || ctx.now().millis().saturating_sub(session.last_seen.millis()) >= idle_ms {
        return Ok(true);
    }
    Ok(ctx.store().await?.began_after(&session.scope, session.last_seen).await?)
}

// Notes that facts were drawn from a session to its end, if it is over.
async fn complete(ctx: &Ctx, session: &Session, through: Option<MemoryId>) -> Result<()> {
    let store = ctx.store().await?;
    let now = store.session(&View::of(&session.scope), &session.session_id).await?;
    let Some(now) = now.filter(|now| now.scope == session.scope && now.consolidated_through == through) else {
        return Ok(());
    };
    if now.completed_at.is_none() && is_over(ctx, &now).await? {
        store.complete_session(now, ctx.now()).await?;
    }
    Ok(())
}

/// Under which name changes are recorded.
const OPERATION: &str = "consolidate";

struct Step<'a> {
    session: &'a Session,
    run: RunId,
    from: Option<MemoryId>,
    room: usize,
    /// What the classifier found in the window.
    picked: &'a [Candidate],
}

impl Step<'_> {
    // Looks at a window and makes its changes; none if another worker was faster.
    async fn take(
        &self,
        ctx: &Ctx,
        window: &Window,
        book: &mut Book,
        extent: Extent,
        done: &mut Consolidated,
    ) -> Result<Option<Plan>> {
        let session = self.session;
        let place =
            save::Place { scope: &session.scope, session_id: &session.session_id, run: self.run, room: self.room };
        let found = self.look(ctx, window, done).await?;
        if extent == Extent::DryRun {
            return save::plan(ctx, &place, window, &found, book).await.map(Some);
        }
        let store = ctx.store().await?;
        let mut tries = 0;
        loop {
            tries += 1;
            // What earlier windows planned is in the store by now; what comes after this line makes it plan again.
            let newest_fact = store.newest_fact(&session.scope).await?;
            let plan = save::plan(ctx, &place, window, &found, &mut Book::default()).await?;
            let jobs = if plan.changes.iter().any(|change| matches!(change, Change::Create(_))) {
                after_writing(ctx, &session.scope)?
            } else {
                Vec::new()
            };
            let step = SessionStep {
                scope: session.scope.clone(),
                session_id: session.session_id.clone(),
                from: self.from,
                through: window.through,
                newest_fact,
                repeated: plan.repeated.clone(),
            };
            pending::ask(ctx, &plan.questions).await?;
            let mut stamp = ctx.stamp(OPERATION)?;
            stamp.run = self.run;
            match store.consolidate(stamp, step, plan.changes.clone(), jobs).await {
                Ok(_) => return Ok(Some(plan)),
                Err(StoreError::Changed { .. }) if tries < TRIES => {
                    let now = store.session(&View::of(&session.scope), &session.session_id).await?;
                    if now.is_none_or(|now| now.consolidated_through != self.from) {
                        return Ok(None);
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    async fn look(&self, ctx: &Ctx, window: &Window, done: &mut Consolidated) -> Result<Vec<Candidate>> {
        if self.room == 0 {
            return Ok(Vec::new());
        }
        let verdict = gate(ctx, window).await?;
        done.warnings.extend(verdict.warning);
        // What the rules of the gate do not see, the classifier may.
        if !verdict.keep && (verdict.by != RULES || self.picked.is_empty()) {
            return Ok(Vec::new());
        }
        done.passed += 1;
        let text: String = window.new.iter().map(|turn| turn.content.as_str()).collect::<Vec<_>>().join("\n");
        let known = related(ctx, &self.session.scope, &text).await?;
        let (found, warnings) = candidates(ctx, window, &known, self.picked).await?;
        done.warnings.extend(warnings);
        Ok(found)
    }
}

// How many facts this session has given already.
async fn given(ctx: &Ctx, session: &Session) -> Result<usize> {
    let filter = Filter::default()
        .and_equal(Field::Kind, Kind::Fact.name())
        .and_equal(Field::SessionId, session.session_id.clone())
        .and_equal(Field::Scope, session.scope.to_string())
        .and(Field::Attribute("extractor".to_owned()), Test::Compare(Operator::NotEqual, Scalar::Null));
    let limit = ctx.config().settings.extract.max_facts_per_session;
    let query = ListQuery { filter, activity: Activity::Any, limit, ..ListQuery::default() };
    Ok(ctx.store().await?.list(&View::of(&session.scope), query).await?.memories.len())
}
