//! From the sentences of a window to candidates.

use std::collections::BTreeSet;

use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::Memory;

use super::cues::{announces, is_at_work, is_copied, is_printed_failure, speaks_of_oneself};
use super::features::{Features, Surroundings, features};
use super::model::{add_meaning, judge};
use super::segment::{Segment, segments};
use super::tokens::{KINDS, tokens};
use super::topic::Topic;
use crate::Result;
use crate::extract::candidate::{CLASSIFIER, Candidate};
use crate::extract::reply::{Reply, reply};
use crate::extract::speaker::Speaker;
use crate::extract::window::Window;

/// The fewest and the most words of a sentence that is a fact, and its longest length in characters.
const WORDS: std::ops::RangeInclusive<usize> = 4..=60;
const CHARS: usize = 400;

/// The largest share of a sentence's words that may be code; more of it is a log or a stack trace.
const MOST_CODE: f64 = 0.5;

/// The smallest share of its characters that must be letters or spaces.
const LEAST_LETTERS: f64 = 0.8;

/// Words that begin a question; people leave the mark out.
const ASKING: [&str; 14] = [
    "how", "why", "what", "where", "which", "who", "wie", "warum", "wo", "comment", "pourquoi", "cómo", "dónde", "qué",
];

/// How many facts one message of a person and one of an assistant can give.
const PER_PERSON: usize = 3;
const PER_ASSISTANT: usize = 1;

/// What each further fact of a message counts against the first ones of others, per fact before it.
const FURTHER: f64 = 0.8;

/// How many facts a conversation may give, by its turns and by the sentences in them that could be facts; never more
/// than so many per turn.
///
/// Turns alone would not do: one agent sums up an afternoon in one message, another reports every step in its own.
const PER_TURN: f64 = 0.01;
const PER_SENTENCE: f64 = 0.0134;
const MOST_PER_TURN: f64 = 0.14;

/// The probability below which a sentence is not kept, and from which it is even if its conversation is short.
const LEAST: f64 = 0.3;
const SURE: f64 = 0.8;

/// The same for what is no work talk: the probability from which a sentence is kept, and how many per turn.
const SURE_IN_CHAT: f64 = 0.97;
const MOST_PER_CHAT_TURN: f64 = 0.03;

/// The probability from which a sentence makes its window worth a look, and from which all that is said in it does.
const WORTH_A_LOOK: f64 = 0.6;
const LIKELY: f64 = 0.5;

/// How sure a person's word is, an assistant's that a person agreed to, and one that nobody objected to.
const SAID: f64 = 0.85;
const AGREED: f64 = 0.7;
const UNOPPOSED: f64 = 0.6;

/// How much such a fact matters: nobody said that it matters more than what else was said.
const IMPORTANCE: f64 = 3.0;

/// A sentence with what the classifier says of it.
#[derive(Debug, Clone)]
pub struct SentenceScore {
    /// Its message, by its place.
    pub message: usize,
    /// The sentence.
    pub text: String,
    /// Whether it may be a fact at all: no question, no log, neither too short nor too long.
    pub is_eligible: bool,
    /// The probability that it is worth keeping.
    pub worth: f64,
    /// The same, if it is not said at work.
    pub worth_in_chat: f64,
    /// Its likeliest type.
    pub memory_type: &'static str,
    /// What is known of it.
    pub features: Features,
    segment: Segment,
}

/// Scores every sentence of a conversation, oldest message first.
#[must_use]
pub fn score_sentences(messages: &[(Speaker, &str)]) -> Vec<SentenceScore> {
    let mut found = Vec::new();
    for (place, (who, text)) in messages.iter().enumerate() {
        let reply = messages[place + 1..].iter().find(|(speaker, _)| *speaker == Speaker::Person);
        let before = messages[..place].iter().rev().find(|(speaker, _)| speaker != who);
        let said = Said { place, speaker: *who, text, before: text_of(before), reply: text_of(reply) };
        found.extend(score_message(&said));
    }
    found
}

// A message with what the other one said before it and what a person says next.
#[derive(Debug, Clone, Copy)]
struct Said<'a> {
    place: usize,
    speaker: Speaker,
    text: &'a str,
    before: &'a str,
    reply: &'a str,
}

fn text_of<'a>(message: Option<&(Speaker, &'a str)>) -> &'a str {
    message.map_or("", |(_, text)| *text)
}

