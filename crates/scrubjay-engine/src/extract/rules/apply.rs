//! From the sentences of a window to candidates.

use std::sync::OnceLock;

use regex::{Captures, Regex};
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::Memory;

use super::dates;
use super::explicit::{asked_to_remember, is_advice};
use super::figures::stated_figure;
use super::rule::{Compiled, CompiledLanguage, SaidBy, languages};
use crate::extract::candidate::{Candidate, RULES};
use crate::extract::classifier::likeliest_type;
use crate::extract::reply::{Reply, reply};
use crate::extract::sentences::{prose, sentences};
use crate::extract::speaker::Speaker;
use crate::extract::window::Window;
use crate::{EngineError, Result};

/// The fewest and the most words of a sentence that is a fact.
const WORDS: std::ops::RangeInclusive<usize> = 3..=40;

/// The longest sentence, in characters.
const CHARS: usize = 280;

/// How sure a person's own word is, and an assistant's that a person agreed to.
const PERSON: f64 = 0.9;
const CONFIRMED: f64 = 0.7;

/// How much something matters that a person asked to be remembered.
const ASKED_FOR: f64 = 4.0;

/// How much a figure matters: it was said in passing.
const FIGURE: f64 = 2.5;

/// What the rules find in the new messages of a window.
///
/// # Errors
/// When a pattern is wrong.
pub fn by_rules(window: &Window) -> Result<Vec<Candidate>> {
    let messages: Vec<(&Memory, bool)> = window.messages().collect();
    let mut found: Vec<Candidate> = Vec::new();
    for (place, (message, new)) in messages.iter().enumerate() {
        let answer = messages[place + 1..].iter().find(|(next, _)| window.cast.speaker(next) == Some(Speaker::Person));
        let source = match window.cast.speaker(message) {
            Some(Speaker::Person) if *new => Source { said_by: Speaker::Person, evidence: vec![message.id] },
            // An assistant's word counts when a person agrees to it, and one of the two is new.
            Some(Speaker::Assistant) => match answer {
                Some((next, next_new)) if (*new || *next_new) && reply(&next.content)? == Reply::Agrees => {
                    Source { said_by: Speaker::Assistant, evidence: vec![message.id, next.id] }
                }
                _ => continue,
            },
            _ => continue,
        };
        if is_assignment(&message.content)? {
            continue;
        }
        let text = prose(&message.content);
        let mut before = None;
        for sentence in sentences(&text) {
            let stated = of_sentence(sentence, message, &source)?;
            let candidate = match stated {
                None if source.said_by == Speaker::Person => match asked_to_remember(sentence, before)? {
                    Some(fact) if window.cast.is_among_people() && is_advice(fact) => None,
                    Some(fact) => {
                        // Among people “remember” often leads up to a saying.
                        Some(Candidate { is_in_passing: window.cast.is_among_people(), ..to_remember(fact, &source) })
                    }
                    None => stated_figure(sentence)?.map(|fact| figure(fact, &source)),
                },
                stated => stated,
            };
            if let Some(candidate) = candidate
                && found.iter().all(|other| other.content != candidate.content)
            {
                found.push(candidate);
            }
            before = Some(sentence);
        }
    }
    Ok(found)
}

// What a person asked to be remembered, of whatever kind it is.
fn to_remember(fact: &str, source: &Source) -> Candidate {
    Candidate {
        content: capitalised(fact),
        memory_type: likeliest_type(fact).to_owned(),
        importance: Some(ASKED_FOR),
        confidence: PERSON,
        tags: Vec::new(),
        entities: Vec::new(),
        evidence: source.evidence.clone(),
        slot: None,
        replaces: None,
        date: None,
        is_in_passing: false,
        extractor: RULES.to_owned(),
        found_by: "asked-to-remember".to_owned(),
    }
}

