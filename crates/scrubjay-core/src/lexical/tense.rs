//! Whether a question asks for how things are now, or for how they were.

/// Phrases of a question for how things were, in English, German, French, Spanish, Portuguese and Italian.
const PAST: &str = "
originally|initially|previously|previous|formerly|former|earlier|at first|used to|back then|in the past|prior to
ursprünglich|ursprüngliche|früher|frühere|anfangs|zuvor|vorher|vorherige|damals
initialement|auparavant|autrefois|au début|précédent|précédente
originalmente|inicialmente|anteriormente|anterior|antes|al principio
in precedenza|precedente|originariamente
";

/// Phrases of a question for how things are by now.
const PRESENT: &str = "
currently|current|now|nowadays|today|these days|at the moment|at present|so far|by now|up to now
latest|newest|most recent|most recently|recently|lately
aktuell|aktuelle|aktuellen|derzeit|jetzt|momentan|zurzeit|heute|bisher|mittlerweile|inzwischen|zuletzt|neueste|neuesten
actuellement|actuel|actuelle|maintenant|en ce moment|aujourd hui|dernièrement|le plus récent|la plus récente
actualmente|actual|ahora|hoy|en este momento|hasta ahora|más reciente|recientemente|últimamente
atualmente|agora|até agora|mais recente|attualmente|adesso|finora|più recente
";

/// Words shortly before “used to” that make it a purpose: “what is zod used to validate”.
const PURPOSE: [&str; 9] = ["is", "are", "was", "were", "be", "been", "being", "get", "got"];

/// The time that a question asks for, as far as it says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tense {
    /// How things were.
    Past,
    /// How they are by now.
    Present,
    /// It does not say.
    Open,
}

impl Tense {
    /// Of a question. The past goes first: “what is it now, and what was it previously” needs both.
    ///
    /// ```
    /// use scrubjay_core::lexical::Tense;
    ///
    /// assert_eq!(Tense::of("which port did we use previously?"), Tense::Past);
    /// assert_eq!(Tense::of("which port do we currently use?"), Tense::Present);
    /// assert_eq!(Tense::of("which port do we use?"), Tense::Open);
    /// ```
    #[must_use]
    pub fn of(question: &str) -> Self {
        let lower = question.to_lowercase();
        let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        if holds(&words, PAST) {
            Self::Past
        } else if holds(&words, PRESENT) {
            Self::Present
        } else {
            Self::Open
        }
    }
}

fn holds(words: &[&str], phrases: &str) -> bool {
    let mut phrases = phrases.split(['|', '\n']).map(str::trim).filter(|phrase| !phrase.is_empty());
    phrases.any(|phrase| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        let mut places = words.windows(phrase.len()).enumerate().filter(|(_, window)| *window == phrase.as_slice());
        places.any(|(place, _)| phrase != ["used", "to"] || !is_purpose(&words[..place]))
    })
}

fn is_purpose(before: &[&str]) -> bool {
    before.iter().rev().take(3).any(|word| PURPOSE.contains(word))
}

#[cfg(test)]
mod tests {
    use super::Tense;

    #[test]
    fn a_question_tells_its_time_or_leaves_it_open() {
        for (question, expected) in [
            ("what was our previous database", Tense::Past),
            ("where did we use to host it? we used to be on Heroku", Tense::Past),
            ("What did we decide at first", Tense::Past),
            ("wie hieß der Dienst früher?", Tense::Past),
            ("¿qué base de datos usábamos antes?", Tense::Past),
            ("how many bikes do I currently own?", Tense::Present),
            ("which lens did I buy most recently", Tense::Present),
            ("is the form still a table", Tense::Open),
            ("welche Version läuft derzeit?", Tense::Present),
            ("¿qué gestor de paquetes usamos ahora?", Tense::Present),
            ("what is zod used to validate", Tense::Open),
            ("which port is used to reach staging", Tense::Open),
            ("the first lens that was bought", Tense::Open),
            ("", Tense::Open),
        ] {
            assert_eq!(Tense::of(question), expected, "{question}");
        }
    }
}
