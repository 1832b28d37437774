//! What `eval` takes.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use scrubjay_engine::eval::TrialQuery;
use scrubjay_engine::search::{Fusion, Weights};

use super::{everyday, replay, run as folder, stdio};
use crate::failure::Failure;
use crate::globals;
use crate::invocation::Invocation;

const EXAMPLES: &str = "Examples:
  scrubjay eval run --data questions/
  scrubjay eval run --data questions/ --ablation
  scrubjay eval everyday --data sessions/
  scrubjay eval replay --show
  scrubjay eval stdio < requests.jsonl

The folder of `eval run` holds docs.jsonl, a line each:
  {\"id\": \"d1\", \"text\": \"…\", \"session_id\": \"s1\", \"timestamp\": \"2026-05-01T10:00:00Z\", \"role\": \"user\"}
and queries.jsonl:
  {\"text\": \"…\", \"wanted\": [\"d1\"]}";

/// Its arguments.
pub(crate) fn command() -> Command {
    let how = |command: Command| {
        command
            .arg(
                Arg::new("fusion")
                    .long("fusion")
                    .value_name("FUSION")
                    .help("How the arms are put together")
                    .value_parser(Fusion::ALL.map(Fusion::name)),
            )
            .arg(
                Arg::new("without_arm")
                    .long("without-arm")
                    .value_name("ARM")
                    .action(ArgAction::Append)
                    .help("Leave out lexical, vector, entity, time, neighbours or feedback; repeatable"),
            )
            .arg(
                Arg::new("weights")
                    .long("weights")
                    .action(ArgAction::SetTrue)
                    .help("Weigh importance, recency and confidence too; otherwise relevance alone"),
            )
            .arg(
                Arg::new("as_files")
                    .long("as-files")
                    .value_name("ENDING")
                    .help("Write documents to files with this ending, one per session, and index them"),
            )
            .args(globals::arguments())
    };
    let stdio = Command::new("stdio")
        .about("Answer a test harness: JSON lines in, JSON lines out")
        .after_help(
            "Requests:\n  {\"op\":\"reset\",\"ns\":\"a\"}\n  {\"op\":\"ingest\",\"ns\":\"a\",\"docs\":[{\"id\",\"text\",\"session_id\",\"timestamp\",\"role\"}]}\n  {\"op\":\"query\",\"ns\":\"a\",\"text\":\"…\",\"k\":10,\"timestamp\":null}\n  {\"op\":\"block\",\"ns\":\"a\",\"text\":\"…\",\"budget\":2000,\"timestamp\":null}\n  {\"op\":\"sentences\",\"turns\":[{\"role\",\"text\"}]}\nA query may have \"explain\":true, which tells the relevance of each hit and what each arm says, \"without_arms\":[…] and \"fusion\":\"…\". `sentences` tells what is worth keeping of a conversation, and why.",
        );
    let run = Command::new("run")
        .about("Measure recall on your own documents and questions")
        .arg(
            Arg::new("data")
                .long("data")
                .value_name("DIR")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The folder with docs.jsonl and queries.jsonl"),
        )
        .arg(
            Arg::new("ablation")
                .long("ablation")
                .action(ArgAction::SetTrue)
                .help("Also measure with each arm left out and with the other fusions"),
        );
    Command::new("eval")
        .about("Measure how well recall finds what it should")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(how(stdio))
        .subcommand(how(run))
        .subcommand(everyday::command())
        .subcommand(replay::command())
        .args(globals::arguments())
        .after_help(EXAMPLES)
}

/// Does what was asked for.
pub(crate) fn run(invocation: &mut Invocation<'_>, path: &[&str], matches: &ArgMatches) -> Result<u8, Failure> {
    match path {
        [_, "stdio"] => stdio::run(invocation, asked(matches)?, as_files(matches)),
        [_, "run"] => folder::run(invocation, matches, asked(matches)?),
        [_, "everyday"] => everyday::run(invocation, matches),
        [_, "replay"] => replay::run(invocation, matches),
        _ => Err(Failure::invalid("say what to evaluate; `scrubjay help eval` lists what can be")),
    }
}

/// The ending of files, if documents are to be files.
pub(super) fn as_files(matches: &ArgMatches) -> Option<&str> {
    matches.get_one::<String>("as_files").map(String::as_str)
}

fn asked(matches: &ArgMatches) -> Result<TrialQuery, Failure> {
    let mut asked = TrialQuery { weights: Weights::NONE, ..TrialQuery::for_many(100) };
    if matches.get_flag("weights") {
        asked.weights = Weights::default();
    }
    let without: Vec<String> = matches.get_many::<String>("without_arm").into_iter().flatten().cloned().collect();
    varied(asked, &without, matches.get_one::<String>("fusion").map(String::as_str))
}

/// The same with arms left out and another way to put the rest together.
pub(super) fn varied(mut asked: TrialQuery, without: &[String], fusion: Option<&str>) -> Result<TrialQuery, Failure> {
    for arm in without {
        asked.arms = asked.arms.without(arm).map_err(Failure::invalid)?;
    }
    if let Some(name) = fusion {
        let known = || Failure::invalid(format!("`{name}` is not a fusion; use convex, rrf or weighted"));
        asked.fusion = Fusion::from_name(name).ok_or_else(known)?;
    }
    Ok(asked)
}
