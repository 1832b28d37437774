//! What a model says about how a new fact stands to known ones.

use scrubjay_core::memory::Memory;
use scrubjay_models::chat::{ChatError, ChatRequest, ask};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::extract::{PromptName, prompt};
use crate::models::Role;
use crate::{Ctx, Result};

/// How a new fact stands to a known one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Relation {
    /// It says the same.
    Same,
    /// It holds instead.
    Replaces,
    /// One of them is wrong.
    Contradicts,
    /// Nothing of this.
    Unrelated,
}

#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(default)]
    verdicts: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct Verdict {
    known: usize,
    relation: Relation,
}

/// Asks about each known fact, by its place in the list. None if there is no model, or none of its answers is of use,
/// which is then told among the warnings. At most one known fact is said to be the same.
///
/// # Errors
/// When the model cannot be reached.
pub(super) async fn judge(
    ctx: &Ctx,
    content: &str,
    known: &[Memory],
    warnings: &mut Vec<String>,
) -> Result<Option<Vec<Relation>>> {
    if known.is_empty() {
        return Ok(None);
    }
    let Some(chat) = ctx.chat(Role::Consolidate).await? else { return Ok(None) };
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut lines = vec![format!("New: {}", line(content)), "Known:".to_owned()];
    for (place, memory) in known.iter().enumerate() {
        lines.push(format!("[{}] ({}) {}", place + 1, memory.event_time.date(), line(&memory.content)));
    }
    let verdict = json!({
        "type": "object",
        "properties": {
            "known": {"type": "integer"},
            "relation": {"type": "string", "enum": ["same", "replaces", "contradicts", "unrelated"]},
        },
        "required": ["known", "relation"],
        "additionalProperties": false,
    });
    let schema = json!({
        "type": "object",
        "properties": {"verdicts": {"type": "array", "items": verdict}},
        "required": ["verdicts"],
        "additionalProperties": false,
    });
    let question = crate::extract::marked(&lines.join("\n"));
    let request =
        ChatRequest::new(prompt(ctx, PromptName::Consolidate)?.text, question).shaped("verdicts", schema).up_to(600);
    let answer = match ask::<Answer>(&*chat, &request, ctx.config().settings.chat.tries).await {
        Ok(asked) => asked.value,
        Err(error @ (ChatError::Shape { .. } | ChatError::CutOff { .. })) => {
            warnings.push(format!("{error}; rules compared a fact with the known ones instead"));
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    };
    let mut relations = vec![Relation::Unrelated; known.len()];
    for verdict in answer.verdicts.into_iter().take(known.len() * 2) {
        let Ok(verdict) = serde_json::from_value::<Verdict>(verdict) else { continue };
        if let Some(relation) = verdict.known.checked_sub(1).and_then(|place| relations.get_mut(place)) {
            *relation = verdict.relation;
        }
    }
    Ok(Some(relations))
}
