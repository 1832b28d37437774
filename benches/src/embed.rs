//! What a vector costs: the built-in model on a question, on a text, and on many texts.

use std::fmt::Write as _;
use std::num::NonZeroUsize;

use scrubjay_models::builtin::{Model, granite};

use crate::measure::{Stopwatch, median, medians, micros, on_this_thread};
use crate::search::SENTENCES;

const QUESTIONS: usize = 100;
/// How many sentences make a text of about a hundred tokens.
const SENTENCES_OF_A_TEXT: usize = 5;
const TEXTS: usize = 40;

/// The table.
pub(crate) fn run() -> anyhow::Result<String> {
    let sentences: Vec<&str> = SENTENCES.lines().collect();
    let texts: Vec<String> =
        sentences.chunks_exact(SENTENCES_OF_A_TEXT).take(TEXTS).map(|chunk| chunk.join(" ")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let loaded = median(5, || {
        Model::new(granite()?)?;
        Ok(())
    })?;
    let model = Model::new(granite()?)?;
    let tokens = |texts: &[&str]| texts.iter().map(|text| model.tokens(text).len()).sum::<usize>();
    // The weights are read when they are used first.
    drop(model.embed(&texts[..1], NonZeroUsize::MIN));
    let mut out = format!(
        "## Embedding\n\n{}, {}.\n\n| one after another, one thread | tokens | wall µs | CPU µs |\n|---|--:|--:|--:|\n",
        model.name(),
        model.instructions()
    );
    writeln!(out, "| loading the model | | {} | {} |", micros(loaded.wall), micros(loaded.cpu))?;
    for (name, texts) in [("a question", &sentences[..QUESTIONS]), ("a text", &texts[..])] {
        let mut taken = Vec::with_capacity(texts.len());
        for text in texts {
            taken.push(on_this_thread(|| Ok(model.embed(&[text], NonZeroUsize::MIN)))?.1);
        }
        let taken = medians(&taken);
        writeln!(out, "| {name} | {} | {} | {} |", tokens(texts) / texts.len(), micros(taken.wall), micros(taken.cpu))?;
    }
    out.push_str("\n| many texts in one call | tokens/s wall | tokens/s CPU | texts/s wall |\n|---|--:|--:|--:|\n");
    for threads in [1, 2] {
        let mut watch = Stopwatch::default();
        watch.time(|| Ok(model.embed(&texts, NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN))))?;
        let (taken, tokens) = (watch.taken(), tokens(&texts) as f64);
        let (wall, cpu) = (taken.wall.as_secs_f64(), taken.cpu.as_secs_f64());
        let label = if threads == 1 { "1 thread" } else { "2 threads" };
        writeln!(out, "| {label} | {:.0} | {:.0} | {:.1} |", tokens / wall, tokens / cpu, texts.len() as f64 / wall)?;
    }
    Ok(out)
}
