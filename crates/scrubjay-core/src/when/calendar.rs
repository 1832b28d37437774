//! Dates of the calendar: “7 May 2023”, “in May 2023”, “in 2023”.

use jiff::ToSpan;
use jiff::civil::Date;

use super::named::Phrase;
use super::relative::day;

/// The date at the beginning of some words, in English.
pub(super) fn calendar(words: &[&str], today: Date) -> Option<Phrase> {
    if let Some(date) = iso_date(words[0]) {
        return day(1, date);
    }
    // “In May” is no verb.
    if let ["in" | "during" | "since", month_word, ..] = words
        && month(month_word).is_some()
    {
        return month_or_day(&words[1..], today, true).map(|(used, first, end)| (used + 1, first, end));
    }
    month_or_day(words, today, false)
}

// “7 May 2023”, “May 7th, 2023”, “May 2023”, “in 2023”.
fn month_or_day(words: &[&str], today: Date, is_after_preposition: bool) -> Option<Phrase> {
    let day_number = |word: &str| {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let suffix = &word[digits.len()..];
        let number: i8 = digits.parse().ok()?;
        ((1..=31).contains(&number) && matches!(suffix, "" | "st" | "nd" | "rd" | "th")).then_some(number)
    };
    let (month_place, day_before) = match words {
        [first, "of", second, ..] if day_number(first).is_some() && month(second).is_some() => (2, day_number(first)),
        [first, second, ..] if day_number(first).is_some() && month(second).is_some() => (1, day_number(first)),
        [first, ..] if month(first).is_some() => (0, None),
        [preposition, year_word, ..] if matches!(*preposition, "in" | "during" | "since") => {
            let year = year(year_word)?;
            return Some((2, Date::new(year, 1, 1).ok()?, Date::new(year + 1, 1, 1).ok()?));
        }
        _ => return None,
    };
    let month_number = month(words[month_place])?;
    let mut used = month_place + 1;
    let mut day_number_found = day_before;
    if day_number_found.is_none()
        && let Some(number) = words.get(used).and_then(|word| day_number(word))
    {
        day_number_found = Some(number);
        used += 1;
    }
    // “mayo de 2020”.
    if words.get(used) == Some(&"of") && words.get(used + 1).is_some_and(|word| year(word).is_some()) {
        used += 1;
    }
    let given_year = words.get(used).and_then(|word| year(word));
    used += usize::from(given_year.is_some());
    // “may” and “march” are verbs too: alone they need something that makes them a month.
    let ambiguous = matches!(words[month_place], "may" | "march" | "mar" | "sun" | "sat");
    if ambiguous && !is_after_preposition && day_number_found.is_none() && given_year.is_none() {
        return None;
    }
    // Without a year the last one that has come is meant.
    let year = given_year.unwrap_or_else(|| {
        let this_year = (month_number, day_number_found.unwrap_or(1)) <= (today.month(), today.day());
        if this_year { today.year() } else { today.year() - 1 }
    });
    match day_number_found {
        Some(number) => day(used, Date::new(year, month_number, number).ok()?),
        None => {
            let first = Date::new(year, month_number, 1).ok()?;
            Some((used, first, first.checked_add(1.month()).ok()?))
        }
    }
}

/// The number of a month.
pub(super) fn month(word: &str) -> Option<i8> {
    const MONTHS: [(&str, &str); 12] = [
        ("january", "jan"),
        ("february", "feb"),
        ("march", "mar"),
        ("april", "apr"),
        ("may", "may"),
        ("june", "jun"),
        ("july", "jul"),
        ("august", "aug"),
        ("september", "sep"),
        ("october", "oct"),
        ("november", "nov"),
        ("december", "dec"),
    ];
    let word = word.trim_end_matches("'s");
    let place = MONTHS.iter().position(|(long, short)| word == *long || word == *short)?;
    i8::try_from(place + 1).ok()
}

fn year(word: &str) -> Option<i16> {
    let is_year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|year| is_year && (1900..=2200).contains(year))
}

fn iso_date(word: &str) -> Option<Date> {
    let mut parts = word.split(['-', '/']);
    let (year_part, month_part, day_part) = (parts.next()?, parts.next()?, parts.next()?);
    let date = Date::new(year(year_part)?, month_part.parse().ok()?, day_part.parse().ok()?).ok()?;
    parts.next().is_none().then_some(date)
}
