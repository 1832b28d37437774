//! What an older and a newer hit are compared by, to tell whether the newer one changed what the older one says.

use std::collections::BTreeMap;

use super::succession::Turn;

/// The features of a pair.
pub const PAIR_FEATURES: [&str; 25] = [
    "likeness",
    "likeness_above_average",
    "fit_ratio",
    "older_fit",
    "newer_fit",
    "newer_tells_of_change",
    "older_is_of_person",
    "newer_is_of_person",
    "same_session",
    "sessions_between",
    "coverage_gain",
    "newer_coverage",
    "lost_words",
    "lost_words_if_alike",
    "cosine_gain",
    "newer_cosine",
    "older_newer_share",
    "newer_newer_share",
    "older_length",
    "newer_length",
    "older_is_question",
    "newer_is_question",
    "likeness_of_persons",
    "older_newer_among_5",
    "older_newer_share_by_meaning",
];

/// The features of one pair, in the order of [`PAIR_FEATURES`].
pub type Evidence = [f32; PAIR_FEATURES.len()];

/// Conversations between two that are told apart.
const MOST_BETWEEN: usize = 10;

/// Keeps the logarithm of a fit from falling without end.
const LEAST_FIT: f64 = 0.02;

/// What all pairs of a question share.
pub(super) struct PairContext<'a> {
    /// The place of each conversation among those that were found, by their latest turns.
    sessions: BTreeMap<u64, usize>,
    shares: &'a [f64],
    average: f32,
    content_idfs: &'a [f32],
}

impl<'a> PairContext<'a> {
    /// Of all turns that were found, of the share of what fits that is newer than each, and of how much alike two
    /// candidates are on average.
    pub(super) fn of(turns: &[Option<Turn>], shares: &'a [f64], average: f32, content_idfs: &'a [f32]) -> Self {
        let mut latest = BTreeMap::new();
        for turn in turns.iter().flatten() {
            if let Some(session) = turn.session {
                let age = latest.entry(session).or_insert(turn.age);
                *age = turn.age.max(*age);
            }
        }
        let mut ordered: Vec<_> = latest.into_iter().collect();
        ordered.sort_by_key(|(_, age)| *age);
        let sessions = ordered.into_iter().enumerate().map(|(place, (session, _))| (session, place)).collect();
        Self { sessions, shares, average, content_idfs }
    }

    /// The share of what the question says, by idf, that the older one holds and neither the newer one nor the turns beside
    /// it: production's port does not replace staging's.
    pub(super) fn lost_words(&self, older: &Turn, newer: &Turn) -> f32 {
        let lost = older.held.own & !newer.held.around;
        let all: f32 = self.content_idfs.iter().sum();
        let idfs = self.content_idfs.iter().take(64).enumerate();
        let share: f32 = idfs.filter(|(bit, _)| lost >> bit & 1 == 1).map(|(_, idf)| idf).sum();
        if all > 0.0 { share / all } else { 0.0 }
    }

    #[expect(clippy::cast_precision_loss, reason = "a count of conversations")]
    fn sessions_between(&self, older: &Turn, newer: &Turn) -> f32 {
        let place = |turn: &Turn| turn.session.and_then(|session| self.sessions.get(&session)).copied().unwrap_or(0);
        place(newer).saturating_sub(place(older)).min(MOST_BETWEEN) as f32 / MOST_BETWEEN as f32
    }
}

/// What is known of an older and a newer turn, by their places.
#[expect(clippy::cast_possible_truncation, reason = "logarithms and shares")]
pub(super) fn evidence(
    turns: &[Option<Turn>],
    context: &PairContext<'_>,
    (older_place, newer_place): (usize, usize),
    likeness: f32,
) -> Evidence {
    let (Some(older), Some(newer)) = (&turns[older_place], &turns[newer_place]) else {
        return [0.0; PAIR_FEATURES.len()];
    };
    let log = |fit: f64| (fit + LEAST_FIT).ln() as f32;
    let flag = |is: bool| f32::from(u8::from(is));
    let (own, other) = (&older.traits, &newer.traits);
    let lost_words = context.lost_words(older, newer);
    [
        likeness,
        likeness - context.average,
        log(newer.fit) - log(older.fit),
        log(older.fit),
        log(newer.fit),
        flag(newer.tells_of_change),
        flag(older.is_of_person),
        flag(newer.is_of_person),
        flag(older.session.is_some() && older.session == newer.session),
        context.sessions_between(older, newer),
        other.coverage - own.coverage,
        other.coverage,
        lost_words,
        lost_words * likeness,
        other.cosine - own.cosine,
        other.cosine,
        context.shares[older_place] as f32,
        context.shares[newer_place] as f32,
        own.length,
        other.length,
        own.is_question,
        other.is_question,
        likeness * flag(older.is_of_person && newer.is_of_person),
        own.newer_among_5,
        own.newer_share,
    ]
}

#[cfg(test)]
mod tests {
    use scrubjay_core::time::Timestamp;

    use super::super::rank::HeldTerms;
    use super::super::succession::Traits;
    use super::*;

    fn turn(time: i64, session: u64, fit: f64) -> Option<Turn> {
        Some(Turn {
            age: (Timestamp::from_millis(time), time.unsigned_abs()),
            fit,
            session: Some(session),
            held: HeldTerms { own: session, around: session },
            traits: Traits { coverage: 0.5, ..Traits::default() },
            is_of_person: true,
            is_open: false,
            tells_of_change: false,
            is_foreign: false,
            amount: None,
        })
    }

    #[test]
    fn a_pair_is_told_by_its_likeness_its_fits_and_the_conversations_between() {
        let turns = [turn(1, 7, 1.0), turn(2, 3, 0.5), turn(3, 5, 0.5), None];
        let shares = [0.5, 0.25, 0.0, 0.0];
        let context = PairContext::of(&turns, &shares, 0.2, &[1.0, 1.0, 2.0]);
        let pair = evidence(&turns, &context, (0, 2), 0.6);
        let named = |name: &str| pair[PAIR_FEATURES.iter().position(|own| *own == name).unwrap()];
        assert!((named("likeness_above_average") - 0.4).abs() < 1e-6);
        // The older one holds all three words of the question, the newer one the first and the third.
        assert!((named("lost_words") - 0.25).abs() < 1e-6);
        assert!((named("lost_words_if_alike") - 0.15).abs() < 1e-6);
        assert!(named("fit_ratio") < 0.0);
        assert!((named("sessions_between") - 0.2).abs() < 1e-6);
        assert!((named("older_newer_share") - 0.5).abs() < 1e-6);
        assert_eq!(named("same_session").to_bits(), 0.0_f32.to_bits());
    }
}
