//! What came back for one prompt, compared with what should have.

use std::collections::BTreeSet;

use super::set::EverydayPrompt;

/// What came back for one prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptOutcome {
    /// The prompt's id, if it has one.
    pub qid: Option<String>,
    /// Its text.
    pub text: String,
    /// Its category.
    pub category: Option<String>,
    /// Its project.
    pub project: String,
    /// The hits of a plain recall.
    pub hits: usize,
    /// The items of a plain inject.
    pub items: usize,
    /// The best relevance of anything.
    pub best: f64,
    /// How right it was; none if nothing helps with this prompt, so that every hit and item is false.
    pub related: Option<RelatedOutcome>,
}

/// How right the answer to a prompt was that something helps with.
#[derive(Debug, Clone, PartialEq)]
pub struct RelatedOutcome {
    /// How well the right turns are ranked.
    pub ranks: RankQuality,
    /// Whether a right one is among the hits of a plain recall.
    pub answered: bool,
    /// Whether a right one is among the items of a plain inject.
    pub injected: bool,
    /// What became of the outdated turns, if there are any.
    pub changed: Option<ChangedAnswer>,
}

/// How well the right turns are ranked when nothing is held back.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RankQuality {
    /// The place of the first right turn, from 1.
    pub rank: Option<usize>,
    /// The share of the right turns among the first 1, 5 and 10.
    pub recall: [f64; 3],
    /// One over the place of the first right turn.
    pub reciprocal_rank: f64,
}

/// What became of turns that say what no longer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedAnswer {
    /// A right turn stands above all of them.
    pub valid_first: bool,
    /// One of them was injected, in an item that no right turn had a part in.
    pub outdated_injected: bool,
}

/// The turns behind each hit or item, best first: one for a turn, several for a fact that was made from several.
pub(super) type TurnsOfHits = Vec<BTreeSet<String>>;

/// What a prompt got.
pub(super) struct Received {
    /// By a recall without a threshold.
    pub(super) ranking: TurnsOfHits,
    /// By a plain recall.
    pub(super) hits: TurnsOfHits,
    /// By a plain inject.
    pub(super) items: TurnsOfHits,
    /// The best relevance of anything.
    pub(super) best: f64,
}

/// Compares what a prompt got with what it should have.
pub(super) fn compare(prompt: &EverydayPrompt, received: &Received) -> PromptOutcome {
    PromptOutcome {
        qid: prompt.qid.clone(),
        text: prompt.text.clone(),
        category: prompt.category.clone(),
        project: prompt.project.clone(),
        hits: received.hits.len(),
        items: received.items.len(),
        best: received.best,
        related: (!prompt.abstain).then(|| related(prompt, received)),
    }
}

fn related(prompt: &EverydayPrompt, received: &Received) -> RelatedOutcome {
    let gold: BTreeSet<&str> = prompt.gold_docs.iter().map(String::as_str).collect();
    let outdated: BTreeSet<&str> = prompt.outdated_docs.iter().map(String::as_str).collect();
    let holds = |turns: &BTreeSet<String>, wanted: &BTreeSet<&str>| turns.iter().any(|id| wanted.contains(id.as_str()));
    let ranked = ranked_turns(&received.ranking);
    let changed = (!outdated.is_empty()).then(|| ChangedAnswer {
        valid_first: match (first(&ranked, &gold), first(&ranked, &outdated)) {
            (Some(valid), Some(outdated)) => valid < outdated,
            (valid, _) => valid.is_some(),
        },
        outdated_injected: received.items.iter().any(|item| holds(item, &outdated) && !holds(item, &gold)),
    });
    RelatedOutcome {
        ranks: quality(&ranked, &gold),
        answered: received.hits.iter().any(|hit| holds(hit, &gold)),
        injected: received.items.iter().any(|item| holds(item, &gold)),
        changed,
    }
}

// Each turn once, at its best place.
fn ranked_turns(ranking: &TurnsOfHits) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    ranking.iter().flatten().map(String::as_str).filter(|id| seen.insert(*id)).collect()
}

fn first(ranked: &[&str], wanted: &BTreeSet<&str>) -> Option<usize> {
    ranked.iter().position(|id| wanted.contains(id))
}

#[expect(clippy::cast_precision_loss, reason = "ranks and counts of a test set")]
fn quality(ranked: &[&str], gold: &BTreeSet<&str>) -> RankQuality {
    let found = |count: usize| ranked.iter().take(count).filter(|id| gold.contains(*id)).count();
    let rank = first(ranked, gold).map(|place| place + 1);
    RankQuality {
        rank,
        recall: [1, 5, 10].map(|count| found(count) as f64 / gold.len().max(1) as f64),
        reciprocal_rank: rank.map_or(0.0, |rank| 1.0 / rank as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Hits are separated by spaces, the turns of one hit by `+`.
    fn turns(text: &str) -> TurnsOfHits {
        text.split_whitespace().map(|hit| hit.split('+').map(str::to_owned).collect()).collect()
    }

    fn prompt(gold: &str, outdated: &str) -> EverydayPrompt {
        let ids = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        EverydayPrompt {
            qid: None,
            project: "eval".to_owned(),
            text: "why?".to_owned(),
            category: None,
            abstain: gold.is_empty(),
            gold_docs: ids(gold),
            outdated_docs: ids(outdated),
        }
    }

    fn outcome(prompt: &EverydayPrompt, ranking: &str, hits: &str, items: &str) -> PromptOutcome {
        let received = Received { ranking: turns(ranking), hits: turns(hits), items: turns(items), best: 0.5 };
        compare(prompt, &received)
    }

    #[test]
    fn a_fact_counts_as_the_turns_it_was_made_from() {
        // The fact `a+b` stands for two turns, and `b` counts once, at its best place.
        let related = outcome(&prompt("b c", ""), "x a+b b y c", "a+b", "x").related.unwrap();
        assert_eq!(related.ranks, RankQuality { rank: Some(3), recall: [0.0, 1.0, 1.0], reciprocal_rank: 1.0 / 3.0 });
        assert!(related.answered && !related.injected);
        assert_eq!(related.changed, None);
    }

    #[test]
    fn what_was_not_found_counts_as_nothing() {
        let related = outcome(&prompt("a", "o"), "x y", "", "").related.unwrap();
        assert_eq!(related.ranks, RankQuality::default());
        assert_eq!(related.changed, Some(ChangedAnswer { valid_first: false, outdated_injected: false }));
    }

    #[test]
    fn the_valid_one_belongs_above_the_outdated_one() {
        let changed = |ranking: &str, items: &str| {
            outcome(&prompt("a", "o"), ranking, "", items).related.unwrap().changed.unwrap()
        };
        assert_eq!(changed("a o", "a"), ChangedAnswer { valid_first: true, outdated_injected: false });
        assert_eq!(changed("o a", "o a"), ChangedAnswer { valid_first: false, outdated_injected: true });
        // An item that speaks of both tells what holds.
        assert_eq!(changed("a", "a+o"), ChangedAnswer { valid_first: true, outdated_injected: false });
    }

    #[test]
    fn nothing_is_right_for_an_unrelated_prompt() {
        let outcome = outcome(&prompt("", ""), "x", "x y", "");
        assert_eq!((outcome.related, outcome.hits, outcome.items), (None, 2, 0));
    }
}
