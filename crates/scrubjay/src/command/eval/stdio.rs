//! `eval stdio`: the protocol of a test harness.

use scrubjay_engine::eval::{TestDocument, TestFact, TestHit, TestWindow, TrialQuery, extraction};
use scrubjay_engine::extract::{SentenceScore, Speaker, score_sentences};
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::lines::Lines;
use super::arguments::varied;
use super::scratch::{ScratchHome, ScratchTrial};
use crate::failure::Failure;
use crate::invocation::{Invocation, block_on};

/// The longest request.
const LINE_BYTES: usize = 1 << 30;

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Request {
    Reset {
        ns: String,
    },
    Ingest {
        ns: String,
        docs: Vec<TestDocument>,
    },
    Query {
        ns: String,
        text: String,
        k: usize,
        #[serde(default)]
        timestamp: Option<String>,
        #[serde(default)]
        explain: bool,
        #[serde(default)]
        without_arms: Vec<String>,
        #[serde(default)]
        fusion: Option<String>,
    },
    Block {
        ns: String,
        text: String,
        budget: usize,
        #[serde(default)]
        timestamp: Option<String>,
    },
    Sentences {
        turns: Vec<Turn>,
    },
    Facts {
        turns: Vec<Turn>,
    },
}

#[derive(Deserialize)]
struct Turn {
    role: String,
    text: String,
}

/// Answers until the input ends. One name space exists at a time.
pub(super) fn run(invocation: &mut Invocation<'_>, asked: TrialQuery, as_files: Option<&str>) -> Result<u8, Failure> {
    let mut lines = Lines::new(invocation.console.take_input(), LINE_BYTES);
    let mut current: Option<(String, ScratchTrial)> = None;
    while let Some(line) = lines.next().map_err(|error| Failure::io("read the requests", error))? {
        let request =
            line.text.and_then(|text| serde_json::from_str::<Request>(&text).map_err(|error| error.to_string()));
        let answer = match request {
            Ok(request) => match answer(invocation, &mut current, request, asked, as_files) {
                Ok(answer) => answer,
                Err(failure) => json!({"error": failure.message()}),
            },
            Err(why) => json!({"error": format!("line {}: {why}", line.number)}),
        };
        invocation.console.data(&format!("{answer}\n"))?;
        invocation.console.flush()?;
    }
    Ok(0)
}

fn answer(
    invocation: &Invocation<'_>,
    current: &mut Option<(String, ScratchTrial)>,
    request: Request,
    asked: TrialQuery,
    as_files: Option<&str>,
) -> Result<Value, Failure> {
    match request {
        Request::Reset { ns } => {
            // The old one goes first, so that two never take room.
            *current = None;
            *current = Some((ns, ScratchTrial::new(invocation, as_files)?));
            Ok(json!({"ok": true}))
        }
        Request::Ingest { ns, docs } => {
            let scratch = of(current, &ns)?;
            block_on(async { Ok(scratch.trial.add(docs).await?) })?;
            Ok(json!({"ok": true}))
        }
        Request::Query { ns, text, k, timestamp, explain, without_arms, fusion } => {
            let scratch = of(current, &ns)?;
            let asked = varied(TrialQuery { limit: k.max(1), ..asked }, &without_arms, fusion.as_deref())?;
            let hits = block_on(async { Ok(scratch.trial.ask(&text, timestamp.as_deref(), asked).await?) })?;
            let ids: Vec<&str> = hits.iter().map(|hit| hit.id.as_str()).collect();
            let mut answer = json!({"ids": ids});
            if explain {
                answer["hits"] = hits.iter().map(explained).collect();
            }
            Ok(answer)
        }
        Request::Block { ns, text, budget, timestamp } => {
            let scratch = of(current, &ns)?;
            let block = scratch.trial.block(&text, timestamp.as_deref(), budget.max(1), asked);
            let block = block_on(async { Ok(block.await?) })?;
            Ok(json!({"ids": block.ids, "whole": block.whole, "plain": block.plain, "tokens": block.tokens}))
        }
        Request::Sentences { turns } => {
            let who = |role: &str| if role == "user" { Speaker::Person } else { Speaker::Assistant };
            let turns: Vec<(Speaker, &str)> = turns.iter().map(|turn| (who(&turn.role), turn.text.as_str())).collect();
            let sentences: Vec<Value> = score_sentences(&turns).iter().map(scored).collect();
            Ok(json!({"sentences": sentences}))
        }
        Request::Facts { turns } => {
            let turns: Vec<(&str, &str)> = turns.iter().map(|turn| (turn.role.as_str(), turn.text.as_str())).collect();
            let windows = extraction(&ScratchHome::new(invocation)?.ctx, &turns)?;
            Ok(json!({"windows": windows.iter().map(looked_at).collect::<Vec<Value>>()}))
        }
    }
}

fn explained(hit: &TestHit) -> Value {
    let arms: serde_json::Map<String, Value> =
        hit.arms.iter().map(|(arm, score)| ((*arm).to_owned(), json!(score))).collect();
    let features: serde_json::Map<String, Value> =
        hit.features.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    json!({"id": hit.id, "relevance": hit.relevance, "arms": arms, "features": features, "rivals": hit.rivals})
}

fn looked_at(window: &TestWindow) -> Value {
    let fact = |fact: &TestFact| {
        json!({
            "content": fact.content,
            "type": fact.memory_type,
            "found_by": fact.found_by,
            "confidence": fact.confidence,
            "turns": fact.turns,
        })
    };
    json!({"turns": window.turns, "passes": window.passes, "facts": window.found.iter().map(fact).collect::<Vec<Value>>()})
}

fn scored(sentence: &SentenceScore) -> Value {
    json!({
        "turn": sentence.message,
        "text": sentence.text,
        "eligible": sentence.is_eligible,
        "worth": sentence.worth,
        "worth_in_chat": sentence.worth_in_chat,
        "type": sentence.memory_type,
        "features": sentence.features,
    })
}

fn of<'a>(current: &'a mut Option<(String, ScratchTrial)>, ns: &str) -> Result<&'a mut ScratchTrial, Failure> {
    match current {
        Some((name, scratch)) if name == ns => Ok(scratch),
        _ => Err(Failure::invalid(format!("`{ns}` was not reset; send {{\"op\":\"reset\",\"ns\":\"{ns}\"}} first"))),
    }
}
