//! Whether a window holds anything worth keeping.
//!
//! The gate is there to be cheap: without it, every window would cost a call of the large model. A small model decides
//! if one is set up for it. Otherwise rules look for people who tell something of themselves or their work, which is
//! wider than what the rules of `rules/` would keep.

use std::sync::OnceLock;

use regex::Regex;
use scrubjay_models::chat::{ChatError, ChatRequest, ask};
use serde::Deserialize;
use serde_json::json;

use super::candidate::RULES;
use super::classifier::{Topic, holds_fact};
use super::model::transcript;
use super::prompts::{PromptName, prompt};
use super::rules::by_rules;
use super::sentences::{prose, sentences};
use super::speaker::Speaker;
use super::window::Window;
use crate::models::Role;
use crate::{Ctx, EngineError, Result};

/// What the gate decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Whether to go on.
    pub keep: bool,
    /// Who decided: `rules`, or a model's id.
    pub by: String,
    /// Why the rules decided although there is a model for it.
    pub warning: Option<String>,
}

impl Verdict {
    fn by_rules(keep: bool) -> Self {
        Self { keep, by: RULES.to_owned(), warning: None }
    }
}

#[derive(Debug, Deserialize)]
struct Answer {
    keep: bool,
}

/// Decides about a window.
///
/// # Errors
/// When the model cannot be reached.
pub async fn gate(ctx: &Ctx, window: &Window) -> Result<Verdict> {
    if window.new.is_empty() {
        return Ok(Verdict::by_rules(false));
    }
    let Some(chat) = ctx.chat(Role::Gate).await? else {
        return Ok(Verdict::by_rules(worth_keeping(window)?));
    };
    let instructions = prompt(ctx, PromptName::Gate)?;
    let schema = json!({
        "type": "object",
        "properties": {"keep": {"type": "boolean"}, "reason": {"type": "string"}},
        "required": ["keep"],
        "additionalProperties": false,
    });
    let request = ChatRequest::new(instructions.text, transcript(window)).shaped("gate", schema).up_to(200);
    let by = chat.model().id.clone();
    match ask::<Answer>(&*chat, &request, ctx.config().settings.chat.tries).await {
        Ok(asked) => Ok(Verdict { keep: asked.value.keep, by, warning: None }),
        // A gate that talks nonsense is no gate: the rules decide.
        Err(error @ (ChatError::Shape { .. } | ChatError::CutOff { .. })) => {
            let warning = Some(format!("{error}; rules decided whether this window is worth keeping"));
            Ok(Verdict { warning, ..Verdict::by_rules(worth_keeping(window)?) })
        }
        Err(error) => Err(error.into()),
    }
}

/// The gate without a model: true if a person tells something that may matter later.
///
/// # Errors
/// When a pattern is wrong.
pub fn worth_keeping(window: &Window) -> Result<bool> {
    if !by_rules(window)?.is_empty() || holds_fact(window)? {
        return Ok(true);
    }
    // Whoever works speaks of themselves all the time: “I get an error”, “we need a button”.
    if window.topic == Topic::Work {
        return Ok(false);
    }
    let cues = cues()?;
    let mut weight = 0;
    for episode in &window.new {
        if window.cast.speaker(episode) != Some(Speaker::Person) {
            continue;
        }
        let text = prose(&episode.content);
        for sentence in sentences(&text) {
            weight += cues.weight(sentence);
            if weight >= ENOUGH {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// From this weight on a window is worth keeping.
const ENOUGH: u32 = 2;

struct Cues {
    first_person: Regex,
    tells: Regex,
    own: Regex,
    detail: Regex,
    idle: Regex,
}

impl Cues {
    // A statement about oneself counts, and more if it has something to hold on to: a time, a number, a name.
    fn weight(&self, sentence: &str) -> u32 {
        let words = sentence.split_whitespace().count();
        if sentence.ends_with('?') || words < 4 || self.idle.is_match(sentence) {
            return 0;
        }
        let about_oneself = self.first_person.is_match(sentence);
        let tells = about_oneself && self.tells.is_match(sentence);
        let own = self.own.is_match(sentence);
        let detail = self.detail.is_match(sentence.get(1..).unwrap_or_default());
        match (tells, own, detail) {
            (true, _, true) | (_, true, true) | (true, true, _) => 2,
            (true, ..) | (_, true, _) => 1,
            _ => 0,
        }
    }
}

fn cues() -> Result<&'static Cues> {
    static CUES: OnceLock<std::result::Result<Cues, regex::Error>> = OnceLock::new();
    let made = CUES.get_or_init(|| {
        Ok(Cues {
            first_person: Regex::new(r"(?i)\b(?:i|i'm|i've|we|we're|we've|our|me|ich|wir|je|j'|nous|yo|nosotros)\b")?,
            tells: Regex::new(
                r"(?i)\b(?:went|was|were|had|got|made|did|took|started|finished|bought|found|met|saw|tried|joined|moved|visited|learned|built|wrote|read|watched|planned|decided|lost|won|use|used|using|work|worked|working|live|lived|have|'ve|am|'m|going to|planning|plan to|need to|want to|been|adopted|attended|signed up|graduated|volunteer\w*|usually|always|never|every (?:day|week|month|year|morning|night|weekend))\b",
            )?,
            own: Regex::new(
                r"(?i)\b(?:my|our) (?:\w+ )?(?:wife|husband|partner|girlfriend|boyfriend|son|daughter|kids?|children|brother|sister|mom|mum|mother|dad|father|parents|family|friends?|dog|cat|pet|boss|team|company|job|work|house|home|apartment|garden|car|bike|project|code|repo|server|app|class|school|university|degree|thesis|book|trip|wedding|birthday|health|doctor|hobby|business|budget|goal|dream|name)\b",
            )?,
            detail: Regex::new(
                r"(?-i:\b[A-Z][a-z]{2,})|\d|(?i:\b(?:yesterday|tomorrow|today|tonight|last|next|ago|since|recently|lately|monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend|january|february|march|april|june|july|august|september|october|november|december)\b)",
            )?,
            idle: Regex::new(
                r"(?i)^(?:thanks|thank you|ok|okay|sure|great|cool|nice|wow|haha|lol|good (?:morning|night|luck)|i'm (?:so )?(?:glad|happy|sorry|looking for|trying to)|i (?:want|need|would like|'d like) (?:you|to know)|can you|could you|please)\b",
            )?,
        })
    });
    made.as_ref().map_err(|error| EngineError::defect(format!("a pattern of the gate is wrong: {error}")))
}