fn score_message(said: &Said<'_>) -> Vec<SentenceScore> {
    let Said { place: message, speaker, text, before, reply } = *said;
    let all = segments(text);
    let segments = all.len();
    let score = |(place, segment): (usize, Segment)| {
        let around = Surroundings { speaker, place, segments, before, message: text, reply };
        let mut features = features(&segment, around);
        add_meaning(&segment.text, &mut features);
        let judged = judge(&features);
        SentenceScore {
            message,
            text: segment.text.clone(),
            is_eligible: is_eligible(&segment.text, speaker),
            worth: judged.worth,
            worth_in_chat: judged.worth_in_chat,
            memory_type: judged.memory_type,
            features,
            segment,
        }
    };
    all.into_iter().enumerate().map(score).collect()
}

/// The likeliest type of a sentence that a person says and that is worth keeping.
pub(in crate::extract) fn likeliest_type(text: &str) -> &'static str {
    let said = Said { place: 0, speaker: Speaker::Person, text, before: "", reply: "" };
    score_message(&said).first().map_or("fact", |sentence| sentence.memory_type)
}

/// The probability that what a person says apart from work is worth keeping.
pub(in crate::extract) fn worth_in_chat(text: &str) -> f64 {
    let said = Said { place: 0, speaker: Speaker::Person, text, before: "", reply: "" };
    score_message(&said).iter().map(|sentence| sentence.worth_in_chat).fold(0.0, f64::max)
}

/// A candidate with the probability that it is worth keeping.
#[derive(Debug, Clone)]
struct Scored {
    worth: f64,
    candidate: Candidate,
}

/// The candidates of each of a conversation's windows: the best of all, as many as so many turns may give.
///
/// A conversation has few things that matter in months, however it is worded. So its sentences compete with each other:
/// the best that are likelier than not to be of some use, and one more only if it is worth keeping beyond doubt.
/// `is_over` says that nobody will answer what was said last.
///
/// # Errors
/// When a pattern is wrong.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "counts of turns"
)]
pub fn by_classifier(windows: &[Window], is_over: bool) -> Result<Vec<Vec<Candidate>>> {
    let mut found: Vec<(usize, Scored)> = Vec::new();
    let mut sentences = 0;
    for (place, window) in windows.iter().enumerate() {
        let scored = of_window(window, is_over)?;
        sentences += scored.eligible;
        found.extend(scored.worthwhile.into_iter().map(|scored| (place, scored)));
    }
    found.sort_by(|(_, one), (_, other)| other.worth.total_cmp(&one.worth));
    // What is pasted twice takes one place.
    let mut seen = BTreeSet::new();
    found.retain(|(_, scored)| seen.insert(scored.candidate.content.clone()));
    let turns: usize = windows.iter().map(|window| window.new.len()).sum();
    let turns = turns as f64;
    let most = match windows.first().map(|window| window.topic) {
        // People chat and an assistant lectures: only what is worth keeping beyond doubt counts.
        Some(Topic::Chat) => {
            found.retain(|(_, scored)| scored.worth >= SURE_IN_CHAT);
            (turns * MOST_PER_CHAT_TURN).ceil()
        }
        topic => {
            // Who only answers questions explains the world, and that nobody objects says nothing.
            if topic == Some(Topic::Work) && !is_hands_on(windows) {
                found.retain(|(_, scored)| scored.candidate.confidence > UNOPPOSED);
            }
            (turns * PER_TURN + sentences as f64 * PER_SENTENCE).min(turns * MOST_PER_TURN).round()
        }
    };
    let sure = found.iter().take_while(|(_, scored)| scored.worth >= SURE).count();
    found.truncate((most as usize).max(sure.min(1)));
    let mut candidates = vec![Vec::new(); windows.len()];
    for (place, scored) in found {
        candidates[place].push(scored.candidate);
    }
    Ok(candidates)
}

// Whether an assistant does the work itself instead of answering questions about it.
fn is_hands_on(windows: &[Window]) -> bool {
    let is_at_work_in = |window: &Window| {
        let mut heard = window.before.iter().chain(&window.new);
        heard.any(|said| {
            window.cast.speaker(said) == Some(Speaker::Assistant)
                && segments(&said.content).iter().any(|segment| is_at_work(&segment.text))
        })
    };
    windows.iter().any(is_at_work_in)
}

/// Whether a window likely holds a sentence that is worth keeping.
///
/// At work a story of five sentences may hold one without any of them being plain, so the probabilities of all that a
/// person says count together. In chats, where nearly everyone tells something of themselves, one sentence must be plain.
///
/// # Errors
/// When a pattern is wrong.
pub(in crate::extract) fn holds_fact(window: &Window) -> Result<bool> {
    let scores = of_window(window, false)?;
    // What an assistant said before the window, and nobody took up, is no reason to look at it.
    let is_told = |candidate: &Candidate| {
        candidate.confidence > UNOPPOSED
            || candidate.evidence.iter().any(|id| window.new.iter().any(|new| new.id == *id))
    };
    let is_plain = scores.worthwhile.iter().any(|scored| scored.worth >= WORTH_A_LOOK && is_told(&scored.candidate));
    Ok(is_plain || window.topic == Topic::Work && 1.0 - scores.all_idle >= LIKELY)
}

