//! What would be learned from a conversation without a model, window by window. Nothing is stored.

use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Confidence, DecayRate, Importance, Kind, Memory, MemoryType, Origin, OriginKind};
use scrubjay_core::scope::Scope;
use uuid::Uuid;

use crate::extract::{Candidate, by_classifier, windows, without_model, worth_keeping};
use crate::{Ctx, EngineError, Result};

/// The type of what is said.
const MESSAGE: &str = "message";

/// A part of a conversation, and what is found in it.
#[derive(Debug, Clone)]
pub struct TestWindow {
    /// Its turns, by their places in the conversation.
    pub turns: Vec<usize>,
    /// Whether the gate lets it pass.
    pub passes: bool,
    /// What is found in it.
    pub found: Vec<TestFact>,
}

/// What is found in a part of a conversation.
#[derive(Debug, Clone)]
pub struct TestFact {
    /// What it says.
    pub content: String,
    /// Its type.
    pub memory_type: String,
    /// Which rule found it, or `work-talk` for the classifier.
    pub found_by: String,
    /// How sure it is.
    pub confidence: f64,
    /// The turns it rests on, by their places in the conversation.
    pub turns: Vec<usize>,
}

/// Looks at a conversation that is over: pairs of a role and what was said.
///
/// # Errors
/// When a pattern is wrong.
pub fn extraction(ctx: &Ctx, turns: &[(&str, &str)]) -> Result<Vec<TestWindow>> {
    let settings = &ctx.config().settings.extract;
    let message = MESSAGE.parse().map_err(|error| EngineError::defect(format!("`{MESSAGE}` is no type: {error}")))?;
    let episode = |(place, (role, text)): (usize, &(&str, &str))| episode(ctx, place, role, text, &message);
    let episodes: Vec<Memory> = turns.iter().enumerate().map(episode).collect();
    let place_of = |id: &MemoryId| episodes.iter().position(|episode| episode.id == *id);
    let windows = windows(&[], &episodes, settings.window_tokens, settings.overlap_tokens);
    let picked = by_classifier(&windows, true)?;
    let mut seen = Vec::new();
    for (window, picked) in windows.iter().zip(&picked) {
        let passes = worth_keeping(window)?;
        // As in consolidation: what the rules of the gate do not see, the classifier may.
        let found = if passes || !picked.is_empty() { without_model(window, picked)? } else { Vec::new() };
        let told = |fact: Candidate| TestFact {
            turns: fact.evidence.iter().filter_map(place_of).collect(),
            content: fact.content,
            memory_type: fact.memory_type,
            found_by: fact.found_by,
            confidence: fact.confidence,
        };
        seen.push(TestWindow {
            turns: window.new.iter().filter_map(|episode| place_of(&episode.id)).collect(),
            passes,
            found: found.into_iter().map(told).collect(),
        });
    }
    Ok(seen)
}

fn episode(ctx: &Ctx, place: usize, role: &str, text: &str, memory_type: &MemoryType) -> Memory {
    let at = ctx.now();
    Memory {
        // Ids only tell the turns apart.
        id: MemoryId::new(Kind::Episode, Uuid::from_u128(place as u128 + 1)),
        memory_type: memory_type.clone(),
        scope: Scope::Global,
        session_id: None,
        role: Some(role.to_owned()),
        content: text.to_owned(),
        importance: Importance::default(),
        confidence: Confidence::FULL,
        decay_rate: DecayRate::PROTECTED,
        event_time: at,
        created_at: at,
        ended: None,
        access_count: 0,
        last_accessed: None,
        source_ids: Vec::new(),
        origin: Origin::from(OriginKind::of_role(role)),
        tags: Vec::new(),
        attributes: Default::default(),
        version: 1,
    }
}
