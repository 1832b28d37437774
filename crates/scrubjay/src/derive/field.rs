//! The fields of an operation's input, as its schema describes them.

use serde_json::Value;

/// One field of an operation's input.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    /// Its name in JSON.
    pub(crate) name: String,
    /// What it means.
    pub(crate) help: String,
    /// What its values look like.
    pub(crate) shape: Shape,
    /// Whether there is no input without it.
    pub(crate) required: bool,
    /// How it wants to look on a command line.
    pub(crate) hints: Hints,
}

/// What the values of a field look like.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    /// True when given.
    Flag,
    /// True, false, or not given.
    Switch,
    /// Any text.
    Text,
    /// A whole number.
    Integer {
        /// The least one.
        minimum: Option<i64>,
    },
    /// Any number.
    Number,
    /// One of a few words.
    Choice(Vec<String>),
    /// JSON.
    Json,
    /// JSON if it is that, else text.
    Anything,
    /// Names with values.
    Map,
    /// Several of something.
    List(Box<Shape>),
    /// Several of something, from a file with one of them in each line.
    Lines,
    /// One JSON value, from a file.
    File,
}

/// How a field wants to look on a command line; the schema's `x-cli`.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Hints {
    /// It stands without a flag.
    pub(crate) position: Option<Position>,
    /// Another name for its flag.
    pub(crate) long: Option<String>,
    /// A letter for its flag.
    pub(crate) short: Option<char>,
    /// What its value is called in the help.
    pub(crate) value: Option<String>,
    /// It is for programs only.
    pub(crate) hide: bool,
    /// It can be read from standard input.
    pub(crate) stdin: bool,
    /// It may be the path of a file; one that is there is passed on in full, for whoever runs the operation may stand
    /// elsewhere.
    pub(crate) path: bool,
    /// It may be missing, whatever its position says.
    pub(crate) optional: bool,
    /// It may be missing if this other field is given; standard input is then not read for it.
    pub(crate) unless: Option<String>,
}

/// How a field stands without a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    /// Exactly one word.
    One,
    /// One word or none.
    Optional,
    /// Any number of words, each a value.
    Many,
    /// All remaining words, together one text.
    Rest,
}

