//! Filters, orders and cursors as SQL. Values are always bound, never spelled.

use scrubjay_core::filter::{Condition, Cursor, Field, Filter, Operator, Order, OrderKey, Scalar, Test, is_text};

use super::value::Value;
use crate::query::Activity;

/// What an absent number sorts as, for columns that hold whole numbers; see `LOWEST` in core.
const LOWEST: &str = "-1000000000000000000";

/// Conditions with the values bound to them, for the table `m`. The agent is `$1`, so the first value is `$2`.
#[derive(Default)]
pub(super) struct Clauses {
    text: Vec<String>,
    bound: Vec<Box<dyn Value + Send>>,
}

/// What sort of values a column holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Text,
    Whole,
    Real,
}

impl Clauses {
    /// All conditions joined, as ` AND …`; empty if there are none.
    pub(super) fn sql(&self) -> String {
        self.text.iter().map(|clause| format!(" AND ({clause})")).collect()
    }

    /// The values, in the order of their places.
    pub(super) fn values(&self) -> Vec<&dyn Value> {
        self.bound.iter().map(|value| value as &dyn Value).collect()
    }

    /// Binds a value; gives its place.
    pub(super) fn bind(&mut self, value: impl Value + Send + 'static) -> String {
        self.bound.push(Box::new(value));
        format!("${}", self.bound.len() + 1)
    }

    /// Adds a condition.
    pub(super) fn push(&mut self, clause: impl Into<String>) {
        self.text.push(clause.into());
    }

    /// Adds the conditions of a filter.
    pub(super) fn filter(&mut self, filter: &Filter) {
        for condition in &filter.conditions {
            self.condition(condition);
        }
    }

    /// Adds which memories count by whether they are active.
    pub(super) fn activity(&mut self, activity: Activity) {
        match activity {
            Activity::Active => self.push("m.valid_until IS NULL"),
            Activity::Ended => self.push("m.valid_until IS NOT NULL"),
            Activity::Any => {}
            Activity::AsOf(time) => {
                let place = self.bind(time.millis());
                self.push(format!("m.created_at <= {place} AND coalesce(m.valid_until > {place}, true)"));
            }
            Activity::NotEndedBy(time) => {
                let place = self.bind(time.millis());
                self.push(format!("coalesce(m.valid_until > {place}, true)"));
            }
        }
    }

    /// Adds that the list goes on after a cursor.
    pub(super) fn after(&mut self, order: &Order, cursor: &Cursor) {
        let key = order_expression(&order.field);
        let sign = if order.ascending { ">" } else { "<" };
        let value = match &cursor.key {
            OrderKey::Number(number) => self.number(*number, holds(&order.field)),
            OrderKey::Text(text) => self.bind(text.clone()),
        };
        let id = self.bind(cursor.id.uuid());
        self.push(format!("({key}, m.id) {sign} ({value}, {id})"));
    }

    fn condition(&mut self, condition: &Condition) {
        match &condition.field {
            Field::Tags => self.tags(&condition.test),
            Field::Kind => {
                self.column(column(&Field::Kind), Holds::Text, &condition.test);
                if no_episodes(&condition.test) {
                    // Says nothing new, but lets the server use the index that leaves episodes out.
                    self.push("m.kind <> 'episode'");
                }
            }
            Field::Id => self.id(&condition.test),
            Field::Attribute(name) => self.attribute(name, &condition.test),
            field => self.column(column(field), holds(field), &condition.test),
        }
    }

    fn column(&mut self, column: &str, holds: Holds, test: &Test) {
        match test {
            Test::AnyOf(values) => {
                let nulls =
                    if values.contains(&Scalar::Null) { format!(" OR {column} IS NULL") } else { String::new() };
                let among = if holds == Holds::Text { self.texts(values) } else { self.numbers(values) };
                self.push(format!("{column} = ANY ({among}){nulls}"));
            }
            Test::Compare(Operator::Equal, Scalar::Null) => self.push(format!("{column} IS NULL")),
            Test::Compare(Operator::NotEqual, Scalar::Null) => self.push(format!("{column} IS NOT NULL")),
            Test::Compare(operator, wanted) => {
                let place = match wanted {
                    Scalar::Text(text) if holds == Holds::Text => Some(self.bind(text.clone())),
                    Scalar::Number(number) if holds != Holds::Text => Some(self.number(*number, holds)),
                    _ => None,
                };
                match (operator, place) {
                    (Operator::NotEqual, Some(place)) => self.push(format!("{column} IS DISTINCT FROM {place}")),
                    // NULL is as good as false: conditions are only joined by AND, and a bare comparison can use an
                    // index.
                    (operator, Some(place)) => self.push(format!("{column} {} {place}", sign(*operator))),
                    // A value of another sort equals nothing here, and is neither greater nor less.
                    (Operator::NotEqual, None) => self.push("true"),
                    (_, None) => self.push("false"),
                }
            }
        }
    }

