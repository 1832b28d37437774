//! Cues on the surface of a sentence, in words of several languages: an order for this moment, a report of what
//! someone sees, the output of a program that failed, and words of what holds for longer.

/// Words that lead up to an order.
const LEADING: &str = " please now ok okay and also then so next can could you let's lets bitte jetzt dann und por favor ahora luego y s'il te vous plaît maintenant puis et ";

/// Verbs with which an order for this moment begins. Many of them name a step that is over once it is done.
const ORDERS: &str = " check create review fix add update switch install implement list merge commit write change move rename remove delete make look read run test try find explain show continue go start set sort put apply analyze analyse verify generate help tell give do refactor convert extract replace prüfe prüf erstelle mach mache füge ändere zeig zeige schau lies teste starte benenne lösche schreib schreibe revisa crea añade agrega cambia mueve quita borra haz mira lee prueba busca explica muestra sigue escribe ordena pon vérifie crée ajoute change déplace supprime fais regarde lis teste cherche explique montre continue écris ";

/// Words of what holds for longer than this moment.
const LASTING: &str = " always never only must should instead rather because since every each all default not no don't siempre nunca solo sólo porque cada todos todas debe sin nada immer nie niemals nur weil jede jeder jedes alle muss müssen kein keine nicht statt toujours jamais seulement parce chaque tous toutes doit pas ";

/// Phrases of someone who reports what happens on the screen.
const SEEING: [&str; 26] = [
    "i see",
    "i get",
    "i got",
    "i can't",
    "i cannot",
    "i cant",
    "i tried",
    "i still",
    "doesn't work",
    "does not work",
    "not working",
    "nothing happens",
    "is broken",
    "it seems",
    "for some reason",
    "still",
    "no me deja",
    "me sale",
    "sigue",
    "no funciona",
    "immer noch",
    "geht nicht",
    "funktioniert nicht",
    "ne marche pas",
    "ne fonctionne pas",
    "toujours pas",
];

/// What the output of a failed program says somewhere in a line.
const FAILING: [&str; 14] = [
    "error:",
    "exception:",
    "no function clause",
    "no such file",
    "no module named",
    "exit code",
    "cannot find",
    "cannot read",
    "unable to",
    "undefined method",
    "undefined reference",
    "is not a function",
    "unexpected token",
    "stack trace",
];

/// What a line of such output begins with.
const FAILING_FIRST: [&str; 17] = [
    "error",
    "err!",
    "fatal",
    "panic",
    "panicked",
    "warning:",
    "warn",
    "traceback",
    "exception",
    "unhandled",
    "uncaught",
    "caused",
    "fail",
    "failed",
    "npm",
    "conflict",
    "** (",
];

/// What only the output of a program says.
const PRINTED: [&str; 6] = [
    "no function clause matching",
    "unable to start container process",
    "is not assignable to parameter of type",
    "cannot read properties of",
    "violates unique constraint",
    "module not found:",
];

/// What an assistant begins with when it announces a step.
const ANNOUNCING: [&str; 14] = [
    "i'll",
    "i will",
    "i'm going to",
    "i am going to",
    "let me",
    "let's",
    "now i",
    "now let",
    "next i",
    "next, i",
    "ich werde",
    "voy a",
    "je vais",
    "vou ",
];

/// What an assistant begins with when it tells what it is doing.
const DOING: &str = " adding applying checking closing creating fixing implementing inspecting moving reading recording refactoring removing renaming running switching updating writing ";

/// Words of someone who speaks of themselves or of their own.
const OWN: &str = " i im ive my me mine we our ours us ich mein meine meinen meiner meinem mir mich wir unser unsere unseren unserem je j ai mon ma mes moi nous notre nos yo mi mis me nos nuestro nuestra nuestros nuestras tengo tenemos soy somos vivo vivimos trabajo llevo estoy estamos hemos decidimos prefiero eu meu minha meus minhas nosso nossa tenho moro io mio mia miei mie nostro nostra ho abito ";

