//! The settings as a list of dotted keys, derived by walking a [`Settings`] value.
//!
//! A section visits its fields, a field shows itself to the visitor as a [`Leaf`]. So key names, types, defaults
//! and the way to write a value cannot differ from the structs.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use super::adjustable::is_safe;
use super::connection_url::ConnectionUrl;
use super::rule::Rule;
use super::secret_text::SecretText;
use super::settings::Settings;
use super::value::{Value, ValueType};

/// The documentation of one setting.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyDoc {
    /// The dotted key, such as `query.max_results`.
    pub key: String,
    /// What its value is made of.
    pub value_type: ValueType,
    /// The default in TOML notation.
    pub default: String,
    /// The allowed values in words; empty when every value of the type is allowed.
    pub allowed: String,
    /// The environment variable that sets it.
    pub variable: String,
    /// What it is for.
    pub doc: String,
    /// The words to choose from; none where it is no word.
    pub choices: &'static [&'static str],
    /// Whether it may be changed from afar.
    pub is_adjustable: bool,
}

/// Every setting there is, in the order of its definition.
pub fn keys() -> Vec<KeyDoc> {
    let document = |key: &Key| KeyDoc {
        key: key.name.clone(),
        value_type: key.value_type,
        default: key.default.to_string(),
        allowed: key.rule.describe(),
        variable: key.variable.clone(),
        doc: key.doc.clone(),
        choices: key.rule.choices(),
        is_adjustable: is_safe(key),
    };
    schema().keys.iter().map(document).collect()
}

/// One setting, as files, variables and flags are checked against it.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) variable: String,
    pub(super) value_type: ValueType,
    pub(super) default: Value,
    pub(super) rule: Rule,
    doc: String,
}

/// All settings and the sections they are in.
#[derive(Debug)]
pub(super) struct Schema {
    pub(super) keys: Vec<Key>,
    pub(super) sections: BTreeSet<String>,
}

impl Schema {
    pub(super) fn key(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    pub(super) fn key_of_variable(&self, variable: &str) -> Option<&Key> {
        self.keys.iter().find(|key| key.variable == variable)
    }

    pub(super) fn is_section(&self, name: &str) -> bool {
        self.sections.contains(name)
    }
}

/// The schema, built once from the default settings.
pub(super) fn schema() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let mut schema = Schema { keys: Vec::new(), sections: BTreeSet::new() };
        Settings::default().visit(&SettingPath::root(), &mut |place, leaf| {
            let ends = place.key.match_indices('.').map(|(at, _)| at);
            schema.sections.extend(ends.map(|end| place.key[..end].to_owned()));
            schema.keys.push(Key {
                name: place.key.clone(),
                variable: format!("SCRUBJAY_{}", place.key.replace('.', "_").to_ascii_uppercase()),
                value_type: leaf.value_type(),
                default: leaf.value(),
                rule: place.rule,
                doc: place.doc.lines().map(str::trim).collect::<Vec<_>>().join(" "),
            });
        });
        schema
    })
}

/// Writes a value into the field of this dotted key. False when there is no such key or the value does not fit.
pub(super) fn put(settings: &mut Settings, key: &str, value: &Value) -> bool {
    let mut written = false;
    settings.visit(&SettingPath::root(), &mut |place, leaf| {
        if place.key == key {
            written = leaf.put(value);
        }
    });
    written
}

/// The value of every key, in the order of the schema.
pub(super) fn values(settings: &Settings) -> Vec<(String, Value)> {
    let mut values = Vec::new();
    settings.clone().visit(&SettingPath::root(), &mut |place, leaf| {
        values.push((place.key.clone(), leaf.value()));
    });
    values
}

/// Where a field is and what its definition says about it.
pub(super) struct SettingPath {
    pub(super) key: String,
    doc: &'static str,
    rule: Rule,
}

impl SettingPath {
    pub(super) fn root() -> Self {
        Self { key: String::new(), doc: "", rule: Rule::Any }
    }

    pub(super) fn child(&self, field: &str, doc: &'static str, rule: Rule) -> Self {
        let key = if self.key.is_empty() { field.to_owned() } else { format!("{}.{field}", self.key) };
        Self { key, doc, rule }
    }
}

/// Called with every leaf and its place.
pub(super) type Visitor<'a> = dyn FnMut(&SettingPath, &mut dyn Leaf) + 'a;

/// A section or a single setting: something that can show its leaves.
pub(super) trait Setting {
    fn visit(&mut self, place: &SettingPath, visitor: &mut Visitor<'_>);
}

/// A single setting: something with a value.
pub(super) trait Leaf {
    fn value_type(&self) -> ValueType;
    fn value(&self) -> Value;
    /// Takes over a value, or leaves the old one and says false when the value does not fit the type.
    fn put(&mut self, value: &Value) -> bool;
}

impl<T: Leaf> Setting for T {
    fn visit(&mut self, place: &SettingPath, visitor: &mut Visitor<'_>) {
        visitor(place, self);
    }
}

macro_rules! leaf {
    ($type:ty, $variant:ident) => {
        impl Leaf for $type {
            fn value_type(&self) -> ValueType {
                ValueType::$variant
            }

            fn value(&self) -> Value {
                Value::$variant(self.clone())
            }

            fn put(&mut self, value: &Value) -> bool {
                let Value::$variant(value) = value else {
                    return false;
                };
                *self = value.clone();
                true
            }
        }
    };
}

leaf!(String, Text);
leaf!(ConnectionUrl, Url);
leaf!(SecretText, Secret);
leaf!(f64, Number);
leaf!(bool, Boolean);
leaf!(Vec<String>, List);

macro_rules! integer_leaf {
    ($type:ty) => {
        impl Leaf for $type {
            fn value_type(&self) -> ValueType {
                ValueType::Integer
            }

            fn value(&self) -> Value {
                // The rules of the schema end far below this limit; it only bounds values set by hand in code.
                Value::Integer(i64::try_from(*self).unwrap_or(i64::MAX))
            }

            fn put(&mut self, value: &Value) -> bool {
                let Value::Integer(integer) = value else {
                    return false;
                };
                let Ok(integer) = <$type>::try_from(*integer) else {
                    return false;
                };
                *self = integer;
                true
            }
        }
    };
}

integer_leaf!(u32);
integer_leaf!(u64);
integer_leaf!(usize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_allowed_and_documented() {
        assert!(!schema().keys.is_empty());
        for key in &schema().keys {
            assert!(key.rule.allows(&key.default), "{}: {}", key.name, key.default);
            assert!(key.doc.ends_with('.') && !key.doc.contains("  "), "{}: {:?}", key.name, key.doc);
        }
    }

    #[test]
    fn variables_are_unambiguous() {
        let mut seen = BTreeSet::from(["SCRUBJAY_HOME", "SCRUBJAY_AGENT", "SCRUBJAY_PROJECT"]);
        for key in &schema().keys {
            assert!(seen.insert(&key.variable), "{} is used twice", key.variable);
        }
        assert_eq!(schema().key_of_variable("SCRUBJAY_STORE_URL").unwrap().name, "store.url");
    }

    #[test]
    fn a_value_of_the_wrong_type_is_not_written() {
        let mut settings = Settings::default();
        assert!(!put(&mut settings, "query.max_results", &Value::Text("3".into())));
        assert!(!put(&mut settings, "query.max_results", &Value::Integer(-3)));
        assert!(!put(&mut settings, "query.nothing", &Value::Integer(3)));
        assert_eq!(settings, Settings::default());
        assert!(put(&mut settings, "query.max_results", &Value::Integer(3)));
        assert_eq!(settings.query.max_results, 3);
    }
}
