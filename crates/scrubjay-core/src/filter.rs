//! Conditions on memories, their order, and the cursor of a list.
//!
//! A filter is a JSON object from field to condition: a plain value (equal), a
//! list (any of), or an object of operators `$eq $ne $gt $gte $lt $lte`. It is
//! parsed once into [`Filter`]; a backend either evaluates it with
//! [`Filter::matches`] or translates it, and the conformance suite holds the two
//! equal. An absent value equals only `null` and is neither greater nor less than
//! anything.

use std::cmp::Ordering;

use serde_json::Value;

use crate::id::MemoryId;
use crate::memory::{Memory, OriginKind};
use crate::time::Timestamp;

/// A field of a memory that can be filtered or sorted by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Field {
    /// `id`
    Id,
    /// `kind`
    Kind,
    /// `type`
    Type,
    /// `scope`
    Scope,
    /// `session_id`
    SessionId,
    /// `role`
    Role,
    /// `content`
    Content,
    /// `importance`
    Importance,
    /// `confidence`
    Confidence,
    /// `decay_rate`
    DecayRate,
    /// `event_time`, also `timestamp`
    EventTime,
    /// `created_at`
    CreatedAt,
    /// `valid_until`
    ValidUntil,
    /// `ended_by`
    EndedBy,
    /// `access_count`
    AccessCount,
    /// `last_accessed`
    LastAccessed,
    /// `origin`
    Origin,
    /// `path`
    Path,
    /// `tags`: a condition holds if it holds for one of them
    Tags,
    /// `version`
    Version,
    /// `attributes.<name>`
    Attribute(String),
}

/// What values a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldType {
    /// Text.
    Text,
    /// A number.
    Number,
    /// A time, compared in milliseconds.
    Time,
    /// Several texts.
    Texts,
    /// Whatever JSON holds there.
    Any,
}

const FIELDS: &[(&str, Field, FieldType)] = &[
    ("id", Field::Id, FieldType::Text),
    ("kind", Field::Kind, FieldType::Text),
    ("type", Field::Type, FieldType::Text),
    ("scope", Field::Scope, FieldType::Text),
    ("session_id", Field::SessionId, FieldType::Text),
    ("role", Field::Role, FieldType::Text),
    ("content", Field::Content, FieldType::Text),
    ("importance", Field::Importance, FieldType::Number),
    ("confidence", Field::Confidence, FieldType::Number),
    ("decay_rate", Field::DecayRate, FieldType::Number),
    ("event_time", Field::EventTime, FieldType::Time),
    ("timestamp", Field::EventTime, FieldType::Time),
    ("created_at", Field::CreatedAt, FieldType::Time),
    ("valid_until", Field::ValidUntil, FieldType::Time),
    ("ended_by", Field::EndedBy, FieldType::Text),
    ("access_count", Field::AccessCount, FieldType::Number),
    ("last_accessed", Field::LastAccessed, FieldType::Time),
    ("origin", Field::Origin, FieldType::Text),
    ("path", Field::Path, FieldType::Text),
    ("tags", Field::Tags, FieldType::Texts),
    ("version", Field::Version, FieldType::Number),
];

/// A filter, order or cursor could not be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidFilter {
    /// The filter is not an object.
    #[error("a filter is a JSON object such as {{\"kind\": \"fact\", \"importance\": {{\"$gte\": 4}}}}")]
    NotAnObject,
    /// There is no such field.
    #[error("there is no field `{field}`; fields are {}, attributes.<name>", field_names())]
    UnknownField {
        /// What was given.
        field: String,
    },
    /// There is no such operator.
    #[error("there is no operator `{operator}`; use $eq $ne $gt $gte $lt $lte, or a list for any-of")]
    UnknownOperator {
        /// What was given.
        operator: String,
    },
    /// The value does not fit the field.
    #[error("`{value}` cannot be compared with {field}, which holds {wanted}")]
    WrongValue {
        /// The field.
        field: String,
        /// What was given.
        value: String,
        /// What it holds.
        wanted: &'static str,
    },
    /// The field cannot be sorted by.
    #[error(
        "cannot order by `{field}`; use event_time, created_at, importance, confidence, access_count, last_accessed, type, kind or id, with a leading - to reverse"
    )]
    NoOrder {
        /// What was given.
        field: String,
    },
    /// The cursor is from another list, or damaged.
    #[error("the cursor does not belong to this list; start again without it")]
    Cursor,
}

