//! Keeping something on purpose.

use schemars::JsonSchema;
use scrubjay_core::lexical;
use scrubjay_core::memory::{Confidence, Kind, Link, Memory, Origin, OriginKind, Relation};
use scrubjay_core::scope::Scope;
use scrubjay_store::StoreError;
use scrubjay_store::change::{Applied, Change, NewMemory, Patch};
use serde::{Deserialize, Serialize};

use super::operation::{Group, Operation, Risk, Surfaces};
use super::tool::Tool;
use crate::capture::{Draft, check_size, clean, origin_of, prepare};
use crate::clean::clean_attributes;
use crate::consolidate::{contradict, same_by_meaning};
use crate::memory_types::policy;
use crate::pause::Quiet;
use crate::queue::after_writing;
use crate::record::{memory_id, time};
use crate::search::facts_like;
pub use crate::tiers::RememberInput;
use crate::tiers::{Ask, ask, evict};
use crate::{Ctx, EngineError, Result};

/// What became of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RememberOutput {
    /// The new memory; null if it was merged or waits.
    pub id: Option<String>,
    /// The memory that already says this.
    pub merged_into: Option<String>,
    /// The fact that held until now and says something else about the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// The fact that says otherwise, if that was to be asked; nothing is kept yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contradicts: Option<ContradictedFact>,
    /// The confirmation it waits for.
    pub pending: Option<String>,
    /// What was taken out, or what looks similar.
    pub warnings: Vec<String>,
}

/// A fact that gives another value to the same.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContradictedFact {
    /// Its id.
    pub id: String,
    /// What it says.
    pub content: String,
}

/// What to do about a fact that says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Conflict {
    /// What the caller's word is worth.
    Weigh,
    /// Supersede it, if the caller is a person.
    Correct,
    /// Keep both.
    Keep,
    /// Keep nothing, and tell.
    Ask,
}

impl Conflict {
    fn named(name: Option<&str>) -> Result<Self> {
        match name {
            None => Ok(Self::Weigh),
            Some("correct") => Ok(Self::Correct),
            Some("keep") => Ok(Self::Keep),
            Some("ask") => Ok(Self::Ask),
            Some(other) => Err(EngineError::invalid(format!("conflict is correct, keep or ask, not `{other}`"))),
        }
    }
}

/// `remember`.
pub struct Remember;

impl Operation for Remember {
    type Input = RememberInput;
    type Output = RememberOutput;
    const NAME: &'static str = "remember";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["remember"], http: true, mcp: Some("remember_fact") };
    const GROUP: Group = Group::Recall;
    const EXAMPLES: &'static str = r#"  scrubjay remember "Invoices are sent on the first working day of a month"
  scrubjay remember --type decision --importance 5 --tag billing "Ada owns billing"
  scrubjay remember --scope global --type preference "Answers in British English"
  scrubjay remember --time yesterday "The certificate of staging expired"
  git log -1 --format=%B | scrubjay remember --kind episode --type milestone"#;
    const TOOL: Tool = Tool {
        about: "Keep one fact beyond this conversation: a decision, preference, convention, or a failure with its \
            cure. Call it when the person asks to remember something or settles what later sessions need. One \
            sentence that can be understood alone. Conversations are captured anyway; do not log them here.",
        required: &["content"],
        optional: &["type", "importance", "tags", "scope", "origin", "source_ids"],
    };

