//! Whether Codex runs our hooks.
//!
//! Codex runs a hook only after a person has trusted it, and keeps a hash of what was trusted in `[hooks.state]` of its
//! settings. A hook whose command changed, be it that the program lies elsewhere now, is passed over without a word.

use ring::digest;
use serde_json::{Map, Value, json};
use toml_edit::{DocumentMut, Item, TableLike};

use super::codex;
use super::jsonc::Document;
use super::plan::Surroundings;
use super::target::read_regular;

/// What keeps Codex from running our hooks.
pub(super) fn trouble(around: &Surroundings) -> Option<String> {
    let folder = around.folder(&codex::FOLDER);
    let hooks = read_regular(&folder.join("hooks.json")).ok().flatten()?;
    let settings = read_regular(&folder.join("config.toml")).ok().flatten().unwrap_or_default();
    told(&states(&hooks, &settings)?)
}

// How a hook stands with Codex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Trusted,
    New,
    Changed,
    Off,
}

fn told(states: &[(String, State)]) -> Option<String> {
    let of = |wanted: State| -> Vec<&str> {
        states.iter().filter(|(_, state)| *state == wanted).map(|(event, _)| event.as_str()).collect()
    };
    let (new, changed, off) = (of(State::New), of(State::Changed), of(State::Off));
    let mut parts = Vec::new();
    if !changed.is_empty() {
        parts.push(format!("{} changed since they were trusted", changed.join(", ")));
    }
    if !new.is_empty() {
        parts.push(format!("{} were never trusted", new.join(", ")));
    }
    if !off.is_empty() {
        parts.push(format!("{} are switched off", off.join(", ")));
    }
    let reason = parts.join("; ");
    (!parts.is_empty()).then(|| {
        format!("Codex passes over hooks of ours: {reason}; start it and answer its question, or type /hooks there")
    })
}

// Every hook of ours in the file, and how it stands. None if the files cannot be read.
fn states(hooks: &str, settings: &str) -> Option<Vec<(String, State)>> {
    let hooks = Document::parse(hooks).ok()?.value()?;
    let settings: DocumentMut = settings.parse().ok()?;
    let known = settings.get("hooks").and_then(|hooks| hooks.get("state")).and_then(Item::as_table_like);
    let mut states = Vec::new();
    for (event, groups) in hooks.get("hooks")?.as_object()? {
        for (group_number, group) in groups.as_array().into_iter().flatten().enumerate() {
            let handlers = group.get("hooks").and_then(Value::as_array).into_iter().flatten();
            for (number, handler) in handlers.enumerate().filter(|(_, handler)| super::json::is_ours(handler)) {
                let place = format!("hooks.json:{}:{group_number}:{number}", snake(event));
                let state = known.and_then(|known| state(known, &place, &hash(event, group, handler)));
                states.push((event.clone(), state.unwrap_or(State::New)));
            }
        }
    }
    Some(states)
}

fn state(known: &dyn TableLike, place: &str, hash: &str) -> Option<State> {
    let (_, entry) = known.iter().find(|(key, _)| key.ends_with(place))?;
    if entry.get("enabled").and_then(Item::as_bool) == Some(false) {
        return Some(State::Off);
    }
    let trusted = entry.get("trusted_hash").and_then(Item::as_str)?;
    Some(if trusted == hash { State::Trusted } else { State::Changed })
}

// What Codex hashes: the event and the handler with its defaults, as JSON without spaces and in order of names.
fn hash(event: &str, group: &Value, handler: &Value) -> String {
    let mut handler = handler.as_object().cloned().unwrap_or_default();
    handler.entry("async").or_insert(json!(false));
    let mut whole = Map::new();
    whole.insert("event_name".to_owned(), json!(snake(event)));
    whole.insert("hooks".to_owned(), json!([handler]));
    if let Some(matcher) = group.get("matcher").filter(|matcher| !matcher.is_null()) {
        whole.insert("matcher".to_owned(), matcher.clone());
    }
    let text = sorted(&Value::Object(whole)).to_string();
    let hashed = digest::digest(&digest::SHA256, text.as_bytes());
    let hex: String = hashed.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort();
            Value::Object(names.into_iter().map(|name| (name.clone(), sorted(&fields[name]))).collect())
        }
        Value::Array(values) => Value::Array(values.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

fn snake(event: &str) -> String {
    let mut name = String::new();
    for letter in event.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    // What Codex 0.169 said of this hook itself.
    const HOOKS: &str =
        r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/bin/true hook codex Stop","timeout":10}]}]}}"#;
    const HASH: &str = "sha256:40560cc3c3ae888f94ac72ed0e22d9aecbd76b67132d1505d94881461ea4945c";

    #[test]
    fn a_hook_is_trusted_new_changed_or_off() {
        let key = |more: &str| format!("[hooks.state.\"/h/.codex/hooks.json:stop:0:0\"]\n{more}\n");
        let trusted = key(&format!("trusted_hash = \"{HASH}\""));
        let elsewhere = HOOKS.replace("/bin/true", "/usr/bin/true");
        for (hooks, settings, expected) in [
            (HOOKS, trusted.as_str(), State::Trusted),
            (HOOKS, "", State::New),
            (HOOKS, "model = \"o5\"", State::New),
            (elsewhere.as_str(), trusted.as_str(), State::Changed),
            (HOOKS, &key(&format!("trusted_hash = \"{HASH}\"\nenabled = false")), State::Off),
        ] {
            let found = states(hooks, settings).unwrap();
            assert_eq!(found, [("Stop".to_owned(), expected)], "{settings}");
            assert_eq!(told(&found).is_none(), expected == State::Trusted);
        }
        let foreign = HOOKS.replace("hook codex Stop", "something else");
        assert_eq!(states(&foreign, "").unwrap(), []);
        assert_eq!(states("{ torn", ""), None);
        assert_eq!(snake("UserPromptSubmit"), "user_prompt_submit");
    }
}
