//! Which operation is offered where.

use std::fmt::Write;

use scrubjay_engine::config;
use scrubjay_engine::ops::REGISTRY;
use serde_json::Value;

#[test]
fn operations_by_surface() {
    let mut table = String::new();
    for entry in REGISTRY.iter() {
        let surfaces = entry.surfaces;
        writeln!(
            table,
            "{:<16} {:<8} {:<6} cli={:<18} http={:<6} mcp={}",
            entry.name,
            entry.risk.name(),
            format!("{:?}", entry.access),
            surfaces.command.join(" "),
            surfaces.http,
            surfaces.mcp.unwrap_or("-"),
        )
        .unwrap();
    }
    insta::assert_snapshot!(table);
}

#[test]
fn names_are_unique_and_everything_is_described() {
    for (at, entry) in REGISTRY.iter().enumerate() {
        assert!(REGISTRY[..at].iter().all(|other| other.name != entry.name), "{} twice", entry.name);
        let (about, _) = entry.about();
        assert!(about.len() > 10, "{} has no description", entry.name);
        for (kind, schema) in [("input", entry.input_schema().clone()), ("output", entry.output_schema())] {
            for (field, property) in schema["properties"].as_object().into_iter().flatten() {
                let described =
                    property.get("description").and_then(Value::as_str).is_some_and(|text| !text.is_empty());
                assert!(described, "{} {kind}: `{field}` has no description", entry.name);
            }
        }
    }
}

#[test]
fn defaults_are_the_promised_ones() {
    let lines: Vec<String> = config::keys().into_iter().map(|key| format!("{} = {}", key.key, key.default)).collect();
    insta::assert_snapshot!(lines.join("\n"));
}