    fn tags(&mut self, test: &Test) {
        let exists = |inner: String| format!("EXISTS (SELECT 1 FROM unnest(m.tags) t (value) WHERE {inner})");
        match test {
            Test::AnyOf(values) => {
                let among = self.texts(values);
                self.push(exists(format!("t.value = ANY ({among})")));
            }
            Test::Compare(Operator::Equal, Scalar::Null) => self.push("m.tags IS NULL"),
            Test::Compare(Operator::NotEqual, Scalar::Null) => self.push("true"),
            Test::Compare(Operator::NotEqual, wanted) => {
                if let Scalar::Text(text) = wanted {
                    let place = self.bind(text.clone());
                    self.push(format!("NOT {}", exists(format!("t.value = {place}"))));
                }
            }
            Test::Compare(operator, Scalar::Text(text)) => {
                let place = self.bind(text.clone());
                self.push(exists(format!("t.value {} {place} COLLATE \"C\"", sign(*operator))));
            }
            Test::Compare(..) => self.push("false"),
        }
    }

    // Ids are stored as bytes, and shown with the kind in front.
    fn id(&mut self, test: &Test) {
        let shown = "(CASE m.kind WHEN 'episode' THEN 'ep' WHEN 'fact' THEN 'fact' WHEN 'reflection' THEN 'ref' ELSE 'tmp' END \
             || '_' || m.id::text) COLLATE \"C\"";
        self.column(&format!("({shown})"), Holds::Text, test);
    }

    // JSON values keep their type, so that the number 1 is not the text "1". Numbers are compared as doubles, because that
    // is what a filter holds.
    fn attribute(&mut self, name: &str, test: &Test) {
        let place = self.bind(name.to_owned());
        let found = format!("(m.attributes::jsonb -> {place})");
        match test {
            Test::AnyOf(wanted) => self.attribute_among(&place, wanted, ""),
            Test::Compare(Operator::Equal, wanted) => self.attribute_among(&place, std::slice::from_ref(wanted), ""),
            Test::Compare(Operator::NotEqual, wanted) => {
                self.attribute_among(&place, std::slice::from_ref(wanted), "NOT ");
            }
            Test::Compare(_, Scalar::Null | Scalar::Bool(_)) => self.push("false"),
            Test::Compare(operator, Scalar::Text(text)) => {
                let value = self.bind(text.clone());
                self.push(format!(
                    "CASE jsonb_typeof{found} WHEN 'string' THEN ({found} #>> '{{}}') COLLATE \"C\" {} {value} \
                     ELSE false END",
                    sign(*operator)
                ));
            }
            Test::Compare(operator, Scalar::Number(number)) => {
                let value = self.bind(*number);
                self.push(format!(
                    "CASE jsonb_typeof{found} WHEN 'number' THEN ({found} #>> '{{}}')::float8 {} {value} ELSE false END",
                    sign(*operator)
                ));
            }
        }
    }

