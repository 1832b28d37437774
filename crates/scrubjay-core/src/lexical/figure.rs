//! Figures that people keep of themselves and their work: how long they have had something, how many there are by now.
//!
//! “I've been using this watch for six months now” and, later, “for nine months now” give the same figure another value,
//! and the later one holds. A number in a story (“we caught seven fish”) is no such figure: it stays true.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::amount::{ARTICLES, NUMBER_WORDS, TIME_UNITS, begins_with_listed, is_listed, is_number};
use super::analyzer::terms;
use super::stop_words::is_stop_word;

/// The longest text that is looked at, in characters.
const LONGEST: usize = 320;

/// The least share of the fewer topical words of two figures that they have in common.
const IN_COMMON: f64 = 0.6;

/// How many terms two figures of the same name must share at least, where they share few.
const MORE_THAN_NAME: usize = 3;

/// How many words may stand between “I have” and the number in “I have already read the first four”.
const WITHIN: usize = 8;

/// How many words after a number may name what it counts: “different species of birds”.
const NAMING: usize = 3;

/// Words of whoever keeps the figure.
const OWN: &str = "
i i'm i've i'll we we're we've my our me us
ich wir mein meine meinen meinem meiner unser unsere unseren je j'ai j'en nous mon ma mes notre nos
yo tengo tenemos llevo llevamos he hemos mi mis nuestro nuestra nuestros nuestras
";