/// What the surface of a sentence tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cues {
    /// It begins with a verb that orders a step.
    pub(super) orders: bool,
    /// It reports what happens on the screen.
    pub(super) sees: bool,
    /// It may be what a failed program printed.
    pub(super) fails: bool,
    /// How many of its words speak of what holds for longer.
    pub(super) lasting: usize,
}

/// The cues of a sentence.
pub(super) fn cues(text: &str) -> Cues {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .collect();
    let is_in = |list: &str, word: &str| list.contains(&format!(" {word} "));
    let first = words.iter().find(|word| !is_in(LEADING, word));
    let joined = format!(" {} ", words.join(" "));
    Cues {
        orders: first.is_some_and(|word| is_in(ORDERS, word)),
        sees: SEEING.iter().any(|phrase| joined.contains(&format!(" {phrase} "))),
        fails: FAILING.iter().any(|phrase| lower.contains(phrase)) || names_failure(text),
        lasting: words.iter().filter(|word| is_in(LASTING, word)).count(),
    }
}

/// Whether a sentence is plainly what a failed program printed.
pub(super) fn is_printed_failure(text: &str) -> bool {
    let start = text.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '*').to_lowercase();
    let first = FAILING_FIRST.iter().any(|word| {
        start.strip_prefix(word).is_some_and(|rest| rest.is_empty() || !rest.starts_with(char::is_alphanumeric))
    });
    let head: String = text.chars().take(80).collect();
    // “error: …”, “Failed to save: …”, “TypeError: …”; a sentence about errors has no colon so early.
    (first && head.contains([':', '[', '>']))
        || names_failure(&head)
        || PRINTED.iter().any(|phrase| start.contains(phrase))
}

/// Whether a sentence was copied from a screen, a log or a list of names, or is a part of something longer.
pub(super) fn is_copied(text: &str) -> bool {
    let words = text.split_whitespace().count();
    // A line of a log begins with its time or with its place in a file: `undo.js:76`.
    let is_logged = text.split_whitespace().next().is_some_and(|first| {
        let is_time = first.starts_with(|c: char| c.is_ascii_digit()) && first.matches(['-', ':', '/']).count() >= 2;
        let is_place = first.rsplit_once(':').is_some_and(|(file, line)| {
            file.contains('.') && !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
        });
        is_time || is_place
    });
    let is_path_of_elements = text.matches(" > ").count() >= 2;
    let is_list_of_names = 3 * text.matches(", ").count() >= 2 * words;
    let is_code = text.trim_end().ends_with(['{', '}', ';']);
    let is_rest = text.matches(')').count() > text.matches('(').count();
    // “[shares a photo of a desk]” is a note of the program that wrote it down.
    let is_note = text.starts_with('[') && text.trim_end_matches('.').ends_with(']');
    is_logged || is_code || is_note || is_path_of_elements || is_list_of_names || is_rest
}

/// Whether an assistant announces what it is about to do, which says nothing of what came of it.
pub(super) fn announces(text: &str) -> bool {
    let start = text.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    ANNOUNCING.iter().any(|beginning| {
        start
            .strip_prefix(beginning)
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric) || beginning.ends_with(' '))
    })
}

/// Whether somebody speaks of themselves or of their own people and things.
pub(super) fn speaks_of_oneself(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.any(|word| OWN.contains(&format!(" {word} ")))
}

/// Whether an assistant says that it does something itself, which one that only answers questions never does.
pub(super) fn is_at_work(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    announces(text) || first == "i've" || (first, second) == ("i", "have") || DOING.contains(&format!(" {first} "))
}

