//! What is told to a model: in terms of tools, not of shell commands.
//!
//! Operations speak to people at a terminal: “`scrubjay list` shows what there
//! is”. A model that reads this runs a shell, or gives up. Here a command that is
//! also a tool becomes the tool, advice about other commands and flags goes, and
//! what the model can do instead is added.

use scrubjay_core::error::ErrorCode;
use scrubjay_engine::EngineError;
use scrubjay_engine::ops::{Entry, REGISTRY};
use serde_json::Value;

/// What a failure of a tool means to a model, and what it can do.
pub(super) fn failure(entry: &Entry, error: &EngineError) -> String {
    let text = for_model(entry, &error.to_string());
    let text = if text.is_empty() { "it failed".to_owned() } else { text };
    let advice = match error.code() {
        ErrorCode::InvalidInput => takes(entry),
        ErrorCode::NotFound => "search_memory finds what is remembered, with ids".to_owned(),
        ErrorCode::Refused => "it cannot be done from here; tell the person if it matters".to_owned(),
        ErrorCode::Busy | ErrorCode::Unavailable => "try again later, and go on without memory until then".to_owned(),
        _ => "go on without memory, and tell the person that it failed".to_owned(),
    };
    format!("{}. {}.", text.trim_end_matches('.'), capitalised(&advice))
}

/// What a call of a tool may have.
pub(super) fn takes(entry: &Entry) -> String {
    let name = entry.surfaces.mcp.unwrap_or(entry.name);
    let fields: Vec<String> = (entry.tool.required.iter().map(|field| format!("`{field}` (required)")))
        .chain(entry.tool.optional.iter().map(|field| format!("`{field}`")))
        .collect();
    if fields.is_empty() { format!("{name} takes no fields") } else { format!("{name} takes {}", fields.join(", ")) }
}

/// What a warning means to a model.
pub(super) fn warnings(entry: &Entry, answer: &mut Value) {
    for warning in answer.get_mut("warnings").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(text) = warning.as_str() {
            *warning = for_model(entry, text).into();
        }
    }
}

/// What becomes of something that waits for the owner.
pub(super) fn pending(id: &str) -> String {
    format!(
        "Nothing has changed yet: the owner has to allow this first. It waits as {id}; the owner answers on the dashboard \
         or at a terminal, and then it is done by itself. You cannot answer it. Tell the person that it waits, do not \
         send it again, and go on."
    )
}

// Clauses are divided by semicolons; one that speaks of a command or a flag has nothing for a model.
fn for_model(entry: &Entry, text: &str) -> String {
    let mut text = text.to_owned();
    for other in REGISTRY.iter() {
        if let Some(tool) = other.surfaces.mcp {
            text = text.replace(&format!("`scrubjay {}`", other.surfaces.command.join(" ")), tool);
        }
    }
    if let Some(tool) = entry.surfaces.mcp {
        text = text.replace(&format!("`{}` ", entry.name), &format!("{tool} "));
    }
    let text = without_asides(&text);
    text.split("; ").filter_map(without_command).collect::<Vec<_>>().join("; ")
}

// A clause that ends in an example of a command is kept without it.
fn without_command(clause: &str) -> Option<&str> {
    if !names_a_command(clause) {
        return Some(clause);
    }
    let (said, example) = clause.split_once(": ")?;
    (!names_a_command(said) && example.starts_with('`')).then_some(said)
}

// Parentheses that name a command go, too.
fn without_asides(text: &str) -> String {
    let Some(start) = text.find(" (") else { return text.to_owned() };
    let Some(end) = text[start..].find(')').map(|end| start + end + 1) else { return text.to_owned() };
    let rest = without_asides(&text[end..]);
    let aside = if names_a_command(&text[start..end]) { "" } else { &text[start..end] };
    format!("{}{aside}{rest}", &text[..start])
}

fn names_a_command(clause: &str) -> bool {
    let has_flag = clause.match_indices("--").any(|(at, _)| {
        let before = clause[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || "`(".contains(c));
        before && clause[at + 2..].chars().next().is_some_and(|c| c.is_ascii_lowercase())
    });
    has_flag || clause.contains("`scrubjay")
}

fn capitalised(text: &str) -> String {
    // A tool's name is written as it is.
    let first_word = text.split(' ').next().unwrap_or_default();
    if first_word.contains('_') {
        return text.to_owned();
    }
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(tool: &str) -> &'static Entry {
        REGISTRY.iter().find(|entry| entry.surfaces.mcp == Some(tool)).unwrap()
    }

    #[test]
    fn commands_become_tools_or_go() {
        let recall = entry("search_memory");
        for (told, expected) in [
            (
                "fact_1 says something similar; `scrubjay correct` replaces a fact",
                "fact_1 says something similar; correct_fact replaces a fact",
            ),
            ("no entity here is called `x`; `scrubjay entities` lists what is known", "no entity here is called `x`"),
            ("it belongs to a project; say which one with --project ID", "it belongs to a project"),
            (
                "an episode; only facts can be corrected (`scrubjay edit` changes any memory)",
                "an episode; only facts can be corrected",
            ),
            (
                "`recall` does not take this input: no; `scrubjay call recall --schema` shows it",
                "search_memory does not take this input: no",
            ),
            ("say what is to be done: `scrubjay context \"Fix it\"`", "say what is to be done"),
            ("a -- b (c)", "a -- b (c)"),
        ] {
            assert_eq!(for_model(recall, told), expected);
        }
    }

    #[test]
    fn a_failure_says_what_to_do() {
        let missing = EngineError::not_found("there is no memory fact_1 here; `scrubjay list` shows what there is");
        assert_eq!(
            failure(entry("confirm_fact"), &missing),
            "there is no memory fact_1 here. search_memory finds what is remembered, with ids."
        );
        let invalid = EngineError::invalid("limit is 0");
        assert_eq!(
            failure(entry("get_entity_info"), &invalid),
            "limit is 0. get_entity_info takes `name` (required), `limit`."
        );
    }
}
