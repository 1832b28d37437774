//! Whether a text asks for something that can be told, rather than for something to be done.

/// Marks of a question.
const MARKS: [char; 4] = ['?', '？', '؟', '¿'];

/// The first words of a text that can make it a question: people leave the mark out.
const LOOKED_AT: usize = 2;

/// Words that begin a question in English, German, French, Spanish, Portuguese, Italian and Dutch, without accents that
/// people leave out.
const WORDS: &str = "
what whats which where wheres who whos whose whom when why how hows do does did is are was were has have am isnt arent doesnt
didnt should can could
was welche welcher welches welchen wo wohin woher wer wen wem wann warum wieso weshalb wie ist sind hat haben gibt
quel quelle quels quelles ou qui quand pourquoi comment combien est
que qué cual cuál cuales cuáles donde dónde quien quién quienes cuando cuándo como cómo cuanto cuánto cuantos cuántos hay
qual quais onde quem quando quanto
cosa quale quali dove chi quando perche perché come quanto quanti
wat welke waar wie wanneer waarom hoe
";

/// “Can you add a test” asks for something to be done.
const REQUESTS: [&str; 8] = ["can you", "could you", "can we", "could we", "can u", "can i get", "do it", "do that"];

/// Words between the two sides of a choice, in the same languages.
const CHOICES: [&str; 5] = ["or", "oder", "ou", "o", "of"];

/// A text with at most so many words, one of them of a choice, leaves the choice to whoever reads it.
const CHOICE_WORDS: usize = 4;

/// True for a text that asks for something that can be told: it has a question mark, begins like a question, or is
/// nothing but a choice.
///
/// ```
/// use scrubjay_core::lexical::asks;
///
/// assert!(asks("which port does staging use"));
/// assert!(!asks("can you add a test for the port"));
/// ```
#[must_use]
pub fn asks(text: &str) -> bool {
    if text.contains(MARKS) {
        return true;
    }
    let start: String = text.chars().take(40).collect::<String>().to_lowercase().replace(['\'', '’'], "");
    let start = start.trim_start_matches(|c: char| !c.is_alphanumeric());
    if REQUESTS.iter().any(|request| start.starts_with(request)) {
        return false;
    }
    let words = || start.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    if words().count() <= CHOICE_WORDS && words().skip(1).any(|word| CHOICES.contains(&word)) {
        return true;
    }
    words().take(LOOKED_AT).any(|word| WORDS.split_ascii_whitespace().any(|known| known == word))
}

/// The first words of a text, without capitals and apostrophes.
pub(super) fn first_words(text: &str, most: usize) -> Vec<String> {
    let start: String = text.chars().take(400).collect::<String>().to_lowercase().replace(['\'', '’'], "");
    let words = start.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.take(most).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::asks;

    #[test]
    fn a_question_is_told_from_a_task() {
        for (text, expected) in [
            ("which package manager do we use", true),
            ("what's the staging port", true),
            ("and where is it hosted", true),
            ("welchen Port hat die Datenbank", true),
            ("dónde está desplegado", true),
            ("¿cuál es el puerto", true),
            ("NewsletterForm or NewsletterSignup?", true),
            ("NewsletterForm or NewsletterSignup", true),
            ("npm oder pnpm", true),
            ("rename it or drop it, whatever is easier", false),
            ("add a payment client configured by an api key", false),
            ("can you add a payment client", false),
            ("rename these markdown files", false),
            ("", false),
        ] {
            assert_eq!(asks(text), expected, "{text}");
        }
    }
}
