//! Words for times in other languages, each with the English word that it stands for.
//!
//! Word by word is enough, because `relative.rs` knows the orders in which they come. Words that mean something else in
//! another of the languages need a sign that it is not that one.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::lexical::LanguageGuess;

/// The English word that a word in lower case stands for, or the word itself.
pub(super) fn in_english<'a>(word: &'a str, guess: &LanguageGuess) -> &'a str {
    match word {
        // “Here” in German.
        "hier" if guess.may_be("de") => word,
        _ => WORDS.get(word).copied().unwrap_or(word),
    }
}

static WORDS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let pairs =
        TABLE.iter().flat_map(|(english, others)| others.split_ascii_whitespace().map(|other| (other, *english)));
    pairs.collect()
});

const TABLE: &[(&str, &str)] = &[
    ("yesterday", "ayer gestern hier ontem ieri gisteren yesterday's"),
    ("today", "hoy heute aujourd'hui hoje oggi vandaag today's"),
    ("day-before-yesterday", "anteayer antier vorgestern avant-hier anteontem eergisteren"),
    ("day-before", "l'altro"),
    ("last-night", "anoche"),
    ("last", "letzte letzten letzter letztes letztem vorige vorigen voriges vergangene vergangenen vergangenes"),
    ("last-after", "pasado pasada passé passée passado passada"),
    (
        "last-around",
        "último última últimos últimas ultimo ultima ultimos ultimas dernier dernière derniers dernières derniere scorso \
         scorsa scorsi scorse ultimi ultime",
    ),
    ("this", "esta este diese diesen dieses diesem cette ce cet questa questo esse essa"),
    ("morning", "mañana matin manhã mattina"),
    ("evening", "noche tarde soir noite sera abend"),
    ("ago-before", "hace vor há"),
    ("ago", "fa"),
    ("week", "semana woche semaine settimana week"),
    ("weeks", "semanas wochen semaines settimane weken"),
    ("weekend", "wochenende"),
    ("month", "mes monat mois mês mese maand"),
    ("months", "meses monate monaten mesi maanden"),
    ("year", "año jahr année l'année l'an l'anno ano anno jaar"),
    ("years", "años jahre jahren années ans anos anni"),
    ("day", "día dia tag jour giorno dag"),
    ("days", "días dias tage tagen jours giorni dagen"),
    ("of", "de del di"),
    ("in", "en im em nel"),
    ("since", "desde seit depuis dal"),
    ("one", "un una uno ein eine einem einer eines une um uma een"),
    ("two", "dos zwei deux dois duas due twee"),
    ("three", "tres drei trois três tre drie"),
    ("four", "cuatro vier quatre quatro quattro"),
    ("five", "cinco fünf cinq cinque vijf"),
    ("six", "seis sechs sei zes"),
    ("seven", "siete sieben sept sete sette zeven"),
    ("eight", "ocho acht huit oito otto"),
    ("nine", "nueve neun neuf nove negen"),
    ("ten", "diez zehn dix dez dieci tien"),
    ("january", "enero januar janvier janeiro gennaio januari"),
    ("february", "febrero februar février fevereiro febbraio februari"),
    ("march", "marzo märz mars março maart"),
    ("april", "abril avril aprile"),
    ("may", "mayo mai maio maggio mei"),
    ("june", "junio juni juin junho giugno"),
    ("july", "julio juli juillet julho luglio"),
    ("august", "agosto août augustus"),
    ("september", "septiembre septembre setembro settembre"),
    ("october", "octubre oktober octobre outubro ottobre"),
    ("november", "noviembre novembre novembro"),
    ("december", "diciembre dezember décembre dezembro dicembre"),
    ("monday", "lunes montag lundi segunda-feira lunedì maandag"),
    ("tuesday", "martes dienstag mardi terça-feira martedì dinsdag"),
    ("wednesday", "miércoles mittwoch mercredi quarta-feira mercoledì woensdag"),
    ("thursday", "jueves donnerstag jeudi quinta-feira giovedì donderdag"),
    ("friday", "viernes freitag vendredi sexta-feira venerdì vrijdag"),
    ("saturday", "sábado samstag samedi sabato zaterdag"),
    ("sunday", "domingo sonntag dimanche domenica zondag"),
];
