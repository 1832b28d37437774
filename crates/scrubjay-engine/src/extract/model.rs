//! Extraction with a chat model, whose answers are never trusted.
//!
//! The model sees numbered turns and answers with numbers, so there are no ids that it could invent or borrow from
//! another project. Each fact it names must rest on turns of this window and share words with them; what does not is
//! dropped. How many facts, how long and with which labels is decided here.

use scrubjay_core::entity::EntityType;
use scrubjay_core::lexical;
use scrubjay_core::memory::Memory;
use scrubjay_models::chat::{ChatRequest, ask};
use serde::Deserialize;
use serde_json::{Value, json};

use super::candidate::Candidate;
use super::prompts::{PromptName, prompt};
use super::speaker::{Cast, Speaker};
use super::window::Window;
use super::without_model::without_model;
use crate::models::{Allowance, Role};
use crate::{Ctx, Result};

/// How sure a fact of a model is.
const CONFIDENCE: f64 = 0.9;

/// The share of a fact's telling words that must be in the window.
const GROUNDED: f64 = 0.34;

/// Labels and names that a fact may carry.
const LABELS: usize = 8;

/// How much of one turn the model sees, in characters.
const TURN_CHARS: usize = 4000;

#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(default)]
    facts: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct Fact {
    content: String,
    #[serde(default, rename = "type")]
    memory_type: Option<String>,
    #[serde(default)]
    importance: Option<f64>,
    #[serde(default)]
    tags: Vec<Value>,
    #[serde(default)]
    entities: Vec<Value>,
    #[serde(default)]
    evidence: Vec<Value>,
}

/// The candidates of a window, and what to tell about how they were found: from the model of the role, or from the
/// rules and the classifier, whose `picked` are given, if there is none or its answer is of no use.
///
/// # Errors
/// When the model cannot be reached.
pub async fn candidates(
    ctx: &Ctx,
    window: &Window,
    known: &[Memory],
    picked: &[Candidate],
) -> Result<(Vec<Candidate>, Vec<String>)> {
    let without_model = || without_model(window, picked);
    let Some(chat) = ctx.chat(Role::Extract).await? else { return Ok((without_model()?, Vec::new())) };
    let Some(episode) = window.new.first() else { return Ok((Vec::new(), Vec::new())) };
    let session_id = episode.session_id.as_deref().unwrap_or_default();
    let allowance = Allowance::of(ctx, chat.model(), &episode.scope, session_id);
    if let Some(why) = allowance.used_up(ctx).await? {
        return Ok((without_model()?, vec![format!("{why}; rules were used for this window instead")]));
    }
    let instructions = prompt(ctx, PromptName::Extract)?;
    let mut question = transcript(window);
    if !known.is_empty() {
        let lines: Vec<String> = known.iter().map(|memory| format!("- {}", one_line(&memory.content))).collect();
        question.push_str("\n\nAlready known:\n");
        question.push_str(&marked(&lines.join("\n")));
    }
    let settings = &ctx.config().settings.extract;
    let request = ChatRequest::new(instructions.text, question).shaped("facts", schema()).up_to(2048);
    let model = chat.model().id.clone();
    let asked = ask::<Answer>(&*chat, &request, ctx.config().settings.chat.tries).await;
    allowance.note(ctx, &asked).await?;
    let answer = match asked {
        Ok(asked) => asked.value,
        Err(error) if error.leaves_it_to_rules(chat.model()) => {
            return Ok((without_model()?, vec![format!("{error}; rules were used for this window instead")]));
        }
        Err(error) => return Err(error.into()),
    };
    let turns: Vec<&Memory> = window.messages().map(|(message, _)| message).collect();
    let text: String = turns.iter().map(|turn| turn.content.as_str()).collect::<Vec<_>>().join("\n");
    let mut warnings = Vec::new();
    let named = answer.facts.len();
    let mut candidates = Vec::new();
    for fact in answer.facts.into_iter().take(settings.max_facts_per_window.saturating_mul(4)) {
        let Ok(fact) = serde_json::from_value::<Fact>(fact) else { continue };
        if let Some(candidate) = checked(fact, &turns, window.cast, &text, &model, &instructions.version) {
            candidates.push(candidate);
        }
        if candidates.len() == settings.max_facts_per_window {
            break;
        }
    }
    if named > candidates.len() {
        let dropped = named - candidates.len();
        warnings.push(format!(
            "{dropped} of {named} facts that {model} named were dropped: no turn says them, or there were too many"
        ));
    }
    Ok((candidates, warnings))
}

