//! Function words of several languages, as the analyzer emits them.

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use super::analyzer::{for_each_term, terms};

/// True for a term, as [`super::terms`] gives it, that is a function word in one of the known languages.
///
/// The analyzer itself never drops a word: to a planner of queries it is useful to know which terms say little, and
/// a query of nothing but such words must still find something. Words of one language that mean something in
/// another are left out, German `die` and French `car` for instance.
#[must_use]
pub fn is_stop_word(term: &str) -> bool {
    STOP_TERMS.contains(term)
}

/// The terms of a text that say something: all but the stop words.
#[must_use]
pub fn content_terms(text: &str) -> BTreeSet<String> {
    terms(text).into_iter().filter(|term| !is_stop_word(term)).collect()
}

static STOP_TERMS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let mut terms = HashSet::new();
    for list in [ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN, DUTCH, RUSSIAN] {
        for word in list.split_ascii_whitespace() {
            for_each_term(word, |term, _| {
                terms.insert(term.to_owned());
            });
        }
    }
    terms
});

const ENGLISH: &str = "
a an the this that these those some any all each every either neither both such same other another own
i me my myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves one
who whom whose which what when where why how whoever whatever whether
am is are was were be been being have has had having do does did doing done
can could will would shall should might must ought
not no nor never none cannot don't doesn't didn't isn't aren't wasn't weren't won't wouldn't can't couldn't
shouldn't haven't hasn't hadn't
and or but if then else because so than as though although unless until while since
of at by for with without about against between among into onto through during before after above below to from up
down in out on off over under again further upon within along across behind beyond per via
there here also just only too very really rather much many more most less least few even still yet ever
let let's please etc
";

const GERMAN: &str = "
der das dem ein eine einen einem einer eines kein keine keinen keinem keiner ich mich du dich er ihn ihm sie ihr
ihnen es wir uns euch mein meine meinen dein deine sein seine seinen unser unsere euer sich und oder aber denn weil
wenn als ob dass daß sowie doch ist sind seid waren wurde wurden wird werden worden haben habe hatten kann können
konnte muss müssen soll sollen wollen würde nicht nichts nie noch nur auch schon sehr mehr wie wer wo wann warum
welche welcher welches im am um auf aus bei nach seit von vom zu zum zur vor durch für gegen ohne zwischen diesen
diesem jeder jede jedes gibt hast bist habt dann mir hier dort damit dafür darauf etwas
";

const FRENCH: &str = "
le la les un une du au aux ce cet cette ces je tu il elle nous vous ils elles moi toi lui leur leurs mes tes mon
notre votre nos vos se et ou mais donc ni que qui quoi dont où quand pourquoi si sont es êtes était étaient être été
avoir avez avons ont avait avaient ne pas jamais rien très aussi encore déjà à de avec chez entre depuis dans sans sous
quel quelle quels quelles parce cela celui celle ceux faire fait peut peux faut alors puis toujours tous toutes
";

const SPANISH: &str = "
el la los las un una unos unas lo del yo tú él ella nosotros vosotros ellos ellas usted ustedes mi mis tu tus su sus me
te nos se le les nuestro nuestra nuestros nuestras y o u pero sino porque que quien quién cual cuál cuáles cuando cuándo
donde dónde como cómo qué es eres somos ser sido está están estoy estamos estaba estaban estar ha han he hemos has había
habían haber hay fue fueron tiene tienen tengo tenemos tener puede pueden puedes puedo podemos poder debe deben
debemos debería hace hacen hacer haces nunca nada algo alguien muy más menos también tampoco ya todavía aún así aquí ahí
allí entonces luego además de en con por para sobre entre desde hasta hacia según durante estos estas este esta ese esa
esos esas eso esto aquel aquella cada toda todas otro otra otros otras mismo misma mucho mucha muchos poco
tanto si aunque mientras sólo solamente
";

const PORTUGUESE: &str = "
um uma uns umas ao aos à às da das nos pelo pela ele ela nós vós eles elas você vocês meu minha teu tua seu sua seus
suas lhe e ou mas porque que quem qual quando onde como é sou foi foram ser está estão estou estava ter tem têm
tinha há não nunca nada muito mais menos também já ainda de em por para com sem sobre entre estas esse essa isso
isto aquele aquela
";

const ITALIAN: &str = "
il lo la gli le un uno una della dei al allo alla alle dal dalla nel nella nei sul sulla tu lui lei voi loro mio tuo
tua suo sua mi ti si e o ma che chi quando se è sei siamo siete erano essere stato stanno ho ha abbiamo avete hanno
aveva avere non mai niente nulla molto più meno anche già ancora di da in su per tra fra senza questo questa questi
quello quella quelli quelle
";

const DUTCH: &str = "
de het een ik jij je hij zij ze wij jullie mij haar ons onze mijn jouw en of maar omdat als toen wie wat wanneer
waarom hoe waren wordt worden werd werden heeft hebben hadden kan kunnen moet moeten zal zullen zou niet geen nooit
niets ook nog al meer aan bij voor naar uit tot tegen zonder tussen onder deze dit
";

const RUSSIAN: &str = "
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще
нет о из ему теперь когда даже ну ли если уже или ни быть был него до вас опять вам ведь там потом себя ничего ей
может они тут где есть надо ней для мы тебя их чем была сам чтоб без будто чего раз тоже себе под будет тогда кто
этот того потому этого какой совсем ним здесь этом один почти мой тем чтобы нее были куда зачем всех никогда можно
при об другой хоть после над больше тот через эти нас про них какая много разве эту моя свою этой перед иногда
лучше чуть том нельзя такой им более всегда конечно всю между это
";
