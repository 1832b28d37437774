//! What a newer hit does to an older one: it comes first in answer to a question, and may take its place.
//!
//! A fitted model compares an older hit with each newer one (`rival.rs`): how alike they are, how both fit the question,
//! who said them, how much of what fits is newer. Its highest verdict decides, together with two rules: how far the older
//! hit falls behind, and whether it is told to be changed, and left out of a block. What lost its own place takes none
//! from others by the rules: in a chain of turns, each a little like the next, only what the last one is alike to is left
//! out. A task is left to the rules alone, because whatever was learned on the way helps with it.

use scrubjay_core::time::Timestamp;

use super::amount::Amount;
use super::model::change_logit;
use super::rank::HeldTerms;
use super::rival::{Evidence, PairContext, evidence};

/// The best hits among which ages are compared.
const CONTEMPORARIES: usize = 10;

/// What keeps the comparison with few contemporaries small.
const FEW_CONTEMPORARIES: f64 = 0.25;

/// How alike two hits must be, and how comparable, so that the older one falls behind in answer to a question.
const RELATED: Threshold = Threshold { likeness: 0.3, comparable: 0.2 };

/// What an older, related hit loses in any case, and what more if all of what fits is newer, as powers of e.
const OLDER: f64 = 0.2;
const OLDER_THAN_ALL: f64 = 1.5;

/// The same where the question asks for how things are by now.
const OLDER_THAN_ALL_BY_NOW: f64 = 2.5;

/// When a newer hit takes the place of an older one in answer to a question: any one, and one that tells of a change.
const SAID_LATER: Threshold = Threshold { likeness: 0.55, comparable: 0.5 };
const CHANGED_LATER: Threshold = Threshold { likeness: 0.35, comparable: 0.25 };

/// When it does for a task: whatever was learned on the way helps with it, unless it was said again.
const SAID_AGAIN: Threshold = Threshold { likeness: 0.65, comparable: 0.5 };

/// From which verdict of the model on an older hit counts as changed: by itself, and where a rule says so, too. Logits.
const CHANGED: f32 = 0.3;
const CHANGED_BY_RULE: f32 = -1.5;

/// What an older hit loses if the model is sure, as a power of e, and the share that the rule about what is newer keeps.
const OUTDATED: f64 = 1.0;
const SHARE_OF_RULE: f64 = 0.5;

/// What is left of the score of one that was said again.
const AFTER_SAID_AGAIN: f64 = 0.6;

/// How well the newer of two amounts must answer beside the older one, so that it replaces it: any one, and one in a
/// turn that is alike.
const SAME_AMOUNT: f32 = 0.75;
const SAME_AMOUNT_ALIKE: f32 = 0.45;

/// How much more alike an assistant's words must be to take the place of a person's: an answer does not change what it
/// answers.
const OVER_A_PERSON: f32 = 0.1;

/// What holds nearly all that the question says is not changed by what lacks so much of it, unless that tells of a change.
const WHOLE_COVERAGE: f32 = 0.9;
const LOST_WORDS: f32 = 0.2;

/// How much more alike than two candidates on average two hits must be in any case: in a store of near repetitions,
/// everything is alike.
const ABOVE_AVERAGE: f32 = 0.05;

/// The least likeness of two hits, and the least share of the older one's fit that the newer one must have.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Threshold {
    likeness: f32,
    comparable: f64,
}

/// How age counts for a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ageing {
    /// It asks how something is: what holds now.
    OfAnswers,
    /// It asks so in so many words: “currently”, “the latest”.
    OfPresentAnswers,
    /// It is a task.
    OfLessons,
    /// It asks for the past.
    None,
}

impl Ageing {
    fn is_of_answers(self) -> bool {
        matches!(self, Self::OfAnswers | Self::OfPresentAnswers)
    }

    // What an older hit loses if all of what fits is newer, as a power of e.
    fn of_oldest(self) -> f64 {
        if self == Self::OfPresentAnswers { OLDER_THAN_ALL_BY_NOW } else { OLDER_THAN_ALL }
    }
}

