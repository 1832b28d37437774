//! Words that ask for events whatever they were about, as the analyzer emits them.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::analyzer::for_each_term;

/// True for a term, as [`super::terms`] gives it, that asks what happened, was done or was said, and nothing more.
///
/// “What did we do yesterday” is a question about a time alone; “what did we deploy yesterday” is not.
#[must_use]
pub fn is_event_word(term: &str) -> bool {
    EVENT_TERMS.contains(term)
}

static EVENT_TERMS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let mut terms = HashSet::new();
    for list in [ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN] {
        for word in list.split_whitespace() {
            for_each_term(word, |term, _| {
                terms.insert(term.to_owned());
            });
        }
    }
    terms
});

const ENGLISH: &str = "
happen happens happened happening occur occurred go going went gone done work worked working discuss discussed talk talked
talking say said speak spoke mention mentioned decide decided learn learned change changed make made event events activity
session sessions conversation conversations chat news new summary summarise summarize recap progress history memory memories
anything something everything thing things stuff remember recall leave left off time day days week weeks month months year
years morning afternoon evening night
";

const GERMAN: &str = "
passiert passierte geschah geschehen los war gemacht getan gearbeitet besprochen geredet gesprochen gesagt entschieden
beschlossen geändert gelernt neues neu sitzung sitzungen gespräch gespräche zusammenfassung
";

const FRENCH: &str = "
passé passe arrivé fait discuté parlé dit décidé travaillé changé appris nouveau nouveautés session sessions conversation
résumé qu'est-ce s'est
";

const SPANISH: &str = "
pasó pasado pasaba ocurrió ocurrido sucedió sucedido hicimos hice hiciste hizo hecho hablamos hablado dijimos dicho dijiste
decidimos decidido trabajamos trabajado cambiamos cambió cambiado aprendimos discutimos discutido vimos novedades nuevo
sesión sesiones conversación conversaciones resumen recuerdas quedamos
";

const PORTUGUESE: &str = "
aconteceu acontecido fizemos fiz fez feito falamos dissemos decidimos trabalhamos mudou mudamos aprendemos discutimos
novidades sessão sessões conversa conversas resumo
";

const ITALIAN: &str = "
successo accaduto fatto facemmo parlato detto deciso lavorato cambiato imparato discusso novità sessione sessioni
conversazione riassunto
";

#[cfg(test)]
mod tests {
    use super::super::{is_stop_word, terms};
    use super::*;

    #[test]
    fn asking_what_happened_names_no_matter() {
        let is_open = |text: &str| terms(text).iter().all(|term| is_stop_word(term) || is_event_word(term));
        for text in ["what happened", "what did we do", "what was decided", "¿qué pasó?", "was haben wir gemacht?"] {
            assert!(is_open(text), "{text}: {:?}", terms(text));
        }
        for text in ["what did we deploy", "what happened to the login", "¿qué pasó con la factura?"] {
            assert!(!is_open(text), "{text}");
        }
    }
}
