//! Reference pages, written from the code so that they cannot be wrong.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use scrubjay_core::error::TABLE;
use scrubjay_core::redact;
use scrubjay_engine::config;
use scrubjay_engine::ops::REGISTRY;
use scrubjay_engine::provider_list::Provider;
use serde_json::Value;

use crate::module_graph::ModuleGraph;
use crate::tree::Tree;

/// Writes the pages; with `--check` only compares.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<ExitCode> {
    let check = arguments.iter().any(|argument| argument == "--check");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let pages = [
        ("docs/reference/operations.md", operations()?),
        ("docs/reference/configuration.md", configuration()?),
        ("docs/reference/redaction.md", redaction()?),
        ("docs/reference/errors.md", errors()?),
        ("docs/reference/providers.md", providers()?),
        ("ARCHITECTURE.md", architecture(&root)?),
    ];
    let mut stale = Vec::new();
    for (name, text) in pages {
        let path = root.join(name);
        if fs::read_to_string(&path).is_ok_and(|found| found == text) {
            continue;
        }
        if check {
            stale.push(name);
        } else {
            fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
        }
    }
    if stale.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    anyhow::bail!("{} not current; run `cargo xtask docs`", stale.join(", "))
}

/// The marks around the layers of the engine.
const LAYERS: (&str, &str) =
    ("<!-- Layers, drawn by `cargo xtask docs`; do not edit. -->\n", "<!-- End of the layers. -->\n");

// The page as it is, with the layers of the engine drawn anew.
fn architecture(root: &Path) -> anyhow::Result<String> {
    let path = root.join("ARCHITECTURE.md");
    let page = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let (begin, end) = LAYERS;
    let parts = page.split_once(begin).and_then(|(before, rest)| Some((before, rest.split_once(end)?.1)));
    let (before, after) = parts.context("ARCHITECTURE.md lacks the marks around the layers")?;
    let graph = ModuleGraph::of(&Tree::load(root)?, "crates/scrubjay-engine");
    let mut drawn = String::new();
    for (height, layer) in graph.layers().into_iter().enumerate().rev() {
        writeln!(drawn, "{height:>2}  {}", layer.join(" · "))?;
    }
    Ok(format!("{before}{begin}\n```text\n{drawn}```\n\n{end}{after}"))
}

const MADE: &str = "<!-- Made from the code by `cargo xtask docs`; do not edit. -->\n\n";

fn operations() -> anyhow::Result<String> {
    let mut page = format!(
        "# Operations\n\n{MADE}Everything Scrubjay can do. The command line, HTTP and MCP are derived from this list.\n\n"
    );
    page.push_str("| operation | risk | command | HTTP | MCP tool |\n|---|---|---|---|---|\n");
    for entry in REGISTRY.iter() {
        let surfaces = entry.surfaces;
        let command = if surfaces.command.is_empty() {
            "–".to_owned()
        } else {
            format!("`scrubjay {}`", surfaces.command.join(" "))
        };
        let tool = surfaces.mcp.map_or_else(|| "–".to_owned(), |tool| format!("`{tool}`"));
        let http = if surfaces.http { "yes" } else { "–" };
        writeln!(
            page,
            "| [{name}](#{anchor}) | {risk} | {command} | {http} | {tool} |",
            name = entry.name,
            anchor = anchor(entry.name),
            risk = if entry.syncs_files {
                format!("{}, files first", entry.risk.name())
            } else {
                entry.risk.name().to_owned()
            }
        )?;
    }
    page.push_str("\nThe HTTP and MCP columns say whether the daemon offers an operation there. “Files first” means that files that changed are read again before the operation answers, so that what is stored of them can change.\n");
    for entry in REGISTRY.iter() {
        let (_, about) = entry.about();
        write!(page, "\n## {}\n\n{}\n", entry.name, about.trim())?;
        fields(&mut page, "Input", entry.input_schema())?;
        fields(&mut page, "Answer", &entry.output_schema())?;
    }
    Ok(page)
}

