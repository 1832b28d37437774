//! The terms of a question.

use std::collections::BTreeSet;

use super::analyzer::terms;
use super::language::LanguageGuess;

/// The terms of a text without the function words of the language that it seems to be in, if that is not English. English
/// ones stay, since [`super::is_stop_word`] tells them.
///
/// A list of stop words for all languages at once must leave out what means something in another: German “mit” and “die”,
/// Spanish “sin” and “son”. In a question whose language shows they can be told.
#[must_use]
pub fn question_terms(text: &str) -> Vec<String> {
    let all = terms(text);
    let guess = LanguageGuess::of(text);
    let Some(language) = guess.languages.first() else { return all };
    let (mut function_terms, mut others) = (BTreeSet::new(), BTreeSet::new());
    for word in text.split(|character: char| !character.is_alphanumeric() && character != '_') {
        // MIT is a licence, not a preposition.
        let is_abbreviation = word.chars().count() > 1 && word.chars().all(char::is_uppercase);
        let is_function_word = !is_abbreviation && language.has_function_word(&word.to_lowercase());
        if is_function_word { &mut function_terms } else { &mut others }.extend(terms(word));
    }
    all.into_iter().filter(|term| !function_terms.contains(term) || others.contains(term)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_words_go_where_the_language_shows() {
        for (text, expected) in [
            ("was ist mit der Datenbank?", "datenbank"),
            ("¿qué hay sin el proxy?", "proxi"),
            ("who is with the MIT licence", "who is with the mit licenc"),
            ("die roll", "die roll"),
        ] {
            assert_eq!(question_terms(text).join(" "), expected, "{text}");
        }
    }
}
