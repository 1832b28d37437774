//! What a hook has to keep.

use std::collections::BTreeMap;

use scrubjay_ingest::transcript::is_summary;
use serde_json::{Value, json};

use super::answer::Hooked;
use crate::capture::{clean, clean_id};
use crate::clients::{Moment, Occasion};
use crate::config::Settings;
use crate::ops::Message;

/// The most that is kept of one tool call, in characters.
const TOOL_CHARS: usize = 4000;

/// The messages in an occasion, cleaned, as `capture` takes them.
///
/// They carry no id, although some clients have one: the transcript of the same
/// session calls the same message something else, and two ids would make two
/// messages of it. Session, role, text and time tell that it is one.
#[must_use]
pub fn messages(settings: &Settings, hooked: &Hooked, occasion: &Occasion) -> Vec<Message> {
    if !settings.hooks.enabled || !settings.hooks.capture || occasion.session.is_empty() {
        return Vec::new();
    }
    let role = match occasion.moment {
        Moment::Prompt => "user",
        Moment::Reply | Moment::SubagentReply => "assistant",
        Moment::Tool if settings.hooks.tools => "tool",
        _ => return Vec::new(),
    };
    let Some(text) = &occasion.text else { return Vec::new() };
    // What a client has a model write when it shortens a conversation, nobody said.
    if is_summary(text) {
        return Vec::new();
    }
    // Cut after cleaning: half of a block of ours, or of a secret, would not be recognised.
    let cleaned = clean(text, settings.capture.redact).text;
    let content = if role == "tool" { cleaned.chars().take(TOOL_CHARS).collect() } else { cleaned };
    if content.is_empty() {
        return Vec::new();
    }
    let mut attributes = BTreeMap::from([("client".to_owned(), json!(hooked.client))]);
    // What a client says of itself may hold a secret, too, and this may lie in the spool.
    if let Some(agent) = &occasion.agent {
        attributes.insert("subagent".to_owned(), json!(clean(agent, settings.capture.redact).text));
    }
    vec![Message {
        session_id: clean_id(&occasion.session, settings.capture.redact),
        role: role.to_owned(),
        content,
        time: Some(Value::String(hooked.received_at.clone())),
        attributes,
        ..Message::default()
    }]
}
