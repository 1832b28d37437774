//! `eval everyday`: what people and agents would be handed, on conversations of one's own.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use scrubjay_engine::eval::everyday::{
    DrawnFacts, EverydaySet, Figures, FoundFacts, Measurement, PromptGroup, PromptOutcome, figures, measure,
};
use serde_json::{Value, json};

use super::super::progress::Steps;
use super::lines::read;
use super::scratch::ScratchHome;
use crate::failure::Failure;
use crate::globals;
use crate::invocation::{Invocation, block_on};
use crate::output::layout::{one_line, width};
use crate::output::safe;

const EXAMPLES: &str = "Examples:
  scrubjay eval everyday --data sessions/
  scrubjay eval everyday --data sessions/ --per-query rows.jsonl
  scrubjay eval everyday --data sessions/ --set inject.min_score=0.5

The folder holds docs.jsonl, what was said, a line each:
  {\"ns\": \"shop\", \"id\": \"1:1\", \"session_id\": \"monday\", \"timestamp\": \"2026-05-01T10:00:00Z\", \"role\": \"user\", \"text\": \"…\"}
queries.jsonl, what is asked later:
  {\"ns\": \"shop\", \"text\": \"which port does staging use\", \"category\": \"environment\", \"gold_docs\": [\"1:1\"], \"outdated_docs\": []}
  {\"ns\": \"shop\", \"text\": \"thanks\", \"category\": \"unrelated\", \"abstain\": true}
and, if you like, facts.jsonl, what is worth keeping:
  {\"ns\": \"shop\", \"fact\": \"Staging is on port 5433\", \"type\": \"environment\", \"evidence\": [\"1:1\"], \"lasting\": true}
With facts.jsonl but no queries.jsonl, only what is learned is measured, which is much faster.
`ns` is the project. A compressed file has to be unpacked first.

The table, in per cent:
  order      a recall without threshold: how many of the right turns are among the first 1, 5 and 10; MRR
  answered   a plain recall has a right turn, or a fact made from one
  injected   so has the block of a plain inject
  unrelated  prompts with `abstain` that got a hit, or something injected
  changed    prompts with `outdated_docs`: a right turn stands above those; one of those was injected

Below it: how many facts were drawn, and of how many of those worth keeping, by project and by type. --per-query FILE
names the ones that were missed and the ones drawn from nothing worth keeping.";

const HEADINGS: [&str; 13] =
    ["n", "R@1", "R@5", "R@10", "MRR", "answered", "injected", "n", "recall", "inject", "n", "valid", "outdated"];

/// Its arguments.
pub(super) fn command() -> Command {
    Command::new("everyday")
        .about("Measure what people and agents would be handed, on conversations of your own")
        .long_about(
            "Measure what people and agents would be handed, on conversations of your own\n\nThe conversations are captured in a scratch folder, moved so that the last of them was yesterday; facts are drawn from them; then each prompt is asked with the default thresholds, limits and budgets. Your own store is left alone.",
        )
        .arg(
            Arg::new("data")
                .long("data")
                .value_name("DIR")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The folder with docs.jsonl, queries.jsonl and, if there is one, facts.jsonl"),
        )
        .arg(
            Arg::new("per_query")
                .long("per-query")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Write what each prompt got to this file, a line of JSON each"),
        )
        .arg(
            Arg::new("no_consolidate")
                .long("no-consolidate")
                .action(ArgAction::SetTrue)
                .help("Draw no facts from the conversations"),
        )
        .args(globals::arguments())
        .after_help(EXAMPLES)
}

/// Measures, and prints the table.
pub(super) fn run(invocation: &mut Invocation<'_>, matches: &ArgMatches) -> Result<u8, Failure> {
    let Some(folder) = matches.get_one::<PathBuf>("data") else {
        return Err(Failure::invalid("say where the conversations are: --data DIR"));
    };
    let set = read_set(folder)?;
    // A path that cannot be written is told before the work, not after it.
    let per_query = matches.get_one::<PathBuf>("per_query");
    let per_query = per_query.map(|path| Ok::<_, Failure>((path, create(path)?))).transpose()?;
    if !invocation.json() {
        invocation.note(&format!("{} turns, {} prompts", set.turn_count(), set.prompt_count()));
    }
    let home = ScratchHome::new(invocation)?;
    let steps = Arc::new(Steps::new(invocation));
    let ctx = home.ctx.reporting_to(Arc::clone(&steps) as _);
    let measured = block_on(async { Ok(measure(&ctx, &set, !matches.get_flag("no_consolidate")).await?) });
    steps.clear();
    let measured = measured?;
    if let Some((path, file)) = per_query {
        write_rows(file, &measured).map_err(|error| Failure::io(&format!("write {}", path.display()), error))?;
    }
    let rows = figures(&measured.outcomes);
    if invocation.json() {
        let rows: Vec<Value> = rows.iter().map(record).collect();
        let facts = facts_record(&measured.facts, set.turn_count());
        invocation.console.json(&json!({"rows": rows, "facts": facts, "warnings": measured.warnings}))?;
    } else {
        for warning in &measured.warnings {
            invocation.warn(warning);
        }
        let text = format!("{}{}", table(&rows), facts_lines(&measured.facts, set.turn_count()));
        invocation.console.data(&text)?;
    }
    Ok(0)
}

fn read_set(folder: &Path) -> Result<EverydaySet, Failure> {
    let facts = folder.join("facts.jsonl");
    let is_there = facts.exists() || folder.join("facts.jsonl.gz").exists();
    let facts = if is_there { read(&facts)? } else { Vec::new() };
    let prompts = folder.join("queries.jsonl");
    // With facts alone, what is learned can be measured in a fraction of the time.
    let is_asked = !is_there || prompts.exists() || folder.join("queries.jsonl.gz").exists();
    let prompts = if is_asked { read(&prompts)? } else { Vec::new() };
    Ok(EverydaySet::new(read(&folder.join("docs.jsonl"))?, prompts, facts)?)
}

fn create(path: &Path) -> Result<BufWriter<File>, Failure> {
    let file = File::create(path).map_err(|error| Failure::io(&format!("write {}", path.display()), error))?;
    Ok(BufWriter::new(file))
}

fn write_rows(mut file: BufWriter<File>, measured: &Measurement) -> std::io::Result<()> {
    let prompts = measured.outcomes.iter().map(outcome_record);
    let stray = measured.facts.stray.iter().map(|content| json!({"stray_fact": content}));
    let missed = measured.facts.missed.iter().map(|fact| json!({"missed_fact": fact}));
    for row in prompts.chain(stray).chain(missed) {
        writeln!(file, "{row}")?;
    }
    file.flush()
}

fn outcome_record(outcome: &PromptOutcome) -> Value {
    let related = outcome.related.as_ref();
    let changed = related.and_then(|related| related.changed);
    json!({
        "qid": outcome.qid,
        "ns": outcome.project,
        "category": outcome.category,
        "text": outcome.text,
        "abstain": related.is_none(),
        "rank": related.and_then(|related| related.ranks.rank),
        "hits": outcome.hits,
        "items": outcome.items,
        "best": outcome.best,
        "answered": related.map(|related| related.answered),
        "injected": related.map(|related| related.injected),
        "valid_above_outdated": changed.map(|changed| changed.valid_first),
        "outdated_injected": changed.map(|changed| changed.outdated_injected),
    })
}

fn record(row: &Figures) -> Value {
    let (group, name) = match &row.group {
        PromptGroup::All => ("all", None),
        PromptGroup::Category(name) => ("category", Some(name)),
        PromptGroup::Project(name) => ("project", Some(name)),
    };
    json!({
        "group": group,
        "name": name,
        "prompts": row.related,
        "unrelated": row.unrelated,
        "changed": row.changed,
        "recall_at_1": row.recall[0],
        "recall_at_5": row.recall[1],
        "recall_at_10": row.recall[2],
        "mrr": row.mean_reciprocal_rank,
        "answered": row.answered,
        "injected": row.injected,
        "false_recall": row.false_recall,
        "false_inject": row.false_inject,
        "valid_above_outdated": row.valid_first,
        "outdated_injected": row.outdated_injected,
    })
}

fn facts_record(facts: &DrawnFacts, turns: usize) -> Value {
    let found = |group: &FoundFacts| json!({"name": group.name, "gold": group.gold, "gold_found": group.found});
    json!({
        "turns": turns,
        "drawn": facts.drawn,
        "per_100_turns": per_100_turns(facts, turns),
        "gold": facts.gold,
        "gold_found": facts.gold - facts.missed.len(),
        "lasting": facts.lasting,
        "lasting_found": facts.lasting_found,
        "by_project": facts.by_project.iter().map(found).collect::<Vec<Value>>(),
        "by_type": facts.by_type.iter().map(found).collect::<Vec<Value>>(),
        "stray": facts.stray.len(),
    })
}

#[expect(clippy::cast_precision_loss, reason = "counts of facts and turns")]
fn per_100_turns(facts: &DrawnFacts, turns: usize) -> f64 {
    (10_000.0 * facts.drawn as f64 / turns.max(1) as f64).round() / 100.0
}

// Per cent; what there is nothing to take a share of stays empty.
fn table(rows: &[Figures]) -> String {
    let names: Vec<String> = rows.iter().map(|row| name(&row.group)).collect();
    let widest = names.iter().map(|name| width(name)).max().unwrap_or(0);
    let line = |name: &str, [n, first, five, ten, mrr, answered, injected, unrelated, recall, inject, changed, valid, outdated]: [&str; 13]| {
        let name = format!("{name}{}", " ".repeat(widest - width(name)));
        let order = format!("{n:>5}{first:>7}{five:>7}{ten:>7}{mrr:>7}{answered:>10}{injected:>10}");
        let rest = format!("{unrelated:>4}{recall:>8}{inject:>8}  |{changed:>4}{valid:>8}{outdated:>10}");
        format!("{}\n", format!("{name}{order}  |{rest}").trim_end())
    };
    let groups =
        format!("{:>widest$}{:^33}{:>20}  |{:^20}  |{:>16}", "", "order", "default settings", "unrelated", "changed");
    let mut text = format!("{groups}\n{}", line("%", HEADINGS));
    for (name, row) in names.iter().zip(rows) {
        let [first, five, ten] = row.recall.map(percent);
        let cells = [
            count(row.related),
            first,
            five,
            ten,
            percent(row.mean_reciprocal_rank),
            percent(row.answered),
            percent(row.injected),
            count(row.unrelated),
            percent(row.false_recall),
            percent(row.false_inject),
            count(row.changed),
            percent(row.valid_first),
            percent(row.outdated_injected),
        ];
        text.push_str(&line(name, cells.each_ref().map(String::as_str)));
    }
    text
}

// A name from a file that anyone may have written.
fn name(group: &PromptGroup) -> String {
    match group {
        PromptGroup::All => "all".to_owned(),
        PromptGroup::Category(name) => one_line(&safe::text(name)),
        PromptGroup::Project(name) => format!("in {name}"),
    }
}

fn count(prompts: usize) -> String {
    if prompts == 0 { String::new() } else { prompts.to_string() }
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(String::new, |share| format!("{:.1}", 100.0 * share))
}

fn facts_lines(facts: &DrawnFacts, turns: usize) -> String {
    let drawn = format!("facts: {} drawn from {turns} turns, {:.1} per 100", facts.drawn, per_100_turns(facts, turns));
    if facts.gold == 0 {
        return format!("{drawn}\n");
    }
    let found = facts.gold - facts.missed.len();
    let mut text = format!(
        "{drawn}; {found} of {} worth keeping have one from their evidence (lasting: {} of {}); {} drawn from nothing worth keeping\n",
        facts.gold,
        facts.lasting_found,
        facts.lasting,
        facts.stray.len(),
    );
    for (title, groups) in [("by project", &facts.by_project), ("by type", &facts.by_type)] {
        let of =
            |group: &FoundFacts| format!("{} {} of {}", one_line(&safe::text(&group.name)), group.found, group.gold);
        if !groups.is_empty() {
            text.push_str(&format!("  found {title}: {}\n", groups.iter().map(of).collect::<Vec<_>>().join(", ")));
        }
    }
    text
}