fn fields(page: &mut String, title: &str, schema: &Value) -> anyhow::Result<()> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object).filter(|fields| !fields.is_empty())
    else {
        return Ok(());
    };
    writeln!(page, "\n| {title} | type | |\n|---|---|---|")?;
    for (name, property) in properties {
        let about = property
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .replace('\n', " ")
            .replace('|', "\\|");
        writeln!(page, "| `{name}` | {} | {about} |", type_of(property))?;
    }
    Ok(())
}

fn type_of(property: &Value) -> String {
    if let Some(names) = property.get("enum").and_then(Value::as_array) {
        return names.iter().filter_map(Value::as_str).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" ");
    }
    match property.get("type") {
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ if property.get("anyOf").is_some() => "object or null".to_owned(),
        _ => "any".to_owned(),
    }
}

fn configuration() -> anyhow::Result<String> {
    let mut page = format!("# Settings\n\n{MADE}");
    page.push_str("Later layers win: default, `config.toml` in the home folder (`[agents.<name>.…]` for one agent), the project's `.scrubjay.toml` (a few keys only), environment, `--set KEY=VALUE`. `scrubjay config show --origin` tells where each value comes from.\n\n");
    page.push_str("| key | type | default | environment | |\n|---|---|---|---|---|\n");
    for key in config::keys() {
        let about = key.doc.trim().replace('\n', " ").replace('|', "\\|");
        writeln!(page, "| `{}` | {} | `{}` | `{}` | {about} |", key.key, key.value_type, key.default, key.variable)?;
    }
    Ok(page)
}

fn redaction() -> anyhow::Result<String> {
    let rules = redact::rules();
    let mut page = format!("# Secrets that are redacted\n\n{MADE}");
    writeln!(
        page,
        "{} rules. A secret is replaced by `[REDACTED:rule]` before the text reaches the disk, a log, a queue or a model. Not every secret can be recognised; mark what must not be kept with `<private>…</private>`.\n",
        rules.len()
    )?;
    page.push_str("| rule | what it finds |\n|---|---|\n");
    for rule in rules {
        writeln!(page, "| `{}` | {} |", rule.id, rule.description.replace('|', "\\|"))?;
    }
    Ok(page)
}

fn errors() -> anyhow::Result<String> {
    let mut page = format!("# Errors\n\n{MADE}| code | exit code | HTTP status | MCP error |\n|---|---|---|---|\n");
    for row in TABLE {
        writeln!(page, "| `{}` | {} | {} | {} |", row.name, row.exit, row.http, row.mcp)?;
    }
    page.push_str("\nExit code 0 means done, also when a write waits for a confirmation.\n");
    Ok(page)
}

fn providers() -> anyhow::Result<String> {
    let mut page = format!("# Model providers\n\n{MADE}");
    page.push_str("What `embedding.provider`, `chat.provider` and `scrubjay models set` take. How to set one up is in [models.md](../models.md).\n\n");
    page.push_str("| provider | what it is | vectors | chat | address | key |\n|---|---|---|---|---|---|\n");
    for provider in Provider::all() {
        let code = |text: &str| if text.is_empty() { "–".to_owned() } else { format!("`{text}`") };
        let has = |is_there: bool, text: String| if is_there { text } else { "–".to_owned() };
        let vectors = provider.embedding.as_ref().map_or("", |models| models.default_model);
        let vectors = if vectors.is_empty() { "yes".to_owned() } else { code(vectors) };
        let chat = provider.chat.as_ref().map(|models| (models.small_model, models.large_model));
        let chat = match chat {
            Some(("", _)) | None => "yes".to_owned(),
            Some((small, large)) if small == large => code(small),
            Some((small, large)) => format!("{}, {}", code(small), code(large)),
        };
        let variables = provider.api_key.as_ref().map_or_else(Vec::new, |key| key.variables.to_vec());
        let key = variables.iter().map(|variable| code(variable)).collect::<Vec<_>>().join(" or ");
        writeln!(
            page,
            "| `{}` | {} | {} | {} | {} | {} |",
            provider.name,
            provider.about,
            has(provider.embeds(), vectors),
            has(provider.chats(), chat),
            code(provider.default_url),
            has(!key.is_empty(), key)
        )?;
    }
    page.push_str("\nThe models are those that are used unless the settings name others; of two chat models the first decides and shortens, the second does the rest.\n");
    Ok(page)
}

fn anchor(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect()
}
