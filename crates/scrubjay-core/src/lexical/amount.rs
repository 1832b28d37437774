//! Questions for an amount, and sentences that state one.
//!
//! “How many followers do I have” is answered by whatever sentence puts a number beside the followers. Two such
//! sentences answer the same question, however different the messages around them are, and the later one holds.

use super::analyzer::terms;
use super::stop_words::is_stop_word;

/// What asks for a number of something, without capitals and accents that people leave out. English, German, French,
/// Spanish, Portuguese and Italian.
const COUNTS: &str = "
how many|how much|how often|how old|how large|how big|how high|how far|how fast|what number of|what percentage
wie viele|wieviele|wie viel|wieviel|wie oft|wie alt|wie groß|wie hoch|wie weit
combien|quel age|quelle taille
cuantos|cuántos|cuantas|cuántas|cuanto|cuánto|cuanta|cuánta
quantos|quantas|quanto|quanta|quanti|quante
";

/// What asks for a length of time.
const DURATIONS: &str = "
how long|wie lange|seit wann|combien de temps|depuis quand|depuis combien|cuanto tiempo|cuánto tiempo|desde cuando|desde cuándo
quanto tempo|da quanto
";

/// Things that are numbers themselves, as terms: whoever asks for one asks for a number.
const NUMERIC: &str = "
score count total number amount price cost budget limit size port version percentag rate temperatur length durat
salari weight height quota timeout interv threshold ttl
puerto versión version límite precio presupuesto anzahl preis grenze prix taille nombre
";

/// Those of them that stand for any number: the sentence that states it names what is counted instead.
const ANY_NUMBER: &str = "score count total number amount anzahl nombre";

/// Words that begin a question which names what it asks for: “which port”.
const NAMING_WORDS: &str = "
what whats which welcher welche welches welchen was wie quel quelle quels quelles que qué cual cuál cuales cuáles qual quais quale quali
";

/// How near to the beginning of such a question it is named, in words.
const NAMED_WITHIN: usize = 6;

/// Words of a condition.
const CONDITIONS: &str = "if when happens wenn falls si cuando se quando";

/// Numbers as words.
pub(super) const NUMBER_WORDS: &str = "
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen half single once twice
zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert tausend dutzend
deux trois quatre cinq sept huit neuf dix onze douze quinze vingt trente cent mille
dos tres cuatro cinco seis siete ocho nueve diez once doce quince veinte treinta cien mil
dois três quatro sete oito nove dez due tre quattro sei otto dieci
";

/// Articles that stand for one before a unit of time: “a month”.
pub(super) const ARTICLES: &str = "a an one ein eine einen einem einer un une una um uma";

/// Units of time, as they begin.
pub(super) const TIME_UNITS: &str = "
second minute hour day week month year decade sekunde minute stunde tag woche monat jahr
seconde heure jour semaine mois année annee an segundo minuto hora día dia semana mes año ano giorno settimana mese anno
";

/// How far a number may stand from what it counts, in words.
const NEAR: usize = 8;

/// How many telling words after “how many” may name what is counted: “different species of birds”.
const NAMING: usize = 3;

/// What a question for an amount asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AmountAsked {
    /// A length of time.
    Duration,
    /// A number that stands near one of these terms.
    Of(Vec<String>),
}

impl AmountAsked {
    /// What a text asks for, if it asks for an amount.
    ///
    /// ```
    /// use scrubjay_core::lexical::AmountAsked;
    ///
    /// assert_eq!(AmountAsked::by("How long have we had this cluster?"), Some(AmountAsked::Duration));
    /// assert_eq!(AmountAsked::by("which port does staging use"), Some(AmountAsked::Of(vec!["port".to_owned()])));
    /// assert_eq!(AmountAsked::by("who owns the gateway"), None);
    /// ```
    #[must_use]
    pub fn by(text: &str) -> Option<Self> {
        let lower = plain(text);
        if phrases(DURATIONS).any(|phrase| after(&lower, phrase).is_some()) {
            return Some(Self::Duration);
        }
        if let Some(rest) = phrases(COUNTS).find_map(|phrase| after(&lower, phrase)) {
            let naming = terms(rest)
                .into_iter()
                .filter(|term| !is_stop_word(term) && term.chars().count() > 1)
                .take(NAMING)
                .collect::<Vec<_>>();
            return (!naming.is_empty()).then_some(Self::Of(naming));
        }
        // “What if the amount is empty” does not ask for it.
        let start: Vec<&str> = lower.split_ascii_whitespace().take(NAMED_WITHIN).collect();
        if !super::asks(text)
            || start.iter().any(|word| is_listed(CONDITIONS, word))
            || !start.first().is_some_and(|word| is_listed(NAMING_WORDS, word))
        {
            return None;
        }
        let numeric: Vec<String> =
            start.iter().flat_map(|word| terms(word)).filter(|term| is_listed(NUMERIC, term)).collect();
        if numeric.is_empty() {
            return None;
        }
        if !numeric.iter().all(|term| is_listed(ANY_NUMBER, term)) {
            return Some(Self::Of(numeric));
        }
        Some(Self::Of(terms(text).into_iter().filter(|term| !is_stop_word(term) && term.chars().count() > 1).collect()))
    }