    // What is no text, number, true or false counts as absent.
    fn attribute_among(&mut self, place: &str, wanted: &[Scalar], negation: &str) {
        let found = format!("(m.attributes::jsonb -> {place})");
        let texts = self.texts(wanted);
        let numbers = self.numbers(wanted);
        let mut truths = Vec::new();
        for (scalar, truth) in [(Scalar::Bool(true), "true"), (Scalar::Bool(false), "false")] {
            if wanted.contains(&scalar) {
                truths.push(format!("{found} = '{truth}'::jsonb"));
            }
        }
        let truths = if truths.is_empty() { "false".to_owned() } else { truths.join(" OR ") };
        let absent = wanted.contains(&Scalar::Null);
        self.push(format!(
            "{negation}(CASE coalesce(jsonb_typeof{found}, 'null')
                 WHEN 'string' THEN ({found} #>> '{{}}') = ANY ({texts})
                 WHEN 'number' THEN ({found} #>> '{{}}')::float8 = ANY ({numbers})
                 WHEN 'boolean' THEN {truths}
                 ELSE {absent} END)"
        ));
    }

    fn texts(&mut self, values: &[Scalar]) -> String {
        let text = |scalar: &Scalar| match scalar {
            Scalar::Text(text) => Some(text.clone()),
            _ => None,
        };
        self.bind(values.iter().filter_map(text).collect::<Vec<String>>())
    }

    fn numbers(&mut self, values: &[Scalar]) -> String {
        let number = |scalar: &Scalar| match scalar {
            Scalar::Number(number) => Some(*number),
            _ => None,
        };
        self.bind(values.iter().filter_map(number).collect::<Vec<f64>>())
    }

    // A whole number is bound as one where the column holds such, so that its index can be used.
    #[expect(clippy::cast_possible_truncation, reason = "only numbers that are whole and small are cast")]
    fn number(&mut self, number: f64, holds: Holds) -> String {
        let is_whole = number.fract() == 0.0 && number.abs() <= 1e18;
        if holds == Holds::Whole && is_whole { self.bind(number as i64) } else { self.bind(number) }
    }
}

/// `ORDER BY` for an order; ties by id, in the same direction.
pub(super) fn order_by(order: &Order) -> String {
    let direction = if order.ascending { "ASC" } else { "DESC" };
    format!("ORDER BY {} {direction}, m.id {direction}", order_expression(&order.field))
}

fn order_expression(field: &Field) -> String {
    match field {
        // These are never NULL and have an index.
        Field::EventTime | Field::CreatedAt | Field::Importance | Field::Kind | Field::Type => column(field).to_owned(),
        Field::Id => "''::text".to_owned(),
        field if is_text(field) => format!("coalesce({}, '')", column(field)),
        field => format!("coalesce({}, {LOWEST})", column(field)),
    }
}

fn no_episodes(test: &Test) -> bool {
    let other = |scalar: &Scalar| matches!(scalar, Scalar::Text(kind) if kind != "episode");
    match test {
        Test::Compare(Operator::Equal, wanted) => other(wanted),
        Test::AnyOf(wanted) => !wanted.is_empty() && wanted.iter().all(other),
        Test::Compare(..) => false,
    }
}

fn column(field: &Field) -> &'static str {
    match field {
        Field::Kind => "m.kind",
        Field::Type => "m.type",
        Field::Scope => "s.name",
        Field::SessionId => "m.session_id",
        Field::Role => "m.role",
        Field::Content => "m.content",
        Field::Importance => "m.importance",
        Field::Confidence => "m.confidence",
        Field::DecayRate => "m.decay_rate",
        Field::EventTime => "m.event_time",
        Field::CreatedAt => "m.created_at",
        Field::ValidUntil => "m.valid_until",
        Field::EndedBy => "m.ended_by",
        Field::AccessCount => "m.access_count",
        Field::LastAccessed => "m.last_accessed",
        Field::Origin => "m.origin",
        Field::Path => "m.path",
        Field::Version => "m.version",
        // These three are handled before; any column keeps the SQL valid.
        Field::Id | Field::Tags | Field::Attribute(_) => "m.kind",
    }
}

fn holds(field: &Field) -> Holds {
    match field {
        Field::Importance | Field::Confidence | Field::DecayRate => Holds::Real,
        Field::EventTime
        | Field::CreatedAt
        | Field::ValidUntil
        | Field::AccessCount
        | Field::LastAccessed
        | Field::Version => Holds::Whole,
        _ => Holds::Text,
    }
}

fn sign(operator: Operator) -> &'static str {
    match operator {
        Operator::Equal => "=",
        Operator::NotEqual => "<>",
        Operator::Greater => ">",
        Operator::GreaterOrEqual => ">=",
        Operator::Less => "<",
        Operator::LessOrEqual => "<=",
    }
}
