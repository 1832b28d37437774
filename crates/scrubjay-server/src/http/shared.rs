//! What all requests share.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::HeaderMap;
use axum::http::request::Parts;
use scrubjay_core::error::ErrorCode;
use scrubjay_engine::Ctx;
use scrubjay_engine::capture::clean_id;
use scrubjay_engine::config::Daemon;
use scrubjay_engine::sources::Clock;
use tokio::sync::{Notify, watch};

use super::idempotency::Idempotency;
use super::metrics::Metrics;
use super::patience::Patience;
use super::problem::Problem;
use super::routes::Table;
use crate::agents::Agents;
use crate::auth::{Failures, Gate, Grant, Strangers};
use crate::log::Log;

/// Why and whether the daemon should end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Not at all.
    No,
    /// Somebody asked.
    Asked,
    /// Nobody needed it for long enough.
    Idle,
    /// A store can only be written again by a process that opens it anew.
    Broken,
}

/// What all requests share.
pub struct Shared {
    /// Who may come in.
    pub gate: Gate,
    /// The agents' contexts.
    pub agents: Agents,
    /// The log.
    pub log: Log,
    /// The limits.
    pub limits: Daemon,
    /// The port it listens on.
    pub port: u16,
    /// It was started by a hook or a client, and ends when nobody needs it.
    pub on_demand: bool,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Told when something was written, so that work can begin.
    pub written: Notify,
    /// Counts writes, for those who watch.
    pub writes: watch::Sender<u64>,
    /// Whether to end.
    pub stop: watch::Sender<Stop>,
    /// Connections on which nobody has shown a token yet.
    pub strangers: Arc<Strangers>,
    /// Who tried wrong tokens.
    pub failures: Failures,
    /// How patient it is with strangers.
    pub patience: Patience,
    /// Why agents' stores could not be opened when that was last tried.
    pub unopened: Mutex<BTreeMap<String, String>>,
    pub(crate) table: Table,
    pub(crate) metrics: Metrics,
    pub(crate) idempotency: Idempotency,
    in_flight: AtomicUsize,
    last_used_ms: AtomicU64,
    started: Duration,
}

