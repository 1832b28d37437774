//! The knowledge graph of the MCP memory server (`server-memory`): JSON lines,
//! each an entity with observations or a relation between two entities.

use scrubjay_core::entity::EntityType;
use serde_json::Value;

/// The most observations one entity may bring.
const OBSERVATIONS: usize = 10_000;

/// One line of the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphLine {
    /// A named thing and what is known about it.
    Entity {
        /// Its name.
        name: String,
        /// Its type, in the graph's own words.
        entity_type: String,
        /// What is known about it.
        observations: Vec<String>,
    },
    /// A relation between two named things.
    Relation {
        /// The first.
        from: String,
        /// The second.
        to: String,
        /// What holds between them.
        relation: String,
    },
}

/// The line is not of this format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAGraphLine {
    /// It has no type that we know.
    #[error("neither an entity nor a relation of a knowledge graph, nor a record of `scrubjay export`")]
    Type,
    /// A field is missing or of the wrong type.
    #[error("the {line} has no usable `{field}`")]
    Field {
        /// Entity or relation.
        line: &'static str,
        /// The field.
        field: &'static str,
    },
    /// There is too much of it.
    #[error("the entity has more than {OBSERVATIONS} observations")]
    TooMany,
}

/// Reads one line.
///
/// # Errors
/// When it is not of this format.
pub fn parse(value: &Value) -> Result<GraphLine, NotAGraphLine> {
    match value.get("type").and_then(Value::as_str) {
        Some("entity") => {
            let list = match value.get("observations") {
                None | Some(Value::Null) => &[][..],
                Some(Value::Array(list)) => list,
                Some(_) => return Err(NotAGraphLine::Field { line: "entity", field: "observations" }),
            };
            if list.len() > OBSERVATIONS {
                return Err(NotAGraphLine::TooMany);
            }
            Ok(GraphLine::Entity {
                name: text(value, "entity", "name")?,
                entity_type: value.get("entityType").and_then(Value::as_str).unwrap_or("other").to_owned(),
                observations: list.iter().filter_map(observation).collect(),
            })
        }
        Some("relation") => Ok(GraphLine::Relation {
            from: text(value, "relation", "from")?,
            to: text(value, "relation", "to")?,
            relation: text(value, "relation", "relationType")?,
        }),
        _ => Err(NotAGraphLine::Type),
    }
}

/// Our type for one of the graph's, which are free text.
#[must_use]
pub fn entity_type(text: &str) -> EntityType {
    let word = text.trim().to_lowercase();
    let known = EntityType::ALL.into_iter().find(|known| known.name() == word);
    known.unwrap_or(match word.as_str() {
        "user" | "people" | "human" | "developer" | "colleague" | "friend" => EntityType::Person,
        "company" | "org" | "organisation" | "team" => EntityType::Organization,
        "place" | "city" | "country" => EntityType::Location,
        "repository" | "repo" | "codebase" => EntityType::Project,
        "website" | "link" => EntityType::Url,
        _ => EntityType::Other,
    })
}

/// An observation as a sentence of its own: it names what it is about.
#[must_use]
pub fn sentence(name: &str, observation: &str) -> String {
    let observation = observation.trim();
    if observation.to_lowercase().contains(&name.to_lowercase()) {
        observation.to_owned()
    } else {
        format!("{name}: {observation}")
    }
}

// Some servers keep observations as objects with the text inside.
fn observation(value: &Value) -> Option<String> {
    let text = value.as_str().or_else(|| value.get("content").and_then(Value::as_str))?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}

fn text(value: &Value, line: &'static str, field: &'static str) -> Result<String, NotAGraphLine> {
    value
        .get(field)
        .and_then(Value::as_str)
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .ok_or(NotAGraphLine::Field { line, field })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_entities_and_relations() {
        let entity = parse(
            &json!({"type": "entity", "name": "Ada", "entityType": "person", "observations": ["likes tea", {"content": "lives in Bern"}, 3]}),
        );
        let expect = GraphLine::Entity {
            name: "Ada".into(),
            entity_type: "person".into(),
            observations: vec!["likes tea".into(), "lives in Bern".into()],
        };
        assert_eq!(entity, Ok(expect));
        let relation = parse(&json!({"type": "relation", "from": "Ada", "to": "Acme", "relationType": "works_at"}));
        assert_eq!(
            relation,
            Ok(GraphLine::Relation { from: "Ada".into(), to: "Acme".into(), relation: "works_at".into() })
        );
    }

    #[test]
    fn says_what_is_wrong() {
        let error = |value: Value| parse(&value).unwrap_err().to_string();
        assert!(error(json!({"type": "note"})).contains("neither"));
        assert!(error(json!([1])).contains("neither"));
        assert!(error(json!({"type": "entity", "name": " "})).contains("`name`"));
        assert!(error(json!({"type": "entity", "name": "A", "observations": 3})).contains("`observations`"));
        assert!(error(json!({"type": "relation", "from": "A", "to": "B"})).contains("`relationType`"));
    }

    #[test]
    fn observations_name_their_subject() {
        assert_eq!(sentence("Ada", "likes tea"), "Ada: likes tea");
        assert_eq!(sentence("Ada", "ada likes tea"), "ada likes tea");
        assert_eq!(entity_type("Company"), EntityType::Organization);
        assert_eq!(entity_type("quark"), EntityType::Other);
    }
}
