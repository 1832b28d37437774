//! `/web/offers.json`: what the dashboard can ask for with the token that it is
//! signed in with, described from the operations' own schemas.

use axum::http::StatusCode;
use scrubjay_engine::ops::{Entry, REGISTRY};
use serde_json::{Map, Value, json};

use super::reply::json as reply;
use super::routes::{Answering, Call};
use crate::auth::Grant;

pub(crate) fn answer(call: Call) -> Answering {
    Box::pin(async move { reply(StatusCode::OK, &offers(&call.grant)) })
}

fn offers(grant: &Grant) -> Value {
    let allowed = REGISTRY.iter().filter(|entry| entry.surfaces.http && grant.allows(entry).is_ok());
    let operations: Map<String, Value> = allowed.map(|entry| (entry.name.to_owned(), offer(entry))).collect();
    let (project, read_only) = match grant {
        Grant::Part { project, read_only, .. } => (project.as_ref().map(ToString::to_string), *read_only),
        Grant::Owner | Grant::Nobody => (None, false),
    };
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "owner": grant.is_owner(),
        "project": project,
        "read_only": read_only,
        "operations": operations,
    })
}

// A page needs the names of fields and what they may be, not the help text.
fn offer(entry: &Entry) -> Value {
    let schema = entry.input_schema();
    let fields = schema["properties"].as_object().into_iter().flatten();
    let choices = |field: &Value| {
        let choices = field["enum"].as_array().filter(|choices| !choices.is_empty())?;
        Some(choices.iter().filter(|choice| choice.is_string()).cloned().collect::<Vec<Value>>())
    };
    let fields: Map<String, Value> = fields.map(|(name, field)| (name.clone(), json!(choices(field)))).collect();
    json!({"risk": entry.risk.name(), "fields": fields})
}