/// Features of a hit, by the names that the ranking model has for them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Traits {
    pub(super) coverage: f32,
    pub(super) cosine: f32,
    pub(super) length: f32,
    pub(super) is_question: f32,
    pub(super) newer_among_5: f32,
    pub(super) newer_share: f32,
}

/// What counts of a hit that has a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Turn {
    /// When it was said, and which of the same moment came later.
    pub(super) age: (Timestamp, u64),
    /// How it compares with the best, 0 to 1.
    pub(super) fit: f64,
    /// Which conversation it is part of.
    pub(super) session: Option<u64>,
    /// Which content terms of the question it holds.
    pub(super) held: HeldTerms,
    /// What the ranking model saw of it.
    pub(super) traits: Traits,
    /// Whether a person said it.
    pub(super) is_of_person: bool,
    /// Whether it states nothing about what is asked.
    pub(super) is_open: bool,
    /// Whether it tells that something was changed.
    pub(super) tells_of_change: bool,
    /// Whether a tool printed it or a page said it: such text replaces nothing that a person can rely on.
    pub(super) is_foreign: bool,
    /// Where an amount is asked for and it states one: how that answers the question.
    pub(super) amount: Option<Amount>,
}

impl Turn {
    // How well it answers where it states anew the amount that an older one states; none if it does not.
    fn restated_amount(&self, older: &Self, is_alike: bool) -> Option<f32> {
        let (own, former) = (self.amount?, older.amount?);
        let share = if is_alike { SAME_AMOUNT_ALIKE } else { SAME_AMOUNT };
        (own.covers(&former) && own.answer >= share * former.answer).then_some(own.answer)
    }

    // Whether it can count as news about an older one at all.
    fn may_replace(&self, older: &Self) -> bool {
        !self.is_open && (older.is_foreign || !self.is_foreign)
    }
}

/// A newer hit, and what speaks for that it changed the older one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rival {
    /// Which.
    pub(super) by: usize,
    /// What the model goes by.
    pub(super) evidence: Evidence,
}

/// What becomes of a hit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fate {
    /// All newer hits that may have changed it, in answer to a question.
    pub(super) rivals: Vec<Rival>,
    /// The hit that takes its place, and how alike it is.
    pub(super) successor: Option<(usize, f32)>,
    /// What is left of its score.
    pub(super) factor: f64,
    /// Whether it must stand below its successor, whatever its score.
    pub(super) is_below_successor: bool,
}

