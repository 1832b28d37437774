//! The tables.

use std::fmt::Write as _;
use std::time::Duration;

use super::contender::By;
use super::probe::Fresh;
use super::run::{Case, Measured};
use crate::measure::Taken;

const MEGABYTE: f64 = 1e6;
const FTS5_DIFFERS: &str = "Both rank all documents with any of the words, but FTS5 gives next to nothing for a word that more than half of the documents have, and less than the usual formula for one that many have: hence other lists, most of all where most words are stop words.\n\n";

/// All tables of a run.
pub(super) fn tables(measured: &[Measured]) -> anyhow::Result<String> {
    let mut out = String::from(
        "## Search at size\n\nThe best 10 of vectors of 384 dimensions and of texts of about 40 words. CPU is that of the searching thread; × is CPU to CPU. ",
    );
    for measured in measured {
        write!(out, "{} questions at {} items. ", measured.questions, grouped(measured.size))?;
    }
    out.push_str("\n\n");
    search(&mut out, measured, "vector", "sqlite-vec f32", "recall@10", |by| by == By::Vector)?;
    search(&mut out, measured, "words", "FTS5 bm25", "same 10", |by| matches!(by, By::Words | By::TellingWords))?;
    out.push_str(FTS5_DIFFERS);
    search(&mut out, measured, "words and vector", "SQLite", "same 10", |by| by == By::Both)?;
    fresh(&mut out, measured)?;
    build(&mut out, measured)?;
    room(&mut out, measured)?;
    operations(&mut out, measured)?;
    store(&mut out, measured)?;
    Ok(out)
}