// What a window may give.
#[derive(Debug)]
struct WindowScores {
    worthwhile: Vec<Scored>,
    // How many of its new sentences could be facts.
    eligible: usize,
    // The probability that nothing a person newly says is worth keeping, if one sentence tells nothing of another.
    all_idle: f64,
}

// A person's word counts. An assistant's counts once a person has answered and did not object to it, or left it at that.
fn of_window(window: &Window, is_over: bool) -> Result<WindowScores> {
    let messages: Vec<(&Memory, bool)> = window.messages().collect();
    let mut found = WindowScores { worthwhile: Vec::new(), eligible: 0, all_idle: 1.0 };
    for (place, (message, new)) in messages.iter().enumerate() {
        let Some(who) = window.cast.speaker(message) else { continue };
        // What an assistant says of the world is in books.
        if who == Speaker::Assistant && window.topic == Topic::Chat {
            continue;
        }
        let within = messages[place + 1..].iter().find(|(next, _)| window.cast.speaker(next) == Some(Speaker::Person));
        let answer = within.copied().or(window.reply.as_ref().map(|reply| (reply, true)));
        let answered = (*new || within.is_some_and(|(_, next_new)| *next_new)).then_some(answer).flatten();
        let is_left = *new && is_over && answer.is_none();
        if who == Speaker::Person && !new || who == Speaker::Assistant && !new && answered.is_none() {
            continue;
        }
        // Among people, the other one is whoever has another name.
        let is_other = |other: &Memory| {
            let spoke = window.cast.speaker(other);
            spoke.is_some_and(|spoke| spoke != who || (who == Speaker::Person && other.role != message.role))
        };
        let earlier = messages[..place].iter().rev().find(|(other, _)| is_other(other));
        let before = earlier.map_or("", |(earlier, _)| earlier.content.as_str());
        let mut scored = score_message(&Said {
            place,
            speaker: who,
            text: &message.content,
            before,
            reply: answer.map_or("", |(next, _)| &next.content),
        });
        scored.retain(|sentence| sentence.is_eligible);
        if window.topic == Topic::Chat {
            // What is said of the world, and what was pasted, speaks of nobody's own things.
            scored.retain(|sentence| speaks_of_oneself(&sentence.text));
            scored.iter_mut().for_each(|sentence| sentence.worth = sentence.worth_in_chat);
        }
        if *new {
            found.eligible += scored.len();
            if who == Speaker::Person {
                found.all_idle *= scored.iter().map(|sentence| 1.0 - sentence.worth).product::<f64>();
            }
        }
        let (evidence, confidence) = match (who, answered) {
            (Speaker::Person, _) => (vec![message.id], SAID),
            (Speaker::Assistant, Some((next, _))) => match reply(&next.content)? {
                Reply::Agrees => (vec![message.id, next.id], AGREED),
                Reply::GoesOn => (vec![message.id], UNOPPOSED),
                Reply::Objects => continue,
            },
            (Speaker::Assistant, None) if is_left => (vec![message.id], UNOPPOSED),
            (Speaker::Assistant, None) => continue,
        };
        scored.retain(|sentence| sentence.worth >= LEAST);
        scored.sort_by(|a, b| b.worth.total_cmp(&a.worth));
        scored.truncate(if who == Speaker::Person { PER_PERSON } else { PER_ASSISTANT });
        found.worthwhile.extend(scored.into_iter().zip(0..).map(|(sentence, rank)| Scored {
            worth: sentence.worth * FURTHER.powi(rank),
            candidate: candidate(&sentence, told_alone(&sentence.segment, who, before), evidence.clone(), confidence),
        }));
    }
    Ok(found)
}

fn candidate(sentence: &SentenceScore, content: String, evidence: Vec<MemoryId>, confidence: f64) -> Candidate {
    Candidate {
        content,
        memory_type: sentence.memory_type.to_owned(),
        importance: Some(IMPORTANCE),
        confidence,
        tags: Vec::new(),
        entities: Vec::new(),
        evidence,
        slot: None,
        replaces: None,
        date: None,
        is_in_passing: false,
        extractor: CLASSIFIER.to_owned(),
        found_by: "work-talk".to_owned(),
    }
}

/// Words that refer to what stands before, at the beginning of a sentence.
const REFERRING: [&str; 22] = [
    "it", "it's", "its", "this", "that", "these", "those", "they", "he", "she", "das", "dies", "es", "ça", "cela",
    "esto", "eso", "elle", "because", "however", "weil", "porque",
];

