//! How memory grew, a line for each day.

use super::layout::Table;
use super::page::{Answer, Page, count, items, text};
use super::style::Style;

/// The widest bar, in characters.
const WIDEST: u64 = 24;

/// `growth`.
pub(super) fn growth(answer: &Answer, page: &mut Page) {
    let days = items(&answer.output, "days");
    let learned = |day: &serde_json::Value| count(day, "facts") + count(day, "episodes");
    let Some(most) = days.iter().map(learned).max().filter(|most| *most > 0) else {
        page.line("Nothing happened in these days.");
        return;
    };
    let mut table = Table::new(&[Style::Dim, Style::Plain, Style::Plain, Style::Plain, Style::Dim]);
    table.row(["DAY", "FACTS", "TURNS", "HANDED OVER", ""]);
    for day in days {
        let width = usize::try_from((learned(day) * WIDEST).div_ceil(most)).unwrap_or_default();
        let cell = |name: &str| Some(count(day, name)).filter(|count| *count > 0).map(|count| count.to_string());
        let handed_over = match (count(day, "injected"), count(day, "used")) {
            (0, _) => String::new(),
            (injected, 0) => injected.to_string(),
            (injected, used) => format!("{injected} ({used} used)"),
        };
        let [facts, turns] = [cell("facts"), cell("episodes")].map(Option::unwrap_or_default);
        table.row([text(day, "day"), &facts, &turns, &handed_over, &"▪".repeat(width)]);
    }
    page.table(&table);
}
