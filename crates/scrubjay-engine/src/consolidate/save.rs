//! What becomes of the candidates of one window.

use std::collections::BTreeMap;

use scrubjay_core::id::{EntityId, MemoryId, RunId};
use scrubjay_core::lexical;
use scrubjay_core::memory::{Confidence, Kind, Link, Memory, Origin, Relation};
use scrubjay_core::scope::Scope;
use scrubjay_store::change::{Change, NewMemory, NewMention, Patch};
use scrubjay_store::context::Confirmation;
use serde_json::Value;

use super::blocked::blocked;
use super::compare::{Agreement, agreement};
use super::judge::{self, judge};
use super::known::Book;
use super::meaning::{in_common, same_by_meaning};
use super::pending::question;
use crate::capture::{Draft, clean, prepare};
use crate::confine::is_high_risk;
use crate::extract::{Candidate, Window, are_different_people};
use crate::{Ctx, Result};

/// How many known facts one new fact can take the place of; more would be a model gone wild.
const REPLACED: usize = 3;

/// How many turns a fact names as its sources.
const SOURCES: usize = 50;

/// What a fact falls to that contradicts a confirmed one.
const DOUBTED: f64 = 0.5;

/// The share of common telling words from which a fact is about what another says is over.
const ABOUT: f64 = 0.25;

/// The attribute that holds what a fact says is over.
const REPLACES: &str = "replaces";

/// What became of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is a new fact.
    New,
    /// It was merged into a known fact.
    Merged,
    /// It was known, from the same turns.
    Known,
    /// It waits for a person's answer.
    Pending,
    /// A person deleted or corrected that value.
    Blocked,
    /// It cannot be kept.
    Unusable,
    /// There were too many.
    TooMany,
}

impl Fate {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Merged => "merged",
            Self::Known => "known",
            Self::Pending => "pending",
            Self::Blocked => "blocked",
            Self::Unusable => "unusable",
            Self::TooMany => "too_many",
        }
    }
}

/// A candidate and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// What it says.
    pub content: String,
    /// Its type.
    pub memory_type: String,
    /// What became of it.
    pub fate: Fate,
    /// The fact it became or was merged into.
    pub id: Option<MemoryId>,
    /// Known facts whose place it takes.
    pub supersedes: Vec<MemoryId>,
    /// Known facts that it contradicts.
    pub contradicts: Vec<MemoryId>,
    /// Why it was not kept.
    pub why: Option<String>,
    /// Who found it.
    pub extractor: String,
}

/// The changes of a window.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) changes: Vec<Change>,
    /// Known facts that were said again.
    pub(super) repeated: Vec<MemoryId>,
    /// What a person must be asked.
    pub(super) questions: Vec<Confirmation>,
    pub(super) outcomes: Vec<Outcome>,
    pub(super) warnings: Vec<String>,
}

/// Where the facts of a window go.
pub(super) struct Place<'a> {
    pub(super) scope: &'a Scope,
    pub(super) session_id: &'a str,
    pub(super) run: RunId,
    /// How many more facts this session may give.
    pub(super) room: usize,
}

/// Plans what becomes of candidates. `book` holds what this run has planned before and is kept up to date.
///
/// # Errors
/// When the store, the index or a model fails.
pub(super) async fn plan(
    ctx: &Ctx,
    place: &Place<'_>,
    window: &Window,
    candidates: &[Candidate],
    book: &mut Book,
) -> Result<Plan> {
    let mut saving = Saving { ctx, place, window, book, creates: Vec::new(), links: Vec::new(), plan: Plan::default() };
    let most = ctx.config().settings.extract.max_facts_per_window.min(place.room);
    for candidate in candidates {
        let outcome = if saving.creates.len() >= most {
            outcome(candidate, Fate::TooMany, Some("this window or session has given enough facts".to_owned()))
        } else {
            saving.settle(candidate).await?
        };
        saving.plan.outcomes.push(outcome);
    }
    Ok(saving.finish())
}

