//! One character of a text, plain or escaped.

/// The most backslashes, or times that an ampersand is escaped again, that are
/// seen through: a text may have been packed into JSON or HTML several times.
const LAYERS: usize = 16;

/// The longest number in an entity, in digits.
const DIGITS: usize = 8;

/// The first character of a text and what follows it. An entity (`&lt;`, `&#60;`,
/// `&amp;lt;`) and a JSON escape (`\u003c`, `\"`, `\n`) are the character that they
/// stand for.
pub(super) fn letter(text: &str) -> Option<(char, &str)> {
    let first = text.chars().next()?;
    let rest = &text[first.len_utf8()..];
    let meant = match first {
        '&' => entity(rest),
        '\\' => backslashed(rest),
        _ => None,
    };
    Some(meant.unwrap_or((first, rest)))
}

// What follows an ampersand.
fn entity(mut text: &str) -> Option<(char, &str)> {
    for _ in 0..LAYERS {
        let Some(rest) = strip_name(text, "amp;").or_else(|| text.strip_prefix("#38;")) else { break };
        text = rest;
    }
    if let Some(number) = text.strip_prefix('#') {
        let (radix, digits) = match number.strip_prefix(['x', 'X']) {
            Some(digits) => (16, digits),
            None => (10, number),
        };
        let length = digits.bytes().take(DIGITS).take_while(|byte| char::from(*byte).is_digit(radix)).count();
        let code = u32::from_str_radix(&digits[..length], radix).ok().and_then(char::from_u32)?;
        return Some((code, digits[length..].strip_prefix(';')?));
    }
    let names = [
        ("lt;", '<'),
        ("gt;", '>'),
        ("quot;", '"'),
        ("apos;", '\''),
        ("sol;", '/'),
        ("equals;", '='),
        ("nbsp;", ' '),
        ("tab;", '\t'),
        ("newline;", '\n'),
    ];
    names.iter().find_map(|(name, meant)| Some((*meant, strip_name(text, name)?)))
}

// What follows a backslash.
fn backslashed(text: &str) -> Option<(char, &str)> {
    let more = text.bytes().take(LAYERS).take_while(|byte| *byte == b'\\').count();
    let text = &text[more..];
    let first = text.chars().next()?;
    let rest = &text[first.len_utf8()..];
    match first {
        '"' | '\'' | '/' | '<' | '>' => Some((first, rest)),
        'n' | 'r' | 't' => Some((' ', rest)),
        'u' => {
            let digits = rest.get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
            let code = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)?;
            Some((code, &rest[4..]))
        }
        _ => None,
    }
}

fn strip_name<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let head = text.get(..name.len()).filter(|head| head.eq_ignore_ascii_case(name))?;
    Some(&text[head.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_what_they_stand_for() {
        for (text, expected) in [
            ("<a", ('<', "a")),
            ("&lt;a", ('<', "a")),
            ("&LT;a", ('<', "a")),
            ("&#60;a", ('<', "a")),
            ("&#x3C;a", ('<', "a")),
            ("&#0060;a", ('<', "a")),
            ("&amp;amp;lt;a", ('<', "a")),
            ("\\u003Ca", ('<', "a")),
            ("\\\\u003ca", ('<', "a")),
            ("\\\\\\\"a", ('"', "a")),
            ("\\na", (' ', "a")),
            ("&nope;", ('&', "nope;")),
            ("&#;", ('&', "#;")),
            ("&#xffffff;", ('&', "#xffffff;")),
            ("\\ud800", ('\\', "ud800")),
            ("\\ué12", ('\\', "ué12")),
            ("é", ('é', "")),
        ] {
            assert_eq!(letter(text), Some(expected), "{text}");
        }
        assert_eq!(letter(""), None);
    }
}