/// How a value is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `$eq`
    Equal,
    /// `$ne`
    NotEqual,
    /// `$gt`
    Greater,
    /// `$gte`
    GreaterOrEqual,
    /// `$lt`
    Less,
    /// `$lte`
    LessOrEqual,
}

/// A value to compare with.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    /// Absent.
    Null,
    /// Text.
    Text(String),
    /// A number; a time in milliseconds.
    Number(f64),
    /// True or false.
    Bool(bool),
}

/// What must hold for one field.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// A comparison.
    Compare(Operator, Scalar),
    /// Equal to any of these.
    AnyOf(Vec<Scalar>),
}

/// One field and what must hold for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// The field.
    pub field: Field,
    /// The test.
    pub test: Test,
}

/// Conditions that must all hold.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filter {
    /// The conditions.
    pub conditions: Vec<Condition>,
}

impl Filter {
    /// Reads a filter from JSON.
    ///
    /// # Errors
    /// When a field, operator or value is not understood.
    pub fn parse(value: &Value) -> Result<Self, InvalidFilter> {
        let object = match value {
            Value::Null => return Ok(Self::default()),
            Value::Object(object) => object,
            _ => return Err(InvalidFilter::NotAnObject),
        };
        let mut conditions = Vec::new();
        for (name, wanted) in object {
            let (field, field_type) = field(name)?;
            match wanted {
                Value::Object(operators) => {
                    for (operator, value) in operators {
                        let test = Test::Compare(self::operator(operator)?, scalar(name, field_type, value)?);
                        conditions.push(Condition { field: field.clone(), test });
                    }
                }
                Value::Array(values) => {
                    let values =
                        values.iter().map(|value| scalar(name, field_type, value)).collect::<Result<_, _>>()?;
                    conditions.push(Condition { field, test: Test::AnyOf(values) });
                }
                value => {
                    let test = Test::Compare(Operator::Equal, scalar(name, field_type, value)?);
                    conditions.push(Condition { field, test });
                }
            }
        }
        Ok(Self { conditions })
    }

    /// Adds that `field` equals `text`.
    #[must_use]
    pub fn and_equal(mut self, field: Field, text: impl Into<String>) -> Self {
        self.conditions.push(Condition { field, test: Test::Compare(Operator::Equal, Scalar::Text(text.into())) });
        self
    }

    /// Adds a condition.
    #[must_use]
    pub fn and(mut self, field: Field, test: Test) -> Self {
        self.conditions.push(Condition { field, test });
        self
    }

    /// These conditions, and that the text is no tool's and not from the web.
    #[must_use]
    pub fn and_not_foreign(self) -> Self {
        let own = OriginKind::ALL.into_iter().filter(|origin| !origin.is_foreign());
        self.and(Field::Origin, Test::AnyOf(own.map(|origin| Scalar::Text(origin.name().to_owned())).collect()))
    }

    /// Whether all conditions hold for `memory`.
    #[must_use]
    pub fn matches(&self, memory: &Memory) -> bool {
        self.conditions.iter().all(|condition| match &condition.field {
            Field::Tags => matches_any_tag(&condition.test, &memory.tags),
            field => holds(&condition.test, &value_of(memory, field)),
        })
    }
}

/// A list's order: newest or greatest first unless reversed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// The field.
    pub field: Field,
    /// Smallest first.
    pub ascending: bool,
}

impl Default for Order {
    fn default() -> Self {
        Self { field: Field::EventTime, ascending: false }
    }
}

