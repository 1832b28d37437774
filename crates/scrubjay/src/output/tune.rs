//! Proposed budget shares.

use super::layout::Table;
use super::page::{Answer, Page, count, flag, items, line, number, short_number, text};
use super::style::Style;

/// `tune`.
pub(super) fn tune(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let parts = items(output, "parts");
    if parts.is_empty() {
        page.line("No reply to anything that was handed over is known yet.");
        return;
    }
    let mut table = Table::new(&[Style::Plain, Style::Plain, Style::Dim]);
    for part in parts {
        let (tokens, used) = (count(part, "tokens"), count(part, "used_tokens"));
        let share = if tokens == 0 { 0.0 } else { 100.0 * used as f64 / tokens as f64 };
        let replies = format!("{share:.0} % of {tokens} tokens used, in {} replies", count(part, "receipts"));
        table.row([&line(part, "profile"), &line(part, "part"), &replies]);
    }
    page.table(&table);
    let proposals = items(output, "proposals");
    if proposals.is_empty() {
        page.line("The shares are fine as they are.");
        return;
    }
    page.line("");
    for proposal in proposals {
        let (before, after) = (short_number(number(proposal, "before")), short_number(number(proposal, "after")));
        page.line(&format!("{}  {before} → {after}", text(proposal, "key")));
    }
    if flag(output, "applied") {
        page.line("These are the settings now.");
    } else {
        page.styled(Style::Dim, "put them into the settings with: scrubjay tune --apply");
    }
}
