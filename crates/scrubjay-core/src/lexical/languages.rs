//! What tells a language from others, one entry each. A new language is one more entry.

use snowball_stemmers_rs::Algorithm;

/// A language in Latin letters.
pub(super) struct LanguageEntry {
    /// Two letters.
    pub(super) code: &'static str,
    pub(super) algorithm: Algorithm,
    /// Frequent words without a meaning of their own, as people write them.
    pub(super) function_words: &'static str,
    /// Letters that few languages have.
    pub(super) letters: &'static str,
    /// Endings that few languages have.
    pub(super) endings: &'static str,
}

/// The place of English.
pub(super) const ENGLISH: usize = 0;

/// All languages. Their places are part of no file, their codes are part of index terms.
pub(super) const LANGUAGES: [LanguageEntry; 16] = [
    LanguageEntry {
        code: "en",
        algorithm: Algorithm::English,
        function_words: "the of and to a in is it you that he was for on are as with his they i at be this have from or
            one had by but not what all were we when your can said there use an each which she do how their if will up
            other about out many then them these so some her would make like him into has look more no way could my
            than been who its now did get may me our must should just only any where why while does don t s let please
            here because after before over also very again go know see work works working need want add fix run new
            first last between under still using same die sure thanks yes",
        letters: "",
        endings: "ing tion ould",
    },
    LanguageEntry {
        code: "es",
        algorithm: Algorithm::Spanish,
        function_words: "el la los las un una unos unas de del al a en y o u que qué con por para como cómo no sí si se
            su sus lo le les me mi mis te tu tus nos es está están estoy estamos son ser era fue hay ha han he hemos
            haber pero porque cuando cuándo donde dónde quién cuál cuáles este esta esto estos estas ese esa eso esos
            esas más menos muy ya también todo toda todos todas otro otra sin sobre entre hasta desde hacia aquí ahí
            ahora después antes luego entonces así solo sólo cada nada algo puede puedes podemos tiene tienes tenemos
            hacer hace haz hazlo vamos quiero necesito usamos debe según aún además gracias vale sigue continúa",
        letters: "ñ",
        endings: "ción ciones amos emos iendo ando ados adas idad",
    },
    LanguageEntry {
        code: "de",
        algorithm: Algorithm::German,
        function_words: "der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine ich du
            er sie es wir ihr mich dich uns euch mir dir mein dein sein unser ist sind war waren bin hat haben hatte
            wird werden wurde kann können muss müssen soll sollen will mit von vom zu zum zur bei beim nach aus auf für
            über unter vor durch gegen ohne um im am an in als wie was wer wo wann warum welche welcher welches wenn
            weil dass damit noch nur auch schon sehr mehr mal jetzt dann hier dort so doch alle alles diese dieser
            dieses bitte danke nutzen benutzen",
        letters: "äöüß",
        endings: "ung ungen keit heit lich isch ieren",
    },
    LanguageEntry {
        code: "fr",
        algorithm: Algorithm::French,
        function_words: "le la les un une des du de au aux et ou où mais donc que qui quoi quel quelle quels quelles ce
            cet cette ces je tu il elle on nous vous ils elles me te se mon ma mes ton ta tes son sa ses notre votre
            leur leurs est sont était être été a ai as avons avez ont avait ne pas plus jamais rien très aussi encore
            déjà à en dans sur sous avec sans pour par chez entre depuis comme si quand comment pourquoi parce tout
            tous toute toutes fait faire peut peux faut y d l qu c j n s ça merci oui alors après avant",
        letters: "èêçœùî",
        endings: "tion ment eux aux ons ez ées",
    },
    LanguageEntry {
        code: "it",
        algorithm: Algorithm::Italian,
        function_words: "il lo la i gli le un uno una di del della dei degli delle al allo alla ai agli alle da dal
            dalla in nel nella nei con su sul sulla per tra fra e o ma che chi cosa come dove quando perché quale quali
            non sono è sei siamo era essere ho hai ha abbiamo hanno mi ti si ci vi mio tuo suo questo questa questi
            queste quello quella più meno molto anche già ancora poi se tutto tutti ogni usiamo può deve fare grazie",
        letters: "òì",
        endings: "zione zioni iamo ando endo ità",
    },
    LanguageEntry {
        code: "pt",
        algorithm: Algorithm::Portuguese,
        function_words: "o a os as um uma uns umas de do da dos das em no na nos nas ao aos à às por pelo pela para com
            sem e ou mas que quem qual quais onde quando como porque não sim se é são está estão ser foi era há ter tem
            temos tenho eu tu ele ela nós eles elas você vocês meu minha seu sua nosso nossa este esta isto esse essa
            isso aquele mais menos muito também já ainda só tudo todos cada depois antes agora usamos pode fazer vamos
            obrigado",
        letters: "ãõ",
        endings: "ção ções ando endo amos idade",
    },
    LanguageEntry {
        code: "nl",
        algorithm: Algorithm::Dutch,
        function_words: "de het een en of maar niet geen ik jij je hij zij ze wij we jullie hun mijn jouw zijn haar ons
            onze is was waren ben heeft hebben had wordt worden werd kan kunnen moet moeten zal zou met van voor naar
            bij uit op aan in door over onder tot tegen zonder tussen als dat dit die deze wat wie waar wanneer waarom
            hoe welke ook nog al meer nu dan er te om gebruiken",
        letters: "",
        endings: "lijk heid ijk aar",
    },
    LanguageEntry {
        code: "sv",
        algorithm: Algorithm::Swedish,
        function_words: "och att det som en ett den de är var inte på för med av till från om vi jag du han hon ni mig
            dig oss min din sin har hade kan ska skulle vill måste men eller när var varför hur vad vilken vilket vilka
            där här också nu så bara än efter före under mellan utan alla allt detta denna använder",
        letters: "åäö",
        endings: "ning ningar ande",
    },
    LanguageEntry {
        code: "da",
        algorithm: Algorithm::Danish,
        function_words: "og at det som en et den de er var ikke på for med af til fra om vi jeg du han hun mig dig os
            min din sin har havde kan skal skulle vil må men eller når hvor hvorfor hvordan hvad hvilken hvilket hvilke
            der her også nu så kun end efter før under mellem uden alle alt dette denne bruger blev",
        letters: "åøæ",
        endings: "hed ning",
    },
    LanguageEntry {
        code: "no",
        algorithm: Algorithm::Norwegian,
        function_words: "og at det som en et ei den de er var ikke på for med av til fra om vi jeg du han hun meg deg
            oss min din sin har hadde kan skal skulle vil må men eller når hvor hvorfor hvordan hva hvilken hvilket
            hvilke der her også nå så bare enn etter før under mellom uten alle alt dette denne bruker ble",
        letters: "åøæ",
        endings: "het ning",
    },
    LanguageEntry {
        code: "fi",
        algorithm: Algorithm::Finnish,
        function_words: "ja on ei se että en hän me te he minä sinä mutta tai kun jos niin kuin mitä mikä missä miksi
            miten kuka tämä tuo ne nämä oli olla ovat olen voi pitää myös vain nyt sitten jo vielä kanssa ilman ennen
            jälkeen mukaan joka jotka",
        letters: "äö",
        endings: "ssa ssä lla llä sta stä een mme",
    },
    LanguageEntry {
        code: "pl",
        algorithm: Algorithm::Polish,
        function_words: "i w z na do nie się że jest są to co jak ale czy po od za dla o przez przed przy bez pod nad
            ten ta te tego tej ja ty on ona my wy oni mnie mi mój moja nasz być był była było może można tylko już
            jeszcze też więc gdzie kiedy dlaczego który która które jakiej jaki jaka używamy",
        letters: "łąężźśćń",
        endings: "ość ania enia ować",
    },
    LanguageEntry {
        code: "cs",
        algorithm: Algorithm::Czech,
        function_words: "a i v na s z do že je jsou to co jak ale po od za pro o přes před při bez pod nad ten ta ti
            toho já ty on ona my vy oni mě mi můj moje náš být byl byla bylo může pouze už ještě také tak kde kdy proč
            který která které když není se ne nebo používáme",
        letters: "řůěšžč",
        endings: "ost ání ení ovat",
    },
    LanguageEntry {
        code: "ro",
        algorithm: Algorithm::Romanian,
        function_words: "și în de la cu pe nu este sunt un o al ai ale din pentru care ce cum unde când dar sau dacă
            mai foarte noi voi ei ele eu tu el ea îmi meu mea nostru fost era fi avem are au am să se prin fără între
            după înainte acest această acum doar toate",
        letters: "țșăâ",
        endings: "ției ului ilor",
    },
    LanguageEntry {
        code: "hu",
        algorithm: Algorithm::Hungarian,
        function_words: "a az és hogy nem is van volt egy de ha meg már csak még mint vagy ez ezt azt itt ott mi ki hol
            mikor miért hogyan melyik én te ő mi ti ők kell lehet lesz vannak után előtt alatt között nélkül minden
            most igen",
        letters: "őű",
        endings: "ban ben ból ből nak nek juk jük hoz hez",
    },
    LanguageEntry {
        code: "tr",
        algorithm: Algorithm::Turkish,
        function_words:
            "ve bir bu şu o ne için ile de da mi mı değil var yok ama veya çok daha en gibi kadar sonra önce
            nasıl neden nerede hangi kim ben sen biz siz onlar benim bizim olan olarak olur her şimdi ise",
        letters: "ğışç",
        endings: "lar ler yor ları leri",
    },
];
