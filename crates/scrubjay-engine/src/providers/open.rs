//! Models that were opened.

use std::collections::HashMap;
use std::sync::Arc;

use scrubjay_models::chat::Chat;
use scrubjay_models::embed::Embedder;
use scrubjay_models::http::{Breaker, HttpClient};

use super::choice::{ChatChoice, EmbeddingChoice};
use super::role::Role;
use crate::provider_list::Provider;

/// An embedder that was opened, and how it is talked to if it is.
#[derive(Clone)]
pub struct Opened {
    /// The choice it was made of.
    pub choice: EmbeddingChoice,
    /// The embedder, guarded.
    pub embedder: Arc<dyn Embedder>,
    /// How it is talked to; none for models inside of this process.
    pub client: Option<Arc<HttpClient>>,
}

/// A chat model, and how its provider does.
pub(crate) type OpenChat = (Arc<dyn Chat>, Arc<Breaker>);

/// Models that were opened, so that everyone who uses one knows together how its provider does.
#[derive(Default)]
pub(crate) struct OpenModels {
    pub(crate) embedders: HashMap<EmbeddingChoice, Opened>,
    pub(crate) chats: HashMap<(ChatChoice, Role), OpenChat>,
    pub(crate) clients: HashMap<(Provider, String), Arc<HttpClient>>,
    pub(crate) breakers: HashMap<String, Arc<Breaker>>,
}
