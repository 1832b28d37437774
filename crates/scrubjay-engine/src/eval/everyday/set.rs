//! Conversations, later prompts, and the facts worth keeping.

use std::collections::{BTreeMap, BTreeSet};

use scrubjay_core::scope::ProjectId;
use scrubjay_core::time::Timestamp;
use serde::Deserialize;

use crate::{EngineError, Result};

/// One message of a conversation: a line of `docs.jsonl`.
#[derive(Debug, Clone, Deserialize)]
pub struct TestTurn {
    /// Its project.
    #[serde(rename = "ns", default = "only_project")]
    pub project: String,
    /// Its id, unique within the project.
    pub id: String,
    /// The conversation.
    pub session_id: String,
    /// When it was said.
    pub timestamp: Timestamp,
    /// Who said it.
    pub role: String,
    /// What was said.
    pub text: String,
}

/// A prompt that comes later: a line of `queries.jsonl`.
#[derive(Debug, Clone, Deserialize)]
pub struct EverydayPrompt {
    /// Its id, for the reader.
    #[serde(default)]
    pub qid: Option<String>,
    /// The project it is asked in.
    #[serde(rename = "ns", default = "only_project")]
    pub project: String,
    /// What is asked.
    pub text: String,
    /// The row of the table it belongs to.
    #[serde(default)]
    pub category: Option<String>,
    /// The turns that help with it.
    #[serde(default)]
    pub gold_docs: Vec<String>,
    /// Nothing that was said helps with it.
    #[serde(default)]
    pub abstain: bool,
    /// Turns that say what no longer holds.
    #[serde(default)]
    pub outdated_docs: Vec<String>,
}

/// A fact worth keeping: a line of `facts.jsonl`.
#[derive(Debug, Clone, Deserialize)]
pub struct GoldFact {
    /// Its project.
    #[serde(rename = "ns", default = "only_project")]
    pub project: String,
    /// What it says.
    pub fact: String,
    /// Of which type it is, for the reader.
    #[serde(default, rename = "type")]
    pub memory_type: Option<String>,
    /// The turns that say so.
    pub evidence: Vec<String>,
    /// Whether it is worth keeping for long.
    #[serde(default = "yes")]
    pub lasting: bool,
}

/// The project of what names none.
fn only_project() -> String {
    "eval".to_owned()
}

fn yes() -> bool {
    true
}

/// A record and the line that it was read from.
#[derive(Debug, Clone)]
pub struct Numbered<T> {
    /// From 1.
    pub line: usize,
    /// What it says.
    pub record: T,
}

/// Conversations, prompts and facts that fit together.
#[derive(Debug, Clone)]
pub struct EverydaySet {
    pub(super) turns: Vec<TestTurn>,
    pub(super) prompts: Vec<EverydayPrompt>,
    pub(super) facts: Vec<GoldFact>,
}

impl EverydaySet {
    /// Checks that every name leads somewhere. A misspelt id would otherwise count as something that was not found.
    /// Without prompts, only what is learned of the conversations is measured.
    ///
    /// # Errors
    /// Names the file and the line of what does not fit.
    pub fn new(
        turns: Vec<Numbered<TestTurn>>,
        prompts: Vec<Numbered<EverydayPrompt>>,
        facts: Vec<Numbered<GoldFact>>,
    ) -> Result<Self> {
        if turns.is_empty() || (prompts.is_empty() && facts.is_empty()) {
            let empty = if turns.is_empty() { "docs.jsonl holds no turns" } else { "queries.jsonl holds no prompts" };
            return Err(EngineError::invalid(empty));
        }
        let known = known_turns(&turns)?;
        for Numbered { line, record } in &prompts {
            check_prompt(record, &known).map_err(|why| wrong("queries.jsonl", *line, &why))?;
        }
        for Numbered { line, record } in &facts {
            let checked = check_names("evidence", &record.evidence, &record.project, &known);
            checked.map_err(|why| wrong("facts.jsonl", *line, &why))?;
        }
        Ok(Self { turns: records(turns), prompts: records(prompts), facts: records(facts) })
    }

    /// How many turns there are.
    #[must_use]
    pub fn turn_count(&self) -> usize {
        self.turns.len()
    }

    /// How many prompts there are.
    #[must_use]
    pub fn prompt_count(&self) -> usize {
        self.prompts.len()
    }

    /// The projects, in the order of their names.
    pub(super) fn projects(&self) -> BTreeSet<&str> {
        self.turns.iter().map(|turn| turn.project.as_str()).collect()
    }
}

/// The ids of the turns of each project.
type KnownTurns = BTreeMap<String, BTreeSet<String>>;

