//! Shares of many outcomes.

use std::collections::BTreeSet;

use super::outcome::{PromptOutcome, RelatedOutcome};

/// Which outcomes a row of figures is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptGroup {
    /// All of them.
    All,
    /// Those of one category.
    Category(String),
    /// Those of one project.
    Project(String),
}

impl PromptGroup {
    fn holds(&self, outcome: &PromptOutcome) -> bool {
        match self {
            Self::All => true,
            Self::Category(name) => outcome.category.as_ref() == Some(name),
            Self::Project(name) => outcome.project == *name,
        }
    }
}

/// What was measured of a group. A share is from 0 to 1, and none where there is nothing to take it of.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// The group.
    pub group: PromptGroup,
    /// Prompts that something helps with.
    pub related: usize,
    /// Prompts that nothing helps with.
    pub unrelated: usize,
    /// Prompts whose answer changed.
    pub changed: usize,
    /// The mean share of the right turns among the first 1, 5 and 10.
    pub recall: [Option<f64>; 3],
    /// The mean of one over the place of the first right turn.
    pub mean_reciprocal_rank: Option<f64>,
    /// The share of related prompts with a right hit in a plain recall.
    pub answered: Option<f64>,
    /// The share of related prompts with a right item in a plain inject.
    pub injected: Option<f64>,
    /// The share of unrelated prompts that got a hit.
    pub false_recall: Option<f64>,
    /// The share of unrelated prompts that got something injected.
    pub false_inject: Option<f64>,
    /// The share of changed answers whose valid turn stands above the outdated ones.
    pub valid_first: Option<f64>,
    /// The share of changed answers of which an outdated turn was injected.
    pub outdated_injected: Option<f64>,
}

/// Rows for all, for each category and for each project.
#[must_use]
pub fn figures(outcomes: &[PromptOutcome]) -> Vec<Figures> {
    let categories: BTreeSet<&String> = outcomes.iter().filter_map(|outcome| outcome.category.as_ref()).collect();
    let projects: BTreeSet<&String> = outcomes.iter().map(|outcome| &outcome.project).collect();
    let mut groups = vec![PromptGroup::All];
    groups.extend(categories.into_iter().cloned().map(PromptGroup::Category));
    groups.extend(projects.into_iter().cloned().map(PromptGroup::Project));
    groups.into_iter().map(|group| of_group(group, outcomes)).collect()
}

fn of_group(group: PromptGroup, outcomes: &[PromptOutcome]) -> Figures {
    let own: Vec<&PromptOutcome> = outcomes.iter().filter(|outcome| group.holds(outcome)).collect();
    let related: Vec<&RelatedOutcome> = own.iter().filter_map(|outcome| outcome.related.as_ref()).collect();
    let unrelated: Vec<&&PromptOutcome> = own.iter().filter(|outcome| outcome.related.is_none()).collect();
    let changed: Vec<_> = related.iter().filter_map(|related| related.changed).collect();
    Figures {
        group,
        related: related.len(),
        unrelated: unrelated.len(),
        changed: changed.len(),
        recall: [0, 1, 2].map(|cut| mean(related.iter().map(|related| related.ranks.recall[cut]))),
        mean_reciprocal_rank: mean(related.iter().map(|related| related.ranks.reciprocal_rank)),
        answered: share(related.iter().map(|related| related.answered)),
        injected: share(related.iter().map(|related| related.injected)),
        false_recall: share(unrelated.iter().map(|outcome| outcome.hits > 0)),
        false_inject: share(unrelated.iter().map(|outcome| outcome.items > 0)),
        valid_first: share(changed.iter().map(|changed| changed.valid_first)),
        outdated_injected: share(changed.iter().map(|changed| changed.outdated_injected)),
    }
}

fn share(truths: impl ExactSizeIterator<Item = bool>) -> Option<f64> {
    mean(truths.map(|truth| f64::from(u8::from(truth))))
}

#[expect(clippy::cast_precision_loss, reason = "a count of prompts")]
fn mean(values: impl ExactSizeIterator<Item = f64>) -> Option<f64> {
    let count = values.len();
    (count > 0).then(|| values.sum::<f64>() / count as f64)
}

#[cfg(test)]
mod tests {
    use super::super::outcome::{ChangedAnswer, RankQuality};
    use super::*;

    fn outcome(
        category: &str,
        project: &str,
        related: Option<RelatedOutcome>,
        hits: usize,
        items: usize,
    ) -> PromptOutcome {
        PromptOutcome {
            qid: None,
            text: String::new(),
            category: Some(category.to_owned()),
            project: project.to_owned(),
            hits,
            items,
            best: 0.0,
            related,
        }
    }

    #[test]
    fn a_row_for_all_for_each_category_and_for_each_project() {
        let right = RelatedOutcome {
            ranks: RankQuality { rank: Some(2), recall: [0.0, 0.5, 1.0], reciprocal_rank: 0.5 },
            answered: true,
            injected: false,
            changed: Some(ChangedAnswer { valid_first: true, outdated_injected: false }),
        };
        let missed = RelatedOutcome { ranks: RankQuality::default(), answered: false, injected: false, changed: None };
        let outcomes = [
            outcome("task", "a", Some(right), 3, 1),
            outcome("task", "b", Some(missed), 0, 0),
            outcome("unrelated", "a", None, 1, 0),
        ];
        let rows = figures(&outcomes);
        let groups: Vec<&PromptGroup> = rows.iter().map(|row| &row.group).collect();
        let named = |group: fn(String) -> PromptGroup, name: &str| group(name.to_owned());
        let expected = [
            PromptGroup::All,
            named(PromptGroup::Category, "task"),
            named(PromptGroup::Category, "unrelated"),
            named(PromptGroup::Project, "a"),
            named(PromptGroup::Project, "b"),
        ];
        assert_eq!(groups, expected.iter().collect::<Vec<_>>());
        let all = &rows[0];
        assert_eq!((all.related, all.unrelated, all.changed), (2, 1, 1));
        assert_eq!(all.recall, [Some(0.0), Some(0.25), Some(0.5)]);
        assert_eq!((all.mean_reciprocal_rank, all.answered, all.injected), (Some(0.25), Some(0.5), Some(0.0)));
        assert_eq!((all.false_recall, all.false_inject), (Some(1.0), Some(0.0)));
        assert_eq!((all.valid_first, all.outdated_injected), (Some(1.0), Some(0.0)));
        // Where there is nothing to take a share of, there is none.
        assert_eq!((rows[2].answered, rows[2].false_recall), (None, Some(1.0)));
        assert_eq!((rows[4].answered, rows[4].false_recall), (Some(0.0), None));
    }
}
