//! Words that steer a conversation and say nothing about its matter, as the analyzer emits them.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::analyzer::for_each_term;

/// True for a term, as [`super::terms`] gives it, that thanks, greets, agrees, refuses, or asks to go on, in one of the
/// known languages.
///
/// A message of nothing but function words and such words asks for nothing that a memory could answer. A word that is
/// also a common subject of work, `test` or `build`, is not among them.
#[must_use]
pub fn is_dialogue_word(term: &str) -> bool {
    DIALOGUE_TERMS.contains(term)
}

static DIALOGUE_TERMS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let mut terms = HashSet::new();
    for list in [ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN, RUSSIAN, DENSE] {
        for word in list.split_whitespace() {
            for_each_term(word, |term, _| {
                terms.insert(term.to_owned());
            });
        }
    }
    terms
});

const ENGLISH: &str = "
thanks thank thx ty cheers welcome sorry ok okay k yes yep yeah yup aye no nope nah sure great good nice perfect cool
awesome excellent amazing brilliant lovely fine alright right correct agreed exactly indeed fair enough
go going ahead continue carry proceed keep next again try retry once more stop wait hold pause moment second minute
work works worked working look looks looking sound sounds make makes sense got get gotcha see understood understand
never mind nevermind forget figured undo redo revert scratch last first thing things one two both neither option
hm hmm huh wow lol haha oh ah well hello hi hey morning afternoon evening night bye tomorrow today later back
start begin lets ready done finished finish now everything anything something nothing all
run rerun commit push fix help show tell give say explain summarise summarize shorter longer simply simple better best
worse same way idea suggest suggestion think know want need like love prefer decide
still broken problem error luck quite almost maybe perhaps probably really
";

const GERMAN: &str = "
danke dankeschön bitte ja nein doch ok okay gut super prima toll perfekt genau richtig passt klar alles weiter mach
machen machst los nochmal erneut stopp warte moment hallo guten morgen tag abend tschüss fertig jetzt dann lass lassen
";

const FRENCH: &str = "
merci oui non bien parfait super bon bonne bonjour bonsoir salut vas vas-y va allez continue continuez encore suivant
arrête attends moment voilà accord plaît maintenant
";

const SPANISH: &str = "
gracias sí si no vale bien bueno buena buenos buenas días tardes noches perfecto genial claro adelante sigue seguir
continúa continuar otra vez inténtalo intenta siguiente para espera momento hola adiós listo hecho ahora hazlo dale
";

const PORTUGUESE: &str = "
obrigado obrigada sim não bom boa dia tarde noite perfeito ótimo certo continua continuar continue pode próximo novo
espera momento olá tchau pronto feito agora
";

const ITALIAN: &str = "
grazie sì no bene buono buona buongiorno buonasera perfetto ottimo certo avanti vai continua continuare ancora prossimo
aspetta momento ciao pronto fatto adesso
";

const RUSSIAN: &str = "
спасибо да нет хорошо отлично супер понятно ясно давай дальше продолжай продолжить еще снова стоп подожди привет здравствуйте
доброе утро день вечер пока готово сейчас пожалуйста
";

// Scripts without spaces, which the analyzer cuts into pairs of characters.
const DENSE: &str = "
ありがとう ありがとうございます 続けて はい いいえ こんにちは おはよう 了解 わかりました もう一度
谢谢 謝謝 继续 繼續 好的 是的 不是 你好 早上好 再试一次 明白 可以
감사합니다 계속 네 아니요 안녕하세요
";

#[cfg(test)]
mod tests {
    use super::super::{is_stop_word, terms};
    use super::*;

    fn asks_for_nothing(text: &str) -> bool {
        terms(text).iter().all(|term| is_stop_word(term) || is_dialogue_word(term))
    }

    #[test]
    fn thanks_and_go_on_say_nothing_in_any_known_language() {
        for text in [
            "thanks!",
            "Continue",
            "ok, go ahead",
            "looks good to me",
            "yes please do that",
            "try again",
            "hm no, undo the last thing",
            "danke, passt so",
            "mach weiter",
            "oui, vas-y",
            "sí, adelante",
            "продолжай",
            "ありがとう",
            "谢谢",
            "继续",
        ] {
            assert!(asks_for_nothing(text), "{text}: {:?}", terms(text));
        }
    }

    #[test]
    fn a_subject_is_no_dialogue_word() {
        for text in ["run the tests", "which database", "deploy again", "continue with the invoice", "fix the login"] {
            assert!(!asks_for_nothing(text), "{text}");
        }
    }
}
