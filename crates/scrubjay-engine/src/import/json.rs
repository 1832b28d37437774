//! Reading JSON of other tools: large lists piece by piece, and fields that may
//! be anything.

use std::io::{BufReader, Read};

use scrubjay_core::time::Timestamp;
use scrubjay_ingest::export::Export;
use serde::Deserializer;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::importer::{RecordLocation, Sink};
use crate::{EngineError, Result};

/// Hands over the elements of a list one by one, so that a file of any size fits; anything else is one element.
///
/// What comes before a damaged place is handed over; the damage is told with its line.
pub(super) fn each_element(
    export: &Export,
    file: &str,
    sink: &mut Sink<'_>,
    mut take: impl FnMut(&mut Sink<'_>, usize, Value) -> Result<()>,
) -> Result<()> {
    let mut failure = None;
    let mut count = 0;
    let read = export.read(file, |reader: &mut dyn Read| {
        let mut deserializer = serde_json::Deserializer::from_reader(BufReader::new(reader));
        let mut one = |value: Value| {
            count += 1;
            take(sink, count, value).map_err(|error| failure = Some(error)).is_ok()
        };
        let done = deserializer.deserialize_any(Elements { take: &mut one });
        Ok::<_, EngineError>(done.and_then(|()| deserializer.end()))
    })?;
    match (failure, read) {
        (Some(failure), _) => Err(failure),
        (None, Err(error)) => {
            let reason = format!("the file cannot be read beyond this: {error}");
            sink.skip(RecordLocation::new(file, format!("after record {count}")), reason)
        }
        (None, Ok(())) => Ok(()),
    }
}

/// Hands over every value of a file: of a list, of JSON lines, of a list below one of these fields.
pub(super) fn each_item(
    export: &Export,
    file: &str,
    lists: &[&str],
    sink: &mut Sink<'_>,
    mut take: impl FnMut(&mut Sink<'_>, usize, &Value) -> Result<()>,
) -> Result<()> {
    let (number, damage) = each_sound_item(export, file, lists, |number, item| take(sink, number, item))?;
    match damage {
        None => Ok(()),
        Some(error) => {
            let reason = format!("the file cannot be read beyond this: {error}");
            sink.skip(RecordLocation::new(file, format!("after record {number}")), reason)
        }
    }
}

/// The same up to where the file is damaged; gives back how many there were, and the damage.
pub(super) fn each_sound_item(
    export: &Export,
    file: &str,
    lists: &[&str],
    mut take: impl FnMut(usize, &Value) -> Result<()>,
) -> Result<(usize, Option<serde_json::Error>)> {
    let text = export.text(file)?;
    let mut number = 0;
    for value in serde_json::Deserializer::from_str(&text).into_iter::<Value>() {
        let value = match value {
            Ok(value) => value,
            Err(error) => return Ok((number, Some(error))),
        };
        let below = lists.iter().find_map(|name| value.get(name)?.as_array());
        let items = below.or_else(|| value.as_array()).map_or(std::slice::from_ref(&value), Vec::as_slice);
        for item in items {
            number += 1;
            take(number, item)?;
        }
    }
    Ok((number, None))
}

struct Elements<'a> {
    take: &'a mut dyn FnMut(Value) -> bool,
}

impl<'de> Visitor<'de> for Elements<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a list or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<(), A::Error> {
        while let Some(value) = list.next_element::<Value>()? {
            if !(self.take)(value) {
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<(), A::Error> {
        let mut fields = Map::new();
        while let Some((name, value)) = map.next_entry::<String, Value>()? {
            fields.insert(name, value);
        }
        if (self.take)(Value::Object(fields)) { Ok(()) } else { Err(A::Error::custom("stopped")) }
    }
}

/// The text of a field that is there and not empty.
pub(super) fn text<'a>(value: &'a Value, field: &str) -> Option<&'a str> {
    value.get(field).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// The first of these fields that has a text.
pub(super) fn first_text<'a>(value: &'a Value, fields: &[&str]) -> Option<&'a str> {
    fields.iter().find_map(|field| text(value, field))
}

/// The time in a field: a text, seconds or milliseconds.
pub(super) fn time(value: &Value, field: &str) -> Option<Timestamp> {
    match value.get(field)? {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

/// The texts of a list.
pub(super) fn texts(value: &Value, field: &str) -> Vec<String> {
    let list = value.get(field).and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

/// What a model labelled something with, as tags.
pub(super) fn tag(text: &str) -> String {
    let kept: String = text.trim().trim_start_matches('#').chars().take(60).collect();
    kept.split_whitespace().collect::<Vec<_>>().join("-").to_lowercase()
}
