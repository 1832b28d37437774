//! One size after the other.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::baseline::{self, Baseline};
use super::contender::{Among, Asked, By, ask, recall};
use super::corpus::{Corpus, Question};
use super::ours::{self, Ours};
use super::plot::plot;
use super::probe::{self, Fresh};
use super::product::{self, Product};
use super::report::tables;
use super::vectors::CorpusVectors;
use crate::measure::{Stopwatch, Taken, percentiles};
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
    pub(super) product: product::Built,
    pub(super) operations: Vec<Operation>,
}

/// One operation of the product.
pub(super) struct Operation {
    pub(super) name: &'static str,
    pub(super) median: Taken,
    /// 99 of 100 take no longer.
    pub(super) late: Taken,
    /// What SQLite takes for as much, where it can be compared.
    pub(super) baseline: Option<Taken>,
    /// After it, in a fresh process; none in one that is warm.
    pub(super) resident: Option<probe::Resident>,
}

/// One way of asking.
pub(super) struct Case {
    pub(super) by: By,
    pub(super) among: Among,
    pub(super) name: &'static str,
    pub(super) ours: Taken,
    pub(super) baseline: Taken,
    /// The share of the answers of the other side that are among ours.
    pub(super) shared: f64,
}

/// The tables.
pub(crate) fn run(options: &Options) -> anyhow::Result<String> {
    let corpus = Arc::new(Corpus::new()?);
    let measured: Vec<Measured> =
        options.sizes.iter().map(|size| measure(&corpus, *size)).collect::<anyhow::Result<_>>()?;
    if let Some(path) = &options.plot {
        fs::write(path, plot(&measured)?)?;
    }
    tables(&measured)
}

fn measure(corpus: &Arc<Corpus>, size: u64) -> anyhow::Result<Measured> {
    let sides = tempfile::tempdir_in(".")?;
    let [ours, other] = [probe::OURS, probe::BASELINE].map(|name| sides.path().join(name));
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
        25
    };
    let questions = &corpus.questions[..count.min(corpus.questions.len())];
    let cases = ask_both(&ours, &other, questions)?;
    probe::write_questions(&ours, questions)?;
    probe::write_questions(&other, &questions[..questions.len().min(5)])?;
    let (fresh, baseline_fresh) = (probe::measure(probe::OURS, &ours)?, probe::measure(probe::BASELINE, &other)?);
    // Room for the store, which is the largest.
    sides.close()?;
    let store = tempfile::tempdir_in(".")?;
    let product = product::build(corpus, size, store.path())?;
    probe::write_questions(store.path(), questions)?;
    let operations = ask_product(store.path(), questions, &cases, &baseline_fresh)?;
    Ok(Measured {
        size,
        questions: questions.len(),
        cases,
        built,
        baseline_built,
        fresh,
        baseline_fresh,
        product,
        operations,
    })
}

fn ask_product(
    folder: &Path,
    questions: &[Question],
    cases: &[Case],
    baseline_fresh: &Fresh,
) -> anyhow::Result<Vec<Operation>> {
    let product = Product::open(folder, CorpusVectors::new(None, questions), "auto")?;
    let mut operations = Vec::new();
    for (name, among) in [
        ("recall", Among::All),
        ("recall in a project with 10 % of all", Among::Scope),
        ("recall of one type, 10 %", Among::Kind),
    ] {
        let taken = time_each(questions, |question, _| product.recall(question, among).map(drop))?;
        let baseline = cases.iter().find(|case| case.by == By::Both && case.among == among).map(|case| case.baseline);
        operations.push(Operation::warm(name, &taken, baseline));
    }
    let taken = time_each(questions, |question, round| product.inject(question, &format!("asking-{round}")).map(drop))?;
    operations.push(Operation::warm("inject", &taken, None));
    let taken = time_each(questions, |_, _| product.list())?;
    operations.push(Operation::warm("list", &taken, None));
    drop(product);
    // What the cross-encoder adds. The questions are made of words at random, so that it reads as many candidates as ever.
    let product = Product::open(folder, CorpusVectors::new(None, questions), "off")?;
    let taken = time_each(questions, |question, _| product.recall(question, Among::All).map(drop))?;
    operations.push(Operation::warm("recall, no reranking", &taken, None));
    let session = |round| format!("asking-without-reranking-{round}");
    let taken = time_each(questions, |question, round| product.inject(question, &session(round)).map(drop))?;
    operations.push(Operation::warm("inject, no reranking", &taken, None));
    drop(product);
    for (name, side, baseline) in [
        ("recall, fresh process", probe::RECALL, Some(baseline_fresh.from_memory)),
        ("inject, fresh process", probe::INJECT, None),
    ] {
        let fresh = probe::measure(side, folder)?;
        operations.push(Operation {
            name,
            median: fresh.from_memory,
            late: fresh.late,
            baseline,
            resident: fresh.resident,
        });
    }
    Ok(operations)
}

/// Several rounds of all questions, the first of which does not count.
fn time_each(
    questions: &[Question],
    mut ask: impl FnMut(&Question, usize) -> anyhow::Result<()>,
) -> anyhow::Result<Vec<Taken>> {
    let mut taken = Vec::new();
    for round in 0..=ROUNDS {
        for question in questions {
            let mut watch = Stopwatch::default();
            watch.time(|| ask(question, round))?;
            if round > 0 {
                taken.push(watch.taken());
            }
        }
    }
    Ok(taken)
}

impl Operation {
    fn warm(name: &'static str, taken: &[Taken], baseline: Option<Taken>) -> Operation {
        let (median, late) = (percentiles(taken, 50), percentiles(taken, 99));
        Operation { name, median, late, baseline, resident: None }
    }
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
        (By::Both, Among::All, "all"),
        (By::Both, Among::Scope, "one scope, 10 %"),
        (By::Both, Among::Kind, "one kind, 10 %"),
    ];
    let mut cases = Vec::new();
    for (by, among, name) in plan {
        let baseline = ask(&other, questions, by, among, 1)?;
        cases.push(case(by, among, name, &ask(&ours, questions, by, among, ROUNDS)?, &baseline));
        if (by, among) == (By::Words, Among::All) {
            ours.stop_word_weight = RECALL_STOP_WORD_WEIGHT;
            let weighed = ask(&ours, questions, by, among, ROUNDS)?;
            cases.push(case(by, among, "8 words, stop words at a tenth", &weighed, &baseline));
            ours.stop_word_weight = 1.0;
        }
    }
    Ok(cases)
}

fn case(by: By, among: Among, name: &'static str, ours: &Asked, baseline: &Asked) -> Case {
    let shared = recall(&ours.answers, &baseline.answers);
    Case { by, among, name, ours: ours.taken, baseline: baseline.taken, shared }
}