impl Order {
    /// Reads `importance` (greatest first) or `-importance` (smallest first).
    ///
    /// # Errors
    /// When the field is unknown or has no useful order.
    pub fn parse(text: &str) -> Result<Self, InvalidFilter> {
        let (name, ascending) = text.strip_prefix('-').map_or((text, false), |name| (name, true));
        let (field, _) = field(name)?;
        match field {
            Field::Tags | Field::Content | Field::Attribute(_) | Field::Scope => {
                Err(InvalidFilter::NoOrder { field: name.to_owned() })
            }
            field => Ok(Self { field, ascending }),
        }
    }

    /// What `memory` is sorted by. An absent value sorts as the smallest.
    #[must_use]
    pub fn key(&self, memory: &Memory) -> OrderKey {
        if self.field == Field::Id {
            // Ids sort by their time, which the tie-break does; the kind in
            // front of them would only get in the way.
            return OrderKey::Text(String::new());
        }
        match value_of(memory, &self.field) {
            Scalar::Number(number) => OrderKey::Number(number),
            Scalar::Text(text) => OrderKey::Text(text),
            Scalar::Null if is_text(&self.field) => OrderKey::Text(String::new()),
            Scalar::Null => OrderKey::Number(LOWEST),
            Scalar::Bool(truth) => OrderKey::Number(f64::from(u8::from(truth))),
        }
    }

    /// Compares two memories by this order, ties by id in the same direction.
    #[must_use]
    pub fn compare(&self, a: &Memory, b: &Memory) -> Ordering {
        let ordering = self.key(a).compare(&self.key(b)).then_with(|| a.id.uuid().cmp(&b.id.uuid()));
        if self.ascending { ordering } else { ordering.reverse() }
    }
}

/// What an absent number sorts as; smaller than every time and count.
pub const LOWEST: f64 = -1e18;

/// A memory's place in an order.
#[derive(Debug, Clone, PartialEq)]
pub enum OrderKey {
    /// By number or time.
    Number(f64),
    /// By text, byte by byte.
    Text(String),
}

impl OrderKey {
    /// Total order; keys of one order are always of one sort.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Number(_), Self::Text(_)) => Ordering::Less,
            (Self::Text(_), Self::Number(_)) => Ordering::Greater,
        }
    }
}

/// Where a list goes on: after the memory with this key and id.
#[derive(Debug, Clone, PartialEq)]
pub struct Cursor {
    /// The last one's key.
    pub key: OrderKey,
    /// The last one's id.
    pub id: MemoryId,
}

impl Cursor {
    /// As opaque text. It holds nothing but what the list already showed.
    #[must_use]
    pub fn encode(&self) -> String {
        let key = match &self.key {
            OrderKey::Number(number) => format!("n{:016x}", number.to_bits()),
            OrderKey::Text(text) => text.bytes().fold("t".to_owned(), |mut out, byte| {
                out.push_str(&format!("{byte:02x}"));
                out
            }),
        };
        format!("{key}.{}", self.id)
    }

    /// Reads it back.
    ///
    /// # Errors
    /// When it is damaged or belongs to another order.
    pub fn decode(text: &str, order: &Order) -> Result<Self, InvalidFilter> {
        let (key, id) = text.split_once('.').ok_or(InvalidFilter::Cursor)?;
        let id = id.parse().map_err(|_| InvalidFilter::Cursor)?;
        let key = if let Some(bits) = key.strip_prefix('n') {
            f64::from_bits(u64::from_str_radix(bits, 16).map_err(|_| InvalidFilter::Cursor)?).into()
        } else {
            text_key(key.strip_prefix('t').ok_or(InvalidFilter::Cursor)?)?
        };
        match (&key, is_text(&order.field)) {
            (OrderKey::Text(_), true) | (OrderKey::Number(_), false) => Ok(Self { key, id }),
            _ => Err(InvalidFilter::Cursor),
        }
    }
}

