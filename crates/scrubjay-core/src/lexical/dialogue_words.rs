//! Words that steer a conversation and say nothing about its matter, as the analyzer emits them.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::analyzer::for_each_term;
use super::script::is_emoji;

/// True for a term, as [`super::terms`] gives it, that thanks, greets, agrees, refuses, or asks to go on, in one of the
/// known languages. So does an emoji, and laughter however long: `hahaha`, `jaja`, `kkkk`.
///
/// A message of nothing but function words and such words asks for nothing that a memory could answer. A word that is
/// also a common subject of work, `test` or `build`, is not among them.
#[must_use]
pub fn is_dialogue_word(term: &str) -> bool {
    DIALOGUE_TERMS.contains(term) || term.chars().next().is_some_and(is_emoji) || is_drawn_out(term)
}

// Whether a term is laughter or a hum as long as one likes. Other repetitions are names: DDD, coco, www.
fn is_drawn_out(term: &str) -> bool {
    let letters: Vec<char> = term.chars().collect();
    let repeats = |unit: usize| letters.iter().zip(letters.iter().skip(unit)).all(|(one, next)| one == next);
    match letters[..] {
        ['k' | 'h' | 'm' | 'z', _, _, ..] => repeats(1) || (letters[0] == 'h' && is_laughter(&letters) && repeats(2)),
        [_, _, _, _, ..] => is_laughter(&letters) && repeats(2),
        _ => false,
    }
}

