//! Models and what they cost.

use serde_json::Value;

use super::layout::Table;
use super::page::{Answer, Page, count, counted, flag, items, line, text, texts};
use super::style::Style;

/// `models`.
pub(super) fn list(answer: &Answer, page: &mut Page) {
    let models = items(&answer.output, "models");
    if models.is_empty() {
        page.line("No model is set up. Set one up: scrubjay models set embed builtin");
    }
    let mut table = Table::new(&[Style::Dim, Style::Strong, Style::Plain, Style::Dim]);
    for model in models {
        let (state, style) = match text(model, "state") {
            "ready" => ("✓ ready", Style::Good),
            "resting" => ("! resting", Style::Careful),
            "unreachable" => ("✗ not reachable", Style::Bad),
            _ => ("✗ unusable", Style::Bad),
        };
        let mut about = vec![if flag(model, "remote") { "remote" } else { "on this machine" }.to_owned()];
        if count(model, "dimensions") > 0 {
            about.push(format!("{} dimensions", count(model, "dimensions")));
        }
        if let Some([input, output]) = model.get("price_usd").and_then(Value::as_array).map(Vec::as_slice) {
            let free = input.as_f64() == Some(0.0) && output.as_f64() == Some(0.0);
            about.push(if free { "free".to_owned() } else { format!("${input}/${output} per million tokens") });
        }
        table.styled_row([
            (&line(model, "role"), None),
            (&line(model, "id"), None),
            (state, Some(style)),
            (&about.join(", "), None),
        ]);
    }
    page.table(&table);
    for model in models {
        if !text(model, "detail").is_empty() {
            page.wrapped(0, Style::Careful, &format!("{}: {}", text(model, "id"), text(model, "detail")));
        }
    }
    offer(answer, page);
}

// What could be used and is not.
fn offer(answer: &Answer, page: &mut Page) {
    let providers = items(&answer.output, "providers");
    let clients = providers.iter().flat_map(|provider| items(provider, "clients"));
    let clients: Vec<String> = clients.map(|client| text(client, "name").to_owned()).collect();
    let is_used = |model: &Value| text(model, "role") != "embed";
    if let Some(first) = clients.first().filter(|_| !items(&answer.output, "models").iter().any(is_used)) {
        let found = clients.join(", ");
        page.wrapped(
            0,
            Style::Dim,
            &format!(
                "Found here: {found}. `scrubjay models set chat command/{first}` lets it draw facts from conversations, with calls of your plan."
            ),
        );
    }
}

/// `models.test`.
pub(super) fn test(answer: &Answer, page: &mut Page) {
    let mut table = Table::new(&[Style::Plain, Style::Strong, Style::Plain, Style::Dim]);
    for result in items(&answer.output, "results") {
        let answered = flag(result, "answered");
        let (mark, style) = if answered { ("✓ answers", Style::Good) } else { ("✗ fails", Style::Bad) };
        let mut about = format!("{} ms", count(result, "latency_ms"));
        if count(result, "dimensions") > 0 {
            about.push_str(&format!(", {} dimensions", count(result, "dimensions")));
        }
        let roles = texts(result, "roles").join(", ");
        table.styled_row([(mark, Some(style)), (&line(result, "id"), None), (&about, None), (&roles, None)]);
    }
    page.table(&table);
    for result in items(&answer.output, "results") {
        if !text(result, "error").is_empty() {
            page.wrapped(0, Style::Bad, &format!("{}: {}", text(result, "id"), text(result, "error")));
        }
    }
}

/// `models.set`.
pub(super) fn set(answer: &Answer, page: &mut Page) {
    for change in items(&answer.output, "changed") {
        let part = |place: usize| change.get(place).and_then(Value::as_str).unwrap_or_default();
        page.line(&format!("{} = {:?}", part(0), part(1)));
    }
    page.styled(Style::Dim, &format!("  {}", text(&answer.output, "path")));
}

/// `reembed`.
pub(super) fn reembed(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let items = counted(count(output, "items"), "item has", "items have");
    page.line(&match text(output, "model") {
        "" => "No vectors were made yet.".to_owned(),
        model => format!("{} of {items} vectors, by {model}.", count(output, "embedded")),
    });
    if count(output, "done") > 0 {
        page.line(&format!("{} given vectors by this call.", counted(count(output, "done"), "item was", "items were")));
    }
    if !text(output, "building").is_empty() {
        let (built, building) = (count(output, "built"), line(output, "building"));
        page.line(&format!("Being made: {built} by {building}; search uses the others until these are complete."));
    }
    if count(output, "in_batches") > 0 {
        let waiting = counted(count(output, "in_batches"), "item is", "items are");
        page.line(&format!("{waiting} with the provider's batch service."));
    }
    if !flag(output, "current") && text(output, "building").is_empty() && !text(output, "model").is_empty() {
        page.line("Another model is set up by now; `scrubjay reembed` makes its vectors.");
    }
    estimated(output, page);
}

/// `spend`.
pub(super) fn spend(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let entries = items(output, "entries");
    if entries.is_empty() {
        page.line("Nothing was spent.");
    }
    let mut table = Table::new(&[Style::Dim, Style::Plain, Style::Plain, Style::Dim, Style::Strong]);
    for entry in entries {
        let tokens = format!(
            "{} calls, {} tokens read, {} written",
            count(entry, "calls"),
            count(entry, "input_tokens"),
            count(entry, "output_tokens")
        );
        table.row([
            text(entry, "day"),
            text(entry, "role"),
            text(entry, "model"),
            &tokens,
            &if text(entry, "model").starts_with("command/") { String::new() } else { dollars(entry, "cost_usd") },
        ]);
    }
    page.table(&table);
    let limit = match output.get("daily_cap_usd").and_then(Value::as_f64) {
        Some(limit) => format!(" of ${limit:.2} a day"),
        None => String::new(),
    };
    page.line(&format!(
        "Today {}{limit}; all of the above {}.",
        dollars(output, "today_usd"),
        dollars(output, "total_usd")
    ));
    let calls = count(output, "command_calls_today");
    match output.get("command_calls_per_day").and_then(Value::as_u64) {
        Some(limit) => page.line(&format!("Commands had {calls} of {limit} calls today; they have no price.")),
        None if calls > 0 => page.line(&format!("Commands had {calls} calls today; they have no price.")),
        None => {}
    }
    if flag(output, "paused") {
        page.wrapped(0, Style::Careful, "The limit is reached: models that cost something pause until tomorrow (UTC).");
    }
    estimated(output, page);
}

// What the vectors that are missing cost.
fn estimated(output: &Value, page: &mut Page) {
    let estimate = output.get("estimate").filter(|estimate| estimate.is_object());
    let Some(estimate) = estimate.filter(|estimate| count(estimate, "items") > 0) else { return };
    let cost = match estimate.get("cost_usd").and_then(Value::as_f64) {
        Some(_) => dollars(estimate, "cost_usd"),
        None => "an unknown amount".to_owned(),
    };
    page.line(&format!(
        "Vectors for {} would take about {} tokens and cost {cost} with {}.",
        counted(count(estimate, "items"), "more item", "more items"),
        count(estimate, "tokens"),
        text(estimate, "model")
    ));
}

fn dollars(value: &Value, field: &str) -> String {
    let amount = value.get(field).and_then(Value::as_f64).unwrap_or(0.0);
    if amount == 0.0 || amount >= 0.01 { format!("${amount:.2}") } else { format!("${amount:.6}") }
}