impl From<f64> for OrderKey {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

/// Whether a field is sorted as text.
#[must_use]
pub fn is_text(field: &Field) -> bool {
    FIELDS.iter().any(|(_, known, field_type)| known == field && *field_type == FieldType::Text)
}

/// The value a condition on `field` is compared with.
#[must_use]
pub fn value_of(memory: &Memory, field: &Field) -> Scalar {
    let text = |text: &str| Scalar::Text(text.to_owned());
    let time = |time: Timestamp| Scalar::Number(time.millis() as f64);
    let optional_text = |text: &Option<String>| text.clone().map_or(Scalar::Null, Scalar::Text);
    match field {
        Field::Id => Scalar::Text(memory.id.to_string()),
        Field::Kind => text(memory.kind().name()),
        Field::Type => text(memory.memory_type.as_str()),
        Field::Scope => Scalar::Text(memory.scope.to_string()),
        Field::SessionId => optional_text(&memory.session_id),
        Field::Role => optional_text(&memory.role),
        Field::Content => text(&memory.content),
        Field::Importance => Scalar::Number(memory.importance.value()),
        Field::Confidence => Scalar::Number(memory.confidence.value()),
        Field::DecayRate => Scalar::Number(memory.decay_rate.value()),
        Field::EventTime => time(memory.event_time),
        Field::CreatedAt => time(memory.created_at),
        Field::ValidUntil => memory.ended.map_or(Scalar::Null, |ended| time(ended.at)),
        Field::EndedBy => memory.ended.map_or(Scalar::Null, |ended| text(ended.by.name())),
        Field::AccessCount => Scalar::Number(memory.access_count as f64),
        Field::LastAccessed => memory.last_accessed.map_or(Scalar::Null, time),
        Field::Origin => text(memory.origin.kind.name()),
        Field::Path => optional_text(&memory.origin.path),
        Field::Version => Scalar::Number(memory.version as f64),
        // Tags hold several values; their conditions are evaluated one by one.
        Field::Tags => Scalar::Null,
        Field::Attribute(name) => match memory.attributes.get(name) {
            Some(Value::String(value)) => text(value),
            Some(Value::Number(number)) => number.as_f64().map_or(Scalar::Null, Scalar::Number),
            Some(Value::Bool(truth)) => Scalar::Bool(*truth),
            _ => Scalar::Null,
        },
    }
}

fn matches_any_tag(test: &Test, tags: &[String]) -> bool {
    let any = |test: &Test| tags.iter().any(|tag| holds(test, &Scalar::Text(tag.clone())));
    match test {
        // "Not this tag" means that none of the tags is it.
        Test::Compare(Operator::NotEqual, value) => !any(&Test::Compare(Operator::Equal, value.clone())),
        Test::Compare(Operator::Equal, Scalar::Null) => tags.is_empty(),
        test => any(test),
    }
}

fn holds(test: &Test, value: &Scalar) -> bool {
    match test {
        Test::AnyOf(wanted) => wanted.iter().any(|wanted| wanted == value),
        Test::Compare(Operator::Equal, wanted) => wanted == value,
        Test::Compare(Operator::NotEqual, wanted) => wanted != value,
        Test::Compare(operator, wanted) => {
            let ordering = match (value, wanted) {
                (Scalar::Number(a), Scalar::Number(b)) => a.partial_cmp(b),
                (Scalar::Text(a), Scalar::Text(b)) => Some(a.cmp(b)),
                _ => None,
            };
            ordering.is_some_and(|ordering| match operator {
                Operator::Greater => ordering.is_gt(),
                Operator::GreaterOrEqual => ordering.is_ge(),
                Operator::Less => ordering.is_lt(),
                Operator::LessOrEqual => ordering.is_le(),
                Operator::Equal => ordering.is_eq(),
                Operator::NotEqual => ordering.is_ne(),
            })
        }
    }
}

fn field(name: &str) -> Result<(Field, FieldType), InvalidFilter> {
    if let Some(attribute) = name.strip_prefix("attributes.") {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if !attribute.is_empty() && attribute.chars().all(plain) {
            return Ok((Field::Attribute(attribute.to_owned()), FieldType::Any));
        }
    }
    FIELDS
        .iter()
        .find(|(known, ..)| *known == name)
        .map(|(_, field, field_type)| (field.clone(), *field_type))
        .ok_or_else(|| InvalidFilter::UnknownField { field: name.chars().take(60).collect() })
}

fn operator(name: &str) -> Result<Operator, InvalidFilter> {
    Ok(match name {
        "$eq" => Operator::Equal,
        "$ne" => Operator::NotEqual,
        "$gt" => Operator::Greater,
        "$gte" => Operator::GreaterOrEqual,
        "$lt" => Operator::Less,
        "$lte" => Operator::LessOrEqual,
        other => return Err(InvalidFilter::UnknownOperator { operator: other.chars().take(60).collect() }),
    })
}

fn scalar(field: &str, field_type: FieldType, value: &Value) -> Result<Scalar, InvalidFilter> {
    let wrong = |wanted| InvalidFilter::WrongValue {
        field: field.to_owned(),
        value: value.to_string().chars().take(60).collect(),
        wanted,
    };
    match (field_type, value) {
        (_, Value::Null) => Ok(Scalar::Null),
        (FieldType::Text | FieldType::Texts | FieldType::Any, Value::String(text)) => Ok(Scalar::Text(text.clone())),
        (FieldType::Text | FieldType::Texts, _) => Err(wrong("text")),
        (FieldType::Number | FieldType::Any, Value::Number(number)) => {
            number.as_f64().map(Scalar::Number).ok_or_else(|| wrong("a number"))
        }
        (FieldType::Number, _) => Err(wrong("a number")),
        (FieldType::Time, value) => {
            let time: Timestamp = serde_json::from_value(value.clone()).map_err(|_| wrong("a time"))?;
            Ok(Scalar::Number(time.millis() as f64))
        }
        (FieldType::Any, Value::Bool(truth)) => Ok(Scalar::Bool(*truth)),
        (FieldType::Any, _) => Err(wrong("text, a number, true, false or null")),
    }
}

fn text_key(hex: &str) -> Result<OrderKey, InvalidFilter> {
    if !hex.len().is_multiple_of(2) || !hex.is_ascii() {
        return Err(InvalidFilter::Cursor);
    }
    let bytes = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16));
    let bytes = bytes.collect::<Result<Vec<u8>, _>>().map_err(|_| InvalidFilter::Cursor)?;
    String::from_utf8(bytes).map(OrderKey::Text).map_err(|_| InvalidFilter::Cursor)
}