/// What becomes of each hit; what has no time keeps its place. `alike` tells how alike two hits are, 0 to 1, and `average`
/// how alike two candidates are on average.
pub(super) fn fates(
    turns: &[Option<Turn>],
    alike: impl Fn(usize, usize) -> f32,
    average: f32,
    content_idfs: &[f32],
    ageing: Ageing,
) -> Vec<Fate> {
    let untouched = Fate { rivals: Vec::new(), successor: None, factor: 1.0, is_below_successor: false };
    let mut fates = vec![untouched; turns.len()];
    if ageing == Ageing::None {
        return fates;
    }
    let mut newest_first: Vec<(usize, Turn)> =
        turns.iter().enumerate().filter_map(|(place, turn)| Some((place, (*turn)?))).collect();
    newest_first.sort_by_key(|(_, turn)| std::cmp::Reverse(turn.age));
    let shares: Vec<f64> =
        turns.iter().map(|turn| turn.as_ref().map_or(0.0, |turn| newer_share(turns, turn))).collect();
    let context = PairContext::of(turns, &shares, average, content_idfs);
    let is_elsewhere = |older: &Turn, newer: &Turn| {
        let is_whole = older.traits.coverage >= WHOLE_COVERAGE && !newer.tells_of_change;
        ageing.is_of_answers() && is_whole && context.lost_words(older, newer) >= LOST_WORDS
    };
    for (number, (place, older)) in newest_first.iter().enumerate() {
        let newer = || {
            let newer = newest_first[..number].iter();
            let newer = newer.filter(|(_, newer)| newer.may_replace(older) && !is_elsewhere(older, newer));
            let pairs = newer.map(|(by, newer)| (*by, newer, Pair::of(older, newer, alike(*place, *by))));
            pairs.filter(|(_, _, pair)| pair.likeness >= average + ABOVE_AVERAGE)
        };
        let takes_place = |newer: &Turn, pair: Pair| match ageing {
            // What does not state the amount that is asked for leaves the one that does in its place.
            _ if ageing.is_of_answers() && older.amount.is_some() && newer.amount.is_none() => false,
            Ageing::OfAnswers | Ageing::OfPresentAnswers => {
                pair.reaches(SAID_LATER) || (newer.tells_of_change && pair.reaches(CHANGED_LATER))
            }
            Ageing::OfLessons => pair.reaches(SAID_AGAIN),
            Ageing::None => false,
        };
        let restating = newest_first[..number].iter().filter_map(|(by, newer)| {
            let likeness = alike(*place, *by);
            let answer = newer.restated_amount(older, likeness >= average + ABOVE_AVERAGE)?;
            let is_news = newer.may_replace(older) && fates[*by].successor.is_none();
            (ageing.is_of_answers() && is_news).then_some((*by, likeness, answer))
        });
        // Of those that answer as well, the newest.
        let restated = restating.reduce(|best, other| if other.2 > best.2 { other } else { best });
        let restated = restated.map(|(by, likeness, _)| (by, likeness));
        let successor = newer()
            .filter(|(by, newer, pair)| fates[*by].successor.is_none() && takes_place(newer, *pair))
            .map(|(by, _, pair)| (by, pair.likeness))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let mut factor = match ageing {
            _ if ageing.is_of_answers() && newer().any(|(_, _, pair)| pair.reaches(RELATED)) => {
                (-OLDER - ageing.of_oldest() * shares[*place]).exp()
            }
            Ageing::OfLessons if newer().any(|(_, _, pair)| pair.reaches(SAID_AGAIN)) => AFTER_SAID_AGAIN,
            _ => 1.0,
        };
        let mut rivals: Vec<Rival> = Vec::new();
        let mut successor = successor;
        if ageing.is_of_answers() {
            let others = newest_first[..number].iter().filter(|(_, newer)| newer.may_replace(older));
            rivals.extend(others.map(|(by, _)| {
                let evidence = evidence(turns, &context, (*place, *by), alike(*place, *by));
                Rival { by: *by, evidence }
            }));
            // What is about something else changes nothing, however new it is.
            let related: Vec<usize> =
                newer().filter(|(_, _, pair)| pair.reaches(RELATED)).map(|(by, _, _)| by).collect();
            let judged = rivals.iter().filter(|rival| related.contains(&rival.by));
            let judged: Vec<(usize, f32)> = judged.map(|rival| (rival.by, change_logit(&rival.evidence))).collect();
            let surest =
                |judged: &mut dyn Iterator<Item = &(usize, f32)>| judged.copied().max_by(|a, b| a.1.total_cmp(&b.1));
            if let Some((_, logit)) = surest(&mut judged.iter()) {
                factor = factor.powf(SHARE_OF_RULE) * (-OUTDATED * logistic(f64::from(logit))).exp();
            }
            // What states the amount that is asked for keeps its place beside one that does not.
            let keeps_amount =
                |by: usize| older.amount.is_some() && turns[by].is_some_and(|turn| turn.amount.is_none());
            let mut standing = judged.iter().filter(|(by, _)| fates[*by].successor.is_none());
            successor = match (successor, surest(&mut standing)) {
                (Some(rule), Some((_, logit))) if logit > CHANGED_BY_RULE => Some(rule),
                (_, Some((by, logit))) if logit > CHANGED && !keeps_amount(by) => Some((by, alike(*place, by))),
                _ => None,
            };
        }
        let successor = restated.or(successor);
        fates[*place] = Fate { rivals, successor, factor, is_below_successor: restated.is_some() };
    }
    fates
}

