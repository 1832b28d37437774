//! Some days at a glance, without a model: what was decided, what changed, what is planned, what failed, what was done.
//!
//! It says what facts and conversations say, in their words (`readable.rs`), and leaves out what nobody would read. The
//! operation `digest` shows it; the weekly reflection keeps it when there is no model to write one.

use std::collections::BTreeSet;

use scrubjay_core::filter::{Field, Filter, Operator, Order, Scalar, Test};
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Confidence, Kind, Memory, Relation};
use scrubjay_core::scope::View;
use scrubjay_core::time::Timestamp;
use scrubjay_store::query::{Activity, ListQuery, Part, Session};
use serde_json::Value;

use super::readable::readable;
use super::task::TASK_COMPLETE;
use crate::memory_types::{DigestHeading, policy};
use crate::{Ctx, Result};

/// The title of what was decided and agreed upon; what changed stands behind it.
const DECISIONS: &str = "Decisions and conventions";

/// How many facts and conversations are looked at.
const FACTS: usize = 500;
const SESSIONS: usize = 200;

/// How many messages of a conversation are read to see what it was about.
const MESSAGES: usize = 10;

/// The longest line, in characters.
const CHARS: usize = 160;

/// The most lines of a section.
const PER_SECTION: usize = 8;

/// Some days at a glance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// From when.
    pub since: Timestamp,
    /// Until when.
    pub until: Timestamp,
    /// How many facts it rests on.
    pub facts: usize,
    /// Conversations of that time, and how many messages they have.
    pub conversations: usize,
    /// See there.
    pub messages: u64,
    /// What was decided, agreed or preferred.
    pub decisions: Section,
    /// What took the place of something else.
    pub changed: Vec<Replaced>,
    /// What is planned and not past yet, the next first.
    pub plans: Section,
    /// What failed, and what mended it.
    pub failures: Section,
    /// Tasks that were finished.
    pub done: Section,
    /// What else was learned.
    pub learned: Section,
    /// What conversations were about, by their first request; those without a finished task.
    pub topics: Section,
}

/// Lines of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Section {
    /// The lines.
    pub lines: Vec<Line>,
    /// How many more there are.
    pub more: usize,
}

/// A line of a digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The memory; the first message for a conversation.
    pub id: MemoryId,
    /// When it was said; for a plan, when it is due, if that is known.
    pub date: String,
    /// What it says.
    pub text: String,
}

/// Something that took the place of something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// What held before.
    pub old: Line,
    /// What holds now.
    pub new: Line,
}

impl Digest {
    /// Whether there is nothing to tell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.sections().iter().all(|(_, section)| section.lines.is_empty())
    }

    /// The sections with their titles, without what changed.
    #[must_use]
    pub fn sections(&self) -> [(&'static str, &Section); 6] {
        [
            (DECISIONS, &self.decisions),
            ("Open plans", &self.plans),
            ("Failures and fixes", &self.failures),
            ("Done", &self.done),
            ("Also learned", &self.learned),
            ("Talked about", &self.topics),
        ]
    }

    /// The digest as a text of a few lines.
    #[must_use]
    pub fn text(&self) -> String {
        let counted = |count: usize, one: &str, many: &str| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {many}"),
        };
        let mut lines = vec![format!(
            "{} to {}: {} from {}.",
            self.since.date(),
            self.until.date(),
            counted(self.facts, "fact", "facts"),
            counted(self.conversations, "conversation", "conversations")
        )];
        for (title, section) in self.sections() {
            if !section.lines.is_empty() {
                let shown: Vec<&str> = section.lines.iter().map(|line| line.text.as_str()).collect();
                let more = if section.more > 0 { format!(" (and {} more)", section.more) } else { String::new() };
                lines.push(format!("{title}: {}{more}", shown.join(" · ")));
            }
            if title == DECISIONS && !self.changed.is_empty() {
                let change = |one: &Replaced| {
                    format!("{} ({}) → {} ({})", one.old.text, one.old.date, one.new.text, one.new.date)
                };
                lines.push(format!("Changed: {}", self.changed.iter().map(change).collect::<Vec<_>>().join(" · ")));
            }
        }
        lines.join("\n")
    }
}

/// The facts of a view that were said since a time, the most important first; not what tools printed or pages said.
///
/// # Errors
/// When the store fails.
pub async fn facts_said_since(ctx: &Ctx, view: &View, since: Timestamp) -> Result<Vec<Memory>> {
    let filter = facts().and(Field::EventTime, at_least(since));
    Ok(ctx.store().await?.list(view, query(filter, Field::Importance, FACTS)).await?.memories)
}

