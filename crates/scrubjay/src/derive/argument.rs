//! A field as an argument of a command.

use clap::builder::{PossibleValuesParser, StringValueParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction};
use serde_json::{Number, Value};

use super::field::{Field, Position, Shape};

/// The argument of a field; none if the field is for programs only. All values
/// are parsed to JSON.
pub(crate) fn argument(field: &Field) -> Option<Arg> {
    if field.hints.hide {
        return None;
    }
    let argument = Arg::new(field.name.clone()).help(field.help.clone());
    Some(match field.hints.position {
        Some(position) => positional(argument, field, position),
        None => option(argument, field),
    })
}

fn positional(argument: Arg, field: &Field, position: Position) -> Arg {
    let argument = argument.value_name(value_name(field)).value_parser(parser(&field.shape));
    match position {
        Position::One => argument.required(true),
        Position::Optional => argument.required(field.required),
        Position::Many => argument.num_args(1..).action(ArgAction::Append).required(field.required),
        Position::Rest => {
            // Text that is missing can come from standard input.
            let required = !field.hints.stdin && !field.hints.optional;
            argument.num_args(1..).action(ArgAction::Append).required(required).allow_negative_numbers(true)
        }
    }
}

fn option(argument: Arg, field: &Field) -> Arg {
    let long = field.hints.long.clone().unwrap_or_else(|| field.name.replace('_', "-"));
    let mut argument = argument.long(long);
    if let Some(short) = field.hints.short {
        argument = argument.short(short);
    }
    if field.shape == Shape::Flag {
        return argument.action(ArgAction::SetTrue);
    }
    let argument = argument.value_name(value_name(field)).value_parser(parser(&field.shape)).required(field.required);
    match field.shape {
        // A sort order may be reversed by a hyphen, and a text may begin with one.
        Shape::Text => argument.allow_hyphen_values(true).value_parser(value),
        Shape::List(_) | Shape::Map => argument.action(ArgAction::Append),
        Shape::Switch => argument.num_args(0..=1).require_equals(true).default_missing_value("true"),
        Shape::Integer { .. } | Shape::Number => argument.allow_negative_numbers(true),
        _ => argument,
    }
}

fn value_name(field: &Field) -> String {
    if let Some(name) = &field.hints.value {
        return name.clone();
    }
    let shape = match &field.shape {
        Shape::List(item) => item,
        other => other,
    };
    match shape {
        Shape::Integer { .. } | Shape::Number => "N".to_owned(),
        Shape::Json => "JSON".to_owned(),
        Shape::Map => "NAME=VALUE".to_owned(),
        Shape::Lines | Shape::File => "FILE".to_owned(),
        _ => field.hints.long.as_ref().unwrap_or(&field.name).replace('-', "_").to_uppercase(),
    }
}

fn parser(shape: &Shape) -> ValueParser {
    match shape {
        Shape::Flag | Shape::Switch => {
            ValueParser::new(PossibleValuesParser::new(["true", "false"]).map(|word| Value::Bool(word == "true")))
        }
        Shape::Text | Shape::Lines | Shape::File => ValueParser::new(StringValueParser::new().map(Value::String)),
        Shape::Choice(words) => ValueParser::new(PossibleValuesParser::new(words.clone()).map(Value::String)),
        Shape::Integer { minimum } => {
            let minimum = *minimum;
            ValueParser::new(move |text: &str| integer(text, minimum))
        }
        Shape::Number => ValueParser::new(number),
        Shape::Json => ValueParser::new(json),
        Shape::Anything => ValueParser::new(anything),
        Shape::Map => ValueParser::new(pair),
        Shape::List(item) => parser(item),
    }
}

// A flag in the place of a value means that the value was forgotten.
fn value(text: &str) -> Result<Value, String> {
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-');
    let is_letter = |word: &str| word.len() == 1 && word.chars().all(|letter| letter.is_ascii_alphabetic());
    let looks_like_a_flag = match text.strip_prefix("--") {
        Some(word) => is_word(word),
        None => text.strip_prefix('-').is_some_and(is_letter),
    };
    if looks_like_a_flag { Err("that is a flag; the value is missing".to_owned()) } else { Ok(Value::from(text)) }
}

fn integer(text: &str, minimum: Option<i64>) -> Result<Value, String> {
    let number = text.parse::<i64>().map_err(|_| format!("`{text}` is not a whole number"))?;
    match minimum {
        Some(minimum) if number < minimum => Err(format!("{number} is less than {minimum}")),
        _ => Ok(Value::from(number)),
    }
}

fn number(text: &str) -> Result<Value, String> {
    let number = text.parse::<f64>().ok().and_then(Number::from_f64);
    number.map(Value::Number).ok_or_else(|| format!("`{text}` is not a number"))
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))
}

#[expect(clippy::unnecessary_wraps, reason = "a value parser must be able to fail, even if this one cannot")]
fn anything(text: &str) -> Result<Value, String> {
    Ok(serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())))
}

// A name and its value, as a list of two.
fn pair(text: &str) -> Result<Value, String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok(Value::Array(vec![Value::from(name), anything(value)?])),
        _ => Err("write NAME=VALUE, for example path=src/main.rs".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_flag_is_no_value() {
        for flag in ["--json", "--dry-run", "-q"] {
            assert!(value(flag).is_err(), "{flag}");
        }
        for text in ["-importance", "--", "-", "", "-5", "-- a note", "a-b"] {
            assert_eq!(value(text), Ok(json!(text)), "{text}");
        }
    }

    #[test]
    fn values_become_json() {
        assert_eq!(integer("-3", None), Ok(json!(-3)));
        assert!(integer("-3", Some(0)).is_err() && integer("x", None).is_err() && integer("1.5", None).is_err());
        assert_eq!(number("1.5"), Ok(json!(1.5)));
        assert!(number("nan").is_err() && number("inf").is_err() && number("").is_err());
        assert_eq!(pair("a=1"), Ok(json!(["a", 1])));
        assert_eq!(pair("a=b=c"), Ok(json!(["a", "b=c"])));
        assert_eq!(pair("a="), Ok(json!(["a", ""])));
        assert!(pair("a").is_err() && pair("=a").is_err());
        assert_eq!(anything("null"), Ok(Value::Null));
        assert!(json("{").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(text in "\\PC*") {
            let _ = (integer(&text, Some(0)), number(&text), json(&text), pair(&text));
            prop_assert!(anything(&text).is_ok());
        }
    }
}
