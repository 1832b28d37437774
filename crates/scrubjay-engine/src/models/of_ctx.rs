//! The models of a context.

use std::sync::Arc;

use scrubjay_models::chat::Chat;
use scrubjay_models::embed::Embedder;
use scrubjay_store::item::NewGeneration;

use super::open::{active_embedder, chat_of, embedder_for};
use crate::item::{is_of, plan};
use crate::providers::open::Opened;
use crate::providers::role::Role;
use crate::{Ctx, Result};

impl Ctx {
    /// What turns text into vectors now, if anything is set up to. A model that is met for the first time is asked what
    /// is not known about it.
    ///
    /// # Errors
    /// When the one that is set up cannot be used, for the moment or at all.
    pub async fn embedder(&self) -> Result<Option<Arc<dyn Embedder>>> {
        if let Some(given) = self.given_embedder() {
            return Ok(self.embeds().then(|| Arc::clone(given)));
        }
        Ok(self.opened_embedder().await?.map(|opened| opened.embedder))
    }

    /// The same, with what it was made of; none too if it was given from outside.
    ///
    /// # Errors
    /// When the one that is set up cannot be used, for the moment or at all.
    pub async fn opened_embedder(&self) -> Result<Option<Opened>> {
        if !self.embeds() || self.given_embedder().is_some() {
            return Ok(None);
        }
        active_embedder(self).await
    }

    /// What turns questions into vectors that can be compared with those of a generation; none if nothing can any
    /// more.
    ///
    /// # Errors
    /// When what could cannot be used, for the moment or at all.
    pub async fn embedder_for(&self, spec: &NewGeneration) -> Result<Option<Arc<dyn Embedder>>> {
        if !self.embeds() {
            return Ok(None);
        }
        let embedder = match self.given_embedder() {
            Some(given) => Some(Arc::clone(given)),
            None => embedder_for(self, spec).await?,
        };
        Ok(embedder.filter(|embedder| is_of(spec, &plan(&**embedder))))
    }

    /// The chat model of a role; none if none is set up for it, which is no error: whoever asks goes by rules then.
    ///
    /// # Errors
    /// When the one that is set up cannot be used.
    pub async fn chat(&self, role: Role) -> Result<Option<Arc<dyn Chat>>> {
        match self.given_chat() {
            Some(given) => Ok(Some(Arc::clone(given))),
            None => chat_of(self, role).await,
        }
    }
}
