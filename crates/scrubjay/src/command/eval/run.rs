//! `eval run`: a folder of documents and questions, and a table.

use std::path::PathBuf;

use clap::ArgMatches;
use scrubjay_engine::eval::{Metrics, TestDocument, TestQuestion, TrialQuery, mean, metrics};
use scrubjay_engine::search::{Arms, Fusion};
use serde_json::json;

use super::arguments::as_files;
use super::lines::read;
use super::scratch::ScratchTrial;
use crate::failure::Failure;
use crate::invocation::{Invocation, block_on};

/// Measures, and prints the table.
pub(super) fn run(invocation: &mut Invocation<'_>, matches: &ArgMatches, asked: TrialQuery) -> Result<u8, Failure> {
    let Some(folder) = matches.get_one::<PathBuf>("data") else {
        return Err(Failure::invalid("say where the documents are: --data DIR"));
    };
    let documents = read(&folder.join("docs.jsonl"))?;
    let documents: Vec<TestDocument> = documents.into_iter().map(|line| line.record).collect();
    let questions = read(&folder.join("queries.jsonl"))?.into_iter().map(|line| line.record);
    let questions: Vec<TestQuestion> =
        questions.filter(|question: &TestQuestion| !question.wanted.is_empty()).collect();
    if documents.is_empty() || questions.is_empty() {
        return Err(Failure::invalid(format!(
            "{} holds no documents, or no questions with `wanted`",
            folder.display()
        )));
    }
    invocation.note(&format!("{} documents, {} questions", documents.len(), questions.len()));
    let mut scratch = ScratchTrial::new(invocation, as_files(matches))?;
    block_on(async {
        scratch.trial.add(documents).await?;
        Ok(scratch.trial.settle().await?)
    })?;
    let mut rows = Vec::new();
    for (name, asked) in variants(asked, matches.get_flag("ablation")) {
        let measured = measure(&mut scratch, &questions, asked)?;
        rows.push((name, measured));
    }
    if invocation.json() {
        let rows: Vec<_> = rows.iter().map(|(name, measured)| record(name, measured)).collect();
        invocation.console.json(&json!({"questions": questions.len(), "rows": rows}))?;
    } else {
        let mut text =
            format!("{:24}{:>8}{:>8}{:>8}{:>8}{:>9}{:>8}\n", "%", "R@5", "R@10", "R@20", "all@5", "NDCG@10", "MRR");
        for (name, m) in &rows {
            text.push_str(&format!(
                "{name:24}{:>8.1}{:>8.1}{:>8.1}{:>8.1}{:>9.1}{:>8.1}\n",
                100.0 * m.recall[0],
                100.0 * m.recall[1],
                100.0 * m.recall[2],
                100.0 * m.all_in_5,
                100.0 * m.ndcg_10,
                100.0 * m.reciprocal_rank,
            ));
        }
        invocation.console.data(&text)?;
    }
    Ok(0)
}

fn measure(scratch: &mut ScratchTrial, questions: &[TestQuestion], asked: TrialQuery) -> Result<Metrics, Failure> {
    let mut all = Vec::with_capacity(questions.len());
    for question in questions {
        let found =
            block_on(async { Ok(scratch.trial.ask(&question.text, question.timestamp.as_deref(), asked).await?) })?;
        let ids: Vec<String> = found.into_iter().map(|hit| hit.id).collect();
        all.push(metrics(&ids, &question.wanted));
    }
    Ok(mean(&all))
}

fn variants(asked: TrialQuery, ablation: bool) -> Vec<(String, TrialQuery)> {
    let mut variants = vec![("as set up".to_owned(), asked)];
    if !ablation {
        return variants;
    }
    for arm in Arms::NAMES {
        if let Ok(arms) = asked.arms.without(arm) {
            variants.push((format!("without {arm}"), TrialQuery { arms, ..asked }));
        }
    }
    for fusion in Fusion::ALL.into_iter().filter(|fusion| *fusion != asked.fusion) {
        variants.push((format!("fusion {}", fusion.name()), TrialQuery { fusion, ..asked }));
    }
    variants
}

fn record(name: &str, measured: &Metrics) -> serde_json::Value {
    json!({
        "variant": name,
        "recall_at_5": measured.recall[0],
        "recall_at_10": measured.recall[1],
        "recall_at_20": measured.recall[2],
        "all_at_5": measured.all_in_5,
        "ndcg_at_10": measured.ndcg_10,
        "mrr": measured.reciprocal_rank,
    })
}
