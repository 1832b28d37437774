//! Extraction without a model: what the rules and the classifier find in a window.

use super::candidate::Candidate;
use super::classifier::{Topic, worth_in_chat};
use super::replaced::replaced_part;
use super::rules::by_rules;
use super::window::Window;
use crate::Result;

/// The probability of being worth keeping from which a rule is believed outside of work talk: if the rule is for what
/// people say in passing, for what they say of themselves, and for decisions, conventions and causes, which are hardly
/// ever stated in so many words for nothing.
const LEAST_IN_PASSING: f64 = 0.6;
const LEAST: f64 = 0.3;
const LEAST_STATED: f64 = 0.1;

/// The types of what is hardly ever stated for nothing.
const STATED: [&str; 4] = ["decision", "convention", "failure", "environment"];

/// Rules for what somebody plainly wants to be kept, which is kept whatever it is.
const ASKED_FOR: [&str; 5] = ["asked-to-remember", "from-now-on", "de-always", "fr-always", "es-always"];

/// The candidates of a window: those of the rules, and those that the classifier picked and no rule found.
///
/// # Errors
/// When a pattern is wrong.
pub fn without_model(window: &Window, picked: &[Candidate]) -> Result<Vec<Candidate>> {
    let mut found = by_rules(window)?;
    if window.topic == Topic::Chat {
        found.retain(is_worth_keeping);
    }
    for candidate in picked {
        // The rules know more of what they find: its slot, its day, what it replaces.
        let repeats = |other: &Candidate| {
            candidate.content.contains(other.content.trim_end_matches('.'))
                || other.content.contains(candidate.content.trim_end_matches('.'))
        };
        if !found.iter().any(repeats) {
            found.push(candidate.clone());
        }
    }
    for candidate in found.iter_mut().filter(|candidate| candidate.replaces.is_none()) {
        candidate.replaces = replaced_part(&candidate.content)?;
    }
    Ok(found)
}

// Sentences that fit a rule are found everywhere in chats, and many of them are said for the moment: “I love pizza, too!”
fn is_worth_keeping(candidate: &Candidate) -> bool {
    let least = if candidate.is_in_passing {
        LEAST_IN_PASSING
    } else if STATED.contains(&candidate.memory_type.as_str()) {
        LEAST_STATED
    } else {
        LEAST
    };
    let is_asked_for = ASKED_FOR.contains(&candidate.found_by.as_str()) && !candidate.is_in_passing;
    is_asked_for || worth_in_chat(&candidate.content) >= least
}
