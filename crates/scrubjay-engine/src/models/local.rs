//! Models on this machine: a folder that our own encoder runs, or a file that llama.cpp's server does.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use scrubjay_models::embed::served::Served;
use scrubjay_models::embed::{
    EmbedError, Embedder, Folder, LOADING, LlamaServer, LlamaUse, ModelCard, Spent, find_program,
};
use scrubjay_models::http::{CallError, Secret};

use crate::blocking::blocking;
use crate::{Ctx, EngineError, Result};

/// How long to wait between two looks whether a server is ready.
const LOOK: Duration = Duration::from_millis(100);

/// A server that was started for a file, with the key that it wants.
pub(super) struct Started {
    pub(super) server: LlamaServer,
    pub(super) key: Secret,
}

/// An embedder that keeps its server running as long as it lives.
pub(super) struct WithServer {
    pub(super) inner: Arc<dyn Embedder>,
    pub(super) server: LlamaServer,
}

/// Reads the model in a folder, on a thread that may wait.
pub(super) async fn folder(path: PathBuf, threads: usize) -> Result<Folder> {
    Ok(blocking("reading the model", move || Folder::read(&path, threads)).await??)
}

/// Starts a server for a file.
pub(super) fn start(ctx: &Ctx, path: &std::path::Path, served: LlamaUse) -> Result<Started> {
    let search = ctx.variable("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = search.split(':').filter(|folder| !folder.is_empty()).map(PathBuf::from).collect();
    let program = find_program(&ctx.config().settings.embedding.server, &folders).ok_or_else(|| {
        let message = "llama-server is not in the search path; install llama.cpp, or set embedding.server to its path";
        EngineError::model(message)
    })?;
    let key = ctx.uuid()?.simple().to_string();
    let server = LlamaServer::start(&program, path, &key, served)?;
    let key = Secret::new(&key).ok_or(EngineError::Entropy)?;
    Ok(Started { server, key })
}

/// Waits until a model is loaded: until a first call succeeds, the server ends, or it takes too long. None if the
/// server is ready and says that it gives no vectors.
pub(super) async fn ready(server: &LlamaServer, make: impl Fn() -> Served + Send) -> Result<Option<Served>> {
    let looks = LOADING.as_millis() / LOOK.as_millis();
    for _ in 0..looks {
        let served = make();
        // A server that is still loading has not failed.
        served.client().breaker().succeeded();
        match served.detect().await {
            Ok(served) => return Ok(Some(served)),
            // While it loads it answers 503.
            Err(EmbedError::Call(CallError::Status { status: 400, .. })) => return Ok(None),
            Err(_) if server.runs() => tokio::time::sleep(LOOK).await,
            Err(error) => {
                return Err(EngineError::model(format!("llama-server ended before the model was loaded ({error})")));
            }
        }
    }
    Err(EngineError::model("llama-server did not load the model in time"))
}

#[async_trait]
impl Embedder for WithServer {
    fn model(&self) -> &ModelCard {
        self.inner.model()
    }

    async fn embed_documents(&self, texts: &[String]) -> std::result::Result<Vec<Vec<f32>>, EmbedError> {
        self.alive()?;
        self.inner.embed_documents(texts).await
    }

    async fn embed_query(&self, text: &str) -> std::result::Result<Vec<f32>, EmbedError> {
        self.alive()?;
        self.inner.embed_query(text).await
    }

    fn take_spent(&self) -> Spent {
        self.inner.take_spent()
    }

    fn items_at_once(&self) -> usize {
        self.inner.items_at_once()
    }
}

impl WithServer {
    fn alive(&self) -> std::result::Result<(), EmbedError> {
        if self.server.runs() {
            return Ok(());
        }
        let source = "llama-server has ended".into();
        Err(EmbedError::Stopped { model: self.inner.model().id.clone(), source })
    }
}