    async fn run(ctx: &Ctx, input: RememberInput) -> Result<RememberOutput> {
        let yes = input.yes;
        let conflict = Conflict::named(input.conflict.as_deref())?;
        let (mut new, mut warnings) = read(ctx, input)?;
        let store = ctx.store().await?;
        let mut sources = Vec::with_capacity(new.memory.source_ids.len());
        for id in &new.memory.source_ids {
            let source = store.get(ctx.view(), *id).await?;
            sources.push(source.ok_or_else(|| super::show::missing(&id.to_string()))?.origin.kind);
        }
        inherit(&mut new.memory, &sources, &mut warnings);
        let scope = new.memory.scope.clone();
        // A person's own word counts; what a program wants kept has to wait.
        if !ctx.is_person() && !ctx.is_consented() {
            let session = new.memory.session_id.as_deref();
            if let Some(why) = Quiet::of(ctx)?.reason(&scope, session, None) {
                return Err(EngineError::refused(format!("nothing is kept here: {why}")));
            }
        }
        if ctx.must_ask(&scope, &new.memory.memory_type, new.memory.origin.kind, yes) {
            return put_off(ctx, &new, warnings).await;
        }
        // A key of the caller's own decides before likeness does.
        let keyed = new.client_id.is_some();
        let mut tries = if new.memory.kind() == Kind::Fact && !keyed { TRIES } else { 0 };
        let mut contradicted = None;
        while tries > 0 {
            tries -= 1;
            match similar(ctx, &new.memory, &scope, &mut warnings).await? {
                Some(Similar::Same(known))
                    if ctx.must_ask(&known.scope, &known.memory_type, known.origin.kind, yes) =>
                {
                    return put_off(ctx, &new, warnings).await;
                }
                Some(Similar::Same(known)) => {
                    let patch = strengthened(&known, &new.memory);
                    let change =
                        Change::Update { id: known.id, expected_version: Some(known.version), patch: Box::new(patch) };
                    match store.apply(ctx.view(), ctx.stamp(Self::NAME)?, vec![change], Vec::new()).await {
                        // Someone else strengthened it just now; look again.
                        Err(StoreError::Changed { .. }) if tries > 0 => continue,
                        other => other?,
                    };
                    let merged_into = Some(known.id.to_string());
                    return Ok(RememberOutput { merged_into, warnings, ..RememberOutput::default() });
                }
                Some(Similar::OtherValue(known)) => contradicted = Some(known),
                Some(Similar::Close(known)) => {
                    warnings.push(format!("{} says something similar; `scrubjay correct` replaces a fact", known.id));
                }
                None => {}
            }
            break;
        }
        if let (Conflict::Ask, Some(known)) = (conflict, &contradicted)
            && may_correct(ctx, &new.memory, known, yes)
        {
            let contradicts = Some(ContradictedFact { id: known.id.to_string(), content: known.content.clone() });
            return Ok(RememberOutput { contradicts, warnings, ..RememberOutput::default() });
        }
        let jobs = after_writing(ctx, &scope)?;
        let is_counted = policy(&new.memory.memory_type).is_counted;
        let (more, supersedes) = match contradicted {
            Some(known) => against(ctx, &mut new, &known, (conflict, yes), &mut warnings),
            None => (Vec::new(), None),
        };
        let mut changes = vec![Change::Create(Box::new(new))];
        changes.extend(more);
        let applied = store.apply(ctx.view(), ctx.stamp(Self::NAME)?, changes, jobs).await?;
        if is_counted {
            evict(ctx, &scope).await?;
        }
        match applied.into_iter().next() {
            Some(Applied::Memory(memory)) => Ok(RememberOutput {
                id: Some(memory.id.to_string()),
                supersedes,
                warnings,
                ..RememberOutput::default()
            }),
            Some(Applied::Duplicate(id)) => {
                warnings.push("the same key was used before; nothing changed".to_owned());
                Ok(RememberOutput { id: Some(id.to_string()), warnings, ..RememberOutput::default() })
            }
            Some(Applied::Purged) => {
                Err(EngineError::refused("this text was purged here; a person can remember it again"))
            }
            _ => Err(EngineError::defect("nothing was stored")),
        }
    }
}

// The same memory, cleaned, as an input that does what this one would have done.
async fn put_off(ctx: &Ctx, new: &NewMemory, warnings: Vec<String>) -> Result<RememberOutput> {
    let memory = &new.memory;
    let input = RememberInput {
        time: new.time_given.then(|| memory.event_time.to_string()),
        id: new.client_id.clone(),
        ..RememberInput::of(memory)
    };
    let input = serde_json::to_value(input).map_err(|source| EngineError::Encode { operation: "remember", source })?;
    let caution = memory.origin.kind.caution().map_or_else(String::new, |caution| format!(", {caution},"));
    let reach = if memory.scope == Scope::Global { " for all projects" } else { "" };
    let question = format!("Keep “{}”{caution} as a {}{reach}", memory.content, memory.memory_type);
    let pending = ask(ctx, "remember", input, question).await?;
    Ok(RememberOutput { pending: Some(pending.to_string()), warnings, ..RememberOutput::default() })
}

// The store does the same; here it decides about consent and about what it may
// be merged into.
fn inherit(memory: &mut Memory, sources: &[OriginKind], warnings: &mut Vec<String>) {
    let made = memory.origin.kind.made_from(sources.iter().copied());
    if let Some(caution) = made.caution().filter(|_| made != memory.origin.kind) {
        warnings.push(format!("it was made from a text that was {caution}, and counts as such"));
    }
    memory.origin.kind = made;
}

/// How often a merge is tried while others change the same fact.
const TRIES: usize = 20;

enum Similar {
    /// It says the same.
    Same(Box<Memory>),
    /// It gives another value to the same.
    OtherValue(Box<Memory>),
    /// It has many words in common.
    Close(Box<Memory>),
}

// What else changes when a fact says something else than a known one: a person's word supersedes, unless the known one
// was confirmed; anyone else's stands beside it until a person looks both over.
fn against(
    ctx: &Ctx,
    new: &mut NewMemory,
    known: &Memory,
    (conflict, yes): (Conflict, bool),
    warnings: &mut Vec<String>,
) -> (Vec<Change>, Option<String>) {
    let (from, to) = (new.memory.id, known.id);
    let is_confirmed = known.decay_rate.value() == 0.0 && conflict != Conflict::Correct;
    if conflict == Conflict::Keep || is_confirmed || !may_correct(ctx, &new.memory, known, yes) {
        new.memory.attributes.insert("review".to_owned(), "conflict".into());
        warnings.push(format!("it contradicts {to}: “{}”; `scrubjay review` asks which one holds", known.content));
        return (vec![Change::Link(Link { from, relation: Relation::Contradicts, to })], None);
    }
    warnings.push(format!("it supersedes {to}: “{}”; `scrubjay undo` takes that back", known.content));
    let patch = Patch { confidence: Some(Confidence::SUPERSEDED.value()), ..Patch::default() };
    let update = Change::Update { id: to, expected_version: Some(known.version), patch: Box::new(patch) };
    let link = Change::Link(Link { from, relation: Relation::Supersedes, to });
    (vec![update, link], Some(to.to_string()))
}

