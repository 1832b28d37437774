//! `eval replay`: the prompts of the user's own store, asked again.

use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use scrubjay_engine::eval::replay::{
    Injections, Replay, ReplayRequest, ReplaySummary, ReplayedItem, ReplayedPrompt, replay,
};
use scrubjay_engine::ops::moment;
use serde_json::{Value, json};

use super::super::progress::Steps;
use crate::failure::Failure;
use crate::globals;
use crate::invocation::{Invocation, block_on};
use crate::output::layout::{one_line, shortened};
use crate::output::safe;

const EXAMPLES: &str = "Examples:
  scrubjay eval replay
  scrubjay eval replay --since 7d --show
  scrubjay eval replay --all-projects --limit 1000 --json
  scrubjay eval replay --set inject.min_score=0.5

Each prompt is asked as of its time: other conversations' turns and facts count if they were said before it and had not ended by then, its own conversation's earlier messages say what it is about, and what an earlier block of the same conversation held does not come again. The store is only read: no receipt, no access count, no index file.
What cannot be told of the past: a text that was edited since is as it is now, and what was purged is gone; a fact counts from when its matter was said, even if it was drawn later; confidence and importance are today's; a file counts as it was read last, if it had not changed after the prompt; how rare a word is goes by the whole store. What a session was handed when it began is not asked for again.";

/// Its arguments.
pub(super) fn command() -> Command {
    Command::new("replay")
        .about("Show what would have been injected before the prompts in your own store")
        .long_about(
            "Show what would have been injected before the prompts in your own store, given only what was said before each of them; and how much of what was really injected the replies used",
        )
        .arg(
            Arg::new("limit")
                .long("limit")
                .short('n')
                .value_name("N")
                .default_value("200")
                .value_parser(value_parser!(u64).range(1..=1_000_000))
                .help("How many prompts at most, the newest of them"),
        )
        .arg(
            Arg::new("since")
                .long("since")
                .value_name("TIME")
                .help("Only prompts and injections at or after this time: yesterday, 3d, last week, 2026-05-01"),
        )
        .arg(
            Arg::new("all_projects")
                .long("all-projects")
                .action(ArgAction::SetTrue)
                .help("All projects, instead of the one of this folder"),
        )
        .arg(
            Arg::new("show")
                .long("show")
                .action(ArgAction::SetTrue)
                .help("Also show each prompt with the beginning of each item of its block"),
        )
        .args(globals::arguments())
        .after_help(EXAMPLES)
}

/// Replays, and prints the figures.
pub(super) fn run(invocation: &mut Invocation<'_>, matches: &ArgMatches) -> Result<u8, Failure> {
    let limit = matches.get_one::<u64>("limit").copied().unwrap_or(200);
    let ctx = invocation.context()?;
    let since = matches.get_one::<String>("since").map(|text| moment(&ctx, text)).transpose()?;
    let request = ReplayRequest {
        since,
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
        all_projects: matches.get_flag("all_projects"),
    };
    let steps = Arc::new(Steps::new(invocation));
    let ctx = ctx.reporting_to(Arc::clone(&steps) as _);
    let replayed = block_on(async { Ok(replay(&ctx, request).await?) });
    steps.clear();
    let replayed = replayed?;
    let shown: &[ReplayedPrompt] = if matches.get_flag("show") { &replayed.prompts } else { &[] };
    if invocation.json() {
        let mut answer = record(&replayed);
        if matches.get_flag("show") {
            answer["shown"] = shown.iter().map(prompt_record).collect();
        }
        invocation.console.json(&answer)?;
        return Ok(0);
    }
    for warning in &replayed.warnings {
        invocation.warn(warning);
    }
    let columns = invocation.console.facts.columns;
    let mut text: String = shown.iter().map(|prompt| described(prompt, columns)).collect();
    text.push_str(&figures(&replayed.summary(), &replayed.injections));
    invocation.console.data(&safe::text(&text))?;
    Ok(0)
}

fn record(replayed: &Replay) -> Value {
    let (summary, injections) = (replayed.summary(), replayed.injections);
    json!({
        "prompts": summary.prompts,
        "asking_for_nothing": summary.asking_for_nothing,
        "with_block": summary.with_block,
        "median_items": summary.median_items,
        "median_tokens": summary.median_tokens,
        "injections": {
            "receipts": injections.receipts,
            "used": injections.used,
            "unused": injections.unused,
            "without_reply": injections.without_reply,
        },
        "warnings": replayed.warnings,
    })
}

fn prompt_record(prompt: &ReplayedPrompt) -> Value {
    let item = |item: &ReplayedItem| json!({"id": item.id, "relevance": item.relevance, "beginning": item.beginning});
    json!({
        "id": prompt.id,
        "scope": prompt.scope,
        "session_id": prompt.session_id,
        "time": prompt.at,
        "text": prompt.text,
        "asks_for_nothing": prompt.asks_for_nothing,
        "tokens": prompt.tokens,
        "items": prompt.items.iter().map(item).collect::<Vec<_>>(),
    })
}

fn described(prompt: &ReplayedPrompt, columns: usize) -> String {
    let line = |text: &str, indent: usize| shortened(&one_line(text), columns.saturating_sub(indent));
    let mut text = format!("{}  {}\n", prompt.at.minute(), line(&prompt.text, 18));
    for item in &prompt.items {
        text.push_str(&format!("    {:.2}  {}\n", item.relevance, line(&item.beginning, 10)));
    }
    if prompt.items.is_empty() {
        let why = if prompt.asks_for_nothing { "asks for nothing" } else { "nothing" };
        text.push_str(&format!("    {why}\n"));
    }
    text.push('\n');
    text
}

fn figures(summary: &ReplaySummary, injections: &Injections) -> String {
    if summary.prompts == 0 {
        return "No prompts were captured here; name another project with --project ID, or take --all-projects.\n"
            .to_owned();
    }
    let mut text = format!(
        "{} prompts, {} of them ask for nothing ({})\n",
        summary.prompts,
        summary.asking_for_nothing,
        percent(summary.asking_for_nothing, summary.prompts)
    );
    text.push_str(&format!(
        "{} would have got a block ({})",
        summary.with_block,
        percent(summary.with_block, summary.prompts)
    ));
    if let (Some(items), Some(tokens)) = (summary.median_items, summary.median_tokens) {
        text.push_str(&format!(", in the median of {items} items and {tokens} tokens"));
    }
    text.push('\n');
    let judged = injections.used + injections.unused;
    if injections.receipts == 0 {
        text.push_str("really injected: nothing yet\n");
        return text;
    }
    text.push_str(&format!(
        "really injected: {} blocks; replies used {} of {judged} items ({}), {} had no reply\n",
        injections.receipts,
        injections.used,
        percent(injections.used, judged),
        injections.without_reply
    ));
    text
}

#[expect(clippy::cast_precision_loss, reason = "counts of prompts and items")]
fn percent(part: usize, whole: usize) -> String {
    if whole == 0 { "–".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}