// How an older hit and a newer one compare.
#[derive(Debug, Clone, Copy)]
struct Pair {
    likeness: f32,
    // The newer one's fit beside the older one's.
    comparable: f64,
}

impl Pair {
    fn of(older: &Turn, newer: &Turn, alike: f32) -> Self {
        let is_answer = older.is_of_person && !newer.is_of_person;
        let likeness = if is_answer { alike - OVER_A_PERSON } else { alike };
        Self { likeness, comparable: newer.fit / older.fit.max(f64::MIN_POSITIVE) }
    }

    fn reaches(self, threshold: Threshold) -> bool {
        self.likeness >= threshold.likeness && self.comparable >= threshold.comparable
    }
}

fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

// The share of what fits best that is newer, by fit: 0 to 1.
fn newer_share(turns: &[Option<Turn>], older: &Turn) -> f64 {
    let mut best: Vec<&Turn> = turns.iter().flatten().collect();
    best.sort_by(|a, b| b.fit.total_cmp(&a.fit));
    best.truncate(CONTEMPORARIES);
    let all: f64 = best.iter().map(|turn| turn.fit).sum();
    let newer = best.iter().filter(|turn| turn.may_replace(older) && turn.age > older.age);
    newer.map(|turn| turn.fit).sum::<f64>() / (all + FEW_CONTEMPORARIES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(time: i64, fit: f64) -> Option<Turn> {
        let age = (Timestamp::from_millis(time), time.unsigned_abs());
        Some(Turn {
            age,
            fit,
            session: None,
            held: HeldTerms::default(),
            traits: Traits::default(),
            is_of_person: true,
            is_open: false,
            tells_of_change: false,
            is_foreign: false,
            amount: None,
        })
    }

    // The likeness of pairs; 0 for those that are not named.
    fn alike(pairs: &[(usize, usize, f32)]) -> impl Fn(usize, usize) -> f32 {
        move |one, other| {
            let named = pairs.iter().find(|(a, b, _)| (*a, *b) == (one, other) || (*b, *a) == (one, other));
            named.map_or(0.0, |(_, _, likeness)| *likeness)
        }
    }

    fn successors(turns: &[Option<Turn>], pairs: &[(usize, usize, f32)], ageing: Ageing) -> Vec<Option<usize>> {
        fates(turns, alike(pairs), 0.0, &[], ageing).iter().map(|fate| fate.successor.map(|(by, _)| by)).collect()
    }

    #[test]
    fn what_lost_its_place_takes_none_from_others() {
        let turns = [turn(1, 1.0), turn(2, 1.0), turn(3, 1.0)];
        let chain = [(0, 1, 0.7), (1, 2, 0.7)];
        assert_eq!(successors(&turns, &chain, Ageing::OfAnswers), [None, Some(2), None]);
        let star = [(0, 1, 0.9), (1, 2, 0.7), (0, 2, 0.6)];
        assert_eq!(successors(&turns, &star, Ageing::OfAnswers), [Some(2), Some(2), None]);
    }

    #[test]
    fn an_answer_does_not_take_the_place_of_what_it_answers_as_easily() {
        let mut turns = [turn(1, 1.0), turn(2, 1.0)];
        let pairs = [(0, 1, 0.6)];
        assert_eq!(successors(&turns, &pairs, Ageing::OfAnswers), [Some(1), None]);
        turns[1] = turns[1].map(|turn| Turn { is_of_person: false, ..turn });
        assert_eq!(successors(&turns, &pairs, Ageing::OfAnswers), [None, None]);
    }

    #[test]
    fn less_likeness_is_enough_for_what_tells_of_a_change() {
        let mut turns = [turn(1, 1.0), turn(2, 0.3)];
        let pairs = [(0, 1, 0.4)];
        assert_eq!(successors(&turns, &pairs, Ageing::OfAnswers), [None, None]);
        turns[1] = turns[1].map(|turn| Turn { tells_of_change: true, ..turn });
        assert_eq!(successors(&turns, &pairs, Ageing::OfAnswers), [Some(1), None]);
        assert_eq!(successors(&turns, &pairs, Ageing::OfLessons), [None, None]);
        assert_eq!(successors(&turns, &pairs, Ageing::None), [None, None]);
    }

    #[test]
    fn an_amount_that_is_stated_anew_replaces_the_former_one_whatever_surrounds_it() {
        let mut turns = [turn(1, 1.0), turn(2, 0.2), turn(3, 0.2)];
        let with =
            |turn: Option<Turn>, answer, held| turn.map(|turn| Turn { amount: Some(Amount { answer, held }), ..turn });
        turns[0] = with(turns[0], 0.8, 0b11);
        turns[1] = with(turns[1], 0.6, 0b11);
        turns[2] = with(turns[2], 0.2, 0b11);
        let fate = fates(&turns, alike(&[]), 0.0, &[], Ageing::OfAnswers).remove(0);
        assert_eq!((fate.successor, fate.is_below_successor), (Some((1, 0.0)), true));
        // The third has a number, too, but hardly a word of the question beside it.
        assert_eq!(successors(&turns, &[], Ageing::OfAnswers), [Some(1), None, None]);
        assert_eq!(successors(&turns, &[], Ageing::OfLessons), [None, None, None]);
        // Nor does the second replace it if it is about something else.
        turns[1] = with(turns[1], 0.6, 0b10);
        assert_eq!(successors(&turns, &[], Ageing::OfAnswers), [None, None, None]);
    }

    #[test]
    fn what_states_no_amount_leaves_the_one_that_does_in_its_place() {
        let mut turns = [turn(1, 1.0), turn(2, 1.0)];
        let pairs = [(0, 1, 0.7)];
        assert_eq!(successors(&turns, &pairs, Ageing::OfAnswers), [Some(1), None]);
        turns[0] = turns[0].map(|turn| Turn { amount: Some(Amount { answer: 0.5, held: 1 }), ..turn });
        assert_eq!(successors(&turns, &pairs, Ageing::OfAnswers), [None, None]);
    }

    #[test]
    fn what_a_page_says_replaces_nothing_that_a_person_said() {
        let mut turns = [turn(1, 1.0), turn(2, 1.0)];
        let pairs = [(0, 1, 0.9)];
        turns[1] = turns[1].map(|turn| Turn { is_foreign: true, ..turn });
        let fate = fates(&turns, alike(&pairs), 0.0, &[], Ageing::OfAnswers).remove(0);
        assert_eq!((fate.successor, fate.factor), (None, 1.0));
        turns[0] = turns[0].map(|turn| Turn { is_foreign: true, ..turn });
        assert_eq!(successors(&turns, &pairs, Ageing::OfAnswers), [Some(1), None]);
    }

    #[test]
    fn age_counts_for_more_where_the_present_is_asked_for() {
        let turns = [turn(1, 1.0), turn(2, 1.0)];
        let factor = |ageing| fates(&turns, alike(&[(0, 1, 0.4)]), 0.0, &[], ageing)[0].factor;
        assert!(factor(Ageing::OfPresentAnswers) < factor(Ageing::OfAnswers));
    }

    #[test]
    fn the_more_of_what_fits_is_newer_the_further_an_older_hit_falls_behind() {
        let turns = [turn(1, 1.0), turn(2, 1.0), turn(3, 1.0), None];
        let related = [(0, 1, 0.35), (0, 2, 0.35), (1, 2, 0.35)];
        let factors: Vec<f64> =
            fates(&turns, alike(&related), 0.2, &[], Ageing::OfAnswers).iter().map(|fate| fate.factor).collect();
        assert!(factors[0] < factors[1] && factors[1] < factors[2], "{factors:?}");
        assert_eq!(factors[2..], [1.0, 1.0]);
        // What has nothing to do with it does not count, however new.
        assert_eq!(fates(&turns, alike(&[]), 0.0, &[], Ageing::OfAnswers)[0].factor, 1.0);
        // Nor does what is no more alike than everything here.
        assert_eq!(fates(&turns, alike(&related), 0.6, &[], Ageing::OfAnswers)[0].factor, 1.0);
    }
}
