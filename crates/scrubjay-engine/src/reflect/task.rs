//! What was done in a task.

use std::collections::BTreeMap;

use scrubjay_core::id::{MemoryId, RunId};
use scrubjay_core::memory::{Kind, Origin, OriginKind};
use scrubjay_core::scope::Scope;
use scrubjay_models::chat::{ChatRequest, ask};
use scrubjay_store::change::Change;
use serde::Deserialize;
use serde_json::{Value, json};

use super::extractive::extractive;
use crate::capture::{Draft, clean, prepare};
use crate::consolidate::Extent;
use crate::extract::{PromptName, marked, prompt};
use crate::models::Role;
use crate::queue::after_writing;
use crate::{Ctx, EngineError, Result};

/// How much of each turn a model sees, in characters.
const TURN_CHARS: usize = 500;

/// How many turns, the last ones.
const TURNS: usize = 200;

/// The longest summary, in characters.
const CHARS: usize = 1200;

/// The type of a summary.
pub const TASK_COMPLETE: &str = "task_complete";

/// A turn of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskTurn {
    /// Who spoke.
    pub role: String,
    /// What was said.
    pub content: String,
    /// Where it came from.
    pub origin: OriginKind,
    /// The episode, if it was captured.
    pub episode: Option<MemoryId>,
}

/// A task that was summarised.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The sentences.
    pub content: String,
    /// Who wrote them: `extractive`, or a model's id.
    pub by: String,
    /// The episode, if it was kept.
    pub id: Option<MemoryId>,
    /// The run that kept it.
    pub run: Option<RunId>,
    /// What went wrong on the way.
    pub warnings: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Answer {
    content: String,
}

/// Summarises a task in two or three sentences and keeps them as a `task_complete` episode, made from the turns it is
/// about. What tools printed is left out, unless there is nothing else: then the summary is a tool's word, too.
///
/// # Errors
/// When the store or a model fails, or the conversation says nothing.
pub async fn summarize(
    ctx: &Ctx,
    scope: &Scope,
    session_id: Option<&str>,
    task: &str,
    turns: &[TaskTurn],
    extent: Extent,
) -> Result<Summary> {
    let own: Vec<TaskTurn> = turns.iter().filter(|turn| !turn.origin.is_foreign()).cloned().collect();
    let turns = if own.is_empty() { turns } else { &own[..] };
    let turns = &turns[turns.len().saturating_sub(TURNS)..];
    let mut summary =
        Summary { content: String::new(), by: "extractive".to_owned(), id: None, run: None, warnings: Vec::new() };
    let written = write(ctx, task, turns, &mut summary).await?;
    let text = written.unwrap_or_else(|| extractive(task, turns));
    summary.content = clean(&text, ctx.config().settings.capture.redact).text;
    if summary.content.is_empty() {
        return Err(EngineError::invalid("the conversation says nothing that could be told in a summary"));
    }
    if extent == Extent::DryRun {
        return Ok(summary);
    }
    let stamp = ctx.stamp("summarize")?;
    let text = |text: &str| Value::String(text.to_owned());
    let draft = Draft {
        kind: Kind::Episode,
        scope: scope.clone(),
        content: summary.content.clone(),
        memory_type: Some(TASK_COMPLETE.to_owned()),
        session_id: session_id.map(str::to_owned),
        role: None,
        importance: None,
        confidence: None,
        event_time: None,
        origin: Origin::from(OriginKind::System.made_from(turns.iter().map(|turn| turn.origin))),
        tags: Vec::new(),
        source_ids: turns.iter().filter_map(|turn| turn.episode).collect(),
        attributes: BTreeMap::from([
            ("task".to_owned(), text(&clean(task, ctx.config().settings.capture.redact).text)),
            ("extractor".to_owned(), text(&summary.by)),
        ]),
        client_id: None,
        explicit: false,
    };
    let new = prepare(ctx, draft)?;
    summary.id = Some(new.memory.id);
    summary.run = Some(stamp.run);
    let jobs = after_writing(ctx, scope)?;
    ctx.store().await?.apply(ctx.view(), stamp, vec![Change::Create(Box::new(new))], jobs).await?;
    Ok(summary)
}

async fn write(ctx: &Ctx, task: &str, turns: &[TaskTurn], summary: &mut Summary) -> Result<Option<String>> {
    let Some(chat) = ctx.chat(Role::Summarize).await? else { return Ok(None) };
    let line = |turn: &TaskTurn| {
        let text: String = turn.content.chars().take(TURN_CHARS).collect();
        format!("{}: {text}", turn.role)
    };
    let lines: Vec<String> = std::iter::once(format!("Task: {task}")).chain(turns.iter().map(line)).collect();
    let schema = json!({
        "type": "object",
        "properties": {"content": {"type": "string"}},
        "required": ["content"],
        "additionalProperties": false,
    });
    let instructions = prompt(ctx, PromptName::Summarize)?.text;
    let request = ChatRequest::new(instructions, marked(&lines.join("\n"))).shaped("summary", schema).up_to(500);
    match ask::<Answer>(&*chat, &request, ctx.config().settings.chat.tries).await {
        Ok(asked) if !asked.value.content.trim().is_empty() => {
            summary.by = chat.model().id.clone();
            Ok(Some(asked.value.content.trim().chars().take(CHARS).collect()))
        }
        Ok(_) => {
            let model = &chat.model().id;
            summary.warnings.push(format!("{model} wrote nothing; sentences were picked instead"));
            Ok(None)
        }
        Err(error) if error.leaves_it_to_rules(chat.model()) => {
            summary.warnings.push(format!("{error}; sentences were picked instead"));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
