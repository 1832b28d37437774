//! Whether a text tells that something is other than it was.

/// Words that tell it, in English, German, French, Spanish, Portuguese and Italian; a word with a star stands for all
/// that begin with it.
const WORDS: &str = "
instead anymore replac* remov* renam* switch* actually revert* move moved moving drop dropp* delet* rather chang* updat* now
migrat* deprecat* longer dont
stattdessen ersetz* entfern* umbenannt* gewechselt* geändert* ändern verschoben* gelöscht* eigentlich jetzt nunmehr mehr
remplac* supprim* renomm* chang* déplac* plutôt désormais maintenant
reemplaz* elimin* renombr* cambi* mov* quit* borr* ahora mejor realidad
substitu* remov* renome* mud* agora sostitu* rimoss* rimuov* rinomin* spost* invece adesso
";

/// How much of a text is looked at, in bytes: what was decided stands at the beginning.
const LOOKED_AT: usize = 600;

/// True for a text that tells, near its beginning, that something was or is to be changed: “use pnpm instead”, “we moved
/// staging to another port”.
///
/// ```
/// use scrubjay_core::lexical::tells_of_change;
///
/// assert!(tells_of_change("Let's use pnpm instead of npm"));
/// assert!(!tells_of_change("The staging database listens on port 5433"));
/// ```
#[must_use]
pub fn tells_of_change(text: &str) -> bool {
    let start = text[..text.floor_char_boundary(LOOKED_AT)].to_lowercase().replace(['\'', '’'], "");
    let mut words = start.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.any(|word| WORDS.split_ascii_whitespace().any(|known| is(word, known)))
}

fn is(word: &str, known: &str) -> bool {
    match known.strip_suffix('*') {
        Some(stem) => word.starts_with(stem),
        None => word == known,
    }
}

#[cfg(test)]
mod tests {
    use super::tells_of_change;

    #[test]
    fn a_change_is_told_in_many_words() {
        for (text, expected) in [
            ("we renamed order_name to name", true),
            ("Don't put tests beside the routes", true),
            ("staging is no longer on 5433", true),
            ("Wir haben das auf Redis geändert", true),
            ("mejor usa postgres", true),
            ("The payment gateway is Adyen", false),
            ("", false),
        ] {
            assert_eq!(tells_of_change(text), expected, "{text}");
        }
    }

    #[test]
    fn only_the_beginning_counts() {
        assert!(!tells_of_change(&format!("{}instead", "word ".repeat(200))));
    }
}