/// The turns of a window with numbers, between marks that their text cannot contain.
#[must_use]
pub fn transcript(window: &Window) -> String {
    let mut lines = Vec::new();
    for (place, (message, new)) in window.messages().enumerate() {
        let role = message.role.as_deref().unwrap_or("user");
        let shown: String = message.content.chars().take(TURN_CHARS).collect();
        let earlier = if new { "" } else { " (earlier)" };
        lines.push(format!("[{}] {} {}{earlier}: {shown}", place + 1, message.event_time.date(), one_line(role)));
    }
    marked(&lines.join("\n"))
}

/// Text between marks that carry a hash of it, which no text can hold of itself.
pub(crate) fn marked(text: &str) -> String {
    let hash = blake3::hash(text.as_bytes()).to_hex();
    let code = &hash[..12];
    format!("<data {code}>\n{text}\n</data {code}>")
}

/// Whether a text rests on another: enough of its telling words are there.
#[must_use]
pub fn grounded(text: &str, source: &str) -> bool {
    let telling = |text: &str| {
        let mut terms = lexical::terms(text);
        terms.retain(|term| !lexical::is_stop_word(term));
        terms.sort();
        terms.dedup();
        terms
    };
    let (terms, there) = (telling(text), telling(source));
    if terms.is_empty() {
        return false;
    }
    let common = terms.iter().filter(|term| there.binary_search(term).is_ok()).count();
    common as f64 >= GROUNDED * terms.len() as f64
}

fn checked(fact: Fact, turns: &[&Memory], cast: Cast, text: &str, model: &str, version: &str) -> Option<Candidate> {
    let mut evidence = Vec::new();
    let mut by_person = false;
    for number in
        fact.evidence.iter().filter_map(|value| value.as_u64().or_else(|| value.as_str()?.trim().parse().ok()))
    {
        let turn = usize::try_from(number).ok().and_then(|number| turns.get(number.checked_sub(1)?))?;
        by_person |= cast.speaker(turn) == Some(Speaker::Person);
        if !evidence.contains(&turn.id) {
            evidence.push(turn.id);
        }
    }
    // What only an assistant said, nobody agreed to.
    if evidence.is_empty() || !by_person || !grounded(&fact.content, text) {
        return None;
    }
    let label = |value: &Value| value.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let entity = |value: &Value| {
        let name = label(value.get("name")?)?;
        let entity_type = value.get("type").and_then(Value::as_str).and_then(|text| text.parse::<EntityType>().ok());
        // A name that nobody mentioned is none.
        text.to_lowercase().contains(&name.to_lowercase()).then(|| (name, entity_type.unwrap_or(EntityType::Other)))
    };
    Some(Candidate {
        content: fact.content,
        memory_type: fact.memory_type.unwrap_or_else(|| "fact".to_owned()),
        importance: fact.importance.filter(|value| value.is_finite()).map(|value| value.clamp(1.0, 5.0)),
        confidence: CONFIDENCE,
        tags: fact.tags.iter().filter_map(label).take(LABELS).collect(),
        entities: fact.entities.iter().filter_map(entity).take(LABELS).collect(),
        evidence,
        slot: None,
        replaces: None,
        date: None,
        is_in_passing: false,
        extractor: model.to_owned(),
        found_by: version.to_owned(),
    })
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn schema() -> Value {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let entity = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "type": {"type": "string"}},
        "required": ["name", "type"],
        "additionalProperties": false,
    });
    let fact = json!({
        "type": "object",
        "properties": {
            "content": {"type": "string"},
            "type": {"type": "string"},
            "importance": {"type": "number"},
            "tags": texts,
            "entities": {"type": "array", "items": entity},
            "evidence": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["content", "type", "importance", "tags", "entities", "evidence"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {"facts": {"type": "array", "items": fact}},
        "required": ["facts"],
        "additionalProperties": false,
    })
}