// How things stand with a person or their work, until another figure is given.
fn figure(fact: &str, source: &Source) -> Candidate {
    Candidate {
        memory_type: "fact".to_owned(),
        importance: Some(FIGURE),
        tags: vec!["figure".to_owned()],
        is_in_passing: true,
        found_by: "figure".to_owned(),
        ..to_remember(fact, source)
    }
}

struct Source {
    said_by: Speaker,
    evidence: Vec<MemoryId>,
}

fn of_sentence(sentence: &str, message: &Memory, source: &Source) -> Result<Option<Candidate>> {
    if sentence.ends_with(['?', '？', ':']) || sentence.chars().count() > CHARS || sentence.contains(['"', '“', '”'])
    {
        return Ok(None);
    }
    for language in languages()? {
        let bare = bare(language, sentence);
        if !WORDS.contains(&bare.split_whitespace().count()) || language.unreal.is_match(bare) {
            continue;
        }
        for compiled in &language.rules {
            let allowed = source.said_by == Speaker::Person || compiled.rule.said_by == SaidBy::Confirmed;
            if !allowed || compiled.unless.as_ref().is_some_and(|unless| unless.is_match(bare)) {
                continue;
            }
            let Some(captures) = compiled.pattern.captures(bare) else { continue };
            let date = dates::resolve(bare, message.event_time);
            if compiled.rule.dated && date.is_none() {
                continue;
            }
            return Ok(Some(candidate(compiled, &captures, bare, date, source)));
        }
    }
    Ok(None)
}

fn candidate(
    compiled: &Compiled,
    captures: &Captures<'_>,
    bare: &str,
    date: Option<String>,
    source: &Source,
) -> Candidate {
    let rule = &compiled.rule;
    let group = |name| captures.name(name).map(|found| found.as_str().trim().to_lowercase());
    let date = date.filter(|_| rule.dated);
    let mut content = capitalised(bare);
    // "Next Friday" means nothing a month later.
    if let Some(day) = date.as_ref().filter(|day| !content.contains(day.as_str())) {
        let end = content.trim_end_matches(['.', '!', ',', ' ']).len();
        content.truncate(end);
        content.push_str(&format!(" ({day})."));
    }
    let person = source.said_by == Speaker::Person;
    Candidate {
        content,
        memory_type: rule.memory_type.to_owned(),
        importance: rule.importance,
        confidence: if person { PERSON } else { CONFIRMED },
        tags: Some(rule.tag).filter(|tag| !tag.is_empty()).map(str::to_owned).into_iter().collect(),
        entities: Vec::new(),
        evidence: source.evidence.clone(),
        slot: rule.slot.map(|slot| slot.replace("{}", &group("slot").unwrap_or_default())),
        replaces: group("old"),
        date,
        is_in_passing: rule.in_passing,
        extractor: RULES.to_owned(),
        found_by: rule.name.to_owned(),
    }
}

// The sentence without words that lead up to it.
fn bare<'a>(language: &CompiledLanguage, sentence: &'a str) -> &'a str {
    let mut rest = sentence.trim();
    while let Some(found) = language.lead_in.find(rest).filter(|found| found.start() == 0 && found.end() > 0) {
        rest = rest[found.end()..].trim_start();
    }
    rest
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

// A message that orders a text to be written is about that text, not about the speaker.
fn is_assignment(message: &str) -> Result<bool> {
    static ORDER: OnceLock<std::result::Result<Regex, regex::Error>> = OnceLock::new();
    let order = ORDER.get_or_init(|| {
        Regex::new(
            r"(?i)^\W*(?:please |can you |could you |now )*(?:act as|pretend|imagine|roleplay|role-play|write|rewrite|re-write|translate|summari[sz]e|paraphrase|proofread|continue the|complete the|generate|compose|draft|you are|i want you to|story:|scenario:)\b",
        )
    });
    Ok(pattern(order)?.is_match(message))
}

fn pattern(made: &'static std::result::Result<Regex, regex::Error>) -> Result<&'static Regex> {
    made.as_ref().map_err(|error| EngineError::defect(format!("a pattern of the rules is wrong: {error}")))
}
