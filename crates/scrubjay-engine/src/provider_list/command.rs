//! A program that the user has, asked for one answer at a time.

use super::descriptor::{ChatModels, ChatRuntime, Descriptor};

pub(crate) static COMMAND: Descriptor = Descriptor {
    name: "command",
    about: "claude, codex, gemini, opencode, copilot, or any program of yours that is logged in already",
    default_url: "",
    api_key: None,
    headers: &[],
    embedding: None,
    chat: Some(ChatModels { small_model: "", large_model: "", runtime: ChatRuntime::Command }),
    prices: &[],
};