// Whether the caller is someone whose word takes the place of a known fact.
fn may_correct(ctx: &Ctx, new: &Memory, known: &Memory, yes: bool) -> bool {
    let by_person = ctx.is_person() && ctx.actor() == "user";
    let must_ask = ctx.must_ask(&known.scope, &known.memory_type, known.origin.kind, yes);
    by_person && !must_ask && known.event_time <= new.event_time
}

fn read(ctx: &Ctx, input: RememberInput) -> Result<(NewMemory, Vec<String>)> {
    let settings = &ctx.config().settings.capture;
    check_size(ctx, &input.content)?;
    let cleaned = clean(&input.content, settings.redact);
    if cleaned.text.is_empty() {
        return Err(EngineError::invalid("there is nothing to remember: the text is empty, private or our own"));
    }
    let kind = input.kind.as_deref().map_or(Ok(Kind::Fact), str::parse).map_err(EngineError::invalid)?;
    let own = if ctx.is_person() && ctx.actor() == "user" { OriginKind::User } else { OriginKind::Assistant };
    let (origin, not_theirs) = origin_of(ctx, input.origin.as_deref(), own)?;
    let warnings = cleaned.warnings.into_iter().chain(not_theirs).collect();
    let draft = Draft {
        kind,
        scope: ctx.scope_named(input.scope.as_deref())?,
        content: cleaned.text,
        memory_type: input.memory_type,
        session_id: input.session,
        role: None,
        importance: input.importance,
        confidence: input.confidence,
        event_time: input.time.as_deref().map(time).transpose()?,
        origin: Origin::from(origin),
        tags: input.tags,
        source_ids: input.source_ids.iter().map(|id| memory_id(id)).collect::<Result<_>>()?,
        attributes: clean_attributes(input.attributes, settings.redact),
        client_id: input.id,
        explicit: ctx.actor() == "user",
    };
    Ok((prepare(ctx, draft)?, warnings))
}

// Looks for a fact of the same scope that says the same, in these words or others, or something else about the same.
async fn similar(ctx: &Ctx, memory: &Memory, scope: &Scope, warnings: &mut Vec<String>) -> Result<Option<Similar>> {
    let mut known = facts_like(ctx, scope, &memory.content, 20).await?;
    // What a person says is not merged into what a tool printed or a page said, nor the other way round.
    let is_foreign = memory.origin.kind.is_foreign();
    known.retain(|known| known.origin.kind.is_foreign() == is_foreign);
    if let Some(place) = known.iter().position(|known| lexical::near_duplicate(&known.content, &memory.content)) {
        return Ok(Some(Similar::Same(Box::new(known.swap_remove(place)))));
    }
    let holds = |known: &Memory| known.confidence > Confidence::SUPERSEDED;
    if let Some(place) = known.iter().position(|known| holds(known) && contradict(&known.content, &memory.content)) {
        return Ok(Some(Similar::OtherValue(Box::new(known.swap_remove(place)))));
    }
    if let Some(place) = same_by_meaning(ctx, &memory.content, &known, warnings).await {
        return Ok(Some(Similar::Same(Box::new(known.swap_remove(place)))));
    }
    let words = lexical::word_set(&memory.content);
    let threshold = ctx.config().settings.dedup.jaccard;
    let is_close = |known: &Memory| lexical::jaccard(&lexical::word_set(&known.content), &words) >= threshold;
    Ok(known.into_iter().find(is_close).map(|known| Similar::Close(Box::new(known))))
}

fn strengthened(known: &Memory, new: &Memory) -> Patch {
    let mut tags = known.tags.clone();
    tags.extend(new.tags.iter().filter(|tag| !known.tags.contains(tag)).cloned());
    let mut source_ids = known.source_ids.clone();
    source_ids.extend(new.source_ids.iter().filter(|id| !known.source_ids.contains(id)));
    let mut attributes = known.attributes.clone();
    for (name, value) in &new.attributes {
        attributes.entry(name.clone()).or_insert_with(|| value.clone());
    }
    Patch {
        importance: Some(known.importance.raised().value().max(new.importance.value())),
        confidence: Some(known.confidence.value().max(new.confidence.value())),
        tags: Some(tags),
        source_ids: Some(source_ids),
        attributes: Some(attributes),
        ..Patch::default()
    }
}
