//! Inflections of languages other than English: a second key for the words of a text, beside their terms.
//!
//! A term must not depend on the text around it, and which language a word belongs to does. So every word keeps its term,
//! and the words of a text that is not in English get keys on top: the language and the stem, such as `es:configur` for
//! “configuramos” and “configuración”. A question looks for the keys of its words in the languages that it may be in.

use std::cell::RefCell;
use std::collections::HashMap;

use snowball_stemmers_rs::Stemmer;
use unicode_normalization::UnicodeNormalization;

use super::analyzer::MAX_TERM_BYTES;
use super::fold::fold_into;
use super::language::Language;
use super::languages::LANGUAGES;

/// Words shorter than this, in letters, are left alone: their endings are rarely inflections.
const SHORTEST_LETTERS: usize = 4;

/// Stems that are remembered in each thread; then all are forgotten.
const REMEMBERED: usize = 16_384;

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::new(Memory::default());
}

/// The key of a word in a language. None for what has no inflections: short words, function words, anything that is not
/// a plain word.
#[must_use]
pub fn inflection(language: Language, word: &str) -> Option<String> {
    if word.len() < SHORTEST_LETTERS || word.len() > MAX_TERM_BYTES || !word.chars().all(char::is_alphabetic) {
        return None;
    }
    let lower: String = word.nfc().flat_map(char::to_lowercase).collect();
    lower.chars().nth(SHORTEST_LETTERS - 1)?;
    // While a thread ends its memory may be gone already.
    let known = MEMORY.try_with(|memory| memory.try_borrow().ok()?.stems.get(&(language, lower.clone())).cloned());
    if let Ok(Some(known)) = known {
        return known;
    }
    let key = (!language.has_function_word(&lower)).then(|| key(language, &lower));
    MEMORY
        .try_with(|memory| {
            if let Ok(mut memory) = memory.try_borrow_mut() {
                memory.remember(language, lower, key.clone());
            }
        })
        .ok();
    key
}

/// Calls `visit` with the key of every word of a text that has one.
pub fn for_each_inflection(language: Language, text: &str, mut visit: impl FnMut(&str)) {
    for word in text.split(|character: char| !character.is_alphanumeric() && character != '_') {
        if let Some(key) = inflection(language, word) {
            visit(&key);
        }
    }
}

fn key(language: Language, lower: &str) -> String {
    let stem = match LANGUAGES.get(language.0) {
        Some(entry) => Stemmer::create(entry.algorithm).stem(lower).into_owned(),
        None => lower.to_owned(),
    };
    // People leave accents out, and stemmers keep some of them.
    let mut folded = String::with_capacity(stem.len() + 3);
    folded.push_str(language.code());
    folded.push(':');
    fold_into(&stem, &mut folded);
    folded
}

#[derive(Default)]
struct Memory {
    stems: HashMap<(Language, String), Option<String>>,
}

impl Memory {
    fn remember(&mut self, language: Language, word: String, key: Option<String>) {
        if self.stems.len() >= REMEMBERED {
            self.stems.clear();
        }
        self.stems.insert((language, word), key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language(code: &str) -> Language {
        Language::all().find(|language| language.code() == code).unwrap()
    }

    #[test]
    fn inflected_forms_share_their_key() {
        for (code, words) in [
            ("es", "configurar configuramos configurado configuración configuracion Configuraciones"),
            ("es", "desplegar desplegamos desplegado desplegaron"),
            ("es", "prueba pruebas"),
            ("es", "migración migraciones"),
            ("es", "contraseña contraseñas"),
            ("de", "Datenbank Datenbanken"),
            ("de", "Einstellung Einstellungen"),
            ("de", "Häuser Hauses"),
            ("fr", "utiliser utilisé utilisée utilisés"),
            ("fr", "configuration configurations"),
            ("it", "configurazione configurazioni"),
            ("pt", "configuração configurações"),
            ("nl", "gebruiker gebruikers"),
            ("sv", "användare användaren"),
        ] {
            let keys: Vec<Option<String>> = words.split(' ').map(|word| inflection(language(code), word)).collect();
            assert!(keys.iter().all(|key| key.is_some() && *key == keys[0]), "{words}: {keys:?}");
        }
    }

    #[test]
    fn what_is_no_plain_word_has_no_key() {
        for word in ["", "de", "para", "x2y4z", "a_name", "数据库数据库", "🎉🎉🎉🎉"] {
            let key = inflection(language("es"), word);
            assert!(key.is_none() || word.chars().all(char::is_alphabetic) && !word.is_ascii(), "{word}: {key:?}");
        }
        let mut seen = Vec::new();
        for_each_inflection(language("es"), "las pruebas de user_id fallan: ¿por qué?", |key| {
            seen.push(key.to_owned());
        });
        assert_eq!(seen, ["es:prueb", "es:fall"]);
    }
}