/// The fields of an input schema, in its order.
pub(crate) fn fields(schema: &Value) -> Vec<Field> {
    let required = |name: &str| {
        let names = schema.get("required").and_then(Value::as_array);
        names.is_some_and(|names| names.iter().any(|given| given == name))
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().map(|(name, property)| field(name, property, required(name))).collect()
}

/// The fields of the items of a list of objects in an input schema.
pub(crate) fn message_fields(schema: &Value, list: &str) -> Vec<Field> {
    schema.pointer(&format!("/properties/{list}/items")).map(fields).unwrap_or_default()
}

fn field(name: &str, property: &Value, required: bool) -> Field {
    let cli = property.get("x-cli");
    let text = |key: &str| cli?.get(key)?.as_str();
    let flag = |key: &str| cli.and_then(|cli| cli.get(key)).and_then(Value::as_bool).unwrap_or(false);
    let hints = Hints {
        position: text("positional").and_then(|word| match word {
            "one" => Some(Position::One),
            "optional" => Some(Position::Optional),
            "many" => Some(Position::Many),
            "rest" => Some(Position::Rest),
            _ => None,
        }),
        long: text("long").map(str::to_owned),
        short: text("short").and_then(|short| short.chars().next()),
        value: text("value").map(str::to_owned),
        hide: flag("hide"),
        stdin: flag("stdin"),
        path: flag("path"),
        optional: flag("optional"),
        unless: text("unless").map(str::to_owned),
    };
    let shape = if flag("lines") {
        Shape::Lines
    } else if flag("file") {
        Shape::File
    } else if flag("json") {
        Shape::Json
    } else {
        shape(property)
    };
    let help = property.get("description").and_then(Value::as_str).unwrap_or_default();
    Field { name: name.to_owned(), help: sentence(help), shape, required, hints }
}

fn shape(property: &Value) -> Shape {
    if let Some(words) = property.get("enum").and_then(Value::as_array) {
        let words: Vec<String> = words.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        if !words.is_empty() {
            return Shape::Choice(words);
        }
    }
    let (types, nullable) = types(property);
    match types.as_slice() {
        ["boolean"] if nullable => Shape::Switch,
        ["boolean"] => Shape::Flag,
        ["string"] => Shape::Text,
        ["integer"] => Shape::Integer { minimum: property.get("minimum").and_then(Value::as_i64) },
        ["number"] => Shape::Number,
        ["array"] => Shape::List(Box::new(property.get("items").map_or(Shape::Anything, shape))),
        // An object with fields of its own is too much for NAME=VALUE.
        ["object"] if property.get("properties").is_some() => Shape::Json,
        ["object"] => Shape::Map,
        _ => match sole_variant(property) {
            Some(variant) => shape(variant),
            None => Shape::Anything,
        },
    }
}

// The types other than null, and whether null is among them.
fn types(property: &Value) -> (Vec<&str>, bool) {
    let all: Vec<&str> = match property.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let nullable = all.contains(&"null");
    (all.into_iter().filter(|name| *name != "null").collect(), nullable)
}

// `anyOf` with null and one other variant is an optional value of the latter.
fn sole_variant(property: &Value) -> Option<&Value> {
    let variants = property.get("anyOf").or_else(|| property.get("oneOf"))?.as_array()?;
    let mut others = variants.iter().filter(|variant| variant.get("type").is_none_or(|name| name != "null"));
    let first = others.next()?;
    others.next().is_none().then_some(first)
}

// Help texts are one sentence in one line, without the full stop.
fn sentence(text: &str) -> String {
    let first = text.split("\n\n").next().unwrap_or_default();
    let line = first.split_whitespace().collect::<Vec<_>>().join(" ");
    line.strip_suffix('.').map_or(line.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn shapes_follow_the_schema() {
        for (property, expected) in [
            (json!({"type": "boolean"}), Shape::Flag),
            (json!({"type": ["boolean", "null"]}), Shape::Switch),
            (json!({"type": ["string", "null"]}), Shape::Text),
            (json!({"type": "integer", "minimum": 0}), Shape::Integer { minimum: Some(0) }),
            (json!({"type": ["number", "null"]}), Shape::Number),
            (
                json!({"type": ["string", "null"], "enum": ["a", "b", null]}),
                Shape::Choice(vec!["a".to_owned(), "b".to_owned()]),
            ),
            (json!({"type": "array", "items": {"type": "string"}}), Shape::List(Box::new(Shape::Text))),
            (json!({"type": "array"}), Shape::List(Box::new(Shape::Anything))),
            (json!({"type": "object", "additionalProperties": true}), Shape::Map),
            (json!({"type": "object", "properties": {"a": {}}}), Shape::Json),
            (json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), Shape::Text),
            (json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}), Shape::Anything),
            (json!(true), Shape::Anything),
            (json!({"x-cli": {"json": true}}), Shape::Json),
            (json!({"type": "array", "x-cli": {"lines": true}}), Shape::Lines),
            (json!({"type": ["array", "null"], "x-cli": {"file": true}}), Shape::File),
        ] {
            assert_eq!(field("x", &property, false).shape, expected, "{property}");
        }
    }

    #[test]
    fn hints_and_help_are_read() {
        let schema = json!({
            "properties": {"a_b": {
                "description": "Line one\nof it.\n\nMore.",
                "x-cli": {"positional": "rest", "long": "l", "short": "s", "value": "V", "hide": true, "stdin": true, "optional": true, "unless": "c"},
            }},
            "required": ["a_b"],
        });
        let fields = fields(&schema);
        assert_eq!(fields.len(), 1);
        assert_eq!(fields[0].help, "Line one of it");
        assert!(fields[0].required);
        let expected = Hints {
            position: Some(Position::Rest),
            long: Some("l".to_owned()),
            short: Some('s'),
            value: Some("V".to_owned()),
            hide: true,
            stdin: true,
            path: false,
            optional: true,
            unless: Some("c".to_owned()),
        };
        assert_eq!(fields[0].hints, expected);
    }
}
