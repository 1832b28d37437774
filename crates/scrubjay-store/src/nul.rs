//! The character NUL, which a server's texts cannot hold: U+FFFD takes its place, in every backend alike.
//!
//! Memories, changes and the conditions of a list pass here before anything is hashed, compared or stored. What else a
//! backend is handed (names, paths, marks) comes from us or from file systems, which have no such character either.

use std::borrow::Cow;

use scrubjay_core::filter::{Scalar, Test};
use scrubjay_core::memory::{Attributes, nest_too_deep};
use serde_json::{Map, Value};

use crate::change::{Change, NewMemory, NewMention, Patch};
use crate::query::ListQuery;

const NUL: char = '\0';
const INSTEAD: &str = "\u{fffd}";

/// A text as every backend can hold it.
pub(crate) fn without_nul(text: &str) -> Cow<'_, str> {
    if text.contains(NUL) { Cow::Owned(text.replace(NUL, INSTEAD)) } else { Cow::Borrowed(text) }
}

/// Messages as every backend can hold them.
pub(crate) fn in_messages(mut messages: Vec<NewMemory>) -> Vec<NewMemory> {
    messages.iter_mut().for_each(in_new);
    messages
}

/// Changes as every backend can make them.
pub(crate) fn in_changes(mut changes: Vec<Change>) -> Vec<Change> {
    for change in &mut changes {
        match change {
            Change::Create(new) => in_new(new),
            Change::Update { patch, .. } => in_patch(patch),
            Change::Mention { mentions, .. } => mentions.iter_mut().for_each(in_mention),
            Change::End { .. } | Change::Reopen { .. } | Change::Link(_) | Change::Unlink(_) => {}
        }
    }
    changes
}

/// A list's conditions, which must find what was stored that way.
pub(crate) fn in_query(mut query: ListQuery) -> ListQuery {
    for condition in &mut query.filter.conditions {
        match &mut condition.test {
            Test::Compare(_, wanted) => in_scalar(wanted),
            Test::AnyOf(wanted) => wanted.iter_mut().for_each(in_scalar),
        }
    }
    query
}

fn in_new(new: &mut NewMemory) {
    let memory = &mut new.memory;
    in_text(&mut memory.content);
    let optional = [&mut memory.session_id, &mut memory.role, &mut memory.origin.path, &mut new.client_id];
    optional.into_iter().flatten().for_each(in_text);
    memory.tags.iter_mut().for_each(in_text);
    in_attributes(&mut memory.attributes);
    new.mentions.iter_mut().for_each(in_mention);
}

fn in_patch(patch: &mut Patch) {
    patch.content.iter_mut().for_each(in_text);
    patch.tags.iter_mut().flatten().for_each(in_text);
    patch.attributes.iter_mut().for_each(in_attributes);
}

fn in_mention(mention: &mut NewMention) {
    in_text(&mut mention.name);
    mention.alias.iter_mut().for_each(in_text);
}

fn in_scalar(scalar: &mut Scalar) {
    if let Scalar::Text(text) = scalar {
        in_text(text);
    }
}

fn in_attributes(attributes: &mut Attributes) {
    // They will be refused, and following them down could be the end of the stack.
    if nest_too_deep(attributes) {
        return;
    }
    attributes.values_mut().for_each(in_value);
    if attributes.keys().any(|key| key.contains(NUL)) {
        let renamed = std::mem::take(attributes).into_iter();
        *attributes = renamed.map(|(key, value)| (without_nul(&key).into_owned(), value)).collect();
    }
}

fn in_object(object: &mut Map<String, Value>) {
    object.values_mut().for_each(in_value);
    if object.keys().any(|key| key.contains(NUL)) {
        let renamed = std::mem::take(object).into_iter();
        *object = renamed.map(|(key, value)| (without_nul(&key).into_owned(), value)).collect();
    }
}

fn in_value(value: &mut Value) {
    match value {
        Value::String(text) => in_text(text),
        Value::Array(values) => values.iter_mut().for_each(in_value),
        Value::Object(object) => in_object(object),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn in_text(text: &mut String) {
    if text.contains(NUL) {
        *text = text.replace(NUL, INSTEAD);
    }
}