fn field_names() -> String {
    FIELDS.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn error(value: &Value) -> String {
        Filter::parse(value).unwrap_err().to_string()
    }

    #[test]
    fn mistakes_are_named() {
        assert!(error(&json!([1])).contains("JSON object"));
        assert!(error(&json!({"importence": 3})).contains("no field `importence`"));
        assert!(error(&json!({"importance": {"$near": 3}})).contains("$near"));
        assert!(error(&json!({"importance": "high"})).contains("a number"));
        assert!(error(&json!({"event_time": {"$gt": "soon"}})).contains("a time"));
        assert!(error(&json!({"attributes.a\"b": 1})).contains("no field"));
        assert!(Order::parse("tags").is_err());
        assert!(Order::parse("-importance").unwrap().ascending);
    }

    #[test]
    fn seed_operators_parse() {
        let filter =
            Filter::parse(&json!({"kind": "fact", "tags": ["a", "b"], "importance": {"$gte": 3, "$lt": 5}})).unwrap();
        assert_eq!(filter.conditions.len(), 4);
        assert!(Filter::parse(&Value::Null).unwrap().conditions.is_empty());
    }

    proptest! {
        #[test]
        fn cursors_read_back(number in -1e18f64..1e18, text in ".*") {
            let id: MemoryId = "fact_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55".parse().unwrap();
            let by_time = Order::default();
            let cursor = Cursor { key: number.into(), id };
            prop_assert_eq!(&Cursor::decode(&cursor.encode(), &by_time).unwrap(), &cursor);
            let by_type = Order::parse("type").unwrap();
            let cursor = Cursor { key: OrderKey::Text(text), id };
            prop_assert_eq!(&Cursor::decode(&cursor.encode(), &by_type).unwrap(), &cursor);
            prop_assert!(Cursor::decode(&cursor.encode(), &by_time).is_err());
        }

        #[test]
        fn any_cursor_text_is_survived(text in ".*") {
            let _ = Cursor::decode(&text, &Order::default());
        }
    }
}
