//! A provider, as the engine passes it around.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use super::descriptor::{ChatRuntime, Descriptor, EmbeddingRuntime};
use super::list::PROVIDERS;

/// One of the providers in the list. Two are the same if their names are.
#[derive(Clone, Copy)]
pub struct Provider(&'static Descriptor);

impl Provider {
    /// All of them, in the order of the list.
    pub fn all() -> impl Iterator<Item = Self> {
        PROVIDERS.iter().copied().map(Self)
    }

    /// The provider with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|provider| provider.name == name)
    }

    /// The provider of a model, by the model's id: `openai/gpt-5-mini`.
    #[must_use]
    pub fn of_model(id: &str) -> Option<Self> {
        Self::from_name(id.split_once('/')?.0)
    }

    /// The one that a descriptor of the list stands for.
    pub(crate) const fn of(descriptor: &'static Descriptor) -> Self {
        Self(descriptor)
    }

    /// What there is to know about it.
    #[must_use]
    pub fn descriptor(self) -> &'static Descriptor {
        self.0
    }

    /// Whether it turns text into vectors.
    #[must_use]
    pub fn embeds(self) -> bool {
        self.embedding.is_some()
    }

    /// Whether it has chat models.
    #[must_use]
    pub fn chats(self) -> bool {
        self.chat.is_some()
    }

    /// Whether its embedders are part of this program.
    #[must_use]
    pub fn is_built_in(self) -> bool {
        matches!(self.embedding_runtime(), Some(EmbeddingRuntime::BuiltIn))
    }

    /// Whether its embedders are files or folders on this machine.
    #[must_use]
    pub fn is_model_file(self) -> bool {
        matches!(self.embedding_runtime(), Some(EmbeddingRuntime::ModelFile))
    }

    /// Whether its chat model is a program of the user's.
    #[must_use]
    pub fn is_command(self) -> bool {
        matches!(self.chat.as_ref().map(|chat| &chat.runtime), Some(ChatRuntime::Command))
    }

    fn embedding_runtime(self) -> Option<&'static EmbeddingRuntime> {
        self.0.embedding.as_ref().map(|embedding| &embedding.runtime)
    }
}

impl Deref for Provider {
    type Target = Descriptor;

    fn deref(&self) -> &Descriptor {
        self.0
    }
}

impl PartialEq for Provider {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Provider {}

impl Hash for Provider {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.name)
    }
}
