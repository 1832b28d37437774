//! Filling in a record.

use std::collections::BTreeSet;

use scrubjay_core::decay;
use scrubjay_core::entity::name_key;
use scrubjay_core::id::{EntityId, MemoryId};
use scrubjay_core::memory::{
    ATTRIBUTE_DEPTH, Attributes, Confidence, DecayRate, Importance, Kind, Memory, MemoryType, Origin, label,
    nest_too_deep,
};
use scrubjay_core::scope::Scope;
use scrubjay_core::time::Timestamp;
use scrubjay_models::ner::{Mention, Ner, RegexNer, resolve};
use scrubjay_store::change::{NewMemory, NewMention};

use crate::clean::{clean, clean_id};
use crate::memory_types::policy;
use crate::{Ctx, EngineError, Result};

/// A memory as a caller describes it; what is missing is filled in.
#[derive(Debug, Clone)]
pub struct Draft {
    /// What sort of memory.
    pub kind: Kind,
    /// Where it is to live.
    pub scope: Scope,
    /// What it says, already cleaned.
    pub content: String,
    /// Its type.
    pub memory_type: Option<String>,
    /// The conversation it belongs to.
    pub session_id: Option<String>,
    /// Who said it.
    pub role: Option<String>,
    /// How much it matters.
    pub importance: Option<f64>,
    /// How sure it is.
    pub confidence: Option<f64>,
    /// When it happened.
    pub event_time: Option<Timestamp>,
    /// Where it came from.
    pub origin: Origin,
    /// Its labels.
    pub tags: Vec<String>,
    /// What it was made from.
    pub source_ids: Vec<MemoryId>,
    /// Free metadata.
    pub attributes: Attributes,
    /// The caller's own key.
    pub client_id: Option<String>,
    /// A person asked for it.
    pub explicit: bool,
}

/// The longest session id, role and client id, in characters.
const LABEL: usize = 256;

/// Fills in what is missing and checks the rest.
///
/// # Errors
/// When a value is out of range.
pub fn prepare(ctx: &Ctx, draft: Draft) -> Result<NewMemory> {
    let now = ctx.now();
    if nest_too_deep(&draft.attributes) {
        return Err(EngineError::invalid(format!("attributes are nested more than {ATTRIBUTE_DEPTH} levels deep")));
    }
    let redact = ctx.config().settings.capture.redact;
    let optional_label = |field, text: Option<String>| {
        text.map(|text| label(field, &clean_label(&text, redact), LABEL)).transpose().map_err(EngineError::invalid)
    };
    let optional_id = |field, text: Option<String>| {
        text.map(|text| label(field, &clean_id(&text, redact), LABEL)).transpose().map_err(EngineError::invalid)
    };
    let memory_type = match draft.memory_type {
        Some(text) => clean_label(&text, redact).parse::<MemoryType>().map_err(EngineError::invalid)?,
        None => draft.kind.default_type(),
    };
    let importance = draft.importance.unwrap_or(policy(&memory_type).importance);
    let importance = Importance::new(importance).map_err(EngineError::invalid)?;
    let confidence = draft.confidence.map_or(Ok(Confidence::FULL), Confidence::new).map_err(EngineError::invalid)?;
    let fading = &ctx.config().settings.memory;
    let is_lasting = fading.lasting_types.iter().any(|lasting| lasting == memory_type.as_str());
    let fact_rate = if is_lasting { fading.lasting_decay_rate } else { fading.decay_rate };
    let fact_rate = DecayRate::new(fact_rate).map_err(EngineError::defect)?;
    let mut tags: Vec<String> = Vec::with_capacity(draft.tags.len());
    for tag in &draft.tags {
        let tag = label("tag", &clean_label(tag, redact), 64).map_err(EngineError::invalid)?;
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    let memory = Memory {
        id: ctx.memory_id(draft.kind)?,
        memory_type,
        scope: draft.scope,
        session_id: optional_id("session id", draft.session_id)?,
        role: optional_label("role", draft.role)?,
        importance,
        confidence,
        decay_rate: decay::initial_rate(draft.kind, fact_rate),
        event_time: draft.event_time.unwrap_or(now),
        created_at: now,
        ended: None,
        access_count: 0,
        last_accessed: None,
        source_ids: draft.source_ids,
        origin: draft.origin,
        tags,
        attributes: draft.attributes,
        version: 1,
        content: draft.content,
    };
    Ok(NewMemory {
        mentions: mentions(ctx, &names_in(&memory.content))?,
        memory,
        client_id: optional_id("id", draft.client_id)?,
        time_given: draft.event_time.is_some(),
        despite_purge: draft.explicit,
    })
}

/// A short label without the secrets that someone may have put into it.
#[must_use]
pub fn clean_label(text: &str, redact_secrets: bool) -> String {
    clean(text, redact_secrets).text
}

/// The names in a text that have a shape of their own. A text that the patterns
/// fail on is kept without names; the job that links known names looks again.
#[must_use]
pub fn names_in(text: &str) -> Vec<Mention> {
    resolve(RegexNer.mentions(text).unwrap_or_default())
}

/// Mentions as the store takes them, each name once.
///
/// # Errors
/// When there is no randomness for ids.
pub fn mentions(ctx: &Ctx, found: &[Mention]) -> Result<Vec<NewMention>> {
    let mut seen = BTreeSet::new();
    let mut mentions = Vec::new();
    for mention in found {
        let name: String = mention.name.chars().take(LABEL).collect();
        if !seen.insert((name_key(&name), mention.entity_type)) {
            continue;
        }
        let written: String = mention.text.chars().take(LABEL).collect();
        let alias = (name_key(&written) != name_key(&name)).then_some(written);
        mentions.push(NewMention { id: EntityId::from(ctx.uuid()?), name, entity_type: mention.entity_type, alias });
    }
    Ok(mentions)
}