// Whether the first two letters are a syllable of laughter; “ahah” begins with its second.
fn is_laughter(letters: &[char]) -> bool {
    matches!(letters, ['h' | 'j', 'a' | 'e' | 'i' | 'o', _, _, ..] | ['a' | 'e', 'h' | 'j', _, _, ..])
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
k kk np yw pls plz bro mate dude haha hehe lol omg brb afk btw fyi tbh imo gn gm guess whatever wonderful congrats
";

const GERMAN: &str = "
danke dankeschön vielen bitte ja nein nee doch ok okay gut super prima toll klasse perfekt genau richtig passt klar alles
weiter mach machen machst mache gemacht los nochmal nochmals erneut wieder stopp stop warte moment hallo guten morgen tag
abend tschüss fertig jetzt dann lass lassen verstanden einverstanden sieht aus klingt funktioniert geht fortfahren
weitermachen versuch versuche probier probiere zurück erklär erkläre zeig zeige fasse zusammen hilf hilfe besser kürzer
jo joa jap jup nö ne haha hehe geil cool mega krass stark mahlzeit feierabend servus hey hi bis später gleich kurz sekunde minute mal
sehen schauen schau guck probieren laufen läuft lieber egal richtig falsch beides eins zwei variante option schritt nächster nächste
nächsten nochmal einmal noch rückgängig verwirf commit push sicher warum wieso echt ernsthaft wirklich fast besser schlechter
";

const FRENCH: &str = "
merci beaucoup oui non ok bien parfait super génial excellent bon bonne bonjour bonsoir salut vas vas-y va allez allons
continue continuez continuer encore suivant suivante arrête attends moment voilà accord plaît maintenant compris exact
exactement marche fonctionne essaie essayez réessaie recommence fais faites explique montre résume aide mieux corrige
ouais nan bof super top nickel impeccable formidable chouette cool soirée nuit matin journée midi demain tard tôt haha mdr ptdr
réfléchis réfléchir réfléchissons laisse tomber pas grave seconde minute stop presque mieux pire option première deuxième étape
dernière prochaine annule annuler lance relance valide valider pousse commit sûr sûre vraiment pourquoi veux voudrais pense crois
";

const SPANISH: &str = "
gracias muchas muchísimas sí si no vale ok okey oye venga dale bien bueno buena buenos buenas días tardes noches perfecto
perfecta genial excelente estupendo fantástico claro exacto exactamente correcto correcta entendido entiendo acuerdo
adelante sigue sigamos seguir seguimos continúa continua continuar continuamos continúe procede proceder avanza avanzar
avancemos otra vez nuevo nuevamente inténtalo intenta intentar intentemos reintenta prueba probar probemos pruébalo
siguiente próximo próxima paso para parar espera esperar momento hola adiós listo lista hecho terminado acabado ahora
hazlo haz hagamos hágalo hagámoslo vamos empieza empezar empecemos comienza comenzar ejecuta ejecútalo ejecutar corre
arregla arréglalo arreglar corrige corrígelo corregir revisa revísalo revisar mira míralo muestra muéstrame mostrar dime
dame explica explícame explicar resume resúmelo ayuda ayúdame ayudar quiero quieres necesito necesitas gusta creo parece
funciona funcionando sirve bastante mejor peor igual favor porfa deshaz deshacer vuelve volver borra cosa cosas idea
problema error falla quizás tal seguro segura mañana hoy luego súbelo
seguí segui mirá mira hacé probá decime contame avisame fijate andá esperá pará empezá buenísimo buenísima bárbaro joya piola copado
guay mola chulo crack tío tía máquina fenómeno jaja jajaja ja mmm ehh uf uff va qué qué sé sé pensar pienso pensarlo veremos veamos ver
luego después seguimos comer descanso rato minuto segundo primera segunda primero segundo ambas ambos ninguna ninguno opción último
última anterior atrás casi todavía aún mal regular raro de verdad serio commit push
";

const PORTUGUESE: &str = "
obrigado obrigada valeu sim não ok bom boa bem dia tarde noite perfeito perfeita ótimo ótima legal certo certa beleza claro
exato entendi continua continuar continue prossiga pode próximo próxima novo novamente vez tenta tente tentar espera
momento olá oi tchau pronto pronta feito agora vamos faça faz mostra mostre explica explique resume ajuda funciona melhor
brigado brigada falou show massa top joia maravilha demais haha kkk rs né tá ok opa eita nossa calma peraí pera aí segue seguir vai deixa ver
vejo vendo falo fala penso pensar acho amanhã depois já volto minuto segundo primeira segunda primeiro último última opção ambos nenhum quase
ainda te errado erro desfaz desfazer refaz roda rodar testa manda mandar commit push sério mesmo
";

const ITALIAN: &str = "
grazie mille prego sì no ok bene buono buona buongiorno buonasera perfetto perfetta ottimo ottima certo giusto esatto capito
avanti vai continua continuare prosegui procedi ancora prossimo riprova prova provare aspetta momento ciao salve pronto
fatto adesso ora andiamo fai mostra spiega riassumi aiuto funziona meglio
sì ok okay figo bello ottima perfetto grazie tante domani dopo poi minuto secondo prima seconda ultimo ultima opzione entrambi nessuno quasi
sbagliato errore annulla rifai lancia sicuro davvero penso vediamo pausa pranzo notte sera haha
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
            "gracias, sigue",
            "vale, continúa",
            "perfecto, hazlo",
            "ok dale",
            "sigue con el siguiente paso por favor",
            "muy bien, ¿podemos continuar?",
            "no funciona, inténtalo otra vez",
            "arréglalo",
            "oui, parfait, continuez",
            "alles klar, mach bitte weiter",
            "perfeito, pode continuar",
            "va bene, grazie mille",
            "dale, seguí",
            "buenísimo, gracias",
            "jajaja qué va",
            "mmm no sé",
            "listo, mañana la seguimos",
            "haha geil",
            "warte kurz",
            "hm, mal sehen",
            "bonne soirée !",
            "ok nickel merci",
            "hmm je réfléchis",
            "kkkk boa",
            "deixa ver e te falo",
            "👍🎉",
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
        for text in [
            "run the tests",
            "which database",
            "deploy again",
            "continue with the invoice",
            "fix the login",
            "arregla el login",
            "sigue con la factura",
            "ejecuta los tests",
            "añade la columna",
            "¿qué base de datos usamos?",
            "corrige el endpoint",
            "mach mit der Rechnung weiter",
            "www",
            "coco",
            "what is DDD?",
            "the AAA server",
            "seguimos con la base de datos",
        ] {
            assert!(!asks_for_nothing(text), "{text}");
        }
    }
}
