//! Which language a text is written in, as far as its function words, letters and endings tell.
//!
//! The guess serves inflection (`inflection.rs`) and the names of times. A text may count as two languages at once when
//! it could be either; one without any sign counts as none. Needs no model and looks at the beginning of a text only.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::languages::{ENGLISH, LANGUAGES};

/// Words that are looked at.
const WORDS: usize = 300;

/// The least score of a language that counts; the same as a share of the best score, and of that of English.
const LEAST_SCORE: f32 = 0.4;
const LEAST_OF_BEST: f32 = 0.6;
const LEAST_OF_ENGLISH: f32 = 0.25;

/// What a letter and an ending count, beside a function word.
const LETTER_WEIGHT: f32 = 0.5;
const ENDING_WEIGHT: f32 = 0.4;

/// Languages that a text may count as at once.
const AT_ONCE: usize = 2;

/// A language in Latin letters, other than English, whose inflections are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(pub(super) usize);

impl Language {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..LANGUAGES.len()).filter(|place| *place != ENGLISH).map(Self)
    }

    /// Its code, of two letters.
    #[must_use]
    pub fn code(self) -> &'static str {
        LANGUAGES.get(self.0).map_or("", |language| language.code)
    }

    /// Whether a word in lower case has no meaning of its own in it.
    #[must_use]
    pub fn has_function_word(self, lower: &str) -> bool {
        SIGNS.function_words.get(lower).is_some_and(|signs| signs & (1 << self.0) != 0)
    }
}

/// What language a text seems to be in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LanguageGuess {
    /// The likeliest first, without English; at most two.
    pub languages: Vec<Language>,
    /// Whether there is any sign of English.
    pub is_english: bool,
}

impl LanguageGuess {
    /// From the beginning of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let scores = scores(text);
        let english = scores[ENGLISH];
        let best = scores.iter().copied().fold(0.0, f32::max);
        let least = LEAST_SCORE.max(LEAST_OF_BEST * best.min(LEAST_SCORE * 4.0)).max(LEAST_OF_ENGLISH * english);
        let others = || Language::all().map(|language| scores[language.0]);
        let best_other = others().fold(0.0, f32::max);
        let mut languages: Vec<Language> = Language::all()
            .filter(|language| scores[language.0] >= least && scores[language.0] >= LEAST_OF_BEST * best_other)
            .collect();
        languages.sort_by(|a, b| scores[b.0].total_cmp(&scores[a.0]).then(a.cmp(b)));
        languages.truncate(AT_ONCE);
        Self { languages, is_english: english >= LEAST_SCORE }
    }

    /// Whether it may be in the language with this code.
    #[must_use]
    pub fn may_be(&self, code: &str) -> bool {
        self.languages.iter().any(|language| language.code() == code)
    }
}

fn scores(text: &str) -> [f32; LANGUAGES.len()] {
    let mut scores = [0.0; LANGUAGES.len()];
    let mut add = |signs: Signs, weight: f32| {
        #[expect(clippy::cast_precision_loss, reason = "a count of languages")]
        let share = weight / signs.count_ones().max(1) as f32;
        for (place, score) in scores.iter_mut().enumerate() {
            *score += if signs & (1 << place) != 0 { share } else { 0.0 };
        }
    };
    let signs = &*SIGNS;
    let words = text.split(|character: char| !character.is_alphabetic()).filter(|word| !word.is_empty());
    let mut lower = String::new();
    for word in words.take(WORDS) {
        lower.clear();
        lower.extend(word.chars().flat_map(char::to_lowercase));
        if let Some(languages) = signs.function_words.get(lower.as_str()) {
            add(*languages, 1.0);
            continue;
        }
        if let Some(languages) = lower.chars().find_map(|character| signs.letters.get(&character)) {
            add(*languages, LETTER_WEIGHT);
        }
        let longest =
            signs.endings.iter().find(|(ending, _)| lower.len() > ending.len() + 2 && lower.ends_with(ending));
        if let Some((_, languages)) = longest {
            add(*languages, ENDING_WEIGHT);
        }
    }
    if text.contains(['¿', '¡']) {
        let spanish = LANGUAGES.iter().position(|language| language.code == "es").unwrap_or(ENGLISH);
        scores[spanish] += 1.0;
    }
    scores
}

