//! Prose, and the sentences in it.

/// A message longer than this holds something pasted; then only its edges are what the speaker says.
const LONG_CHARS: usize = 1200;

/// Short forms that end in a point without ending a sentence.
const SHORT_FORMS: [&str; 28] = [
    "mr", "mrs", "ms", "dr", "prof", "st", "e.g", "i.e", "etc", "vs", "approx", "no", "inc", "ltd", "co", "jr", "sr",
    "z.b", "d.h", "bzw", "ca", "nr", "p.ex", "sra", "sr", "u.s", "ie", "eg",
];

/// What of a message is prose in the speaker's own words: no code, no quotations, no tables.
#[must_use]
pub fn prose(message: &str) -> String {
    let message = message.replace(['\u{2019}', '\u{02BC}'], "'");
    let mut lines = Vec::new();
    let mut in_code = false;
    for line in message.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            in_code = !in_code;
            continue;
        }
        let is_table = trimmed.matches('|').count() >= 2;
        let is_markup = trimmed.starts_with('<') && trimmed.ends_with('>');
        if in_code || trimmed.starts_with('>') || is_table || is_markup || line.starts_with("    ") {
            continue;
        }
        let bullet = trimmed.trim_start_matches(['-', '*', '•', '#']).trim_start();
        lines.push(if bullet.is_empty() { trimmed } else { bullet }.to_owned());
    }
    if message.chars().count() <= LONG_CHARS {
        return lines.join("\n");
    }
    let paragraphs: Vec<String> = lines.split(String::is_empty).map(|part| part.join("\n")).collect();
    let paragraphs: Vec<&String> = paragraphs.iter().filter(|part| !part.is_empty()).collect();
    let edges = match paragraphs.as_slice() {
        [] => Vec::new(),
        [only] => vec![*only],
        [first, .., last] => vec![*first, *last],
    };
    let short = edges.into_iter().filter(|part| part.chars().count() <= LONG_CHARS).map(String::as_str);
    short.collect::<Vec<_>>().join("\n")
}

/// The sentences of a text, in order, with their final mark.
#[must_use]
pub fn sentences(text: &str) -> Vec<&str> {
    text.lines().flat_map(of_line).map(str::trim).filter(|sentence| !sentence.is_empty()).collect()
}

fn of_line(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut characters = line.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let end = at + character.len_utf8();
        let ends = match character {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => {
                let next = characters.peek().map(|(_, next)| *next);
                next.is_none_or(|next| next.is_whitespace() || matches!(next, '"' | '\'' | ')'))
                    && !(character == '.' && is_short_form(&line[start..at]))
            }
            _ => false,
        };
        if ends {
            found.push(&line[start..end]);
            start = end;
        }
    }
    found.push(&line[start..]);
    found
}

fn is_short_form(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default().to_lowercase();
    // A single letter is an initial, and so are several with points between them.
    let is_initial = |part: &str| part.chars().count() == 1 && part.chars().all(char::is_alphabetic);
    SHORT_FORMS.contains(&word.as_str()) || (word != "i" && word.split('.').all(is_initial))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_they_end() {
        let cases: &[(&str, &[&str])] = &[
            ("I live in Bern. Dr. Ott lives there too!", &["I live in Bern.", "Dr. Ott lives there too!"]),
            ("Use v1.2 (e.g. for tests). Is it ok?", &["Use v1.2 (e.g. for tests).", "Is it ok?"]),
            ("one\ntwo", &["one", "two"]),
            ("我住在北京。你呢？", &["我住在北京。", "你呢？"]),
            ("J. R. Smith wrote. Fine", &["J. R. Smith wrote.", "Fine"]),
            ("I read J.K. Rowling. Then I slept.", &["I read J.K. Rowling.", "Then I slept."]),
            ("So am I. We moved in 2020. It is 5. Fine", &["So am I.", "We moved in 2020.", "It is 5.", "Fine"]),
            ("Only open ones, ie. not the old. Fine", &["Only open ones, ie. not the old.", "Fine"]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(sentences(text), *expected, "{text}");
        }
    }

    #[test]
    fn only_the_speakers_own_words_are_prose() {
        let message =
            "We use tabs.\n```\nwe never use tabs\n```\n> I prefer spaces\n| a | b |\n- always rebase\nIt’s fine";
        assert_eq!(prose(message), "We use tabs.\nalways rebase\nIt's fine");
        let pasted = format!("Look at this:\n\n{}\n\nWe decided to keep it.", "I love dogs. ".repeat(120));
        assert_eq!(prose(&pasted), "Look at this:\nWe decided to keep it.");
    }
}
