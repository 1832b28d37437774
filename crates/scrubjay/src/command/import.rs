//! `import`: a file's lines to the operation, in parts, and the sum of the
//! answers.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};
use scrubjay_engine::Ctx;
use scrubjay_engine::ops::{self, Entry, Import, ImportInput, ImportOutput};
use serde_json::{Value, json};

use super::lines::Lines;
use super::progress::Progress;
use crate::derive::{argument, collect, fields};
use crate::failure::Failure;
use crate::invocation::{Invocation, block_on};
use crate::output::{self, Answer};

/// Lines sent at once.
const PART_LINES: usize = 500;
/// Bytes sent at once; one line may be longer.
const PART_BYTES: usize = 8 << 20;
/// The longest line.
const LINE_BYTES: usize = 16 << 20;
/// The largest file.
const FILE_BYTES: u64 = 4 << 30;
/// Skipped lines and warnings that are listed; more are only counted.
const LISTED: usize = 10_000;

/// Adds its arguments: those of the operation, and what to read.
pub(crate) fn arguments(command: Command, schema: &Value) -> Command {
    let file = Arg::new("file").value_name("FILE").required(true).value_parser(value_parser!(PathBuf));
    command.arg(file.help("The file to read; - reads standard input")).args(fields(schema).iter().filter_map(argument))
}

/// Imports the file.
pub(crate) fn run(invocation: &mut Invocation<'_>, entry: &Entry, matches: &ArgMatches) -> Result<u8, Failure> {
    let input = collect(&fields(entry.input_schema()), matches, invocation.console)?;
    let options: ImportInput =
        serde_json::from_value(Value::Object(input.clone())).map_err(|error| Failure::invalid(error.to_string()))?;
    let Some(path) = matches.get_one::<PathBuf>("file") else {
        return Err(Failure::invalid("say which file to import"));
    };
    let (reader, size_bytes) = open(invocation, path)?;
    let ctx = invocation.context()?;
    block_on(async {
        let progress = Progress::of_bytes(invocation, "importing", size_bytes);
        let mut sum = Sum::default();
        let done = read(&ctx, Lines::new(reader, LINE_BYTES), &options, &mut sum, &progress).await;
        drop(progress);
        if let Err(failure) = done {
            // What was read before the failure is kept; say so before the error.
            invocation.note(&stopped(&sum));
            invocation.drain(&ctx).await;
            return Err(failure);
        }
        let nothing_fit = sum.lines > 0 && sum.skipped == sum.lines;
        let answer = sum.answer();
        if invocation.json() {
            invocation.console.json(&answer)?;
        } else {
            let page = output::page(invocation.palette(), invocation.console.facts.columns, ctx.now());
            let input = Value::Object(input);
            invocation.console.data(&output::render(entry.name, &Answer::new(&input, &answer, None), page))?;
        }
        invocation.console.flush()?;
        invocation.warn_of(&answer);
        // What brought nothing leaves nothing to do.
        if answer.get("run").is_some_and(Value::is_string) {
            invocation.drain(&ctx).await;
        }
        Ok(u8::from(nothing_fit))
    })
}

fn open(invocation: &mut Invocation<'_>, path: &Path) -> Result<(Box<dyn Read + Send>, Option<u64>), Failure> {
    if path.as_os_str() == "-" {
        return Ok((invocation.console.take_input(), None));
    }
    let failed = |error| Failure::io(&format!("read {}", path.display()), error);
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if metadata.is_dir() {
        return Err(Failure::invalid(format!("{} is a folder; name a file in it", path.display())));
    }
    if metadata.len() > FILE_BYTES {
        return Err(too_large());
    }
    Ok((Box::new(file), metadata.is_file().then_some(metadata.len())))
}

async fn read(
    ctx: &Ctx,
    mut lines: Lines<Box<dyn Read + Send>>,
    options: &ImportInput,
    sum: &mut Sum,
    progress: &Progress,
) -> Result<(), Failure> {
    let mut part = ImportBatch::default();
    while let Some(line) = lines.next().map_err(|error| Failure::io("read the file", error))? {
        if lines.read_bytes() > FILE_BYTES {
            return Err(too_large());
        }
        sum.lines += 1;
        match line.text {
            Ok(text) => {
                // A part has consecutive lines, so that it can be told where it
                // begins; a gap of empty lines is filled up.
                if part.gap(line.number) > PART_LINES {
                    send(ctx, options, &mut part, sum).await?;
                }
                part.add(line.number, text);
            }
            Err(reason) => sum.skip(line.number, reason),
        }
        if part.is_full() {
            send(ctx, options, &mut part, sum).await?;
            progress.at(lines.read_bytes());
        }
    }
    send(ctx, options, &mut part, sum).await
}