fn operations(out: &mut String, measured: &[Measured]) -> anyhow::Result<()> {
    out.push_str(
        "\n## The whole product at size\n\n| operation | memories | CPU ms p50 | p99 | wall ms p50 | p99 | SQLite, words and vector, CPU ms | × |\n|---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let names = measured.first().map(|one| one.operations.iter().map(|operation| operation.name));
    for name in names.into_iter().flatten() {
        for one in measured {
            for operation in one.operations.iter().filter(|operation| operation.name == name) {
                let (median, late) = (operation.median, operation.late);
                let compared = operation.baseline.map_or_else(
                    || " | ".to_owned(),
                    |other| format!("{} | {}", millis(other.cpu), times(median.cpu, other.cpu)),
                );
                let own = [median.cpu, late.cpu, median.wall, late.wall].map(millis).join(" | ");
                writeln!(out, "| {name} | {} | {own} | {compared} |", grouped(one.size))?;
            }
        }
    }
    out.push('\n');
    Ok(())
}

fn store(out: &mut String, measured: &[Measured]) -> anyhow::Result<()> {
    out.push_str(
        "| memories | captured, rows/s wall | CPU s | what follows, wall s | CPU s | store MB | index MB | private memory MB | mapped MB |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for one in measured {
        let built = &one.product;
        let resident = one.operations.iter().find_map(|operation| operation.resident);
        let memory = resident.map_or_else(
            || "– | –".to_owned(),
            |memory| format!("{} | {}", megabytes(memory.private_bytes), megabytes(memory.mapped_bytes)),
        );
        writeln!(
            out,
            "| {} | {:.0} | {:.1} | {:.1} | {:.1} | {} | {} | {memory} |",
            grouped(one.size),
            one.size as f64 / built.captured.wall.as_secs_f64(),
            built.captured.cpu.as_secs_f64(),
            built.followed.wall.as_secs_f64(),
            built.followed.cpu.as_secs_f64(),
            megabytes(built.store_bytes),
            megabytes(built.index_bytes),
        )?;
    }
    Ok(())
}

fn search(
    out: &mut String,
    measured: &[Measured],
    title: &str,
    other: &str,
    shared: &str,
    wanted: impl Fn(By) -> bool,
) -> anyhow::Result<()> {
    writeln!(out, "| by {title} | items | CPU ms | wall ms | {other} CPU ms | wall ms | × | {shared} |")?;
    out.push_str("|---|--:|--:|--:|--:|--:|--:|--:|\n");
    let cases: Vec<&Case> = measured.iter().flat_map(|one| &one.cases).filter(|case| wanted(case.by)).collect();
    let mut names: Vec<&str> = Vec::new();
    cases.iter().for_each(|case| {
        if !names.contains(&case.name) {
            names.push(case.name);
        }
    });
    for name in names {
        for one in measured {
            for case in one.cases.iter().filter(|case| wanted(case.by) && case.name == name) {
                let (times, size) = (both(case.ours, case.baseline), grouped(one.size));
                writeln!(out, "| {name} | {size} | {times} | {:.3} |", case.shared)?;
            }
        }
    }
    out.push('\n');
    Ok(())
}

/// One of the times of fresh processes.
type Pick = fn(&Fresh) -> Option<Taken>;

fn fresh(out: &mut String, measured: &[Measured]) -> anyhow::Result<()> {
    out.push_str(
        "| fresh process to its first answer, words and vector | items | CPU ms | wall ms | SQLite CPU ms | wall ms | × |\n|---|--:|--:|--:|--:|--:|--:|\n",
    );
    let rows: [(&str, Pick); 2] =
        [("files in memory", |fresh| Some(fresh.from_memory)), ("files on disk", |fresh| fresh.from_disk)];
    for (name, pick) in rows {
        for one in measured {
            if let (Some(ours), Some(other)) = (pick(&one.fresh), pick(&one.baseline_fresh)) {
                writeln!(out, "| {name} | {} | {} |", grouped(one.size), both(ours, other))?;
            }
        }
    }
    out.push('\n');
    Ok(())
}

fn build(out: &mut String, measured: &[Measured]) -> anyhow::Result<()> {
    out.push_str(
        "| build, CPU s (wall s) | terms, int8 | segments | all | sqlite-vec | FTS5 | both |\n|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for one in measured {
        let (ours, other) = (&one.built, &one.baseline_built);
        let columns = [
            ours.prepared,
            ours.written,
            sum(ours.prepared, ours.written),
            other.vectors,
            other.words,
            sum(other.vectors, other.words),
        ];
        let columns: Vec<String> = columns
            .iter()
            .map(|taken| format!("{:.2} ({:.2})", taken.cpu.as_secs_f64(), taken.wall.as_secs_f64()))
            .collect();
        writeln!(out, "| {} | {} |", grouped(one.size), columns.join(" | "))?;
    }
    out.push('\n');
    Ok(())
}

fn room(out: &mut String, measured: &[Measured]) -> anyhow::Result<()> {
    out.push_str(
        "| room, MB | disk | sqlite-vec disk | FTS5 disk | private memory | mapped | SQLite private memory | mapped |\n|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for one in measured {
        let mut columns = vec![
            megabytes(one.built.size_bytes),
            megabytes(one.baseline_built.vectors_bytes),
            megabytes(one.baseline_built.words_bytes),
        ];
        for fresh in [&one.fresh, &one.baseline_fresh] {
            let resident = fresh.resident.map(|memory| [memory.private_bytes, memory.mapped_bytes].map(megabytes));
            columns.extend(resident.unwrap_or_else(|| ["–".to_owned(), "–".to_owned()]));
        }
        writeln!(out, "| {} | {} |", grouped(one.size), columns.join(" | "))?;
    }
    Ok(())
}

/// Four times and how many times as much CPU the other side takes.
fn both(ours: Taken, other: Taken) -> String {
    let times = times(ours.cpu, other.cpu);
    format!("{} | {} | {} | {} | {times}", millis(ours.cpu), millis(ours.wall), millis(other.cpu), millis(other.wall))
}

/// How many times as long the other takes.
fn times(ours: Duration, other: Duration) -> String {
    let times = other.as_secs_f64() / ours.as_secs_f64().max(1e-9);
    if times < 10.0 { format!("{times:.1}") } else { format!("{times:.0}") }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / MEGABYTE)
}

fn sum(one: Taken, other: Taken) -> Taken {
    Taken { wall: one.wall + other.wall, cpu: one.cpu + other.cpu }
}

/// Milliseconds, three digits that count.
fn millis(time: Duration) -> String {
    let millis = time.as_secs_f64() * 1e3;
    match millis {
        ..1.0 => format!("{millis:.3}"),
        ..10.0 => format!("{millis:.2}"),
        ..100.0 => format!("{millis:.1}"),
        _ => format!("{millis:.0}"),
    }
}

/// A number with a comma between thousands.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(10_000), "10,000");
        assert_eq!(grouped(1_000_000), "1,000,000");
        assert_eq!(millis(Duration::from_micros(53)), "0.053");
        assert_eq!(millis(Duration::from_micros(4_567)), "4.57");
        assert_eq!(millis(Duration::from_millis(503)), "503");
    }
}
