//! Changing one setting in a file without touching anything else in it.
//!
//! The text is edited, not the parsed tree: a value is exchanged in place, a line is taken out, a new section goes
//! to the end. Only a new key inside an existing table goes through the TOML editor. Each result is parsed and
//! looked at before it is written, so an edit that does not do what it should is never saved.

use std::ops::Range;
use std::path::Path;

use toml_edit::{Item, Key as TomlKey};

use super::assignments::{self, AGENTS_KEY, unknown_key};
use super::error::ConfigError;
use super::file::{ConfigFile, LIMIT_BYTES, read_project_file, read_user_file};
use super::locations::validate_agent_name;
use super::origin::Origin;
use super::project_file::{is_project_file, may_set};
use super::schema::{Key, schema};
use super::value::{Value, ValueType};
use super::write::{Access, behind_link, locked, write_atomically};

/// What a change did. Values are in TOML notation, without the secret parts of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The dotted key, with the agent's table in front if there is one.
    pub key: String,
    /// The value in the file before; `None` when it was not set there.
    pub before: Option<String>,
    /// The value in the file now; `None` when it is not set there any more.
    pub after: Option<String>,
}

/// Sets one setting in a file, which is created if need be. The value is bare text or TOML notation and is checked
/// like any other. With an agent, it is set in that agent's table. A file called `.scrubjay.toml` takes only what
/// a project may set. Returns when the change is on disk; after a failure the file holds
/// the old text or the new one, never a part of either.
pub fn set(path: &Path, key: &str, value_text: &str, agent: Option<&str>) -> Result<Change, ConfigError> {
    let schema_key = schema().key(key).ok_or_else(|| unknown_key(key, Origin::Flag))?;
    let value = assignments::of_text(schema_key, value_text, Origin::Flag)?.value;
    edit(path, key, agent, |file, parts| {
        let candidates =
            [with_value(file, parts, &value), with_section(file, parts, &value), with_key(file, parts, &value)];
        let correct = |text: &String| {
            ConfigFile::parse(path, text).is_ok_and(|file| current(&file, parts, schema_key).as_ref() == Some(&value))
        };
        let text = candidates.into_iter().flatten().find(correct);
        text.map(|text| (text, Some(value.to_string())))
    })
}

/// Removes one setting from a file, so that the layer below decides it. Comments above its line stay. A key that no
/// setting has can be removed too, if the file holds it; a whole section cannot. Returns as [`set`] does.
pub fn unset(path: &Path, key: &str, agent: Option<&str>) -> Result<Change, ConfigError> {
    if path.try_exists().is_ok_and(|exists| !exists) && schema().key(key).is_some() {
        return Ok(Change { key: parts_of(key, agent)?.join("."), before: None, after: None });
    }
    edit(path, key, agent, |file, parts| {
        if find(file, parts).is_none() {
            return Some((file.document.raw().to_owned(), None));
        }
        let candidates = [without_lines(file, parts), without_key(file, parts)];
        let correct = |text: &String| ConfigFile::parse(path, text).is_ok_and(|file| find(&file, parts).is_none());
        candidates.into_iter().flatten().find(correct).map(|text| (text, None))
    })
}

/// Whether a file sets this key, or an agent's table in it does.
pub fn is_set(path: &Path, key: &str, agent: Option<&str>) -> Result<bool, ConfigError> {
    let parts = parts_of(key, agent)?;
    Ok(read_user_file(path)?.is_some_and(|file| find(&file, &parts).is_some()))
}

/// The new text and the new value in notation; nothing when the text cannot be changed that way.
type Edited = Option<(String, Option<String>)>;

fn edit(
    path: &Path,
    key: &str,
    agent: Option<&str>,
    change: impl FnOnce(&ConfigFile, &[&str]) -> Edited,
) -> Result<Change, ConfigError> {
    let parts = parts_of(key, agent)?;
    let full_key = parts.join(".");
    let for_project = is_project_file(path);
    let target = if for_project { path.to_owned() } else { behind_link(path)? };
    let target = target.as_path();
    let access = if for_project { Access::Shared } else { Access::Private };
    locked(target, access, || {
        let read = if for_project { read_project_file(target)? } else { read_user_file(target)? };
        let file = match read {
            Some(file) => file,
            None => ConfigFile::parse(target, "")?,
        };
        let before = find(&file, &parts).map(|found| notation(&file, &parts, schema().key(key), found.item));
        let many = schema().is_section(key) || key.split('.').next() == Some(AGENTS_KEY);
        if schema().key(key).is_none() && (before.is_none() || many) {
            return Err(unknown_key(key, Origin::Flag));
        }
        let (text, after) = change(&file, &parts)
            .ok_or_else(|| ConfigError::Edit { key: full_key.clone(), path: target.to_owned() })?;
        // What a project may not set can still be taken out of its file.
        if for_project && after.is_some() && !may_set(&full_key) {
            return Err(ConfigError::UserFileOnly { key: full_key, path: target.to_owned() });
        }
        if text.len() as u64 > LIMIT_BYTES {
            return Err(ConfigError::TooLarge { path: target.to_owned(), limit_bytes: LIMIT_BYTES });
        }
        if text != file.document.raw() {
            write_atomically(target, &text, access)?;
        }
        Ok(Change { key: full_key, before, after })
    })
}

