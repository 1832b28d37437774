//! From a file's tables, or from text, to checked assignments: which setting gets which value.
//!
//! The user's file is read here; it is trusted, so a mistake in it is an error. A project's file is not, see
//! `project_file`.

use toml_edit::{Item, TableLike};

use super::error::ConfigError;
use super::file::ConfigFile;
use super::locations::is_agent_name;
use super::origin::Origin;
use super::schema::{Key, schema};
use super::suggest::nearest;
use super::value::Value;

/// The table of the user's file that holds one table of settings per agent.
pub(super) const AGENTS_KEY: &str = "agents";

/// One setting and the value that a layer gives it, checked against the schema.
#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) key: &'static Key,
    pub(super) value: Value,
    pub(super) origin: Origin,
}

/// What the user's file sets for everyone, followed by what it sets for this agent. The tables of other agents are
/// checked too, so that a mistake is found by whoever makes it.
pub(super) fn of_user_file(file: &ConfigFile, agent: &str) -> Result<Vec<Assignment>, ConfigError> {
    let mut assignments = Vec::new();
    let mut of_agent = Vec::new();
    for found in entries(file.document.as_table(), "") {
        if found.key != AGENTS_KEY {
            assignments.push(checked(file, &found)?);
            continue;
        }
        let tables = table_of(file, &found)?;
        for (name, item) in tables.iter() {
            let table = TableEntry { key: format!("{AGENTS_KEY}.{name}"), toml_key: tables.key(name), item };
            if !is_agent_name(name) {
                let origin = file.origin(table.toml_key, item);
                return Err(ConfigError::AgentName { name: name.to_owned(), origin });
            }
            for setting in entries(table_of(file, &table)?, "") {
                let assignment = checked(file, &setting)?;
                if name == agent {
                    of_agent.push(assignment);
                }
            }
        }
    }
    assignments.append(&mut of_agent);
    Ok(assignments)
}

/// An assignment from text: a variable, a flag or an argument of `config set`.
pub(super) fn of_text(key: &'static Key, text: &str, origin: Origin) -> Result<Assignment, ConfigError> {
    match Value::from_text(key.value_type, text) {
        Some(value) => allowed(key, value, origin),
        None => Err(ConfigError::WrongType {
            key: key.name.clone(),
            expected: format!("of type {}", key.value_type),
            found: format!("`{text}`"),
            origin,
        }),
    }
}

/// The error for a key that no setting has.
pub(super) fn unknown_key(key: &str, origin: Origin) -> ConfigError {
    ConfigError::UnknownKey { key: key.to_owned(), origin, suggestion: suggestion(key).map(str::to_owned) }
}

/// The setting or section that was probably meant.
pub(crate) fn suggestion(key: &str) -> Option<&'static str> {
    let schema = schema();
    let keys = schema.keys.iter().map(|key| key.name.as_str());
    nearest(key, keys.chain(schema.sections.iter().map(String::as_str)))
}

/// Something a table holds: a setting, a section that is no table, or a key nobody knows.
pub(super) struct TableEntry<'a> {
    pub(super) key: String,
    pub(super) toml_key: Option<&'a toml_edit::Key>,
    pub(super) item: &'a Item,
}

/// The contents of a table in file order, sections opened up.
pub(super) fn entries<'a>(table: &'a dyn TableLike, prefix: &str) -> Vec<TableEntry<'a>> {
    let mut found = Vec::new();
    for (name, item) in table.iter() {
        let key = if prefix.is_empty() { part(name) } else { format!("{prefix}.{}", part(name)) };
        match item.as_table_like() {
            Some(inner) if schema().is_section(&key) => found.extend(entries(inner, &key)),
            _ => found.push(TableEntry { key, toml_key: table.key(name), item }),
        }
    }
    found
}

/// One part of a dotted key; quoted when it holds a dot itself, so that `"query.max_results"` is not mistaken for
/// `max_results` in `query`.
fn part(name: &str) -> String {
    if name.contains('.') { format!("\"{name}\"") } else { name.to_owned() }
}

fn table_of<'a>(file: &ConfigFile, found: &TableEntry<'a>) -> Result<&'a dyn TableLike, ConfigError> {
    found.item.as_table_like().ok_or_else(|| wrong_type(file, found, "a table".to_owned()))
}

/// The assignment that stands in a table, if it names a setting and its value is allowed.
pub(super) fn checked(file: &ConfigFile, found: &TableEntry<'_>) -> Result<Assignment, ConfigError> {
    let Some(key) = schema().key(&found.key) else {
        return Err(if schema().is_section(&found.key) {
            wrong_type(file, found, "a table".to_owned())
        } else {
            unknown_key(&found.key, file.origin(found.toml_key, found.item))
        });
    };
    match found.item.as_value().and_then(|value| Value::from_toml(key.value_type, value)) {
        Some(value) => allowed(key, value, file.origin(found.toml_key, found.item)),
        None => Err(wrong_type(file, found, format!("of type {}", key.value_type))),
    }
}

fn wrong_type(file: &ConfigFile, found: &TableEntry<'_>, expected: String) -> ConfigError {
    ConfigError::WrongType {
        key: found.key.clone(),
        expected,
        found: format!("of type {}", found.item.type_name()),
        origin: file.origin(found.toml_key, found.item),
    }
}

fn allowed(key: &'static Key, value: Value, origin: Origin) -> Result<Assignment, ConfigError> {
    if key.rule.allows(&value) {
        return Ok(Assignment { key, value, origin });
    }
    let allowed = key.rule.describe();
    Err(ConfigError::NotAllowed { key: key.name.clone(), value: value.to_string(), allowed, origin })
}
