//! Named things.

use serde_json::Value;

use super::layout::Table;
use super::memories::{more, show_memories};
use super::page::{Answer, Page, count, counted, flag, items, line, text, texts};
use super::style::Style;

/// `entities`.
pub(super) fn entities(answer: &Answer, page: &mut Page) {
    let entities = items(&answer.output, "entities");
    if entities.is_empty() {
        page.line("No named things here. They are found in what you capture and remember: @names, #tags,");
        page.line("addresses, dates, paths.");
        return;
    }
    let mut table = Table::new(&[Style::Strong, Style::Plain, Style::Dim, Style::Dim]);
    for entity in entities {
        let mentions = counted(count(entity, "mention_count"), "mention", "mentions");
        table.row([&line(entity, "name"), &line(entity, "type"), &mentions, &texts(entity, "aliases").join(", ")]);
    }
    page.table(&table);
    more(&answer.output, page);
}

/// `entity`.
pub(super) fn entity(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    if let Some(entity) = output.get("entity") {
        head(entity, page);
    }
    let others = items(output, "others");
    if !others.is_empty() {
        let others: Vec<String> =
            others.iter().map(|other| format!("{} ({})", line(other, "name"), line(other, "type"))).collect();
        page.wrapped(0, Style::Dim, &format!("also called that: {}", others.join(", ")));
    }
    let memories = items(output, "memories");
    if !memories.is_empty() {
        page.line("");
        show_memories(memories, page);
    }
    if flag(output, "more") {
        page.styled(Style::Dim, "There is more: add --limit N");
    }
}

/// `entity.merge`.
pub(super) fn merge(answer: &Answer, page: &mut Page) {
    page.line("Merged. To take it apart again: scrubjay undo");
    if let Some(entity) = answer.output.get("entity") {
        head(entity, page);
    }
}

fn head(entity: &Value, page: &mut Page) {
    let mentions = counted(count(entity, "mention_count"), "mention", "mentions");
    let name = page.paint(Style::Strong, &line(entity, "name"));
    page.line(&format!("{name} · {} · {mentions}", line(entity, "type")));
    let aliases = texts(entity, "aliases");
    if !aliases.is_empty() {
        page.wrapped(0, Style::Plain, &format!("also known as {}", aliases.join(", ")));
    }
    page.wrapped(0, Style::Plain, text(entity, "summary"));
    // What is known about the user has no id of its own.
    if text(entity, "id") != text(entity, "name") {
        page.wrapped(0, Style::Dim, text(entity, "id"));
    }
}