/// Puts facts and conversations of some days together. Plans are taken whenever they were made.
///
/// # Errors
/// When the store fails.
pub async fn digest(ctx: &Ctx, view: &View, facts: &[Memory], since: Timestamp, until: Timestamp) -> Result<Digest> {
    let store = ctx.store().await?;
    let standing: Vec<&Memory> = facts.iter().filter(|fact| fact.confidence > Confidence::SUPERSEDED).collect();
    let sessions: Vec<Session> = store.sessions(view, SESSIONS, 0).await?;
    let sessions: Vec<Session> = sessions.into_iter().filter(|session| session.last_seen >= since).collect();
    let mut digest = Digest {
        since,
        until,
        facts: standing.len(),
        conversations: sessions.len(),
        messages: sessions.iter().map(|session| session.messages).sum(),
        decisions: Section::default(),
        changed: Vec::new(),
        plans: Section::default(),
        failures: Section::default(),
        done: Section::default(),
        learned: Section::default(),
        topics: Section::default(),
    };
    let mut told = BTreeSet::new();
    let links = store.links_of(view, standing.iter().map(|fact| fact.id).collect()).await?;
    for fact in &standing {
        for link in links.iter().filter(|link| link.from == fact.id && link.relation == Relation::Supersedes) {
            if digest.changed.len() >= PER_SECTION {
                break;
            }
            let Some(old) = store.get(view, link.to).await? else { continue };
            if let (Some(old), Some(new)) = (line(&old), line(fact)) {
                digest.changed.push(Replaced { old, new });
                told.insert(fact.id);
            }
        }
    }
    digest.plans = plans(ctx, view, &standing, until, &mut told).await?;
    for fact in standing.iter().filter(|fact| !told.contains(&fact.id)) {
        let section = match policy(&fact.memory_type).digest {
            DigestHeading::Decisions => &mut digest.decisions,
            DigestHeading::Failures => &mut digest.failures,
            DigestHeading::Plans => continue,
            DigestHeading::Learned => &mut digest.learned,
        };
        section.add(line(fact));
    }
    let summaries = Filter::default()
        .and_equal(Field::Kind, Kind::Episode.name())
        .and_equal(Field::Type, TASK_COMPLETE)
        .and_not_foreign()
        .and(Field::EventTime, at_least(since));
    let mut finished = BTreeSet::new();
    for memory in store.list(view, query(summaries, Field::EventTime, FACTS)).await?.memories {
        finished.extend(memory.session_id.clone());
        digest.done.add(line(&memory));
    }
    for session in sessions.iter().filter(|session| !finished.contains(&session.session_id)) {
        digest.topics.add(topic(ctx, session).await?);
    }
    Ok(digest)
}

impl Section {
    fn add(&mut self, line: Option<Line>) {
        let Some(line) = line.filter(|line| self.lines.iter().all(|known| known.text != line.text)) else { return };
        if self.lines.len() < PER_SECTION {
            self.lines.push(line);
        } else {
            self.more += 1;
        }
    }
}

// Plans that are not past: those with a day from today on, and those of this time without one.
async fn plans(
    ctx: &Ctx,
    view: &View,
    standing: &[&Memory],
    until: Timestamp,
    told: &mut BTreeSet<MemoryId>,
) -> Result<Section> {
    let filter = facts().and_equal(Field::Type, "plan");
    let all = ctx.store().await?.list(view, query(filter, Field::EventTime, FACTS)).await?.memories;
    let mut open = Vec::new();
    for plan in all.iter().filter(|plan| plan.confidence > Confidence::SUPERSEDED && !told.contains(&plan.id)) {
        let due = plan.attributes.get("date").and_then(Value::as_str);
        let is_open = match due {
            Some(due) => due >= until.date().as_str(),
            None => standing.iter().any(|fact| fact.id == plan.id),
        };
        if let Some(line) = line(plan).filter(|_| is_open) {
            // Those without a day come last.
            let date = due.map_or_else(|| line.date.clone(), str::to_owned);
            open.push((due.is_none(), Line { date, ..line }));
        }
    }
    open.sort_by(|one, other| (one.0, &one.1.date).cmp(&(other.0, &other.1.date)));
    let mut section = Section::default();
    for (_, line) in open {
        told.insert(line.id);
        section.add(Some(line));
    }
    Ok(section)
}

// What a conversation was about: the first thing that a person asked for in it.
async fn topic(ctx: &Ctx, session: &Session) -> Result<Option<Line>> {
    let store = ctx.store().await?;
    let first = store.episodes(&session.scope, &session.session_id, Part::After(None), MESSAGES).await?;
    let asked = first.iter().filter(|memory| memory.is_active() && memory.role.as_deref() == Some("user"));
    Ok(asked.filter(|memory| !memory.origin.kind.is_foreign()).find_map(line))
}

fn line(memory: &Memory) -> Option<Line> {
    let text = readable(&memory.content, CHARS)?;
    Some(Line { id: memory.id, date: memory.event_time.date(), text })
}

fn facts() -> Filter {
    Filter::default().and_equal(Field::Kind, Kind::Fact.name()).and_not_foreign()
}

fn query(filter: Filter, field: Field, limit: usize) -> ListQuery {
    let order = Order { field, ascending: false };
    ListQuery { filter, activity: Activity::Active, order, limit, ..ListQuery::default() }
}

fn at_least(time: Timestamp) -> Test {
    Test::Compare(Operator::GreaterOrEqual, Scalar::Number(time.millis() as f64))
}
