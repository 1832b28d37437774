//! Filters, orders and cursors as SQL. Values are always bound, never spelled.

use rusqlite::types::Value;
use scrubjay_core::filter::{Condition, Cursor, Field, Filter, LOWEST, Operator, Order, OrderKey, Scalar, Test};

use crate::query::Activity;

/// Conditions with the values bound to them, for the table `m`.
#[derive(Clone, Default)]
pub(super) struct Clauses {
    text: Vec<String>,
    /// The values, in the order of their placeholders.
    pub(super) values: Vec<Value>,
}

impl Clauses {
    /// All conditions joined, as ` AND …`; empty if there are none.
    pub(super) fn sql(&self) -> String {
        self.text.iter().map(|clause| format!(" AND ({clause})")).collect()
    }

    /// Adds a condition with its values.
    pub(super) fn push(&mut self, clause: impl Into<String>, values: impl IntoIterator<Item = Value>) {
        self.text.push(clause.into());
        self.values.extend(values);
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
            Activity::Active => self.push("m.valid_until IS NULL", []),
            Activity::Ended => self.push("m.valid_until IS NOT NULL", []),
            Activity::Any => {}
            Activity::AsOf(time) => {
                let time = Value::Integer(time.millis());
                self.push("m.created_at <= ? AND ifnull(m.valid_until > ?, 1)", [time.clone(), time]);
            }
            Activity::NotEndedBy(time) => {
                self.push("ifnull(m.valid_until > ?, 1)", [Value::Integer(time.millis())]);
            }
        }
    }

    /// Adds that the list goes on after a cursor.
    pub(super) fn after(&mut self, order: &Order, cursor: &Cursor) {
        let key = order_expression(&order.field);
        let sign = if order.ascending { ">" } else { "<" };
        let value = match &cursor.key {
            OrderKey::Number(number) => Value::Real(*number),
            OrderKey::Text(text) => Value::Text(text.clone()),
        };
        self.push(format!("({key}, m.id) {sign} (?, ?)"), [value, Value::Blob(cursor.id.uuid().as_bytes().to_vec())]);
    }

    fn condition(&mut self, condition: &Condition) {
        match &condition.field {
            Field::Tags => self.tags(&condition.test),
            Field::Kind => {
                self.column(column(&Field::Kind), &condition.test);
                if no_episodes(&condition.test) {
                    // Says nothing new, but lets SQLite use the index that
                    // leaves episodes out.
                    self.push("m.kind <> 'episode'", []);
                }
            }
            Field::Id => self.id(&condition.test),
            Field::Attribute(name) => self.attribute(name, &condition.test),
            field => self.column(column(field), &condition.test),
        }
    }

    fn column(&mut self, column: &str, test: &Test) {
        match test {
            Test::AnyOf(values) => {
                let marks = vec!["?"; values.len()].join(",");
                let nulls =
                    if values.contains(&Scalar::Null) { format!(" OR {column} IS NULL") } else { String::new() };
                self.push(format!("{column} IN ({marks}){nulls}"), values.iter().map(value));
            }
            Test::Compare(Operator::Equal, Scalar::Null) => self.push(format!("{column} IS NULL"), []),
            Test::Compare(Operator::Equal, wanted) => self.push(format!("{column} = ?"), [value(wanted)]),
            Test::Compare(Operator::NotEqual, wanted) => self.push(format!("{column} IS NOT ?"), [value(wanted)]),
            Test::Compare(_, Scalar::Null | Scalar::Bool(_)) => self.push("0", []),
            Test::Compare(operator, wanted) => {
                // NULL is as good as false: conditions are only joined by AND, and
                // a bare comparison can use an index.
                self.push(format!("{column} {} ?", sign(*operator)), [value(wanted)]);
            }
        }
    }

    fn tags(&mut self, test: &Test) {
        let exists = |inner: &str| format!("EXISTS (SELECT 1 FROM json_each(ifnull(m.tags, '[]')) t WHERE {inner})");
        match test {
            Test::AnyOf(values) => {
                let marks = vec!["?"; values.len()].join(",");
                self.push(exists(&format!("t.value IN ({marks})")), values.iter().map(value));
            }
            Test::Compare(Operator::Equal, Scalar::Null) => self.push("m.tags IS NULL", []),
            Test::Compare(Operator::NotEqual, Scalar::Null) => self.push("1", []),
            Test::Compare(Operator::NotEqual, wanted) => {
                self.push(format!("NOT {}", exists("t.value IS ?")), [value(wanted)]);
            }
            Test::Compare(_, Scalar::Null | Scalar::Bool(_) | Scalar::Number(_)) => self.push("0", []),
            Test::Compare(operator, wanted) => {
                self.push(exists(&format!("t.value {} ?", sign(*operator))), [value(wanted)]);
            }
        }
    }

    // Ids are stored as bytes, and shown with the kind in front.
    fn id(&mut self, test: &Test) {
        let shown = "(CASE m.kind WHEN 'episode' THEN 'ep' WHEN 'fact' THEN 'fact' WHEN 'reflection' THEN 'ref' ELSE 'tmp' END \
             || '_' || lower(substr(hex(m.id),1,8) || '-' || substr(hex(m.id),9,4) || '-' || substr(hex(m.id),13,4) \
             || '-' || substr(hex(m.id),17,4) || '-' || substr(hex(m.id),21)))";
        self.column(shown, test);
    }

    // JSON values keep their type, so that the number 1 is not the text "1".
    // Numbers are compared as doubles, because that is what a filter holds.
    fn attribute(&mut self, name: &str, test: &Test) {
        let path = Value::Text(format!("$.\"{name}\""));
        let kind = "ifnull(json_type(m.attributes, ?), 'null')";
        let (text, number) = ("json_extract(m.attributes, ?)", "CAST(json_extract(m.attributes, ?) AS REAL)");
        match test {
            Test::AnyOf(wanted) => self.attribute_among(&path, wanted, ""),
            Test::Compare(Operator::Equal, wanted) => self.attribute_among(&path, std::slice::from_ref(wanted), ""),
            Test::Compare(Operator::NotEqual, wanted) => {
                self.attribute_among(&path, std::slice::from_ref(wanted), "NOT ");
            }
            Test::Compare(_, Scalar::Null | Scalar::Bool(_)) => self.push("0", []),
            Test::Compare(operator, wanted @ Scalar::Text(_)) => self
                .push(format!("{kind} = 'text' AND {text} {} ?", sign(*operator)), [path.clone(), path, value(wanted)]),
            Test::Compare(operator, wanted @ Scalar::Number(_)) => self.push(
                format!("{kind} IN ('integer', 'real') AND {number} {} ?", sign(*operator)),
                [path.clone(), path, value(wanted)],
            ),
        }
    }

    // One clause per sort of value, however long the list: SQLite limits how
    // deep conditions nest.
    fn attribute_among(&mut self, path: &Value, wanted: &[Scalar], negation: &str) {
        let kind = "ifnull(json_type(m.attributes, ?), 'null')";
        let among =
            |sort: fn(&Scalar) -> bool| wanted.iter().filter(|scalar| sort(scalar)).map(value).collect::<Vec<_>>();
        let texts = among(|scalar| matches!(scalar, Scalar::Text(_)));
        let numbers = among(|scalar| matches!(scalar, Scalar::Number(_)));
        let marks = |values: &[Value]| vec!["?"; values.len()].join(",");
        let mut clauses = vec![
            format!("({kind} = 'text' AND json_extract(m.attributes, ?) IN ({}))", marks(&texts)),
            format!(
                "({kind} IN ('integer', 'real') AND CAST(json_extract(m.attributes, ?) AS REAL) IN ({}))",
                marks(&numbers)
            ),
        ];
        let mut bound = vec![path.clone(), path.clone()];
        bound.extend(texts);
        bound.extend([path.clone(), path.clone()]);
        bound.extend(numbers);
        let others = [
            (Scalar::Null, "NOT IN ('integer', 'real', 'text', 'true', 'false')"),
            (Scalar::Bool(true), "= 'true'"),
            (Scalar::Bool(false), "= 'false'"),
        ];
        for (_, is) in others.iter().filter(|(scalar, _)| wanted.contains(scalar)) {
            clauses.push(format!("{kind} {is}"));
            bound.push(path.clone());
        }
        self.push(format!("{negation}({})", clauses.join(" OR ")), bound);
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
        Field::Id => "''".to_owned(),
        field if scrubjay_core::filter::is_text(field) => format!("ifnull({}, '')", column(field)),
        field => format!("ifnull({}, {LOWEST:e})", column(field)),
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
        Field::Id | Field::Tags | Field::Attribute(_) => "m.id",
    }
}

fn value(scalar: &Scalar) -> Value {
    match scalar {
        Scalar::Null => Value::Null,
        Scalar::Text(text) => Value::Text(text.clone()),
        Scalar::Number(number) => Value::Real(*number),
        Scalar::Bool(truth) => Value::Integer(i64::from(*truth)),
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