fn known_turns(turns: &[Numbered<TestTurn>]) -> Result<KnownTurns> {
    let mut known = KnownTurns::new();
    for Numbered { line, record } in turns {
        let wrong = |why: String| wrong("docs.jsonl", *line, &why);
        record.project.parse::<ProjectId>().map_err(|error| wrong(format!("ns: {error}")))?;
        if !known.entry(record.project.clone()).or_default().insert(record.id.clone()) {
            return Err(wrong(format!("the id `{}` was used before in `{}`", record.id, record.project)));
        }
    }
    Ok(known)
}

fn check_prompt(prompt: &EverydayPrompt, known: &KnownTurns) -> std::result::Result<(), String> {
    match (prompt.abstain, prompt.gold_docs.is_empty()) {
        (true, false) => return Err("`abstain` is true, and `gold_docs` names turns that help".to_owned()),
        (false, true) => return Err("name the turns that help in `gold_docs`, or set `abstain` to true".to_owned()),
        _ => {}
    }
    if prompt.text.trim().is_empty() {
        return Err("`text` is empty".to_owned());
    }
    check_names("gold_docs", &prompt.gold_docs, &prompt.project, known)?;
    check_names("outdated_docs", &prompt.outdated_docs, &prompt.project, known)
}

fn check_names(field: &str, ids: &[String], project: &str, known: &KnownTurns) -> std::result::Result<(), String> {
    let Some(turns) = known.get(project) else { return Err(format!("docs.jsonl has no turn with the ns `{project}`")) };
    match ids.iter().find(|id| !turns.contains(*id)) {
        Some(id) => Err(format!("`{field}` names `{id}`, which docs.jsonl does not have in `{project}`")),
        None => Ok(()),
    }
}

fn wrong(file: &str, line: usize, why: &str) -> EngineError {
    EngineError::invalid(format!("{file}, line {line}: {why}"))
}

fn records<T>(lines: Vec<Numbered<T>>) -> Vec<T> {
    lines.into_iter().map(|line| line.record).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read<T: serde::de::DeserializeOwned>(records: &[Value]) -> Vec<Numbered<T>> {
        let read = |(place, record): (usize, &Value)| Numbered {
            line: place + 1,
            record: serde_json::from_value(record.clone()).unwrap(),
        };
        records.iter().enumerate().map(read).collect()
    }

    fn turn(id: &str) -> Value {
        json!({"id": id, "session_id": "s", "timestamp": "2026-01-01T09:00:00Z", "role": "user", "text": "words"})
    }

    fn check(turns: &[Value], prompts: &[Value], facts: &[Value], expected: &str) {
        let made = EverydaySet::new(read(turns), read(prompts), read(facts));
        assert_eq!(made.unwrap_err().to_string(), expected);
    }

    #[test]
    fn what_does_not_fit_is_named_with_its_line() {
        let fine = json!({"text": "why?", "gold_docs": ["a"]});
        let nothing = json!({"text": "thanks", "abstain": true});
        assert!(EverydaySet::new(read(&[turn("a")]), read(&[fine.clone(), nothing.clone()]), Vec::new()).is_ok());
        check(&[], std::slice::from_ref(&fine), &[], "docs.jsonl holds no turns");
        check(&[turn("a")], &[], &[], "queries.jsonl holds no prompts");
        let twice = "docs.jsonl, line 2: the id `a` was used before in `eval`";
        check(&[turn("a"), turn("a")], std::slice::from_ref(&fine), &[], twice);
        let unknown = "queries.jsonl, line 2: `gold_docs` names `b`, which docs.jsonl does not have in `eval`";
        check(&[turn("a")], &[nothing, json!({"text": "why?", "gold_docs": ["b"]})], &[], unknown);
        let elsewhere = "queries.jsonl, line 1: docs.jsonl has no turn with the ns `other`";
        check(&[turn("a")], &[json!({"ns": "other", "text": "why?", "gold_docs": ["a"]})], &[], elsewhere);
        let neither = "queries.jsonl, line 1: name the turns that help in `gold_docs`, or set `abstain` to true";
        check(&[turn("a")], &[json!({"text": "why?"})], &[], neither);
        let both = "queries.jsonl, line 1: `abstain` is true, and `gold_docs` names turns that help";
        check(&[turn("a")], &[json!({"text": "why?", "abstain": true, "gold_docs": ["a"]})], &[], both);
        let evidence = "facts.jsonl, line 1: `evidence` names `z`, which docs.jsonl does not have in `eval`";
        check(&[turn("a")], &[fine], &[json!({"fact": "f", "evidence": ["z"]})], evidence);
    }
}
