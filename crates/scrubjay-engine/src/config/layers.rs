//! Putting the layers on top of one another: default < user file < its table for the agent < project file <
//! environment < flags.

use std::collections::BTreeMap;
use std::path::PathBuf;

use scrubjay_models::chat::command::GUARD_VARIABLE;

use super::assignments::{self, Assignment, unknown_key};
use super::error::{ConfigError, printable};
use super::file::read_user_file;
use super::locations::{home_user_file, validate_agent_name};
use super::origin::Origin;
use super::project_file::of_project_file;
use super::provider_settings::vendor_variables;
use super::schema::{put, schema, values};
use super::settings::Settings;
use super::suggest::nearest;

/// Everything that may hold a setting. Nothing else is consulted: no variable, no current folder.
#[derive(Debug, Clone, Default)]
pub struct Layers {
    /// The home folder.
    pub home: PathBuf,
    /// The user's file; `config.toml` in the home folder when it is `None`. See `user_file`.
    pub user_file: Option<PathBuf>,
    /// The agent whose table in the user's file applies.
    pub agent: String,
    /// The project's `.scrubjay.toml`, if it has one.
    pub project_file: Option<PathBuf>,
    /// The environment; only names that start with `SCRUBJAY_`, and [`vendor_variables`], are looked at. An empty
    /// value counts as not set.
    pub env: Vec<(String, String)>,
    /// Settings of the command line, as dotted key and value; a later one wins.
    pub flags: Vec<(String, String)>,
}

/// The settings that result from all layers.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The settings.
    pub settings: Settings,
    /// Which layer decided each of them, by dotted key; every key is there.
    pub origins: BTreeMap<String, Origin>,
    /// What was left out and why, for people.
    pub warnings: Vec<String>,
}

/// One setting as `config show` prints it.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The dotted key.
    pub key: String,
    /// The value in TOML notation, without the secret parts of an address.
    pub value: String,
    /// The layer that decided it.
    pub origin: Origin,
}

/// Variables that are no settings: they are read by whoever fills in [`Layers`].
const OTHER_VARIABLES: [&str; 4] = ["SCRUBJAY_HOME", "SCRUBJAY_AGENT", "SCRUBJAY_PROJECT", GUARD_VARIABLE];

/// Reads and checks all layers. A mistake in the user's file, in a variable's value or in a flag is an error; whatever is
/// wrong with a project's file, and unknown variables, are warnings.
pub fn load(layers: &Layers) -> Result<Loaded, ConfigError> {
    validate_agent_name(&layers.agent)?;
    let origins = schema().keys.iter().map(|key| (key.name.clone(), Origin::Default)).collect();
    let mut loaded = Loaded { settings: Settings::default(), origins, warnings: Vec::new() };

    for (variable, key) in vendor_variables() {
        let Some((_, text)) = layers.env.iter().find(|(name, text)| *name == variable && !text.is_empty()) else {
            continue;
        };
        if let Some(key) = schema().key(&key) {
            let origin = Origin::Environment { variable: variable.to_owned() };
            apply(&mut loaded, [assignments::of_text(key, text, origin)?])?;
        }
    }
    let user_file = layers.user_file.clone().unwrap_or_else(|| home_user_file(&layers.home));
    if let Some(file) = read_user_file(&user_file)? {
        apply(&mut loaded, assignments::of_user_file(&file, &layers.agent)?)?;
    }
    if let Some(path) = &layers.project_file {
        let (assignments, warnings) = of_project_file(path);
        loaded.warnings.extend(warnings);
        for assignment in assignments {
            if let Err(error) = apply(&mut loaded, [assignment]) {
                loaded.warnings.push(format!("a project's setting is ignored: {error}"));
            }
        }
    }
    for (variable, text) in &layers.env {
        let Some(key) = schema().key_of_variable(variable) else {
            loaded.warnings.extend(unknown_variable(variable));
            continue;
        };
        if !text.is_empty() {
            let origin = Origin::Environment { variable: variable.clone() };
            apply(&mut loaded, [assignments::of_text(key, text, origin)?])?;
        }
    }
    for (key, text) in &layers.flags {
        let key = schema().key(key).ok_or_else(|| unknown_key(key, Origin::Flag))?;
        apply(&mut loaded, [assignments::of_text(key, text, Origin::Flag)?])?;
    }
    Ok(loaded)
}

/// Every setting with its value and origin, in the order of the reference page.
pub fn entries(loaded: &Loaded) -> Vec<Entry> {
    let entry = |(key, value): (String, super::value::Value)| {
        let origin = loaded.origins.get(&key).cloned().unwrap_or(Origin::Default);
        Entry { key, value: value.to_string(), origin }
    };
    values(&loaded.settings).into_iter().map(entry).collect()
}

fn apply(loaded: &mut Loaded, assignments: impl IntoIterator<Item = Assignment>) -> Result<(), ConfigError> {
    for Assignment { key, value, origin } in assignments {
        // The value has the key's type and passed its rule; a rule wider than the field's type is caught here.
        if !put(&mut loaded.settings, &key.name, &value) {
            let (key, value) = (key.name.clone(), value.to_string());
            let allowed = "a value that fits the setting's type".to_owned();
            return Err(ConfigError::NotAllowed { key, value, allowed, origin });
        }
        loaded.origins.insert(key.name.clone(), origin);
    }
    Ok(())
}

fn unknown_variable(variable: &str) -> Option<String> {
    if !variable.starts_with("SCRUBJAY_") || OTHER_VARIABLES.contains(&variable) {
        return None;
    }
    let known = schema().keys.iter().map(|key| key.variable.as_str());
    let shown = printable(variable);
    Some(match nearest(variable, known.chain(OTHER_VARIABLES)) {
        Some(meant) => {
            format!("unknown environment variable {shown} is ignored; did you mean {meant}?")
        }
        None => format!("unknown environment variable {shown} is ignored"),
    })
}