// The text of a fact: the answer to a numbered question with that question, any other sentence as it can stand alone.
fn told_alone(segment: &Segment, speaker: Speaker, before: &str) -> String {
    let alone = standing_alone(segment);
    let asked = segment.number.filter(|_| speaker == Speaker::Person).and_then(|number| question(before, number));
    match asked {
        Some(question) if question.len() + alone.len() < CHARS => format!("{question} {alone}"),
        _ => alone,
    }
}

// The last question of a message that bears this number.
fn question(message: &str, number: u32) -> Option<String> {
    let asked = segments(message).into_iter().filter(|segment| segment.number == Some(number));
    asked.rev().find(|segment| segment.text.ends_with(['?', '？'])).map(|segment| segment.text)
}

// A sentence that begins with “it” is told together with the one before it.
fn standing_alone(segment: &Segment) -> String {
    let first = segment.text.split_whitespace().next().unwrap_or_default().to_lowercase();
    let refers = REFERRING.contains(&first.trim_matches(|c: char| !c.is_alphanumeric() && c != '\''));
    match &segment.before {
        Some(before) if refers && !before.ends_with(['?', ':']) && before.len() + segment.text.len() <= CHARS => {
            format!("{before} {}", segment.text)
        }
        _ => segment.text.clone(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of words and characters")]
fn is_eligible(text: &str, speaker: Speaker) -> bool {
    let words = tokens(text);
    let code = words.iter().filter(|word| KINDS.contains(&word.as_str())).count();
    let (mut letters, mut characters) = (0, 0);
    // What stands between backticks is counted as code, not as signs.
    for part in text.split('`').step_by(2) {
        characters += part.chars().count();
        letters += part.chars().filter(|c| c.is_alphanumeric() || c.is_whitespace()).count();
    }
    let is_announced = speaker == Speaker::Assistant && announces(text);
    let is_markup = text.contains("</") || text.contains("=\"");
    WORDS.contains(&words.len())
        && !is_copied(text)
        && !is_printed_failure(text)
        && !is_announced
        && !is_markup
        && !ASKING.contains(&words[0].as_str())
        && text.chars().count() <= CHARS
        && !text.ends_with(['?', '？', ':'])
        && code as f64 <= MOST_CODE * words.len() as f64
        && letters as f64 >= LEAST_LETTERS * characters as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_questions_and_fragments_are_no_facts() {
        for (text, expected) in [
            ("The staging db is on port 5433", true),
            ("Store only the SHA-256 of the token, never the token.", true),
            ("`cost_price` of a keg is the price of the whole keg, so divide it by `unit_amount`.", true),
            ("Should we use Redis for that?", false),
            ("ok do it", false),
            ("how do I squash all of this into one commit", false),
            ("HTML Element: <nav class=\"mt-6 flex\">Update my income</nav>", false),
            ("at Object.<anonymous> (/app/src/index.js:12:5)", false),
            ("SELECT p0.\"id\", p0.\"name\", p0.\"active\" FROM \"products\" AS p0 WHERE (p0.\"id\" = $1)", false),
            ("2025-06-14 16:07:38.565 [warning] [server stderr] docker: Error response", false),
            ("Now let me write the migration file:", false),
            ("TypeError: the store was not opened before it was read", false),
        ] {
            assert_eq!(is_eligible(text, Speaker::Person), expected, "{text}");
        }
    }

    #[test]
    fn what_refers_to_the_sentence_before_it_brings_that_along() {
        let alone = |text: &str| standing_alone(segments(text).last().unwrap());
        assert_eq!(
            alone("The worker runs as root. It needs that for port 80."),
            "The worker runs as root. It needs that for port 80."
        );
        assert_eq!(alone("Ready? It needs root for port 80."), "It needs root for port 80.");
        assert_eq!(alone("Fine. We use pnpm here."), "We use pnpm here.");
    }

    #[test]
    fn an_answer_brings_its_numbered_question_along() {
        let asked = "Some questions:\n1. **Device**: where is it used?\n2. Which database do you want?";
        let told = |text: &str, who| told_alone(segments(text).last().unwrap(), who, asked);
        assert_eq!(told("1. mostly on tablets", Speaker::Person), "Device: where is it used? mostly on tablets");
        assert_eq!(told("ok\n2) sqlite is fine", Speaker::Person), "Which database do you want? sqlite is fine");
        assert_eq!(told("3. whatever is easier", Speaker::Person), "whatever is easier");
        assert_eq!(told("1. mostly on tablets", Speaker::Assistant), "mostly on tablets");
        assert_eq!(told("we use sqlite", Speaker::Person), "we use sqlite");
    }
}
