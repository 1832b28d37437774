//! Changing TOML settings without touching what is not ours.

use toml_edit::{Array, DocumentMut, Item, Table, value};

use super::plan::Direction;

const SECTION: &str = "mcp_servers";
const NAME: &str = "scrubjay";

/// The text with our server in it, or without it.
pub(super) fn server(
    text: Option<&str>,
    command: &str,
    arguments: &[String],
    direction: Direction,
) -> Result<Option<String>, String> {
    let given = text.unwrap_or_default();
    let mut document: DocumentMut = given.parse().map_err(|error| format!("it is not TOML ({error})"))?;
    if direction == Direction::Install {
        let servers = document.entry(SECTION).or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
        let servers = servers.as_table_like_mut().ok_or_else(|| format!("`{SECTION}` is no table"))?;
        let wanted: Array = arguments.iter().map(String::as_str).collect();
        let same = servers.get(NAME).is_some_and(|known| {
            let list = known.get("args").and_then(Item::as_array).map(ToString::to_string);
            known.get("command").and_then(Item::as_str) == Some(command)
                && list.is_some_and(|list| list.trim() == wanted.to_string().trim())
        });
        if !same {
            let mut table = Table::new();
            table.insert("command", value(command));
            table.insert("args", value(wanted));
            servers.insert(NAME, Item::Table(table));
        }
    } else if let Some(servers) = document.get_mut(SECTION).and_then(Item::as_table_like_mut) {
        servers.remove(NAME);
        if servers.is_empty() {
            document.remove(SECTION);
        }
    }
    let written = document.to_string();
    if written.trim().is_empty() && text.is_some() {
        return Ok(None);
    }
    Ok(if written.is_empty() && text.is_none() { None } else { Some(written) })
}
