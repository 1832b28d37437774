//! What an operation is given: where it stands and what it may use.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use scrubjay_core::id::{JobId, MemoryId, RunId};
use scrubjay_core::memory::{Kind, MemoryType};
use scrubjay_core::scope::{ProjectId, Scope, View};
use scrubjay_core::time::Timestamp;
use scrubjay_models::chat::Chat;
use scrubjay_models::embed::Embedder;
use scrubjay_models::ner::LocalNer;
use scrubjay_models::rerank::{self, Reranker};
use scrubjay_store::Store;
use scrubjay_store::change::Stamp;
use scrubjay_store::sqlite::Options;
use uuid::Uuid;

use crate::blocking::blocking;
use crate::config::Loaded;
use crate::confine::{ConfinedStore, Reach};
use crate::home::Home;
use crate::index::Keeper;
use crate::opening::{LostStore, StoreTrouble, TroubleKind, open_store, open_to_read};
use crate::providers::OpenModels;
use crate::sources::{Clock, Entropy, Ids, SystemClock, SystemEntropy};
use crate::underway::Underway;
use crate::{EngineError, Result};

/// What a caller may do at most. A request can narrow it, never widen it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Authority {
    /// The owner of the store: every project, and the store as a whole.
    Owner,
    /// Less than that.
    Within(Reach),
}

/// The actors that a person acts as: at a terminal, over HTTP with the owner's
/// token, and on the dashboard.
const PEOPLE: [&str; 3] = ["user", "http", "dashboard"];

/// Told about progress of long work.
pub trait Progress: Send + Sync {
    /// `done` of `total` units; no total if it is not known yet.
    fn step(&self, what: &str, done: u64, total: Option<u64>);
}

struct Silent;

impl Progress for Silent {
    fn step(&self, _what: &str, _done: u64, _total: Option<u64>) {}
}

struct Shared {
    home: Home,
    config: Loaded,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    ids: Ids,
    store: OnceLock<Arc<dyn Store>>,
    embedder: Option<Arc<dyn Embedder>>,
    reranker: Arc<dyn Reranker>,
    models: Arc<tokio::sync::Mutex<OpenModels>>,
    chat: Option<Arc<dyn Chat>>,
    local_ner: Arc<LocalNer>,
    index: OnceLock<Arc<Keeper>>,
    opening: tokio::sync::Mutex<()>,
    surroundings: ProcessContext,
    new_store: bool,
    underway: Arc<Underway>,
}

/// What the process was started in, as far as operations may ask.
#[derive(Clone, Default)]
pub struct ProcessContext {
    /// The folder to stand in; none if there is none any more, or nobody stands anywhere.
    pub folder: Option<PathBuf>,
    /// Variables of the environment.
    pub variables: BTreeMap<String, String>,
    /// Whether the project was named, and not only found from the folder.
    pub names_project: bool,
}

impl std::fmt::Debug for ProcessContext {
    // The environment holds keys.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "ProcessContext({:?}, {} variables)", self.folder, self.variables.len())
    }
}

/// Where an operation stands and what it may use. Cheap to clone.
#[derive(Clone)]
pub struct Ctx {
    shared: Arc<Shared>,
    authority: Authority,
    view: View,
    actor: String,
    consented: bool,
    progress: Arc<dyn Progress>,
}

/// What a context is made from.
pub struct Parts {
    /// Where everything lives.
    pub home: Home,
    /// The settings.
    pub config: Loaded,
    /// Where the caller stands.
    pub view: View,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The randomness.
    pub entropy: Arc<dyn Entropy>,
    /// A store to use instead of the one the settings name.
    pub store: Option<Arc<dyn Store>>,
    /// An embedder to use instead of the one the settings name.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// A reranker to use instead of the built-in one.
    pub reranker: Option<Arc<dyn Reranker>>,
    /// What the process was started in.
    pub surroundings: ProcessContext,
    /// A chat model to use in every role instead of those the settings name.
    pub chat: Option<Arc<dyn Chat>>,
    /// Begin an empty store even if there was one that is gone.
    pub new_store: bool,
}

