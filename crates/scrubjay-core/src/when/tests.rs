//! Phrases and what they mean, on one Wednesday.

use proptest::prelude::*;

use super::*;

// A Wednesday.
const NOW: &str = "2026-05-13T15:30:00Z";

fn check(text: &str, wanted: &[(&str, &str)]) {
    let found: Vec<(String, String)> = named_times(text, NOW.parse().unwrap())
        .iter()
        .map(|named| named.span)
        .map(|span| (span.from.to_string()[..10].to_owned(), span.until.to_string()[..10].to_owned()))
        .collect();
    let wanted: Vec<(String, String)> =
        wanted.iter().map(|(from, until)| ((*from).to_owned(), (*until).to_owned())).collect();
    assert_eq!(found, wanted, "{text}");
}

#[test]
fn times_relative_to_now() {
    check("what did we decide yesterday?", &[("2026-05-12", "2026-05-13")]);
    check("the plan of the day before yesterday", &[("2026-05-11", "2026-05-12")]);
    check("last week's deployment, last week", &[("2026-05-04", "2026-05-13")]);
    check("last month", &[("2026-04-01", "2026-05-01")]);
    check("what happened two weeks ago", &[("2026-04-26", "2026-05-03")]);
    check("3 days ago", &[("2026-05-10", "2026-05-11")]);
    check("in the past 10 days", &[("2026-05-03", "2026-05-14")]);
    check("last Friday", &[("2026-05-08", "2026-05-09")]);
    check("last year", &[("2025-01-01", "2026-01-01")]);
    check("this month", &[("2026-05-01", "2026-05-14")]);
    check("what was yesterday's plan", &[("2026-05-12", "2026-05-13")]);
}

#[test]
fn dates_of_the_calendar() {
    check("on 2024-03-05", &[("2024-03-05", "2024-03-06")]);
    check("on 7 March 2023 and May 8th, 2023", &[("2023-03-07", "2023-03-08"), ("2023-05-08", "2023-05-09")]);
    check("the 1st of August", &[("2025-08-01", "2025-08-02")]);
    check("in June 2025", &[("2025-06-01", "2025-07-01")]);
    check("in April", &[("2026-04-01", "2026-05-01")]);
    check("in December", &[("2025-12-01", "2026-01-01")]);
    check("in 2023", &[("2023-01-01", "2024-01-01")]);
    check("what happened in May 2020", &[("2020-05-01", "2020-06-01")]);
    check("what happened in May", &[("2026-05-01", "2026-06-01")]);
}

#[test]
fn times_in_other_languages() {
    let yesterday = &[("2026-05-12", "2026-05-13")];
    for text in
        ["¿qué pasó ayer?", "was war gestern?", "qu'est-ce qui s'est passé hier ?", "o que fizemos ontem", "ieri"]
    {
        check(text, yesterday);
    }
    for text in ["hoy", "heute", "aujourd'hui", "aujourd’hui", "hoje", "oggi", "vandaag"] {
        check(text, &[("2026-05-13", "2026-05-14")]);
    }
    for text in ["anteayer", "vorgestern", "avant-hier", "anteontem", "l'altro ieri"] {
        check(text, &[("2026-05-11", "2026-05-12")]);
    }
    let last_week = &[("2026-05-04", "2026-05-13")];
    for text in ["la semana pasada", "letzte Woche", "la semaine dernière", "a semana passada", "la settimana scorsa"]
    {
        check(text, last_week);
    }
    for text in ["el mes pasado", "letzten Monat", "le mois dernier", "o mês passado", "lo scorso mese"] {
        check(text, &[("2026-04-01", "2026-05-01")]);
    }
    for text in ["el año pasado", "letztes Jahr", "l'année dernière", "l'an dernier", "l'anno scorso"] {
        check(text, &[("2025-01-01", "2026-01-01")]);
    }
    for text in ["esta semana", "diese Woche", "cette semaine", "questa settimana"] {
        check(text, &[("2026-05-11", "2026-05-14")]);
    }
    for text in ["hace tres días", "vor drei Tagen", "il y a trois jours", "há três dias", "tre giorni fa"] {
        check(text, &[("2026-05-10", "2026-05-11")]);
    }
    for text in ["en mayo de 2020", "im Mai 2020", "en mai 2020", "em maio de 2020", "a maggio 2020"] {
        check(text, &[("2020-05-01", "2020-06-01")]);
    }
    for text in ["el 7 de marzo de 2023", "am 7. März 2023", "le 7 mars 2023"] {
        check(text, &[("2023-03-07", "2023-03-08")]);
    }
    for text in ["el viernes pasado", "letzten Freitag", "vendredi dernier"] {
        check(text, &[("2026-05-08", "2026-05-09")]);
    }
    check("los últimos 10 días", &[("2026-05-03", "2026-05-14")]);
    check("die letzten zehn Tage", &[("2026-05-03", "2026-05-14")]);
    check("les 10 derniers jours", &[("2026-05-03", "2026-05-14")]);
}

#[test]
fn what_could_mean_anything_means_nothing() {
    for text in [
        "I may march on",
        "the last resort",
        "room 2023",
        "",
        "version 3.2.1",
        "last",
        "this",
        "was ist hier los",
        "es ist hier",
        "the last tag",
        "git tag 3 tags ago",
        "non va mai bene",
        "mes amis",
    ] {
        check(text, &[]);
    }
}

proptest! {
    #[test]
    fn any_text_is_fine(text in ".{0,60}", words in "((last|this|in|a|2|week|may|march|ago|days|of|31|2023) ){0,8}") {
        let now = NOW.parse().unwrap();
        let _ = named_times(&text, now);
        for named in named_times(&words, now) {
            prop_assert!(named.span.from < named.span.until && !named.words.is_empty());
        }
    }
}