/// What says of a number that it is how things stand.
const BY_NOW: &str = r"(?ix)
    \b(?: now | so\ far | already | currently | at\ the\ moment | right\ now | in\ total | to\ date | by\ now | these\ days | up\ to
    | bisher | inzwischen | mittlerweile | jetzt | schon | derzeit | aktuell | insgesamt | momentan
    | jusqu['’]ici | maintenant | déjà | actuellement | en\ tout
    | hasta\ ahora | ahora | actualmente | en\ total | por\ ahora )\b";

/// What says that something lasts until now.
const LASTING: &str = r"(?ix)
    \b(?: (?:have|has|had) | \w+['’](?:ve|s) )\b .*? \b(?: for | been | the\ (?:past|last) )\b
    | \bseit\b | \bdepuis\b | \bdesde\ hace\b | \bllev(?:o|amos)\b | \bhace\b";

/// What says that something has come about and holds since.
const COME_ABOUT: &str = r"(?ix)
    \b(?: (?:i|we)['’](?:ve|m|re) | (?:i|we)\ (?:now\ |currently\ |already\ |also\ |still\ )*(?:have|am|are|own) | (?:just|finally|recently)\ (?:reached|hit|passed|got|finished|completed|made)
    | brings?\ (?:my|our|the|it|us|me) | habe[n]? | bin | sind | avons | tenemos | tengo | hemos | ai )\b";

/// Figures that have a name: what “is” follows on.
const NAMED: &str = r"(?ix)
    \b(?:my|our|the|mein\w*|unser\w*|mon|ma|notre|mi|nuestr[oa])\ (?:[\w'’-]+\ ){0,4}?
    (?: score | record | goal | target | limit | budget | total | count | number | best | weight | height | salary | rent | quota | ratio
      | mileage | streak | balance | average | rate | timeout | threshold | retention | interval | ziel | grenze | anzahl | gehalt | limite | objetivo
      | presupuesto | objectif | plafond )\b";

/// Words of how often.
const OFTEN: &str = r"(?ix)
    \b(?: once | twice | thrice | (?: \d+ | two | three | four | five | six | seven ) \s (?:times|days|nights|mornings|evenings) )
    \s (?:a|per|each|every|an) \s (?:day|week|month|year|night)\b";

/// Irregular participles of what people count, and regular ones that count nothing.
const DONE: &str =
    "read seen met won lost written done made taken worn built run been caught sold bought grown beaten had";
const SUPPOSED: &str =
    "needed wanted decided noticed realized realised considered planned used learned moved switched changed wondered";

/// Words that say nothing of what a figure is about, as terms.
const GENERAL: &str = "
use have had has alreadi get got go went do did done make made keep been be am is are now so far already current moment total date just final recent
realiz think about around almost near over rough least most more than past last few lot quit new old time
count number reach hit pass finish complet try tri start stick work stay live daili own bring manag happi report check
day week month year hour minut today yesterday right feel seit jetzt schon inzwischen depuis desde hace
";

/// Words for things of any kind, as terms.
const ANYTHING: &str = "one thing stuff peopl bit way kind sort differ place point";

/// Words that say that all there are were counted.
const TOTAL: &str = "total overall altogether insgesamt gesamt";

/// Days, which are no names of things.
const MONTHS: &str = "
january february march april may june july august september october november december jan feb mar apr jun jul aug sep oct nov dec
";
const WEEKDAYS: &str = "monday tuesday wednesday thursday friday saturday sunday";

/// What a figure counts.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// A length of time until now.
    Duration,
    /// How often something is done.
    Often,
    /// A number of things, by the terms that follow on it; none if only a name of the figure tells.
    Count(BTreeSet<String>),
}

/// A figure with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    kind: Kind,
    topic: BTreeSet<String>,
    names: BTreeSet<String>,
    // It counts all there are.
    is_total: bool,
    value: String,
}

struct Patterns {
    by_now: Regex,
    lasting: Regex,
    come_about: Regex,
    named: Regex,
    often: Regex,
}

// A test compiles them; without them no figure is found.
static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    Some(Patterns {
        by_now: Regex::new(BY_NOW).ok()?,
        lasting: Regex::new(LASTING).ok()?,
        come_about: Regex::new(COME_ABOUT).ok()?,
        named: Regex::new(NAMED).ok()?,
        often: Regex::new(OFTEN).ok()?,
    })
});

impl Figure {
    /// The figure that a statement gives a value to.
    ///
    /// ```
    /// use scrubjay_core::lexical::Figure;
    ///
    /// let (then, now) = (Figure::of("I've had Luna for 6 months"), Figure::of("I've had my cat Luna for nine months now"));
    /// assert!(then.zip(now).is_some_and(|(then, now)| then.is_changed_by(&now)));
    /// assert_eq!(Figure::of("We caught seven fish on Sunday"), None);
    /// ```
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        if text.chars().count() > LONGEST || text.trim_end().ends_with(['?', '？']) {
            return None;
        }
        let text = text.replace('’', "'");
        let spoken: Vec<&str> = text.split_whitespace().collect();
        let words: Vec<String> = spoken.iter().map(|word| bare(word)).collect();
        if !words.iter().any(|word| is_listed(OWN, word)) {
            return None;
        }
        let patterns = PATTERNS.as_ref()?;
        let (at, kind) = duration(&words)
            .filter(|_| patterns.lasting.is_match(&text))
            .map(|at| (at, Kind::Duration))
            .or_else(|| often(&words).filter(|_| patterns.often.is_match(&text)).map(|at| (at, Kind::Often)))
            .or_else(|| count(&text, &words, patterns))?;
        let value = value(&words[at]);
        // What is said after the figure is about something else.
        let spoken = &spoken
            [..(at..spoken.len()).find(|place| ends_part(&spoken, *place)).map_or(spoken.len(), |place| place + 1)];
        let is_topical = |term: &String| !is_general(term) && !is_number(term) && *term != value;
        let named = spoken.iter().skip(1).filter(|word| is_name(word));
        let names: BTreeSet<String> = named.flat_map(|word| terms(word)).filter(|term| !is_number(term)).collect();
        let mut topic: BTreeSet<String> = terms(&spoken.join(" ")).into_iter().filter(is_topical).collect();
        // “Luis” is a name, though something like it is a little word elsewhere.
        topic.extend(names.iter().cloned());
        let is_total = words.iter().any(|word| is_listed(TOTAL, word));
        (!topic.is_empty()).then_some(Self { kind, topic, names, is_total, value })
    }

    /// Whether another statement gives the same figure another value.
    #[must_use]
    pub fn is_changed_by(&self, other: &Self) -> bool {
        if self.value == other.value || self.names_another_than(other) {
            return false;
        }
        match (&self.kind, &other.kind) {
            (Kind::Duration, Kind::Duration) | (Kind::Often, Kind::Often) => {
                shares(&self.topic, &other.topic) || self.shares_name_with(other)
            }
            (Kind::Count(one), Kind::Count(two)) => {
                let both: BTreeSet<&String> = one.intersection(two).collect();
                let rest = |figure: &Self| -> BTreeSet<String> {
                    figure.topic.iter().filter(|term| !both.contains(term)).cloned().collect()
                };
                let (mine, theirs) = (rest(self), rest(other));
                // “I have 600 followers now” counts all of them, so whatever else is said of followers.
                let all = |rest: &BTreeSet<String>, other: &Self| {
                    rest.is_empty() && other.names.iter().all(|name| both.contains(name))
                };
                let is_of_all = all(&mine, other) || all(&theirs, self) || self.is_total || other.is_total;
                !both.is_empty() && (is_of_all || shares(&mine, &theirs))
                    || both.len() > 1 && shares(&self.topic, &other.topic)
                    || (one.is_empty() || two.is_empty()) && shares(&self.topic, &other.topic)
                    || self.shares_name_with(other)
            }
            _ => false,
        }
    }

    /// Whether it says what it is a figure of: a name, what it counts, or what lasts.
    #[must_use]
    pub fn is_clear_alone(&self) -> bool {
        let is_told = match &self.kind {
            Kind::Duration | Kind::Often => true,
            Kind::Count(counted) => counted.iter().any(|term| !is_listed(ANYTHING, term)),
        };
        is_told || !self.names.is_empty() || self.topic.len() > 1
    }

    // The same name, and more in common than that.
    fn shares_name_with(&self, other: &Self) -> bool {
        let common = self.topic.intersection(&other.topic).count();
        !self.names.is_disjoint(&other.names)
            && common >= MORE_THAN_NAME
            && 5 * common >= 2 * self.topic.len().min(other.topic.len())
    }

    // Two figures of things with different names are different figures.
    fn names_another_than(&self, other: &Self) -> bool {
        !self.names.is_empty() && !other.names.is_empty() && self.names.is_disjoint(&other.names)
    }
}

#[expect(clippy::cast_precision_loss, reason = "small counts of words")]
fn shares(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let (common, fewer) = (one.intersection(other).count(), one.len().min(other.len()));
    common > 0 && common as f64 >= IN_COMMON * fewer as f64
}

// Where a length of time is: “for about 6 months”, “it's been a month”.
fn duration(words: &[String]) -> Option<usize> {
    let is_unit = |word: &String| begins_with_listed(TIME_UNITS, word);
    (0..words.len().saturating_sub(1)).find(|at| {
        let is_one = is_number(&words[*at]) || is_listed(ARTICLES, &words[*at]);
        // “three times a week” says how often.
        let follows_times =
            *at > 0 && (words[at - 1].starts_with("time") || ["once", "twice"].contains(&words[at - 1].as_str()));
        is_one && is_unit(&words[at + 1]) && !follows_times
    })
}

fn often(words: &[String]) -> Option<usize> {
    (0..words.len()).find(|at| {
        let next = words.get(at + 1).map(String::as_str).unwrap_or_default();
        ["once", "twice", "thrice"].contains(&words[*at].as_str()) && ["a", "per", "every", "each"].contains(&next)
            || is_number(&words[*at]) && ["times", "days", "nights", "mornings", "evenings"].contains(&next)
    })
}

// Where a number of things is, if the statement says how things stand.
fn count(text: &str, words: &[String], patterns: &Patterns) -> Option<(usize, Kind)> {
    let named = patterns.named.find(text);
    let counts_up = perfect(words);
    let stands =
        counts_up.is_some() || patterns.come_about.is_match(text) && (patterns.by_now.is_match(text) || has_just(text));
    if named.is_none() && !stands {
        return None;
    }
    let from = named.map_or(counts_up.unwrap_or(0), |found| text[..found.end()].split_whitespace().count());
    let is_figure =
        |at: &usize| is_amount(&words[*at]) && !is_ordinal(words, *at) && !is_day(words, *at) && words[*at] != "one";
    let at = (from..words.len()).find(is_figure).or_else(|| (0..from).find(is_figure).filter(|_| stands))?;
    let after = words[at + 1..].iter().map_while(|word| (!is_listed("and or but so which", word)).then_some(word));
    let mut counted: BTreeSet<String> = after.take(NAMING).flat_map(|word| terms(word)).collect();
    // “My total species count is 32” names it before.
    if let Some(found) = named {
        let first = text[..found.start()].split_whitespace().count();
        counted.extend(words[first.min(at)..at].iter().flat_map(|word| terms(word)));
    }
    counted.retain(|term| !is_general(term) && !is_number(term));
    Some((at, Kind::Count(counted)))
}

// Where a number may stand that counts what was done until now: after “I've tried”, unless that was today.
fn perfect(words: &[String]) -> Option<usize> {
    let is_today = |word: &String| is_listed("today yesterday tonight morning tomorrow", word);
    let at = (0..words.len()).find(|at| {
        let has = words[*at] == "i've"
            || words[*at] == "we've"
            || words[*at] == "have" && *at > 0 && ["i", "we"].contains(&words[at - 1].as_str());
        // “I have been told”, “I've got to”, “I've heard of 3 of them” count nothing.
        let verb =
            words[at + 1..].iter().find(|word| !is_listed("already also just only now even still managed to", word));
        has && verb.is_some_and(|verb| is_listed(DONE, verb) || verb.ends_with("ed") && !is_listed(SUPPOSED, verb))
    })?;
    let numbers = at + 1..words.len().min(at + WITHIN + 2);
    (!words.iter().any(is_today) && words[numbers].iter().any(|word| is_number(word))).then_some(at)
}

// Whether a part of a sentence ends with a word: “…, and”, “… - ”.
fn ends_part(spoken: &[&str], place: usize) -> bool {
    const GOING_ON: &str =
        "and but so which since because although though while including und aber weil mais donc pero porque";
    let next = spoken.get(place + 1).map(|word| bare(word)).unwrap_or_default();
    let is_dash = spoken.get(place + 1).is_some_and(|word| ["-", "–", "—"].contains(word));
    is_dash || spoken[place].ends_with(';') || (spoken[place].ends_with(',') && is_listed(GOING_ON, &next))
}

// “Task 7.5” and “step 3” are names, and “more than half” is no number.
fn is_ordinal(words: &[String], at: usize) -> bool {
    const NUMBERED: &str = "task subtask step point item version phase part chapter page line row issue ticket milestone sprint week day level";
    words[at] == "half" || at > 0 && is_listed(NUMBERED, &words[at - 1])
}

// A number, and no “18-55mm” or “2x4”: those tell what something is.
fn is_amount(word: &str) -> bool {
    let letters = word.trim_start_matches(|c: char| !c.is_alphabetic());
    is_number(word)
        && (!word.starts_with(|c: char| c.is_ascii_digit())
            || is_listed("k m st nd rd th", letters)
            || letters.is_empty())
}

fn has_just(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["just reached", "just hit", "just passed", "just finished", "just completed", "finally reached", "finally hit"]
        .iter()
        .any(|phrase| lower.contains(phrase))
}

// Years, days of a month and hours are no amounts.
fn is_day(words: &[String], at: usize) -> bool {
    let word = &words[at];
    let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    let beside =
        |place: Option<usize>| place.and_then(|place| words.get(place)).is_some_and(|word| is_listed(MONTHS, word));
    let is_hour = word.ends_with("am") || word.ends_with("pm") || word.contains(':');
    is_year || is_hour || beside(at.checked_sub(1)) || beside(Some(at + 1))
}

fn is_general(term: &str) -> bool {
    is_stop_word(term) || is_listed(GENERAL, term) || is_listed(OWN, term) || term.chars().count() < 2
}

fn is_name(word: &str) -> bool {
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_day = is_listed(MONTHS, &bare(word)) || is_listed(WEEKDAYS, &bare(word));
    word.chars().next().is_some_and(char::is_uppercase)
        && !["I", "I'm", "I've", "I'll", "I'd"].contains(&word)
        && !is_day
}

// In lower case without marks around it; what stands within, as in “3-2” and “$1,300”, stays.
fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

// The same number in letters and in digits is one value.
fn value(word: &str) -> String {
    const FIRST: &str = "zero one two three four five six seven eight nine ten eleven twelve";
    // “My 5th” is as far as five.
    let digits = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending))
        .filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
        .unwrap_or(word)
        .replace(',', "");
    match FIRST.split(' ').position(|known| known == word) {
        Some(number) => number.to_string(),
        None if is_listed("a an single once", word) => "1".to_owned(),
        None if word == "twice" => "2".to_owned(),
        None if is_listed(NUMBER_WORDS, word) => word.to_owned(),
        None => digits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert!(PATTERNS.is_some());
    }

    #[test]
    fn only_what_stands_is_a_figure() {
        for (text, expected) in [
            ("I've been running this blog for three years", true),
            ("We have 12 workers in the queue now", true),
            ("Our retry limit is 5", true),
            ("I go swimming twice a week", true),
            ("I just reached 200 kudos on my last route", true),
            ("Ich habe den Kater seit vier Jahren", true),
            ("llevo dos años aprendiendo alemán", true),
            ("I've repaired 4 clocks since the move", true),
            ("I ran 5 miles on Sunday", false),
            ("I've had 3 coffees today", false),
            ("We have already completed task 7.5", false),
            ("I currently have more than half of them passing", false),
            ("I've loved my new 70-200mm lens so far", false),
            ("I've decided to buy 3 chairs", false),
            ("The office has 12 floors now", false),
            ("We met in March 2024", false),
            ("I've been thinking about the garden", false),
            ("How many workers do we have now?", false),
            ("", false),
        ] {
            assert_eq!(Figure::of(text).is_some(), expected, "{text}: {:?}", Figure::of(text));
        }
    }

    #[test]
    fn a_later_value_changes_the_same_figure_alone() {
        for (one, other, expected) in [
            ("I've been using my Garmin for 6 months now", "I've had the Garmin on for nine months now", true),
            ("We have 3 replicas in production now", "We now have 5 replicas in production", true),
            ("I've tried three of Rosa's soups so far", "By now I've tried 5 of Rosa's soups already", true),
            ("I do pilates twice a week", "I've been doing pilates three times a week", true),
            (
                "I've done yoga twice a week, which helps me relax",
                "I like days with a yoga class, which is three times a week",
                true,
            ),
            ("I've built 4 kayaks since leaving school", "I just finished my 5th kayak since leaving school", true),
            (
                "I've spotted 27 different moths so far",
                "I just saw a Death's-head, which brings my total moth count to 32",
                true,
            ),
            (
                "I love my flat in Gràcia - it's been a month now",
                "I've been living in Gràcia for 3 months now, and I like it",
                true,
            ),
            ("My highest score in Azul so far is 92 points", "I just got my highest score in Azul - 104 points", true),
            ("Our retry limit is 5", "Our retry limit is 3 now", true),
            ("I've had my van for 2 years", "I've had my van for two years now", false),
            ("I've been using my Garmin for 6 months now", "I've been using my new phone for 9 months now", false),
            ("I've had Milo for 3 years", "I've had Otto for 5 years", false),
            ("My highest score in Azul so far is 92 points", "My highest score in Splendor so far is 15 points", false),
            ("We have 3 replicas in production now", "We have 5 feature flags in production now", false),
            ("I do pilates twice a week", "I've been doing pilates for three years", false),
            ("I've met Ana 3 times so far", "I've met Luis 4 times so far", false),
        ] {
            let changed = Figure::of(one).zip(Figure::of(other)).is_some_and(|(one, other)| one.is_changed_by(&other));
            assert_eq!(changed, expected, "{one} / {other}: {:?} {:?}", Figure::of(one), Figure::of(other));
        }
    }
}