    /// How clearly a sentence states such an amount, up to 1: how near the number stands to what it counts. None if it
    /// does not.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a small count of words")]
    pub fn stated_in(&self, sentence: &str) -> Option<f32> {
        let lower = plain(sentence);
        let words: Vec<&str> = lower.split_ascii_whitespace().collect();
        let numbers = || words.iter().enumerate().filter(|(_, word)| is_number(word)).map(|(place, _)| place);
        match self {
            Self::Duration => {
                let is_one = |word: &str| is_number(word) || is_listed(ARTICLES, word);
                let is_stated = |pair: &[&str]| is_one(pair[0]) && begins_with_listed(TIME_UNITS, pair[1]);
                words.windows(2).any(is_stated).then_some(1.0)
            }
            Self::Of(nouns) => {
                let is_noun = |word: &&str| terms(word).iter().any(|term| nouns.contains(term));
                let nouns = words.iter().enumerate().filter(|(_, word)| is_noun(word)).map(|(place, _)| place);
                let distances = nouns.flat_map(|noun| numbers().map(move |number| number.abs_diff(noun)));
                let nearest = distances.filter(|distance| (1..=NEAR).contains(distance)).min()?;
                Some(1.0 / nearest as f32)
            }
        }
    }
}

// Lower case, with one space between words.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '.').map(|word| word.trim_matches('.'));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ").to_lowercase()
}

fn phrases(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split(['|', '\n']).map(str::trim).filter(|phrase| !phrase.is_empty())
}

// What follows on a phrase of whole words.
fn after<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    text.match_indices(phrase).find_map(|(place, _)| {
        let (before, rest) = (&text[..place], &text[place + phrase.len()..]);
        let is_whole = (before.is_empty() || before.ends_with(' ')) && (rest.is_empty() || rest.starts_with(' '));
        is_whole.then_some(rest)
    })
}

pub(super) fn is_listed(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}

pub(super) fn begins_with_listed(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| word.strip_prefix(known).is_some_and(|rest| rest.chars().count() <= 2))
}

// “12th” and “3s” are numbers, “4k” too; an identifier with a digit in it is not.
pub(super) fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) || is_listed(NUMBER_WORDS, word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_for_an_amount_is_told_by_its_form_or_its_noun() {
        let of = |nouns: &str| Some(AmountAsked::Of(nouns.split(' ').map(str::to_owned).collect()));
        for (question, expected) in [
            ("How many retries does the webhook make?", of("retri webhook make")),
            ("how much did the last run cost", of("last run cost")),
            ("what's the request timeout", of("timeout")),
            ("¿cuántos reintentos hace el cliente?", of("reintento")),
            ("Wie lange läuft der Vertrag?", Some(AmountAsked::Duration)),
            ("how long have I been using the Fitbit", Some(AmountAsked::Duration)),
            ("what number of seats did we book?", of("seat book")),
            ("what was the amount we were approved for by the bank?", of("amount approv bank")),
            ("what if they leave the amount empty?", None),
            ("does it still work if that size is not offered?", None),
            ("?", None),
            ("set the timeout to something sensible", None),
            ("who reviews the release notes?", None),
            ("", None),
        ] {
            let asked = AmountAsked::by(question);
            match (&asked, &expected) {
                // Which noun a stemmer makes of a foreign word does not matter here.
                (Some(AmountAsked::Of(_)), Some(AmountAsked::Of(_))) if !question.is_ascii() => {}
                _ => assert_eq!(asked, expected, "{question}"),
            }
        }
    }

    #[test]
    fn an_amount_is_a_number_beside_what_is_counted() {
        let check = |question: &str, sentence: &str, expected: bool| {
            let asked = AmountAsked::by(question).unwrap();
            assert_eq!(asked.stated_in(sentence).is_some(), expected, "{question} / {sentence}");
        };
        check("how many bikes do I own?", "I'll have four bikes with me.", true);
        check("how many bikes do I own?", "The bikes need new tyres.", false);
        check("how many bikes do I own?", "I own bikes.", false);
        check("how many species have I seen?", "That brings my total species count to 32.", true);
        check("how many free nights can I redeem?", "I have enough points for a single free night.", true);
        check("how long have I had the phone?", "I've had it for a month now.", true);
        check("how long have I had the phone?", "I've had 3 calls on it.", false);
        check("which port does staging use?", "Staging listens on port 5433.", true);
        check("which port does staging use?", "The port is written in the settings of the proxy.", false);
    }
}
