//! What the settings make of a provider: its key, its model for a kind of work, whether it can be used.

use scrubjay_models::embed::BuiltinModel;
use scrubjay_models::http::Address;

use super::role::Role;
use crate::config::{Keys, SecretText};
use crate::provider_list::Provider;

impl Provider {
    /// The chat model of a role, unless the settings name another; empty if there is none.
    #[must_use]
    pub fn default_chat_model(self, role: Role) -> &'static str {
        let is_small = matches!(role, Role::Gate | Role::Summarize);
        self.descriptor().chat.as_ref().map_or("", |chat| if is_small { chat.small_model } else { chat.large_model })
    }

    /// Its key in the settings.
    #[must_use]
    pub fn key(self, keys: &Keys) -> Option<&SecretText> {
        keys.get(self.name).filter(|key| !key.is_empty())
    }

    /// The variable that people are told to set; empty if it wants no key.
    #[must_use]
    pub fn key_variable(self) -> &'static str {
        self.descriptor().api_key.as_ref().and_then(|key| key.variables.last()).copied().unwrap_or_default()
    }

    /// Whether it must have a key at this address. A server of one's own that speaks like it may do without.
    #[must_use]
    pub fn needs_key(self, url: &str) -> bool {
        self.api_key.as_ref().is_some_and(|key| !key.optional_elsewhere || url == self.default_url)
    }

    /// Whether it does this kind of work. A command's calls count against somebody's plan, so that it has one per
    /// window: rules decide what it sees, and how what it says stands to what is known.
    #[must_use]
    pub fn works_as(self, role: Role) -> bool {
        self.chats() && !(self.is_command() && matches!(role, Role::Gate | Role::Consolidate))
    }

    /// Whether what it is sent leaves this machine.
    #[must_use]
    pub fn is_remote(self, url: &str) -> bool {
        if self.is_built_in() || self.is_model_file() {
            return false;
        }
        Address::parse(url).map_or(true, |address| !address.is_local())
    }
}

/// Says that a model is not one of those inside this program.
#[must_use]
pub fn not_built_in(model: &str) -> String {
    let named = BuiltinModel::Multilingual.name();
    format!("`{model}` is not built in; embedding.model may be {named}, or empty for the usual one")
}
