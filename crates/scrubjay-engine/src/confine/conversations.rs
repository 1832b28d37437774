//! Conversations, tasks, and the work that both leave behind.

use async_trait::async_trait;
use scrubjay_core::id::{JobId, MemoryId, RunId};
use scrubjay_core::memory::Memory;
use scrubjay_core::scope::{Scope, TaskId, View};
use scrubjay_core::time::Timestamp;
use scrubjay_store::Result;
use scrubjay_store::change::{Applied, Change, NewJob, Stamp};
use scrubjay_store::context::{Capacity, Outdated, Task};
use scrubjay_store::query::{CompletedSessions, Horizon, Job, JobState, Part, Session, SessionStep, WaitingSession};
use scrubjay_store::traits::{Jobs, Sessions, Tiers};

use super::store::ConfinedStore;

#[async_trait]
impl Sessions for ConfinedStore {
    async fn sessions(&self, view: &View, limit: usize, offset: usize) -> Result<Vec<Session>> {
        self.look(view)?;
        self.inner.sessions(view, limit, offset).await
    }

    async fn sessions_by_id(&self, scope: &Scope, after: Option<&str>, limit: usize) -> Result<Vec<Session>> {
        self.look_in(scope)?;
        self.inner.sessions_by_id(scope, after, limit).await
    }

    async fn session(&self, view: &View, session_id: &str) -> Result<Option<Session>> {
        self.look(view)?;
        self.inner.session(view, session_id).await
    }

    async fn end_session(&self, view: &View, session_id: &str, at: Timestamp) -> Result<()> {
        self.look(view)?;
        if let Some(session) = self.inner.session(view, session_id).await? {
            self.write_in(&session.scope)?;
        }
        self.inner.end_session(&self.reach.writable(view), session_id, at).await
    }

    async fn reopen_session(&self, view: &View, session_id: &str) -> Result<bool> {
        self.look(view)?;
        if let Some(session) = self.inner.session(view, session_id).await? {
            self.write_in(&session.scope)?;
        }
        self.inner.reopen_session(&self.reach.writable(view), session_id).await
    }

    async fn put_session(&self, session: Session) -> Result<()> {
        self.write_in(&session.scope)?;
        self.inner.put_session(session).await
    }

    async fn episodes(&self, scope: &Scope, session_id: &str, part: Part, limit: usize) -> Result<Vec<Memory>> {
        self.look_in(scope)?;
        self.inner.episodes(scope, session_id, part, limit).await
    }

    async fn open_sessions(&self, scope: &Scope, seen_before: Timestamp, limit: usize) -> Result<Vec<Session>> {
        self.look_in(scope)?;
        self.inner.open_sessions(scope, seen_before, limit).await
    }

    async fn began_after(&self, scope: &Scope, at: Timestamp) -> Result<bool> {
        self.look_in(scope)?;
        self.inner.began_after(scope, at).await
    }

    async fn complete_session(&self, session: Session, at: Timestamp) -> Result<bool> {
        self.write_in(&session.scope)?;
        self.inner.complete_session(session, at).await
    }

    async fn completed_sessions(&self, view: &View, after: u64, limit: usize) -> Result<CompletedSessions> {
        self.look(view)?;
        self.inner.completed_sessions(view, after, limit).await
    }

    async fn waiting_sessions(
        &self,
        scope: &Scope,
        session_id: Option<&str>,
        limit: usize,
    ) -> Result<Vec<WaitingSession>> {
        self.look_in(scope)?;
        self.inner.waiting_sessions(scope, session_id, limit).await
    }

    async fn newest_fact(&self, scope: &Scope) -> Result<Option<MemoryId>> {
        self.look_in(scope)?;
        self.inner.newest_fact(scope).await
    }

    async fn consolidate(
        &self,
        stamp: Stamp,
        step: SessionStep,
        changes: Vec<Change>,
        jobs: Vec<NewJob>,
    ) -> Result<Vec<Applied>> {
        self.write_in(&step.scope)?;
        self.check(&View::of(&step.scope), &changes, &jobs).await?;
        self.inner.consolidate(stamp, step, changes, jobs).await
    }
}