// “TypeError: …”, “(Ecto.Query.CompileError) …”, “error[E0382]”, “error TS2345”.
fn names_failure(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        let (name, rest) = match word.find(|c: char| !c.is_alphanumeric() && !"._$(".contains(c)) {
            Some(end) => word.split_at(end),
            None => (word, ""),
        };
        let name = name.trim_start_matches('(');
        let is_named = ["Error", "Exception"].iter().any(|ending| name.len() > ending.len() && name.ends_with(ending));
        (is_named && rest.starts_with([':', ')'])) || (name.eq_ignore_ascii_case("error") && rest.starts_with('['))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_reports_and_lasting_words_are_told_apart() {
        let check = |text: &str, orders, sees, lasting| {
            let found = cues(text);
            assert_eq!((found.orders, found.sees, found.lasting), (orders, sees, lasting), "{text}");
        };
        check("Please check the second table", true, false, 0);
        check("now add a filter to the list", true, false, 0);
        check("I still see the old name in the title", false, true, 0);
        check("We never mock the database, because it hides errors", false, false, 2);
        check("revisa el archivo de rutas", true, false, 0);
        check("The staging db is on port 5433", false, false, 0);
    }

    #[test]
    fn who_speaks_of_themselves_is_told_from_who_speaks_of_the_world() {
        for text in ["I've a cat", "my name is Ada", "our gateway is Adyen", "Ich wohne in Bern", "j'habite à Lyon"] {
            assert!(speaks_of_oneself(text), "{text}");
        }
        for text in ["Interest rates rise", "You should rest", "The hero leaves the island", "Miles away in Spain"] {
            assert!(!speaks_of_oneself(text), "{text}");
        }
    }

    #[test]
    fn what_a_program_printed_is_told_from_what_is_said_about_it() {
        for text in [
            "TypeError: Cannot read properties of undefined (reading 'map')",
            "error[E0382]: borrow of moved value: `config`",
            "** (Ecto.Query.CompileError) binding list should contain only variables",
            "(Ecto.Query.CompileError) binding list should contain only variables",
            "Failed to save: [amount: {\"is invalid\", []}]",
            "sqlalchemy.exc.IntegrityError: duplicate key value violates a constraint",
            "Error: connect ECONNREFUSED 127.0.0.1:6379",
            "npm ERR! code ELIFECYCLE: the script failed",
            "no function clause matching in ShopWeb.CartLive.handle_event/3",
            "FAIL src/cart.test.js > Cart > totals > adds up",
        ] {
            assert!(is_printed_failure(text), "{text}");
        }
        for text in [
            "The error occurred because the client was created at import.",
            "Errors cross the API as codes; the text is made by the client.",
            "We log a warning and go on when the key is missing.",
            "Warnings use amber, errors stay red.",
            "npm is banned here, use pnpm.",
            "Decision: the importer stops at the first error",
        ] {
            assert!(!is_printed_failure(text), "{text}");
        }
    }

    #[test]
    fn what_was_copied_and_what_is_announced_is_no_statement() {
        for text in [
            "2025-06-14 16:07:38.565 [warning] docker: Error response",
            "undo.layers.js:76 No image available at index 5",
            "it can go into div.page > main.wide > section.card > p.hint",
            "Atom, BitString, Date, DateTime, Decimal, Float",
            "[shares image: a photo of a desk with a computer]",
            "backend module), but no repository was given.",
            "private static void addStudent(int id, String firstName) {",
        ] {
            assert!(is_copied(text), "{text}");
        }
        for text in [
            "The keg (30 l) is sold whole, by the glass, or not at all.",
            "a > b holds for all rows",
            "9:30 is the standup",
        ] {
            assert!(!is_copied(text), "{text}");
        }
        assert!(is_at_work("I've added the migration.") && is_at_work("Running the tests now."));
        assert!(!is_at_work("You can use an index for that.") && !is_at_work("To run it, install the client."));
        assert!(announces("I'll create the migration now.") && announces("Voy a revisar el archivo."));
        assert!(!announces("The migration is never edited.") && !announces("Letme is the name of the tool."));
    }
}