struct Saving<'a> {
    ctx: &'a Ctx,
    place: &'a Place<'a>,
    window: &'a Window,
    book: &'a mut Book,
    creates: Vec<NewMemory>,
    links: Vec<Link>,
    plan: Plan,
}

impl Saving<'_> {
    async fn settle(&mut self, candidate: &Candidate) -> Result<Outcome> {
        let settings = &self.ctx.config().settings;
        let cleaned = clean(&candidate.content, settings.capture.redact).text;
        let content = cleaned.split_whitespace().collect::<Vec<_>>().join(" ");
        if content.is_empty() || content.chars().count() > settings.extract.max_chars {
            return Ok(outcome(candidate, Fate::Unusable, Some("it is empty or too long".to_owned())));
        }
        let candidate = &Candidate { content, ..candidate.clone() };
        let said: Vec<&Memory> =
            self.window.messages().map(|(turn, _)| turn).filter(|turn| candidate.evidence.contains(&turn.id)).collect();
        let Some(newest) = said.iter().max_by_key(|turn| turn.event_time) else {
            return Ok(outcome(candidate, Fate::Unusable, Some("no turn of this window says it".to_owned())));
        };
        let scope = self.place.scope;
        if let Some(why) = blocked(self.ctx, scope, &candidate.content, &said).await? {
            return Ok(outcome(candidate, Fate::Blocked, Some(why)));
        }
        let mut known = self.known(candidate).await?;
        known.retain(|memory| !is_of_another(memory, candidate, newest));
        let relations = self.relations(candidate, newest, &known).await?;
        if let Some(place) = relations.iter().position(|relation| *relation == judge::Relation::Same) {
            return Ok(self.merge(candidate, &known[place]));
        }
        let draft = self.draft(candidate, newest);
        let mut new = match prepare(self.ctx, draft) {
            Ok(new) => new,
            // A label that a model made up.
            Err(error) => return Ok(outcome(candidate, Fate::Unusable, Some(error.to_string()))),
        };
        if is_high_risk(&new.memory.scope, &new.memory.memory_type, new.memory.origin.kind) {
            let question = question(self.ctx, &new)?;
            let why = format!("{} asks whether to keep it", question.id);
            self.plan.questions.push(question);
            return Ok(outcome(candidate, Fate::Pending, Some(why)));
        }
        self.add_names(candidate, &mut new)?;
        let mut told = outcome(candidate, Fate::New, None);
        told.id = Some(new.memory.id);
        self.take_places(&mut new, &known, &relations, &mut told);
        self.book.new.push(new.memory.clone());
        self.creates.push(new);
        Ok(told)
    }

    // What the candidate is compared with: what is like it, what fills its slot, what it says is over.
    async fn known(&self, candidate: &Candidate) -> Result<Vec<Memory>> {
        let scope = self.place.scope;
        let mut known = self.book.like(self.ctx, scope, &candidate.content).await?;
        let mut more = Vec::new();
        if let Some(slot) = &candidate.slot {
            more.extend(self.book.in_slot(self.ctx, scope, slot).await?);
        }
        if let Some(old) = &candidate.replaces {
            more.extend(self.book.like(self.ctx, scope, old).await?);
        }
        for memory in more {
            if known.iter().all(|other| other.id != memory.id) {
                known.push(memory);
            }
        }
        Ok(known)
    }

    // How the candidate stands to each known fact: first by what the rules are sure of, then by what a model says,
    // then by meaning.
    async fn relations(
        &mut self,
        candidate: &Candidate,
        newest: &Memory,
        known: &[Memory],
    ) -> Result<Vec<judge::Relation>> {
        let close = self.ctx.config().settings.dedup.jaccard;
        let mut relations: Vec<judge::Relation> = known
            .iter()
            .map(|memory| match agreement(&memory.content, &candidate.content, close) {
                // What was superseded and is now said again holds anew, and takes the place of what took its place.
                Agreement::Same if is_revived(memory, candidate, newest) => judge::Relation::Unrelated,
                Agreement::Same => judge::Relation::Same,
                Agreement::OtherValue => judge::Relation::Replaces,
                Agreement::Unclear if in_same_slot(memory, candidate) => judge::Relation::Replaces,
                Agreement::Unclear if is_over(memory, candidate) => judge::Relation::Replaces,
                Agreement::Unclear if was_over(memory, candidate, newest) => judge::Relation::Replaces,
                Agreement::Unclear => judge::Relation::Unrelated,
            })
            .collect();
        if relations.contains(&judge::Relation::Same) {
            return Ok(relations);
        }
        // What stepped back already needs no second verdict.
        if let Some(judged) = judge(self.ctx, &candidate.content, known, &mut self.plan.warnings).await? {
            for ((relation, said), memory) in relations.iter_mut().zip(judged).zip(known) {
                // A model may not pair what has no word in common.
                let open = *relation == judge::Relation::Unrelated && memory.confidence > Confidence::SUPERSEDED;
                if open && in_common(&memory.content, &candidate.content) > 0.0 {
                    *relation = said;
                }
            }
        } else if !relations.contains(&judge::Relation::Replaces)
            && let Some(place) = same_by_meaning(self.ctx, &candidate.content, known, &mut self.plan.warnings).await
        {
            relations[place] = judge::Relation::Same;
        }
        Ok(relations)
    }

    fn merge(&mut self, candidate: &Candidate, known: &Memory) -> Outcome {
        let mut told = outcome(candidate, Fate::Known, None);
        told.id = Some(known.id);
        let news: Vec<MemoryId> =
            candidate.evidence.iter().filter(|id| !known.source_ids.contains(id)).copied().collect();
        if news.is_empty() {
            return told;
        }
        if is_high_risk(&known.scope, &known.memory_type, known.origin.kind) {
            // It was said again; to change it is a person's business.
            self.plan.repeated.push(known.id);
            return told;
        }
        told.fate = Fate::Merged;
        let merged = merged(known, candidate, news);
        if self.creates.iter().all(|new| new.memory.id != known.id) {
            self.plan.repeated.push(known.id);
        }
        self.put(merged);
        told
    }

    // What the new fact contradicts steps back, unless a person confirmed it or it is the newer one.
    fn take_places(
        &mut self,
        new: &mut NewMemory,
        known: &[Memory],
        relations: &[judge::Relation],
        told: &mut Outcome,
    ) {
        let id = new.memory.id;
        let mut doubt = |new: &mut NewMemory, to: &Memory, links: &mut Vec<Link>| {
            links.push(Link { from: id, relation: Relation::Contradicts, to: to.id });
            new.memory.attributes.insert("review".to_owned(), "conflict".into());
            told.contradicts.push(to.id);
        };
        for (memory, relation) in known.iter().zip(relations) {
            // It stepped back before.
            if memory.confidence <= Confidence::SUPERSEDED {
                continue;
            }
            if self.links.iter().filter(|link| link.from == id || link.to == id).count() >= REPLACED {
                break;
            }
            match relation {
                judge::Relation::Contradicts => doubt(new, memory, &mut self.links),
                judge::Relation::Replaces
                    if memory.decay_rate.value() == 0.0
                        || is_high_risk(&memory.scope, &memory.memory_type, memory.origin.kind) =>
                {
                    doubt(new, memory, &mut self.links);
                    lower(&mut new.memory, DOUBTED);
                }
                judge::Relation::Replaces if memory.event_time > new.memory.event_time => {
                    // We learn of an older state of things.
                    lower(&mut new.memory, Confidence::SUPERSEDED.value());
                    self.links.push(Link { from: memory.id, relation: Relation::Supersedes, to: id });
                    self.note_conflict(memory);
                }
                judge::Relation::Replaces => {
                    self.links.push(Link { from: id, relation: Relation::Supersedes, to: memory.id });
                    new.memory.attributes.insert("review".to_owned(), "conflict".into());
                    self.step_back(memory);
                }
                judge::Relation::Same | judge::Relation::Unrelated => {}
            }
        }
        let taken = self.links.iter().filter(|link| link.from == id && link.relation == Relation::Supersedes);
        told.supersedes = taken.map(|link| link.to).collect();
    }

    fn step_back(&mut self, memory: &Memory) {
        let mut old = memory.clone();
        lower(&mut old, Confidence::SUPERSEDED.value());
        self.put(old);
    }

    // Whoever looks a fact over is told that it took the place of another, in whatever order they were learned.
    fn note_conflict(&mut self, memory: &Memory) {
        if memory.attributes.get("review").and_then(Value::as_str) == Some("new") {
            let mut noted = memory.clone();
            noted.attributes.insert("review".to_owned(), "conflict".into());
            self.put(noted);
        }
    }

    // A known fact, as it will be.
    fn put(&mut self, memory: Memory) {
        match self.creates.iter_mut().find(|new| new.memory.id == memory.id) {
            Some(new) => {
                new.memory = memory.clone();
                self.book.new.retain(|other| other.id != memory.id);
                self.book.new.push(memory);
            }
            None => {
                self.book.changed.insert(memory.id, memory);
            }
        }
    }

    fn draft(&self, candidate: &Candidate, newest: &Memory) -> Draft {
        let text = |text: &str| Value::String(text.to_owned());
        let mut attributes = BTreeMap::from([
            ("extractor".to_owned(), text(&candidate.extractor)),
            ("found_by".to_owned(), text(&candidate.found_by)),
            ("run".to_owned(), text(&self.place.run.to_string())),
            ("review".to_owned(), text("new")),
        ]);
        let more = [("slot", &candidate.slot), ("date", &candidate.date), (REPLACES, &candidate.replaces)];
        for (name, value) in more {
            if let Some(value) = value {
                attributes.insert(name.to_owned(), text(value));
            }
        }
        Draft {
            kind: Kind::Fact,
            scope: self.place.scope.clone(),
            content: candidate.content.clone(),
            memory_type: Some(candidate.memory_type.clone()),
            session_id: Some(self.place.session_id.to_owned()),
            role: newest.role.clone(),
            importance: candidate.importance,
            confidence: Some(candidate.confidence),
            event_time: Some(newest.event_time),
            origin: Origin::from(newest.origin.kind),
            tags: candidate.tags.clone(),
            source_ids: candidate.evidence.clone(),
            attributes,
            client_id: None,
            explicit: false,
        }
    }

    fn add_names(&self, candidate: &Candidate, new: &mut NewMemory) -> Result<()> {
        let redact = self.ctx.config().settings.capture.redact;
        for (name, entity_type) in &candidate.entities {
            let name: String = clean(name, redact).text.chars().take(100).collect();
            let known = new.mentions.iter().any(|mention| mention.name.eq_ignore_ascii_case(&name));
            if !known && !name.is_empty() && !name.chars().any(char::is_control) {
                let id = EntityId::from(self.ctx.uuid()?);
                new.mentions.push(NewMention { id, name, entity_type: *entity_type, alias: None });
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Plan {
        let mut changes: Vec<Change> = self.creates.into_iter().map(|new| Change::Create(Box::new(new))).collect();
        for memory in self.book.changed.values() {
            let patch = Patch {
                importance: Some(memory.importance.value()),
                confidence: Some(memory.confidence.value()),
                source_ids: Some(memory.source_ids.clone()),
                tags: Some(memory.tags.clone()),
                attributes: Some(memory.attributes.clone()),
                ..Patch::default()
            };
            changes.push(Change::Update {
                id: memory.id,
                expected_version: Some(memory.version),
                patch: Box::new(patch),
            });
        }
        changes.extend(self.links.into_iter().map(Change::Link));
        self.plan.changes = changes;
        self.plan
    }
}

fn merged(known: &Memory, candidate: &Candidate, news: Vec<MemoryId>) -> Memory {
    let mut memory = known.clone();
    memory.importance = known.importance.raised();
    if let Some(importance) = candidate.importance
        && let Ok(importance) = scrubjay_core::memory::Importance::new(importance)
        && importance > memory.importance
    {
        memory.importance = importance;
    }
    // What was superseded is not made sure again by being said in passing.
    if known.confidence > Confidence::SUPERSEDED
        && let Ok(confidence) = Confidence::new(known.confidence.value().max(candidate.confidence))
    {
        memory.confidence = confidence;
    }
    memory.source_ids.extend(news);
    memory.source_ids.truncate(SOURCES);
    for tag in &candidate.tags {
        if !memory.tags.contains(tag) {
            memory.tags.push(tag.clone());
        }
    }
    memory.attributes.entry("review".to_owned()).or_insert_with(|| "merged".into());
    memory
}

fn lower(memory: &mut Memory, to: f64) {
    if let Ok(confidence) = Confidence::new(memory.confidence.value().min(to)) {
        memory.confidence = confidence;
    }
}

fn is_revived(memory: &Memory, candidate: &Candidate, newest: &Memory) -> bool {
    memory.confidence <= Confidence::SUPERSEDED
        && newest.event_time > memory.event_time
        && candidate.evidence.iter().any(|id| !memory.source_ids.contains(id))
}

// What two people say of themselves is of two people: neither the same nor a contradiction.
fn is_of_another(memory: &Memory, candidate: &Candidate, newest: &Memory) -> bool {
    are_different_people(memory.role.as_deref(), newest.role.as_deref())
        && speaks_of_oneself(&memory.content)
        && speaks_of_oneself(&candidate.content)
}

fn speaks_of_oneself(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.into_iter().any(|word| ONESELF.contains(&word) || word.strip_prefix("i'").is_some())
}

/// Words of someone who speaks of themselves alone.
const ONESELF: [&str; 16] =
    ["i", "my", "me", "mine", "myself", "ich", "mein", "meine", "je", "mon", "ma", "mes", "yo", "mi", "mis", "tengo"];

fn in_same_slot(memory: &Memory, candidate: &Candidate) -> bool {
    candidate.slot.is_some() && memory.attributes.get("slot").and_then(Value::as_str) == candidate.slot.as_deref()
}

// Whether a known fact is what the candidate says is over.
fn is_over(memory: &Memory, candidate: &Candidate) -> bool {
    let Some(old) = &candidate.replaces else { return false };
    let apart = !memory.source_ids.iter().any(|id| candidate.evidence.contains(id));
    apart && speaks_of(&memory.content, memory.memory_type.as_str(), old, &candidate.content)
}

// Whether the candidate, of an older turn, is what a known fact says is over.
fn was_over(memory: &Memory, candidate: &Candidate, newest: &Memory) -> bool {
    let Some(old) = memory.attributes.get(REPLACES).and_then(Value::as_str) else { return false };
    memory.event_time > newest.event_time && speaks_of(&candidate.content, &candidate.memory_type, old, &memory.content)
}

// Whether a claim is about what another one says is over.
fn speaks_of(claim: &str, claim_type: &str, old: &str, new: &str) -> bool {
    let (claim, old, new) = (lexical::content_terms(claim), lexical::content_terms(old), lexical::content_terms(new));
    let says_so = !old.is_empty() && old.is_subset(&claim);
    // What already speaks of the new state is not over.
    let is_new_state = !new.is_subset(&old) && new.difference(&old).all(|term| claim.contains(term));
    // A passing mention of the same thing is not a claim about it.
    let claims = ["decision", "convention", "preference"].contains(&claim_type)
        || claim.len() <= old.len() + 3
        || lexical::jaccard(&claim, &new) >= ABOUT;
    says_so && claims && !is_new_state
}

fn outcome(candidate: &Candidate, fate: Fate, why: Option<String>) -> Outcome {
    Outcome {
        content: candidate.content.clone(),
        memory_type: candidate.memory_type.clone(),
        fate,
        id: None,
        supersedes: Vec::new(),
        contradicts: Vec::new(),
        why,
        extractor: candidate.extractor.clone(),
    }
}
