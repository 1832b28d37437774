//! One size after the other.

use std::fs;
use std::path::Path;

use super::baseline::{self, Baseline};
use super::contender::{Among, Asked, By, ask, recall};
use super::corpus::{Corpus, Question};
use super::ours::{self, Ours};
use super::plot::plot;
use super::probe::{self, Fresh};
use super::report::tables;
use crate::measure::Taken;
use crate::options::Options;

/// What recall gives to function words beside others.
const RECALL_STOP_WORD_WEIGHT: f32 = 0.1;
/// How often we are asked all questions; the others take longer and are asked once.
const ROUNDS: usize = 3;

/// Everything about one size.
pub(super) struct Measured {
    pub(super) size: u64,
    pub(super) questions: usize,
    pub(super) cases: Vec<Case>,
    pub(super) built: ours::Built,
    pub(super) baseline_built: baseline::Built,
    pub(super) fresh: Fresh,
    pub(super) baseline_fresh: Fresh,
}

/// One way of asking.
pub(super) struct Case {
    pub(super) by: By,
    pub(super) name: &'static str,
    pub(super) ours: Taken,
    pub(super) baseline: Taken,
    /// The share of the answers of the other side that are among ours.
    pub(super) shared: f64,
}

/// The tables.
pub(crate) fn run(options: &Options) -> anyhow::Result<String> {
    let corpus = Corpus::new()?;
    let measured: Vec<Measured> =
        options.sizes.iter().map(|size| measure(&corpus, *size)).collect::<anyhow::Result<_>>()?;
    if let Some(path) = &options.plot {
        fs::write(path, plot(&measured)?)?;
    }
    tables(&measured)
}

fn measure(corpus: &Corpus, size: u64) -> anyhow::Result<Measured> {
    let folder = tempfile::tempdir_in(".")?;
    let (ours, other) = (folder.path().join(probe::OURS), folder.path().join(probe::BASELINE));
    fs::create_dir(&ours)?;
    fs::create_dir(&other)?;
    let built = ours::build(corpus, size, &ours)?;
    let baseline_built = baseline::build(corpus, size, &other)?;
    // Exact answers over many documents take long, so fewer are asked for.
    let count = if size <= 20_000 {
        200
    } else if size <= 200_000 {
        100
    } else {
        50
    };
    let questions = &corpus.questions[..count.min(corpus.questions.len())];
    let cases = ask_both(&ours, &other, questions)?;
    probe::write_questions(&ours, questions)?;
    probe::write_questions(&other, &questions[..questions.len().min(5)])?;
    let (fresh, baseline_fresh) = (probe::measure(probe::OURS, &ours)?, probe::measure(probe::BASELINE, &other)?);
    Ok(Measured { size, questions: questions.len(), cases, built, baseline_built, fresh, baseline_fresh })
}

fn ask_both(ours: &Path, other: &Path, questions: &[Question]) -> anyhow::Result<Vec<Case>> {
    let (mut ours, other) = (Ours::open(ours)?, Baseline::open(other)?);
    let plan = [
        (By::Vector, Among::All, "all"),
        (By::Vector, Among::Scope, "one scope, 10 %"),
        (By::Vector, Among::Kind, "one kind, 10 %"),
        (By::Words, Among::All, "8 words"),
        (By::TellingWords, Among::All, "8 words, none a stop word"),
        (By::Words, Among::Scope, "8 words, one scope, 10 %"),
        (By::Words, Among::Kind, "8 words, one kind, 10 %"),
    ];
    let mut cases = Vec::new();
    for (by, among, name) in plan {
        let baseline = ask(&other, questions, by, among, 1)?;
        cases.push(case(by, name, &ask(&ours, questions, by, among, ROUNDS)?, &baseline));
        if (by, among) == (By::Words, Among::All) {
            ours.stop_word_weight = RECALL_STOP_WORD_WEIGHT;
            let weighed = ask(&ours, questions, by, among, ROUNDS)?;
            cases.push(case(by, "8 words, stop words at a tenth", &weighed, &baseline));
            ours.stop_word_weight = 1.0;
        }
    }
    Ok(cases)
}

fn case(by: By, name: &'static str, ours: &Asked, baseline: &Asked) -> Case {
    let shared = recall(&ours.answers, &baseline.answers);
    Case { by, name, ours: ours.taken, baseline: baseline.taken, shared }
}