impl Shared {
    /// Everything, ready to serve.
    #[must_use]
    pub fn new(
        gate: Gate,
        agents: Agents,
        log: Log,
        limits: Daemon,
        patience: Patience,
        port: u16,
        on_demand: bool,
    ) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(scrubjay_engine::sources::SystemClock::default());
        let started = clock.elapsed();
        Self {
            gate,
            agents,
            log,
            limits,
            port,
            on_demand,
            started,
            clock,
            written: Notify::new(),
            writes: watch::Sender::new(0),
            stop: watch::Sender::new(Stop::No),
            strangers: Arc::new(Strangers::new(patience.strangers, patience.strangers_per_address)),
            failures: Failures::new(patience.slow_down),
            patience,
            unopened: Mutex::default(),
            table: Table::new(),
            metrics: Metrics::default(),
            idempotency: Idempotency::default(),
            in_flight: AtomicUsize::new(0),
            last_used_ms: AtomicU64::new(0),
        }
    }

    /// Counts a request of someone with a token in; none if there are too many
    /// already.
    pub(crate) fn enter(self: &Arc<Self>, path: &str) -> Option<Visit> {
        let before = self.in_flight.fetch_add(1, Ordering::SeqCst);
        // Whoever only looks whether it lives does not keep it alive.
        let visit = Visit { shared: Arc::clone(self), counts: !["/healthz", "/v1/status", "/metrics"].contains(&path) };
        if visit.counts {
            self.touch();
        }
        (before < self.limits.max_requests).then_some(visit)
    }

    /// What is wrong with the agents' stores: each agent, and what to do.
    pub async fn troubles(&self) -> Vec<(String, String)> {
        let mut troubles = self.unopened.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for (agent, ctx) in self.agents.open().await {
            if let Some(trouble) = ctx.store_trouble() {
                troubles.insert(agent, trouble.detail);
            }
        }
        troubles.into_iter().collect()
    }

    /// How long nobody has asked for anything; zero while someone does.
    #[must_use]
    pub fn idle_for(&self) -> Duration {
        if self.in_flight.load(Ordering::SeqCst) > 0 {
            return Duration::ZERO;
        }
        let last = Duration::from_millis(self.last_used_ms.load(Ordering::SeqCst));
        self.clock.elapsed().saturating_sub(last)
    }

    /// How many requests are being worked on.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::SeqCst)
    }

    /// How long it has been running.
    pub(crate) fn uptime(&self) -> Duration {
        self.clock.elapsed().saturating_sub(self.started)
    }

    /// Somebody needed it just now.
    pub fn touch(&self) {
        let now = u64::try_from(self.clock.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_used_ms.store(now, Ordering::SeqCst);
    }

    /// Something was written: work can begin, and watchers can look.
    pub fn wrote(&self) {
        self.written.notify_waiters();
        self.writes.send_modify(|count| *count += 1);
    }

    /// The context that a request stands in, within what its token is worth.
    pub(crate) async fn stand(&self, grant: &Grant, request: &Parts) -> Result<Ctx, Problem> {
        let asked = Asked::of(request);
        let agent = grant.agent(asked.agent.as_deref())?;
        // A path names a file on this machine, and so is for its owner only.
        let project_file = asked.project_file.filter(|_| grant.is_owner());
        let ctx = self.agents.context(&agent, project_file.as_deref()).await?;
        let folder = asked.folder.filter(|folder| grant.is_owner() && folder.is_dir());
        let ctx = if folder.is_some() { ctx.in_folder(folder) } else { ctx };
        self.check_likeness(grant, &ctx, &request.headers)?;
        let actor = match grant {
            Grant::Part { id, .. } => format!("token:{id}"),
            _ => asked.actor.unwrap_or_else(|| "http".to_owned()),
        };
        Ok(grant.confine(ctx, asked.project.as_deref())?.acting_as(actor))
    }

    // A process that would answer differently by itself should do so. One of the
    // owner's that is newer takes the place of a daemon that nobody started on
    // purpose; nobody else may end it.
    fn check_likeness(&self, grant: &Grant, ctx: &Ctx, headers: &HeaderMap) -> Result<(), Problem> {
        let differs = |name: &str, own: &str| headers.get(name).is_some_and(|value| value.as_bytes() != own.as_bytes());
        let precondition = axum::http::StatusCode::PRECONDITION_FAILED;
        if differs("scrubjay-version", env!("CARGO_PKG_VERSION")) {
            if self.on_demand && grant.is_owner() {
                self.stop.send_replace(Stop::Asked);
            }
            let message = "the daemon is of another version; restart it with `scrubjay stop`";
            return Err(Problem::of_protocol(precondition, ErrorCode::Conflict, message));
        }
        if differs("scrubjay-settings", &ctx.config().settings.fingerprint()) {
            let message = "the daemon has other settings than the caller";
            return Err(Problem::of_protocol(precondition, ErrorCode::Conflict, message));
        }
        Ok(())
    }
}

/// A request that is being worked on.
pub(crate) struct Visit {
    shared: Arc<Shared>,
    counts: bool,
}

impl Drop for Visit {
    fn drop(&mut self) {
        if self.counts {
            self.shared.touch();
        }
        self.shared.in_flight.fetch_sub(1, Ordering::SeqCst);
    }
}

// Where a request asks to stand: by header, or for a webhook that can set none,
// by parameter.
#[derive(Default)]
struct Asked {
    agent: Option<String>,
    project: Option<String>,
    project_file: Option<PathBuf>,
    folder: Option<PathBuf>,
    actor: Option<String>,
}

impl Asked {
    fn of(request: &Parts) -> Self {
        let header = |name: &str| {
            let value = request.headers.get(name).and_then(|value| value.to_str().ok());
            value.map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned)
        };
        let parameter = |name: &str| parameter(request, name);
        let is_label = |text: &String| text.len() <= 64 && text.bytes().all(|b| b.is_ascii_graphic());
        Self {
            agent: header("scrubjay-agent").or_else(|| parameter("agent")),
            project: header("scrubjay-project").or_else(|| parameter("project")),
            project_file: header("scrubjay-project-file").map(PathBuf::from),
            folder: header("scrubjay-folder").map(PathBuf::from),
            // It is kept with every change.
            actor: header("scrubjay-actor").filter(is_label).map(|actor| clean_id(&actor, true)),
        }
    }
}

/// A parameter of the request line. Agents and projects need no escapes, so
/// none are undone; an escaped one is simply not theirs.
pub(crate) fn parameter(request: &Parts, name: &str) -> Option<String> {
    let pairs = request.uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    let mut values = pairs.filter(|(key, value)| *key == name && !value.is_empty());
    values.next().map(|(_, value)| value.to_owned())
}