async fn send(ctx: &Ctx, options: &ImportInput, part: &mut ImportBatch, sum: &mut Sum) -> Result<(), Failure> {
    let ImportBatch { first_line, lines, .. } = std::mem::take(part);
    if lines.is_empty() {
        return Ok(());
    }
    // All parts are one run, so that one undo takes the whole import back.
    let run = sum.total.run.clone();
    let input = ImportInput { lines, first_line, run, ..options.clone() };
    sum.add(ops::run::<Import>(ctx, input).await?);
    Ok(())
}

fn too_large() -> Failure {
    Failure::invalid(format!("the file has more than {} GiB; split it and import the parts", FILE_BYTES >> 30))
}

fn stopped(sum: &Sum) -> String {
    let imported = sum.total.memories + sum.total.duplicates;
    format!("The import stopped after {imported} memories; they are kept, and importing again goes on from there.")
}

/// Consecutive lines that are sent at once.
#[derive(Default)]
struct ImportBatch {
    first_line: usize,
    lines: Vec<String>,
    bytes: usize,
}

impl ImportBatch {
    // How many lines would have to be filled up before this one.
    fn gap(&self, number: usize) -> usize {
        if self.lines.is_empty() { 0 } else { number - (self.first_line + self.lines.len()) }
    }

    fn add(&mut self, number: usize, text: String) {
        if self.lines.is_empty() {
            self.first_line = number;
        }
        let gap = self.gap(number);
        self.lines.extend(std::iter::repeat_n(String::new(), gap));
        self.bytes += text.len();
        self.lines.push(text);
    }

    fn is_full(&self) -> bool {
        self.lines.len() >= PART_LINES || self.bytes >= PART_BYTES
    }
}

/// The sum of the answers.
#[derive(Default)]
struct Sum {
    lines: usize,
    skipped: usize,
    warned: usize,
    total: ImportOutput,
}

impl Sum {
    fn add(&mut self, part: ImportOutput) {
        self.total.memories += part.memories;
        self.total.duplicates += part.duplicates;
        self.total.forgotten.extend(part.forgotten);
        self.total.links += part.links;
        self.total.entities += part.entities;
        self.total.sessions += part.sessions;
        self.total.run = part.run.or(self.total.run.take());
        for line in part.skipped {
            self.skip(line.line, line.reason);
        }
        for warning in part.warnings {
            self.warned += 1;
            if self.warned <= LISTED {
                self.total.warnings.push(warning);
            }
        }
    }

    fn skip(&mut self, line: usize, reason: String) {
        self.skipped += 1;
        if self.skipped <= LISTED {
            self.total.skipped.push(Default::default());
            if let Some(skipped) = self.total.skipped.last_mut() {
                (skipped.line, skipped.reason) = (line, reason);
            }
        }
    }

    fn answer(mut self) -> Value {
        self.total.skipped.sort_by_key(|skipped| skipped.line);
        for (count, what) in [(self.skipped, "skipped lines"), (self.warned, "warnings")] {
            if count > LISTED {
                self.total.warnings.push(format!("{} more {what} are not listed", count - LISTED));
            }
        }
        serde_json::to_value(&self.total).unwrap_or_else(|_| json!({}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_know_where_they_begin_and_fill_gaps() {
        let mut part = ImportBatch::default();
        assert_eq!(part.gap(900), 0);
        part.add(3, "a".to_owned());
        assert_eq!(part.gap(6), 2);
        part.add(6, "b".to_owned());
        assert_eq!((part.first_line, part.lines.join("|")), (3, "a|||b".to_owned()));
        assert!(!part.is_full());
        part.add(7, "x".repeat(PART_BYTES));
        assert!(part.is_full());
    }

    #[test]
    fn endless_complaints_are_counted_not_listed() {
        let mut sum = Sum::default();
        for line in 0..LISTED + 5 {
            sum.skip(line + 1, "no".to_owned());
        }
        let answer = sum.answer();
        assert_eq!(answer["skipped"].as_array().unwrap().len(), LISTED);
        assert_eq!(answer["warnings"][0], "5 more skipped lines are not listed");
    }
}