#[async_trait]
impl Tiers for ConfinedStore {
    async fn begin_task(&self, task: Task) -> Result<()> {
        self.write_in(&Scope::Project(task.project.clone()))?;
        self.inner.begin_task(task).await
    }

    async fn tasks(&self, view: &View, open: bool, limit: usize) -> Result<Vec<Task>> {
        self.look(view)?;
        self.inner.tasks(view, open, limit).await
    }

    async fn task(&self, view: &View, id: &TaskId) -> Result<Option<Task>> {
        self.look(view)?;
        self.inner.task(view, id).await
    }

    async fn end_task(&self, view: &View, id: &TaskId, at: Timestamp) -> Result<bool> {
        self.look(view)?;
        self.inner.end_task(view, id, at).await
    }

    async fn reopen_task(&self, view: &View, id: &TaskId) -> Result<bool> {
        self.look(view)?;
        self.inner.reopen_task(view, id).await
    }

    async fn task_of_run(&self, view: &View, run: Option<RunId>) -> Result<Option<TaskId>> {
        self.look(view)?;
        self.inner.task_of_run(view, run).await
    }

    async fn overfull(&self, scope: &Scope, capacity: Capacity) -> Result<Vec<MemoryId>> {
        self.look_in(scope)?;
        self.inner.overfull(scope, capacity).await
    }

    async fn outdated(&self, view: &View, ids: Vec<MemoryId>) -> Result<Vec<Outdated>> {
        self.look(view)?;
        self.inner.outdated(view, ids).await
    }
}

#[async_trait]
impl Jobs for ConfinedStore {
    async fn enqueue(&self, jobs: Vec<NewJob>, at: Timestamp) -> Result<()> {
        self.queue(&jobs)?;
        self.inner.enqueue(jobs, at).await
    }

    async fn claim(&self, owner: &str, kinds: &[String], at: Timestamp, lease_ms: i64) -> Result<Option<Job>> {
        self.inner.claim(owner, kinds, at, lease_ms).await
    }

    async fn extend_lease(&self, id: JobId, owner: &str, at: Timestamp, lease_ms: i64) -> Result<bool> {
        self.inner.extend_lease(id, owner, at, lease_ms).await
    }

    async fn finish(&self, id: JobId, owner: &str) -> Result<bool> {
        self.inner.finish(id, owner).await
    }

    async fn fail(
        &self,
        id: JobId,
        owner: &str,
        error: &str,
        retry_at: Option<Timestamp>,
        at: Timestamp,
    ) -> Result<bool> {
        self.inner.fail(id, owner, error, retry_at, at).await
    }

    async fn postpone(&self, id: JobId, owner: &str, why: &str, until: Timestamp, at: Timestamp) -> Result<bool> {
        self.inner.postpone(id, owner, why, until, at).await
    }

    async fn jobs(&self, view: &View, state: Option<JobState>, limit: usize) -> Result<Vec<Job>> {
        self.look(view)?;
        self.inner.jobs(view, state, limit).await
    }

    async fn retry_jobs(&self, view: &View, id: Option<JobId>, at: Timestamp) -> Result<usize> {
        self.look(view)?;
        self.inner.retry_jobs(&self.reach.writable(view), id, at).await
    }

    async fn cancel_job(&self, view: &View, id: JobId) -> Result<bool> {
        self.look(view)?;
        self.inner.cancel_job(&self.reach.writable(view), id).await
    }

    async fn due_jobs(&self, at: Timestamp) -> Result<usize> {
        self.inner.due_jobs(at).await
    }

    async fn stray_jobs(&self, horizon: &Horizon, at: Timestamp) -> Result<usize> {
        self.inner.stray_jobs(horizon, at).await
    }

    async fn bring_back_jobs(&self, horizon: &Horizon, lease_ms: i64, at: Timestamp) -> Result<usize> {
        self.inner.bring_back_jobs(horizon, lease_ms, at).await
    }
}
