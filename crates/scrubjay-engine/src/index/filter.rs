//! Conditions that the index checks while it searches.
//!
//! The index knows a few columns of each item, some of them as hashes. What it
//! lets through is a little more than what is wanted; the rows that are read for
//! the answer are checked in full.

use std::collections::BTreeSet;

use scrubjay_core::filter::{Condition, Field, Filter, Operator, Scalar, Test};
use scrubjay_core::lexical::term_hash;
use scrubjay_core::memory::{Kind, OriginKind};
use scrubjay_core::source::Source;
use scrubjay_index::{Columns, Row};
use scrubjay_store::item::{Chunk, Item};
use scrubjay_store::query::Activity;

use super::item::{CHUNK, code, short_hash};

/// What must hold for an item to be found.
#[derive(Debug, Clone, Default)]
pub struct ColumnFilter {
    /// Conditions on fields.
    pub filter: Filter,
    /// Active, ended or both.
    pub activity: Activity,
    /// Sessions whose episodes do not count.
    pub exclude_sessions: Vec<String>,
    /// Only these sources; all if there are none.
    pub sources: Vec<Source>,
    /// Only these keys, if there is such a limit.
    pub keys: Option<BTreeSet<u64>>,
}

impl ColumnFilter {
    /// A test for the index. It never turns away what is wanted.
    pub fn columns(&self) -> impl Fn(&Row) -> bool + Send + Sync + use<> {
        let excluded: Vec<u64> = self.exclude_sessions.iter().map(|session| term_hash(session)).collect();
        let sources: Vec<u8> = self.sources.iter().map(|source| code(&Source::ALL, source)).collect();
        let conditions: Vec<Column> = self.filter.conditions.iter().filter_map(column).collect();
        let keys = self.keys.clone();
        let activity = self.activity;
        move |row: &Row| {
            let columns = &row.columns;
            is_active(columns, activity)
                && (sources.is_empty() || sources.contains(&columns.source))
                && (columns.session_hash == 0 || !excluded.contains(&columns.session_hash))
                && keys.as_ref().is_none_or(|keys| keys.contains(&row.key))
                && conditions.iter().all(|condition| condition.holds(columns))
        }
    }

    /// Whether an item is wanted.
    #[must_use]
    pub fn admits(&self, item: &Item) -> bool {
        match item {
            Item::Memory(memory) => {
                let session = memory.session_id.as_ref();
                self.activity.admits(memory)
                    && self.filter.matches(memory)
                    && session.is_none_or(|session| !self.exclude_sessions.contains(session))
                    && (self.sources.is_empty() || self.sources.contains(&Source::of_kind(memory.kind())))
            }
            Item::Chunk(chunk) => {
                self.filter.conditions.iter().all(|condition| chunk_meets(chunk, condition))
                    && (self.sources.is_empty() || self.sources.contains(&chunk.source))
            }
        }
    }
}

enum Column {
    Kind(Vec<u8>),
    Origin(Vec<u8>),
    Type(Vec<u32>),
    Role(Vec<u32>),
    Session(Vec<u64>),
    EventTime(Operator, f64),
    CreatedAt(Operator, f64),
}

impl Column {
    fn holds(&self, columns: &Columns) -> bool {
        match self {
            Self::Kind(wanted) => wanted.contains(&columns.kind),
            Self::Origin(wanted) => wanted.contains(&columns.origin),
            Self::Type(wanted) => wanted.contains(&columns.type_hash),
            Self::Role(wanted) => wanted.contains(&columns.role_hash),
            Self::Session(wanted) => wanted.contains(&columns.session_hash),
            Self::EventTime(operator, bound) => compare(columns.event_time, *operator, *bound),
            Self::CreatedAt(operator, bound) => compare(columns.created_at, *operator, *bound),
        }
    }
}

// What the index can check of a condition; none if it must be left to the rows.
fn column(condition: &Condition) -> Option<Column> {
    if let (Field::EventTime | Field::CreatedAt, Test::Compare(operator, Scalar::Number(bound))) =
        (&condition.field, &condition.test)
    {
        return Some(match condition.field {
            Field::EventTime => Column::EventTime(*operator, *bound),
            _ => Column::CreatedAt(*operator, *bound),
        });
    }
    let values: Vec<&str> = match &condition.test {
        Test::Compare(Operator::Equal, Scalar::Text(text)) => vec![text],
        Test::AnyOf(values) => values.iter().map(text_of).collect::<Option<_>>()?,
        Test::Compare(..) => return None,
    };
    Some(match condition.field {
        Field::Kind => {
            Column::Kind(values.iter().filter_map(|name| Some(code(&Kind::ALL, &name.parse().ok()?))).collect())
        }
        Field::Origin => {
            Column::Origin(values.iter().filter_map(|name| Some(code(&OriginKind::ALL, &name.parse().ok()?))).collect())
        }
        Field::Type => Column::Type(values.into_iter().map(short_hash).collect()),
        Field::Role => Column::Role(values.into_iter().map(short_hash).collect()),
        Field::SessionId => Column::Session(values.into_iter().map(term_hash).collect()),
        _ => return None,
    })
}

fn text_of(scalar: &Scalar) -> Option<&str> {
    match scalar {
        Scalar::Text(text) => Some(text),
        _ => None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "times are far below 2^53 milliseconds")]
fn compare(value: i64, operator: Operator, bound: f64) -> bool {
    let value = value as f64;
    match operator {
        Operator::Equal => value == bound,
        Operator::NotEqual => value != bound,
        Operator::Greater => value > bound,
        Operator::GreaterOrEqual => value >= bound,
        Operator::Less => value < bound,
        Operator::LessOrEqual => value <= bound,
    }
}

fn is_active(columns: &Columns, activity: Activity) -> bool {
    match activity {
        Activity::Active => columns.ended_at == Columns::ACTIVE,
        Activity::Ended => columns.ended_at != Columns::ACTIVE,
        Activity::Any => true,
        // Files have no history; what is there now is all that can be said.
        Activity::AsOf(time) => {
            columns.kind == CHUNK || (columns.created_at <= time.millis() && columns.ended_at > time.millis())
        }
        Activity::NotEndedBy(time) => columns.kind == CHUNK || columns.ended_at > time.millis(),
    }
}

// A piece of a file has a place, a path and times, and nothing else to ask for.
fn chunk_meets(chunk: &Chunk, condition: &Condition) -> bool {
    let text = |value: &str| match &condition.test {
        Test::Compare(Operator::Equal, Scalar::Text(wanted)) => value == wanted,
        Test::Compare(Operator::NotEqual, Scalar::Text(wanted)) => value != wanted,
        Test::AnyOf(wanted) => wanted.iter().any(|wanted| text_of(wanted) == Some(value)),
        Test::Compare(..) => false,
    };
    let time = |value: i64| match &condition.test {
        Test::Compare(operator, Scalar::Number(bound)) => compare(value, *operator, *bound),
        _ => false,
    };
    match &condition.field {
        Field::Scope => text(&chunk.scope.to_string()),
        Field::Path => text(&chunk.path),
        Field::Origin => text(OriginKind::File.name()),
        Field::EventTime => time(chunk.modified_at.millis()),
        Field::CreatedAt => time(chunk.indexed_at.millis()),
        _ => false,
    }
}