impl Parts {
    /// The usual parts: the machine's clock and randomness, the settings' store.
    #[must_use]
    pub fn new(home: Home, config: Loaded, view: View) -> Self {
        Self {
            home,
            config,
            view,
            clock: Arc::new(SystemClock::default()),
            entropy: Arc::new(SystemEntropy),
            store: None,
            embedder: None,
            reranker: None,
            surroundings: ProcessContext::default(),
            chat: None,
            new_store: false,
        }
    }
}

impl Ctx {
    /// The owner's context. Opens nothing yet.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let store = OnceLock::new();
        if let Some(given) = parts.store {
            // The lock is new, so it is empty.
            let _ = store.set(given);
        }
        let shared = Shared {
            home: parts.home,
            config: parts.config,
            clock: parts.clock,
            entropy: parts.entropy,
            ids: Ids::default(),
            store,
            embedder: parts.embedder,
            reranker: parts.reranker.unwrap_or_else(|| Arc::new(rerank::Builtin::new(0))),
            models: Arc::default(),
            chat: parts.chat,
            local_ner: Arc::default(),
            index: OnceLock::new(),
            opening: tokio::sync::Mutex::new(()),
            surroundings: parts.surroundings,
            new_store: parts.new_store,
            underway: Arc::default(),
        };
        Self {
            shared: Arc::new(shared),
            authority: Authority::Owner,
            view: parts.view,
            actor: "user".to_owned(),
            consented: false,
            progress: Arc::new(Silent),
        }
    }

    /// The same, acting as someone else.
    #[must_use]
    pub fn acting_as(mut self, actor: impl Into<String>) -> Self {
        self.actor = actor.into();
        self
    }

    /// The same, after a person has said yes to what is done with it.
    #[must_use]
    pub(crate) fn with_consent(mut self) -> Self {
        self.consented = true;
        self
    }

    /// Whether a person has said yes to what is done.
    #[must_use]
    pub(crate) fn is_consented(&self) -> bool {
        self.consented
    }

    /// The same, confined to one project: what holds for all projects can be
    /// read there, and a change to it proposed.
    #[must_use]
    pub fn confined_to(mut self, project: ProjectId) -> Self {
        self.view = View::project(project.clone());
        self.authority = Authority::Within(Reach::Project(project));
        self
    }

    /// The same for every project, without what the owner alone decides.
    #[must_use]
    pub fn confined_to_projects(mut self) -> Self {
        self.authority = Authority::Within(Reach::AllProjects);
        self
    }

    /// The same, telling someone about progress.
    #[must_use]
    pub fn reporting_to(mut self, progress: Arc<dyn Progress>) -> Self {
        self.progress = progress;
        self
    }

    /// The same store, index and models under other settings, as another
    /// project's file makes them. What is open already is shared.
    #[must_use]
    pub fn with_config(&self, config: Loaded) -> Self {
        self.remade(config, self.shared.surroundings.clone())
    }

    /// The same store, index and models, standing in another folder.
    #[must_use]
    pub fn in_folder(&self, folder: Option<PathBuf>) -> Self {
        let surroundings = ProcessContext { folder, ..self.shared.surroundings.clone() };
        self.remade(self.shared.config.clone(), surroundings)
    }

    /// The same settings and models on the same store, opened another time so that nothing can be written to it: not
    /// even that something was looked up.
    ///
    /// # Errors
    /// When there is no store, or it cannot be read as it is.
    pub async fn reading_only(&self) -> Result<Self> {
        let options = self.store_options()?;
        let store: Arc<dyn Store> = Arc::new(blocking("opening the store", move || open_to_read(options)).await??);
        let shared = Shared {
            store: OnceLock::from(store),
            index: OnceLock::new(),
            models: Arc::default(),
            new_store: false,
            ..self.shared_with(self.shared.config.clone(), self.shared.surroundings.clone())
        };
        Ok(Self { shared: Arc::new(shared), ..self.clone() })
    }

    fn remade(&self, config: Loaded, surroundings: ProcessContext) -> Self {
        Self { shared: Arc::new(self.shared_with(config, surroundings)), ..self.clone() }
    }

    fn shared_with(&self, config: Loaded, surroundings: ProcessContext) -> Shared {
        let former = &self.shared;
        // What is open knows the keys, prices and time-outs with which it was opened.
        let (old, new) = (&former.config.settings, &config.settings);
        let alike = old.keys == new.keys && old.spend == new.spend && old.network == new.network;
        let models = if alike { Arc::clone(&former.models) } else { Arc::default() };
        Shared {
            home: former.home.clone(),
            config,
            clock: Arc::clone(&former.clock),
            entropy: Arc::clone(&former.entropy),
            ids: Ids::default(),
            store: former.store.clone(),
            embedder: former.embedder.clone(),
            reranker: Arc::clone(&former.reranker),
            models,
            chat: former.chat.clone(),
            local_ner: Arc::clone(&former.local_ner),
            index: former.index.clone(),
            opening: tokio::sync::Mutex::new(()),
            surroundings,
            new_store: former.new_store,
            underway: Arc::clone(&former.underway),
        }
    }

    /// The same, seen from elsewhere.
    ///
    /// # Errors
    /// When the caller may not stand there.
    pub fn at(&self, view: View) -> Result<Self> {
        if let Authority::Within(reach) = &self.authority
            && !reach.reads(&view.home())
        {
            return Err(EngineError::refused("this caller is confined to its own project"));
        }
        Ok(Self { view, ..self.clone() })
    }

    /// Where the caller stands.
    #[must_use]
    pub fn view(&self) -> &View {
        &self.view
    }

    /// What the caller may do at most.
    #[must_use]
    pub fn authority(&self) -> &Authority {
        &self.authority
    }

    /// Who acts.
    #[must_use]
    pub fn actor(&self) -> &str {
        &self.actor
    }

    /// Where everything lives.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.shared.home
    }

    /// Whether the caller named the project; where nobody stands in a folder, nothing else can have.
    #[must_use]
    pub fn names_project(&self) -> bool {
        self.shared.surroundings.names_project || self.shared.surroundings.folder.is_none()
    }

    /// The folder to stand in, if any.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.shared.surroundings.folder.as_deref()
    }

    /// A variable of the environment; an empty one counts as not set.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.shared.surroundings.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// All variables of the environment, for a program that is started.
    pub(crate) fn variables(&self) -> &BTreeMap<String, String> {
        &self.shared.surroundings.variables
    }

    /// The settings and where they came from.
    #[must_use]
    pub fn config(&self) -> &Loaded {
        &self.shared.config
    }

    /// Whom to tell about progress.
    #[must_use]
    pub fn progress(&self) -> &dyn Progress {
        &*self.progress
    }

    /// Whether the caller owns the store as a whole.
    ///
    /// # Errors
    /// When it does not.
    pub fn need_owner(&self, what: &str) -> Result<()> {
        match self.authority {
            Authority::Owner => Ok(()),
            Authority::Within(_) => {
                Err(EngineError::refused(format!("{what} concerns the whole store; only its owner may do that")))
            }
        }
    }

    /// What is being read from outside at this moment, by whoever shares this store.
    #[must_use]
    pub(crate) fn underway(&self) -> &Arc<Underway> {
        &self.shared.underway
    }

    /// Whether the owner is asking in person: at a terminal, or over the daemon
    /// with the owner's own token. A program that acts for the owner says what it
    /// is, and is not.
    #[must_use]
    pub fn is_person(&self) -> bool {
        self.authority == Authority::Owner && PEOPLE.contains(&self.actor.as_str())
    }

    /// Whether something of this type may be written in a scope without asking
    /// the owner of the store.
    #[must_use]
    pub fn may_write(&self, scope: &Scope, memory_type: &MemoryType) -> bool {
        match &self.authority {
            Authority::Owner => true,
            Authority::Within(reach) => reach.writes(scope, memory_type),
        }
    }

    /// Whether records of other kinds may be written in a scope.
    #[must_use]
    pub fn may_write_in(&self, scope: &Scope) -> bool {
        match &self.authority {
            Authority::Owner => true,
            Authority::Within(reach) => reach.writes_in(scope),
        }
    }

    /// The scopes in view that may be written, innermost first.
    #[must_use]
    pub fn writable_scopes(&self) -> Vec<Scope> {
        match &self.authority {
            Authority::Owner => self.view.scopes(),
            Authority::Within(reach) => reach.writable(&self.view).scopes(),
        }
    }

    /// The store, opened when it is first needed. A caller who is not its owner
    /// gets it with its hands tied.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub async fn store(&self) -> Result<Arc<dyn Store>> {
        let store = self.whole_store().await?;
        Ok(match &self.authority {
            Authority::Owner => store,
            Authority::Within(reach) => Arc::new(ConfinedStore::new(store, reach.clone())),
        })
    }

    async fn whole_store(&self) -> Result<Arc<dyn Store>> {
        if let Some(store) = self.shared.store.get() {
            return Ok(Arc::clone(store));
        }
        let _one_at_a_time = self.shared.opening.lock().await;
        if let Some(store) = self.shared.store.get() {
            return Ok(Arc::clone(store));
        }
        let options = self.store_options()?;
        let store: Arc<dyn Store> = Arc::new(blocking("opening the store", move || open_store(options)).await??);
        Ok(Arc::clone(self.shared.store.get_or_init(|| store)))
    }

    fn store_options(&self) -> Result<Options> {
        let settings = &self.shared.config.settings;
        if !settings.store.url.is_empty() {
            let message = "store.url names a server, which this version cannot use; unset it to use the SQLite store";
            return Err(EngineError::invalid(message));
        }
        let home = &self.shared.home;
        Home::check_ownership(&home.path)?;
        let path = home.store(settings);
        let lost = if self.shared.new_store { LostStore::default() } else { LostStore::look(home, &path)? };
        Ok(Options {
            busy_timeout_ms: settings.store.busy_timeout_ms,
            checkpoint_bytes: settings.store.checkpoint_bytes,
            begin_anew: self.shared.new_store,
            traces: lost.traces,
            advice: lost.advice,
            ..Options::new(path)
        })
    }

    /// Why the store, if it is open, refuses every write.
    #[must_use]
    pub fn store_trouble(&self) -> Option<StoreTrouble> {
        self.shared.store.get().and_then(|store| store.trouble()).map(StoreTrouble::from)
    }

    /// Whether the store is open for reading only: its disk or folder cannot be
    /// written.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.store_trouble().is_some_and(|trouble| trouble.kind == TroubleKind::ReadOnly)
    }

    /// What compares passages with a question. It is loaded when it is asked first.
    pub(crate) fn reranker(&self) -> &dyn Reranker {
        &*self.shared.reranker
    }

    /// The model inside the program that finds names; loaded when it is first asked.
    #[must_use]
    pub(crate) fn local_ner(&self) -> Arc<LocalNer> {
        Arc::clone(&self.shared.local_ner)
    }

    /// The embedder that was given from outside.
    pub(crate) fn given_embedder(&self) -> Option<&Arc<dyn Embedder>> {
        self.shared.embedder.as_ref()
    }

    /// The chat model that was given from outside.
    pub(crate) fn given_chat(&self) -> Option<&Arc<dyn Chat>> {
        self.shared.chat.as_ref()
    }

    /// The models that are open.
    pub(crate) fn open_models(&self) -> &tokio::sync::Mutex<OpenModels> {
        &self.shared.models
    }

    /// The randomness itself, for what outlives an operation.
    pub(crate) fn entropy(&self) -> Arc<dyn Entropy> {
        Arc::clone(&self.shared.entropy)
    }

    /// Whether models outside of this program are set up.
    #[must_use]
    pub fn asks_outside(&self) -> bool {
        let settings = &self.shared.config.settings;
        let embeds = self.embeds() && self.shared.embedder.is_none() && settings.embedding.provider != "builtin";
        // A program is run by the background work alone, and is of no interest to anyone else.
        let chats = !matches!(settings.chat.provider.as_str(), "none" | "command");
        embeds || (chats && self.shared.chat.is_none())
    }

    /// Whether texts get vectors.
    #[must_use]
    pub fn embeds(&self) -> bool {
        let settings = &self.shared.config.settings;
        settings.store.vector.enabled && settings.embedding.provider != "none"
    }

    /// The search index, opened when it is first needed.
    ///
    /// # Errors
    /// When its folder cannot be made.
    pub async fn index(&self) -> Result<Arc<Keeper>> {
        let store = self.store().await?;
        if let Some(keeper) = self.shared.index.get() {
            return Ok(Arc::clone(keeper));
        }
        // A store without a disk has an index without one.
        let keeper = match store.location() {
            Some(_) if self.is_read_only() => Keeper::read_only(&self.shared.home.index()),
            Some(_) => Keeper::on_disk(&self.shared.home.index())?,
            None => Keeper::in_memory(),
        };
        Ok(Arc::clone(self.shared.index.get_or_init(|| Arc::new(keeper))))
    }

    /// The time of day.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.shared.clock.now()
    }

    /// Time that only runs forward, for budgets.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.shared.clock.elapsed()
    }

    /// A new id for a memory.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn memory_id(&self, kind: Kind) -> Result<MemoryId> {
        Ok(MemoryId::new(kind, self.uuid()?))
    }

    /// A new id for a job.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn job_id(&self) -> Result<JobId> {
        Ok(JobId::from(self.uuid()?))
    }

    /// A new id of any kind.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn uuid(&self) -> Result<Uuid> {
        self.shared.ids.next(&*self.shared.clock, &*self.shared.entropy)
    }

    /// Digits for a fence that nobody can guess. Three of them are one token, so
    /// that a block costs the same whichever they are.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn nonce(&self) -> Result<String> {
        let mut bytes = [0; 8];
        self.shared.entropy.fill(&mut bytes)?;
        Ok(format!("{:018}", u64::from_le_bytes(bytes) % 1_000_000_000_000_000_000))
    }

    /// Random bytes, for secrets and nonces.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn random<const N: usize>(&self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.shared.entropy.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// The clock itself, for what outlives an operation.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.shared.clock
    }

    /// The stamp of a new run of `operation`.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn stamp(&self, operation: &'static str) -> Result<Stamp> {
        Ok(Stamp { run: RunId::from(self.uuid()?), at: self.now(), actor: self.actor.clone(), operation })
    }

    /// Where a write goes: the project unless something else is said. Only the
    /// caller's own scopes have a name here.
    ///
    /// # Errors
    /// When the text is none of `project`, `global`, `task` and `task/NAME`.
    pub fn scope_named(&self, text: Option<&str>) -> Result<Scope> {
        match text {
            None => Ok(self.view.home()),
            Some("global") => Ok(Scope::Global),
            Some("project") => match self.view.project_id() {
                Some(project) => Ok(Scope::Project(project.clone())),
                None => Err(EngineError::invalid("there is no project here; use --scope global or --project ID")),
            },
            Some("task") => match (self.view.project_id(), self.view.task_id()) {
                (Some(project), Some(task)) => Ok(Scope::Task(project.clone(), task.clone())),
                _ => Err(EngineError::invalid("no task is open here")),
            },
            Some(other) => {
                let task = other.strip_prefix("task/").filter(|name| !name.contains('/')).zip(self.view.project_id());
                let whole = task.map_or_else(|| other.to_owned(), |(name, project)| format!("task/{project}/{name}"));
                // A scope as the answers show it is welcome too, if it is ours.
                let scope = whole.parse::<Scope>().ok().filter(|scope| self.view.sees(scope));
                scope.ok_or_else(|| {
                    EngineError::invalid(format!(
                        "`{other}` is not a scope here; use project, global, task or task/NAME"
                    ))
                })
            }
        }
    }
}
