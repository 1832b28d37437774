//! One setting's value outside its struct field: read from a TOML file, from plain text (environment, flags,
//! `config set`), and written back in TOML notation.

use std::fmt;

use super::connection_url::ConnectionUrl;
use super::secret_text::SecretText;

/// A setting's value, of one of the few types a setting can have.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    Url(ConnectionUrl),
    Secret(SecretText),
    Integer(i64),
    Number(f64),
    Boolean(bool),
    List(Vec<String>),
}

/// What a setting's value is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// A string.
    Text,
    /// The address of a database; shown without user, password and parameters.
    Url,
    /// A key; never shown.
    Secret,
    /// A whole number.
    Integer,
    /// A number with or without a fraction.
    Number,
    /// `true` or `false`.
    Boolean,
    /// Several strings; in the environment and in flags separated by commas.
    List,
}

impl fmt::Display for ValueType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Text => "text",
            Self::Url => "address",
            Self::Secret => "key",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "true or false",
            Self::List => "list of text",
        })
    }
}

impl Value {
    /// Reads a value as people type it: bare text, or the TOML notation that `config show` prints.
    pub(super) fn from_text(value_type: ValueType, text: &str) -> Option<Self> {
        let trimmed = text.trim();
        match value_type {
            ValueType::Text => Some(Self::Text(unquoted(text))),
            ValueType::Url => Some(Self::Url(ConnectionUrl::new(unquoted(trimmed)))),
            ValueType::Secret => Some(Self::Secret(SecretText::new(unquoted(trimmed)))),
            ValueType::Boolean => match trimmed.to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" | "on" => Some(Self::Boolean(true)),
                "false" | "0" | "no" | "off" => Some(Self::Boolean(false)),
                _ => None,
            },
            ValueType::List if !trimmed.starts_with('[') => {
                let items = trimmed.split(',').map(str::trim);
                Some(Self::List(items.filter(|item| !item.is_empty()).map(unquoted).collect()))
            }
            ValueType::Integer | ValueType::Number | ValueType::List => {
                Self::from_toml(value_type, &trimmed.parse().ok()?)
            }
        }
    }

    /// Reads a value of a parsed file. An integer is a number too; nothing else is converted.
    pub(super) fn from_toml(value_type: ValueType, value: &toml_edit::Value) -> Option<Self> {
        match value_type {
            ValueType::Text => Some(Self::Text(value.as_str()?.to_owned())),
            ValueType::Url => Some(Self::Url(ConnectionUrl::new(value.as_str()?.to_owned()))),
            ValueType::Secret => Some(Self::Secret(SecretText::new(value.as_str()?.to_owned()))),
            ValueType::Integer => Some(Self::Integer(value.as_integer()?)),
            ValueType::Number => match value.as_float() {
                Some(number) => Some(Self::Number(number)),
                // Numbers with a fraction are small weights, so the rounding of integers past 2^53 cannot matter.
                None => Some(Self::Number(value.as_integer()? as f64)),
            },
            ValueType::Boolean => Some(Self::Boolean(value.as_bool()?)),
            ValueType::List => {
                let items = value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned));
                Some(Self::List(items.collect::<Option<_>>()?))
            }
        }
    }

    /// The value as it is written to a file, secrets included.
    pub(super) fn to_toml(&self) -> toml_edit::Value {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Url(url) => url.expose().into(),
            Self::Secret(key) => key.expose().into(),
            Self::Integer(integer) => (*integer).into(),
            Self::Number(number) => (*number).into(),
            Self::Boolean(boolean) => (*boolean).into(),
            Self::List(items) => items.iter().map(String::as_str).collect::<toml_edit::Array>().into(),
        }
    }
}

/// TOML notation for people: the same as in a file, but without the secret parts of an address.
impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(url) => toml_edit::Value::from(url.to_string()).fmt(formatter),
            Self::Secret(key) => toml_edit::Value::from(key.to_string()).fmt(formatter),
            _ => self.to_toml().fmt(formatter),
        }
    }
}

/// Takes the TOML quotes off a text, so that what `config show` prints can be pasted into `config set`.
fn unquoted(text: &str) -> String {
    let quoted = text.len() >= 2 && ['"', '\''].iter().any(|&quote| text.starts_with(quote) && text.ends_with(quote));
    let parsed = if quoted { text.parse::<toml_edit::Value>().ok() } else { None };
    match parsed.as_ref().and_then(toml_edit::Value::as_str) {
        Some(inner) => inner.to_owned(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(items: &[&str]) -> Option<Value> {
        Some(Value::List(items.iter().map(|&item| item.to_owned()).collect()))
    }

    #[test]
    fn text_is_read_by_type() {
        let text = |text: &str| Some(Value::Text(text.to_owned()));
        for (value_type, input, expected) in [
            (ValueType::Text, "a b", text("a b")),
            (ValueType::Text, "", text("")),
            (ValueType::Text, r#""quoted\tby TOML""#, text("quoted\tby TOML")),
            (ValueType::Text, r#""only at the start"#, text(r#""only at the start"#)),
            (ValueType::Text, "\"", text("\"")),
            (ValueType::Integer, " 12 ", Some(Value::Integer(12))),
            (ValueType::Integer, "4_194_304", Some(Value::Integer(4_194_304))),
            (ValueType::Integer, "1.5", None),
            (ValueType::Integer, "six", None),
            (ValueType::Integer, "", None),
            (ValueType::Integer, "99999999999999999999", None),
            (ValueType::Number, "0.5", Some(Value::Number(0.5))),
            (ValueType::Number, "1", Some(Value::Number(1.0))),
            (ValueType::Number, "half", None),
            (ValueType::Boolean, "TRUE", Some(Value::Boolean(true))),
            (ValueType::Boolean, "off", Some(Value::Boolean(false))),
            (ValueType::Boolean, "maybe", None),
            (ValueType::List, "user, assistant,,", list(&["user", "assistant"])),
            (ValueType::List, r#"["user", 'tool']"#, list(&["user", "tool"])),
            (ValueType::List, "[]", list(&[])),
            (ValueType::List, "[1]", None),
            (ValueType::List, "[", None),
        ] {
            assert_eq!(Value::from_text(value_type, input), expected, "{value_type} from {input:?}");
        }
    }

    #[test]
    fn notation_reads_back() {
        for (value_type, value) in [
            (ValueType::Text, Value::Text("a \"b\" 'c' \\ \u{1b} {home}".into())),
            (ValueType::Integer, Value::Integer(-3)),
            (ValueType::Number, Value::Number(0.35)),
            (ValueType::Number, Value::Number(1.0)),
            (ValueType::Boolean, Value::Boolean(false)),
            (ValueType::List, Value::List(vec!["a".into(), "b,c".into()])),
        ] {
            assert_eq!(Value::from_text(value_type, &value.to_string()), Some(value));
        }
    }

    #[test]
    fn an_address_is_shown_without_its_password_and_written_with_it() {
        let value = Value::from_text(ValueType::Url, "postgres://me:pass@db/x").unwrap();
        assert_eq!(value.to_string(), "\"postgres://…@db/x\"");
        assert_eq!(value.to_toml().as_str(), Some("postgres://me:pass@db/x"));
    }
}
