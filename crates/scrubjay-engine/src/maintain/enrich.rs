//! Looking for names again where few were found.
//!
//! Capture finds what has a shape, and a job finds names that are known. People and organisations that are named for
//! the first time take a model; it looks at night, at what mentions two entities or fewer, and each memory once. If `llm`
//! is among the providers of the strategy, it also looks soon after something was stored. All that one look found is one
//! run, which `undo` takes back whole.

use scrubjay_core::entity::EntityType;
use scrubjay_core::id::{EntityId, RunId};
use scrubjay_core::memory::Memory;
use scrubjay_core::scope::{Scope, View};
use scrubjay_models::chat::{ChatError, ChatRequest, ask};
use scrubjay_store::StoreError;
use scrubjay_store::change::{Applied, Change, NewMention, Patch, Stamp};
use serde::Deserialize;
use serde_json::{Value, json};

use super::namesakes::ask_about_namesakes;
use crate::consolidate::Extent;
use crate::extract::{PromptName, marked, prompt};
use crate::models::Role;
use crate::{Ctx, EngineError, Result};

/// A memory that mentions more than this is known well enough.
const FEW: usize = 2;

/// How many texts a model is given at a time, and how much of each.
const TOGETHER: usize = 10;
const TEXT_CHARS: usize = 1000;

/// How many names one text can give, and how long a name can be.
const NAMES: usize = 10;
const NAME_CHARS: usize = 80;

/// The attribute that says when a memory was looked at.
const ENRICHED: &str = "enriched_at";

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Enriched {
    /// How many memories were looked at.
    pub looked_at: usize,
    /// How many mentions are new.
    pub mentions: usize,
    /// The run, if it changed anything.
    pub run: Option<RunId>,
    /// Why nothing was done.
    pub skipped: Option<String>,
    /// What went wrong on the way.
    pub warnings: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(default)]
    names: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct Name {
    text: usize,
    name: String,
    #[serde(rename = "type")]
    entity_type: String,
}

/// Looks for names in up to `limit` memories of a scope.
///
/// # Errors
/// When the store or the model fails.
pub async fn enrich(ctx: &Ctx, scope: &Scope, limit: usize, extent: Extent) -> Result<Enriched> {
    if !has_model_for_names(ctx).await? {
        let skipped = Some("no model is set up that finds names".to_owned());
        return Ok(Enriched { skipped, ..Enriched::default() });
    }
    let memories = ctx.store().await?.sparse(scope, FEW, ENRICHED, limit).await?;
    look(ctx, scope, &memories, extent).await
}

