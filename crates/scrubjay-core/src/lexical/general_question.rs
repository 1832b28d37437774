//! Whether a text asks for what is generally known, rather than for what was said or decided here.

use super::asking::first_words;

/// How such questions begin, in English, German, French, Spanish, Portuguese and Italian.
const FORMS: [&str; 54] = [
    "how do i",
    "how do you",
    "how does one",
    "how can i",
    "how would i",
    "how to",
    "how does a",
    "explain",
    "difference between",
    "whats the difference between",
    "what is the difference between",
    "what is a",
    "what is an",
    "whats a",
    "whats an",
    "what are",
    "define",
    "wie mache ich",
    "wie kann ich",
    "wie kann man",
    "wie macht man",
    "wie geht",
    "wie funktioniert ein",
    "wie funktioniert eine",
    "wie richte ich",
    "erklär",
    "erkläre",
    "unterschied zwischen",
    "was ist der unterschied",
    "was ist ein",
    "was ist eine",
    "comment faire",
    "comment puis je",
    "comment je",
    "comment on",
    "explique",
    "différence entre",
    "quelle est la différence",
    "quest ce quun",
    "quest ce quune",
    "cest quoi un",
    "cest quoi une",
    "cómo hago",
    "como hago",
    "cómo puedo",
    "como puedo",
    "cómo se hace",
    "explica",
    "diferencia entre",
    "qué es un",
    "qué es una",
    "como faço",
    "come faccio",
    "cos è",
];

/// Words by which a question speaks of what those who talk share.
const SHARED: &str = "
we our ours us here this these those the still again already
wir unser unsere unserem unseren uns hier dieser diese dieses diesem diesen noch
nous notre nos ici ce cet cette ces encore
nosotros nuestro nuestra nuestros nuestras aquí aqui este esta estos estas tenemos usamos todavía
nosso nossa nossos nossas nostro nostra qui questo questa
";

/// True for a text that begins like a question to a textbook and speaks of nothing that is shared: “how do I exit vim”.
///
/// ```
/// use scrubjay_core::lexical::asks_in_general;
///
/// assert!(asks_in_general("how do I reverse a string in python"));
/// assert!(!asks_in_general("how do I install a dependency here"));
/// ```
#[must_use]
pub fn asks_in_general(text: &str) -> bool {
    let words = first_words(text, 40);
    let begins =
        |form: &&str| form.split(' ').enumerate().all(|(place, word)| words.get(place).is_some_and(|w| w == word));
    FORMS.iter().any(begins) && !words.iter().any(|word| SHARED.split_ascii_whitespace().any(|w| w == word))
}

#[cfg(test)]
mod tests {
    use super::asks_in_general;

    #[test]
    fn a_question_to_a_textbook_is_told_from_one_about_the_work() {
        for (text, expected) in [
            ("How do I exit vim?", true),
            ("explain rust lifetimes", true),
            ("what's a monad", true),
            ("Wie richte ich Replikation in Postgres ein", true),
            ("¿Cómo hago un bucle en bash?", true),
            ("c'est quoi un monad", true),
            ("how do we deploy", false),
            ("how do I install a dependency here", false),
            ("what is the staging port", false),
            ("explain this error", false),
            ("which port does staging use", false),
            ("", false),
        ] {
            assert_eq!(asks_in_general(text), expected, "{text}");
        }
    }
}