/// A bit for each language.
type Signs = u32;

struct SignTable {
    function_words: HashMap<&'static str, Signs>,
    letters: HashMap<char, Signs>,
    /// Long ones first.
    endings: Vec<(&'static str, Signs)>,
}

static SIGNS: LazyLock<SignTable> = LazyLock::new(|| {
    let mut function_words: HashMap<&'static str, Signs> = HashMap::new();
    let mut letters: HashMap<char, Signs> = HashMap::new();
    let mut endings: HashMap<&'static str, Signs> = HashMap::new();
    for (place, language) in LANGUAGES.iter().enumerate() {
        for word in language.function_words.split_ascii_whitespace() {
            *function_words.entry(word).or_default() |= 1 << place;
        }
        for letter in language.letters.chars() {
            *letters.entry(letter).or_default() |= 1 << place;
        }
        for ending in language.endings.split_ascii_whitespace() {
            *endings.entry(ending).or_default() |= 1 << place;
        }
    }
    let mut endings: Vec<(&'static str, Signs)> = endings.into_iter().collect();
    endings.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then(a.0.cmp(b.0)));
    SignTable { function_words, letters, endings }
});

#[cfg(test)]
mod tests {
    use super::*;

    fn guessed(text: &str) -> Vec<&'static str> {
        LanguageGuess::of(text).languages.into_iter().map(Language::code).collect()
    }

    #[test]
    fn the_first_guess_is_the_language_of_the_text() {
        for (text, code) in [
            ("¿qué base de datos usamos para las sesiones?", "es"),
            ("Usamos pnpm en este proyecto, nunca npm", "es"),
            ("el endpoint /api/users devuelve 404 cuando el token está caducado", "es"),
            ("configuración de producción", "es"),
            ("welche Datenbank benutzen wir für die Sitzungen", "de"),
            ("der Server läuft nicht mehr", "de"),
            ("quelle base de données utilisons-nous pour les sessions ?", "fr"),
            ("le serveur ne répond pas", "fr"),
            ("quale database usiamo per le sessioni degli utenti", "it"),
            ("qual banco de dados usamos para as sessões, você não sabe?", "pt"),
            ("welke database gebruiken we voor de sessies van het project", "nl"),
            ("vilken databas använder vi för att spara sessioner", "sv"),
            ("jakiej bazy danych używamy do sesji, czy jest już gotowa", "pl"),
            ("kterou databázi používáme pro relace, když není k dispozici", "cs"),
            ("mitä tietokantaa käytämme istuntoihin ja missä se on", "fi"),
            ("oturumlar için hangi veritabanını kullanıyoruz ve nerede", "tr"),
            ("melyik adatbázist használjuk a munkamenetekhez és hol van", "hu"),
        ] {
            assert_eq!(guessed(text).first(), Some(&code), "{text}: {:?}", guessed(text));
        }
    }

    #[test]
    fn english_and_code_are_no_other_language() {
        for text in [
            "which database do we use for sessions, and who owns it?",
            "the staging database is on port 5433, not on 5432 any more",
            "let me look at the die roll code in de.rs and la.rs before we go on",
            "fn main() { let x = vec![1, 2, 3]; for i in x.iter() { println!(\"{i}\"); } }",
            "rename user_id to account_id",
            "pnpm install --frozen-lockfile",
            "",
            "数据库在哪里",
        ] {
            assert_eq!(guessed(text), [""; 0], "{text}");
        }
        assert!(LanguageGuess::of("who owns it?").is_english);
        assert!(!LanguageGuess::of("pnpm lockfile").is_english);
    }
}