/// Looks for names in memories of a scope that were just stored, however many they mention; those that were looked at
/// before are passed over. A model that is away is no error: they are looked at at night.
///
/// # Errors
/// When the store fails.
pub(crate) async fn enrich_now(ctx: &Ctx, scope: &Scope, memories: &[Memory]) -> Result<()> {
    if !has_model_for_names(ctx).await? {
        return Ok(());
    }
    let unseen: Vec<Memory> =
        memories.iter().filter(|memory| !memory.attributes.contains_key(ENRICHED)).cloned().collect();
    match look(ctx, scope, &unseen, Extent::Apply).await {
        Ok(_) | Err(EngineError::Away { .. } | EngineError::Model { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

// Names are worth no call of somebody's plan: the program's own model finds most of them.
async fn has_model_for_names(ctx: &Ctx) -> Result<bool> {
    Ok(ctx.chat(Role::Extract).await?.is_some_and(|chat| !chat.model().scarce))
}

async fn look(ctx: &Ctx, scope: &Scope, memories: &[Memory], extent: Extent) -> Result<Enriched> {
    let mut enriched = Enriched::default();
    let stamp = ctx.stamp("enrich")?;
    for group in memories.chunks(TOGETHER) {
        let Some(found) = names(ctx, group, &mut enriched).await? else { continue };
        for (memory, mentions) in group.iter().zip(found) {
            enriched.looked_at += 1;
            if extent == Extent::DryRun {
                enriched.mentions += mentions.len();
                continue;
            }
            if let Some(new) = note(ctx, scope, &stamp, memory, mentions).await? {
                enriched.mentions += new;
                enriched.run = Some(stamp.run);
            }
        }
    }
    if enriched.mentions > 0 && extent == Extent::Apply {
        ask_about_namesakes(ctx, scope).await?;
    }
    Ok(enriched)
}

async fn names(ctx: &Ctx, memories: &[Memory], enriched: &mut Enriched) -> Result<Option<Vec<Vec<NewMention>>>> {
    let Some(chat) = ctx.chat(Role::Extract).await? else { return Ok(None) };
    let line = |(place, memory): (usize, &Memory)| {
        let text: String =
            memory.content.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(TEXT_CHARS).collect();
        format!("[{}] {text}", place + 1)
    };
    let lines: Vec<String> = memories.iter().enumerate().map(line).collect();
    let name = json!({
        "type": "object",
        "properties": {
            "text": {"type": "integer"},
            "name": {"type": "string"},
            "type": {"type": "string", "enum": ["person", "organization", "project", "location"]},
        },
        "required": ["text", "name", "type"],
        "additionalProperties": false,
    });
    let schema = json!({
        "type": "object",
        "properties": {"names": {"type": "array", "items": name}},
        "required": ["names"],
        "additionalProperties": false,
    });
    let instructions = prompt(ctx, PromptName::Names)?.text;
    let request = ChatRequest::new(instructions, marked(&lines.join("\n"))).shaped("names", schema).up_to(1500);
    let answer = match ask::<Answer>(&*chat, &request, ctx.config().settings.chat.tries).await {
        Ok(asked) => asked.value,
        Err(error @ (ChatError::Shape { .. } | ChatError::CutOff { .. })) => {
            enriched.warnings.push(error.to_string());
            return Ok(None);
        }
        Err(error) => return Err(EngineError::model(error)),
    };
    let mut found: Vec<Vec<NewMention>> = vec![Vec::new(); memories.len()];
    for value in answer.names.into_iter().take(memories.len() * NAMES) {
        let Ok(name) = serde_json::from_value::<Name>(value) else { continue };
        let Some(place) = name.text.checked_sub(1).filter(|place| *place < memories.len()) else { continue };
        let written = name.name.trim();
        // A name that is not in the text was made up.
        let usable = (2..=NAME_CHARS).contains(&written.chars().count())
            && !written.chars().any(char::is_control)
            && memories[place].content.contains(written);
        let entity_type = match name.entity_type.parse::<EntityType>() {
            Ok(kind @ (EntityType::Person | EntityType::Organization | EntityType::Project | EntityType::Location)) => {
                kind
            }
            _ => continue,
        };
        let repeated = found[place].iter().any(|mention| mention.name == written);
        if usable && !repeated && found[place].len() < NAMES {
            let id = EntityId::from(ctx.uuid()?);
            found[place].push(NewMention { id, name: written.to_owned(), entity_type, alias: None });
        }
    }
    Ok(Some(found))
}

// Links a memory to what it mentions and notes that it was looked at; says how many mentions are new, none if the memory
// changed meanwhile: then it is looked at again another night.
async fn note(
    ctx: &Ctx,
    scope: &Scope,
    stamp: &Stamp,
    memory: &Memory,
    mentions: Vec<NewMention>,
) -> Result<Option<usize>> {
    let mut attributes = memory.attributes.clone();
    attributes.insert(ENRICHED.to_owned(), Value::String(stamp.at.to_string()));
    let patch = Box::new(Patch { attributes: Some(attributes), ..Patch::default() });
    let changes = vec![
        Change::Mention { id: memory.id, mentions },
        Change::Update { id: memory.id, expected_version: Some(memory.version), patch },
    ];
    match ctx.store().await?.apply(&View::of(scope), stamp.clone(), changes, Vec::new()).await {
        Ok(applied) => Ok(applied.iter().find_map(|applied| match applied {
            Applied::Mentions(new) => Some(*new),
            _ => None,
        })),
        Err(StoreError::Changed { .. } | StoreError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
