//! The providers: where they are, what their models are called, which key they want.

use scrubjay_models::embed::BuiltinModel;
use scrubjay_models::http::Address;

use super::role::Role;
use crate::config::{Keys, SecretText};

/// Someone who runs models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provider {
    /// This program.
    Builtin,
    /// A file or folder on this machine.
    Local,
    /// Ollama, on this machine unless told otherwise.
    Ollama,
    /// OpenAI, or a server that speaks like it.
    OpenAi,
    /// Google's Gemini.
    Gemini,
    /// Anthropic.
    Anthropic,
    /// A program that the user has.
    Command,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Builtin, Self::Local, Self::Ollama, Self::OpenAi, Self::Gemini, Self::Anthropic, Self::Command];

    /// Its name in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Local => "local",
            Self::Ollama => "ollama",
            Self::OpenAi => "openai",
            Self::Gemini => "gemini",
            Self::Anthropic => "anthropic",
            Self::Command => "command",
        }
    }

    /// The provider with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.name() == name)
    }

    /// Where it is, unless the settings say otherwise; nothing for those that are not called.
    #[must_use]
    pub fn usual_url(self) -> &'static str {
        match self {
            Self::Builtin | Self::Local | Self::Command => "",
            Self::Ollama => "http://127.0.0.1:11434",
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta",
            Self::Anthropic => "https://api.anthropic.com",
        }
    }

    /// The model that turns text into vectors, unless the settings name another.
    #[must_use]
    pub fn usual_embedding(self) -> &'static str {
        match self {
            Self::Ollama => "nomic-embed-text",
            Self::OpenAi => "text-embedding-3-small",
            Self::Gemini => "gemini-embedding-001",
            Self::Local => "embeddinggemma-300M-Q8_0.gguf",
            Self::Builtin | Self::Anthropic | Self::Command => "",
        }
    }

    /// The chat model of a role, unless the settings name another: a small one decides and shortens, a larger one does
    /// the rest.
    #[must_use]
    pub fn usual_chat(self, role: Role) -> &'static str {
        let small = matches!(role, Role::Gate | Role::Summarize);
        match (self, small) {
            (Self::OpenAi, true) => "gpt-5-nano",
            (Self::OpenAi, false) => "gpt-5-mini",
            (Self::Anthropic, true) => "claude-haiku-4-5",
            (Self::Anthropic, false) => "claude-sonnet-4-5",
            (Self::Gemini, true) => "gemini-2.5-flash-lite",
            (Self::Gemini, false) => "gemini-2.5-flash",
            (Self::Ollama, _) => "llama3.2",
            (Self::Builtin | Self::Local | Self::Command, _) => "",
        }
    }

    /// The header that carries its key, and what stands before the key in it; none if it wants none.
    #[must_use]
    pub fn key_header(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::OpenAi => Some(("authorization", "Bearer ")),
            Self::Gemini => Some(("x-goog-api-key", "")),
            Self::Anthropic => Some(("x-api-key", "")),
            Self::Builtin | Self::Local | Self::Ollama | Self::Command => None,
        }
    }

    /// Its key in the settings.
    #[must_use]
    pub fn key(self, keys: &Keys) -> Option<&SecretText> {
        let key = match self {
            Self::OpenAi => &keys.openai,
            Self::Gemini => &keys.gemini,
            Self::Anthropic => &keys.anthropic,
            Self::Builtin | Self::Local | Self::Ollama | Self::Command => return None,
        };
        (!key.is_empty()).then_some(key)
    }

    /// The variable in which its own programs look for a key.
    #[must_use]
    pub fn key_variable(self) -> &'static str {
        match self {
            Self::OpenAi => "OPENAI_API_KEY",
            Self::Gemini => "GEMINI_API_KEY",
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::Builtin | Self::Local | Self::Ollama | Self::Command => "",
        }
    }

    /// Whether it must have a key at this address. A server of one's own that speaks like OpenAI may do without.
    #[must_use]
    pub fn needs_key(self, url: &str) -> bool {
        match self {
            Self::OpenAi => url == self.usual_url(),
            Self::Gemini | Self::Anthropic => true,
            Self::Builtin | Self::Local | Self::Ollama | Self::Command => false,
        }
    }

    /// Whether it makes vectors.
    #[must_use]
    pub fn embeds(self) -> bool {
        !matches!(self, Self::Anthropic | Self::Command)
    }

    /// Whether it has chat models.
    #[must_use]
    pub fn chats(self) -> bool {
        !matches!(self, Self::Builtin | Self::Local)
    }

    /// Whether it does this kind of work. A command's calls count against somebody's plan, so that it has one per
    /// window: rules decide what it sees, and how what it says stands to what is known.
    #[must_use]
    pub fn works_as(self, role: Role) -> bool {
        self.chats() && (self != Self::Command || !matches!(role, Role::Gate | Role::Consolidate))
    }

    /// Whether what it is sent leaves this machine.
    #[must_use]
    pub fn is_remote(self, url: &str) -> bool {
        match self {
            Self::Builtin | Self::Local => false,
            _ => Address::parse(url).map_or(true, |address| !address.is_local()),
        }
    }
}

/// Says that a model is not one of those inside this program.
#[must_use]
pub fn not_built_in(model: &str) -> String {
    let named = BuiltinModel::Multilingual.name();
    format!("`{model}` is not built in; embedding.model may be {named}, or empty for the usual one")
}
