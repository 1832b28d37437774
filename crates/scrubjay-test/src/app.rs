//! An engine in a scratch folder.

use std::path::Path;
use std::sync::Arc;

use scrubjay_core::scope::View;
use scrubjay_engine::config::{self, Layers};
use scrubjay_engine::ctx::{Ctx, Parts, ProcessContext};
use scrubjay_engine::home::Home;
use scrubjay_engine::ops;
use scrubjay_models::chat::Chat;
use scrubjay_models::embed::{Embedder, Fake};
use scrubjay_models::rerank::Reranker;
use scrubjay_store::Store;
use scrubjay_store::memory::MemoryStore;

use crate::sources::{SeededEntropy, TestClock};

/// An engine in a scratch folder, with time and chance under control.
pub struct TestApp {
    // Removed when the app goes.
    _folder: tempfile::TempDir,
    /// The owner's context, outside of any project.
    pub owner: Ctx,
    /// The clock.
    pub clock: Arc<TestClock>,
}

impl TestApp {
    /// On SQLite.
    #[must_use]
    pub fn on_sqlite() -> Self {
        Self::with(None, &[])
    }

    /// On the store without a disk.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::with(Some(Arc::new(MemoryStore::default())), &[])
    }

    /// On SQLite, with a chat model for every role.
    #[must_use]
    pub fn with_chat(chat: Arc<dyn Chat>) -> Self {
        Self::made(None, &[], Some(Arc::new(Fake::new(64))), Some(chat), None)
    }

    /// The same with some settings changed.
    #[must_use]
    pub fn with_chat_and(chat: Arc<dyn Chat>, settings: &[(&str, &str)]) -> Self {
        Self::made(None, settings, Some(Arc::new(Fake::new(64))), Some(chat), None)
    }

    /// On some store, or SQLite, with some settings changed.
    #[must_use]
    pub fn with(store: Option<Arc<dyn Store>>, settings: &[(&str, &str)]) -> Self {
        Self::made(store, settings, Some(Arc::new(Fake::new(64))), None, None)
    }

    /// On SQLite, with the models that the settings name instead of made-up ones.
    #[must_use]
    pub fn with_own_models(settings: &[(&str, &str)]) -> Self {
        Self::made(None, settings, None, None, None)
    }

    /// The same with another reranker.
    #[must_use]
    pub fn with_reranker(reranker: Arc<dyn Reranker>) -> Self {
        Self::made(None, &[], None, None, Some(reranker))
    }

    fn made(
        store: Option<Arc<dyn Store>>,
        settings: &[(&str, &str)],
        embedder: Option<Arc<dyn Embedder>>,
        chat: Option<Arc<dyn Chat>>,
        reranker: Option<Arc<dyn Reranker>>,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("home");
        Home::private_folder(&path).unwrap();
        let home = Home { config_file: path.join("config.toml"), path, agent: "default".to_owned() };
        let layers = Layers {
            home: home.path.clone(),
            user_file: None,
            agent: home.agent.clone(),
            project_file: None,
            env: Vec::new(),
            flags: settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        };
        let clock = Arc::new(TestClock::at("2026-05-01T12:00:00Z"));
        let parts = Parts {
            home,
            config: config::load(&layers).unwrap(),
            view: View::global(),
            clock: Arc::clone(&clock) as _,
            entropy: Arc::new(SeededEntropy::new(7)),
            store,
            embedder,
            reranker,
            chat,
            surroundings: ProcessContext::default(),
            new_store: false,
        };
        Self { _folder: folder, owner: Ctx::new(parts), clock }
    }

    /// The owner's context as another process would have it: the same files, and
    /// nothing in memory. Only for an app on SQLite.
    #[must_use]
    pub fn again(&self) -> Ctx {
        Ctx::new(Parts {
            home: self.owner.home().clone(),
            config: self.owner.config().clone(),
            view: View::global(),
            clock: Arc::clone(&self.clock) as _,
            entropy: Arc::new(SeededEntropy::new(11)),
            store: None,
            embedder: Some(Arc::new(Fake::new(64))),
            reranker: None,
            chat: None,
            surroundings: ProcessContext::default(),
            new_store: false,
        })
    }

    /// The owner's context as another process with other settings would have it, with the models that those name. Only
    /// for an app on SQLite.
    #[must_use]
    pub fn again_with<Text: AsRef<str>>(&self, settings: &[(&str, Text)]) -> Ctx {
        let home = self.owner.home().clone();
        let layers = Layers {
            home: home.path.clone(),
            agent: home.agent.clone(),
            flags: settings.iter().map(|(key, value)| ((*key).to_owned(), value.as_ref().to_owned())).collect(),
            ..Layers::default()
        };
        Ctx::new(Parts {
            clock: Arc::clone(&self.clock) as _,
            entropy: Arc::new(SeededEntropy::new(13)),
            ..Parts::new(home, config::load(&layers).unwrap(), View::global())
        })
    }

    /// The same with the machine's clock, for what waits for time to pass.
    #[must_use]
    pub fn again_with_system_clock(&self) -> Ctx {
        Ctx::new(Parts {
            embedder: Some(Arc::new(Fake::new(64))),
            reranker: None,
            ..Parts::new(self.owner.home().clone(), self.owner.config().clone(), View::global())
        })
    }

    /// The home folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.owner.home().path
    }

    /// The owner, standing in a project.
    #[must_use]
    pub fn in_project(&self, project: &str) -> Ctx {
        self.owner.at(View::project(project.parse().unwrap())).unwrap()
    }
}

/// Runs an operation by name with JSON, on a runtime of its own.
///
/// # Errors
/// When the operation fails.
pub fn call(ctx: &Ctx, operation: &str, input: serde_json::Value) -> scrubjay_engine::Result<serde_json::Value> {
    let entry = ops::find(operation).unwrap();
    block_on(entry.call(ctx, input))
}

/// Waits for a future.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}