fn parts_of<'a>(key: &'a str, agent: Option<&'a str>) -> Result<Vec<&'a str>, ConfigError> {
    let mut parts = Vec::new();
    if let Some(agent) = agent {
        validate_agent_name(agent)?;
        parts.extend([AGENTS_KEY, agent]);
    }
    parts.extend(key.split('.'));
    Ok(parts)
}

/// A key that is in the file.
struct LocatedItem<'a> {
    key: &'a TomlKey,
    item: &'a Item,
    inline: bool,
}

fn find<'a>(file: &'a ConfigFile, parts: &[&str]) -> Option<LocatedItem<'a>> {
    let (last, tables) = parts.split_last()?;
    let mut item = file.document.as_item();
    let mut inline = false;
    for part in tables {
        item = item.as_table_like()?.get(part)?;
        inline |= item.is_inline_table();
    }
    let (key, item) = item.as_table_like()?.get_key_value(last)?;
    Some(LocatedItem { key, item, inline })
}

fn current(file: &ConfigFile, parts: &[&str], key: &Key) -> Option<Value> {
    Value::from_toml(key.value_type, find(file, parts)?.item.as_value()?)
}

/// What stands in the file, for people. A value of the wrong type is shown as it is written, unless it may be secret.
fn notation(file: &ConfigFile, parts: &[&str], key: Option<&Key>, item: &Item) -> String {
    if let Some(value) = key.and_then(|key| current(file, parts, key)) {
        return value.to_string();
    }
    if key.is_some_and(|key| matches!(key.value_type, ValueType::Url | ValueType::Secret)) {
        return item.type_name().to_owned();
    }
    let written = item.span().and_then(|span| file.document.raw().get(span));
    super::error::printable(written.unwrap_or(item.type_name()))
}

/// The text with the value exchanged, if the key has one.
fn with_value(file: &ConfigFile, parts: &[&str], value: &Value) -> Option<String> {
    let span = find(file, parts)?.item.as_value()?.span()?;
    Some(spliced(file, span, &value.to_toml().to_string()))
}

/// The text with a new section at its end, if the file has no such section yet.
fn with_section(file: &ConfigFile, parts: &[&str], value: &Value) -> Option<String> {
    let (name, section) = parts.split_last()?;
    if section.is_empty() || find(file, section).is_some() {
        return None;
    }
    let raw = file.document.raw();
    let newline = if raw.contains("\r\n") { "\r\n" } else { "\n" };
    let header: Vec<_> = section.iter().map(|part| TomlKey::new(*part).to_string()).collect();
    let mut text = raw.to_owned();
    if !text.is_empty() {
        text.push_str(if text.ends_with('\n') {
            newline
        } else if newline == "\n" {
            "\n\n"
        } else {
            "\r\n\r\n"
        });
    }
    text.push_str(&format!("[{}]{newline}{name} = {}{newline}", header.join("."), value.to_toml()));
    Some(text)
}

/// The text with a new key in a table that exists.
fn with_key(file: &ConfigFile, parts: &[&str], value: &Value) -> Option<String> {
    let (name, section) = parts.split_last()?;
    let mut document = file.document.clone().into_mut();
    let mut table: &mut dyn toml_edit::TableLike = document.as_table_mut();
    for part in section {
        table = table.entry(part).or_insert_with(toml_edit::table).as_table_like_mut()?;
    }
    table.insert(name, Item::Value(value.to_toml()));
    Some(document.to_string())
}

/// The text without the lines of the key, if it has lines of its own.
fn without_lines(file: &ConfigFile, parts: &[&str]) -> Option<String> {
    let found = find(file, parts)?;
    if found.inline {
        return None;
    }
    let raw = file.document.raw();
    let key_start = found.key.span()?.start;
    let value_end = found.item.as_value()?.span()?.end;
    let start = raw.get(..key_start)?.rfind('\n').map_or(0, |at| at + 1);
    let end = raw.get(value_end..)?.find('\n').map_or(raw.len(), |at| value_end + at + 1);
    Some(spliced(file, start..end, ""))
}

/// The text without a key inside an inline table, or without a whole table.
fn without_key(file: &ConfigFile, parts: &[&str]) -> Option<String> {
    let (name, section) = parts.split_last()?;
    let mut document = file.document.clone().into_mut();
    let mut table: &mut dyn toml_edit::TableLike = document.as_table_mut();
    for part in section {
        table = table.get_mut(part)?.as_table_like_mut()?;
    }
    table.remove(name)?;
    Some(document.to_string())
}

fn spliced(file: &ConfigFile, range: Range<usize>, replacement: &str) -> String {
    let mut text = file.document.raw().to_owned();
    text.replace_range(range, replacement);
    text
}
