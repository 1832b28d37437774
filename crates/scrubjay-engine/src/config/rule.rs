//! What a setting's value must satisfy beyond its type, checked and described from the same data.

use super::value::Value;

/// The allowed values of one setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Rule {
    /// Every value of the type.
    Any,
    /// A whole number from `.0` to `.1`, both included.
    Integer(i64, i64),
    /// A finite number from `.0` to `.1`, both included.
    Number(f64, f64),
    /// At least one of these words, none of them twice.
    Words(&'static [&'static str]),
    /// Any of these words, none of them twice.
    SomeWords(&'static [&'static str]),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A file path that may hold the placeholders `{home}` and `{agent}`.
    PathTemplate,
}

/// The placeholders of a [`Rule::PathTemplate`], without their braces.
pub(super) const PLACEHOLDERS: [&str; 3] = ["home", "agent", "agentId"];

impl Rule {
    /// Whether the value is allowed.
    pub(super) fn allows(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Any, _) => true,
            (Self::Integer(min, max), Value::Integer(integer)) => (min..=max).contains(&integer),
            // NaN is in no range, so it is refused here as well.
            (Self::Number(min, max), Value::Number(number)) => (min..=max).contains(&number),
            (Self::Words(words), Value::List(items)) => are_words(words, items) && !items.is_empty(),
            (Self::SomeWords(words), Value::List(items)) => are_words(words, items),
            (Self::Word(words), Value::Text(word)) => words.contains(&word.as_str()),
            (Self::PathTemplate, Value::Text(template)) => is_path_template(template),
            _ => false,
        }
    }

    /// The words to choose from, if there are any.
    pub(super) fn choices(&self) -> &'static [&'static str] {
        match self {
            Self::Words(words) | Self::SomeWords(words) | Self::Word(words) => words,
            Self::Any | Self::Integer(..) | Self::Number(..) | Self::PathTemplate => &[],
        }
    }

    /// The allowed values in words; empty when every value is.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Any => String::new(),
            Self::Integer(min, max) => format!("{min} to {max}"),
            Self::Number(min, max) => format!("{min} to {max}"),
            Self::Words(words) => format!("one or more of {}, each once", words.join(", ")),
            Self::SomeWords(words) => format!("any of {}, each once", words.join(", ")),
            Self::Word(words) => format!("one of {}", words.join(", ")),
            Self::PathTemplate => {
                "a file path, absolute or relative to the home folder, with no placeholder but {home} and {agent} \
                 and no leading ~"
                    .to_owned()
            }
        }
    }
}

fn are_words(words: &[&str], items: &[String]) -> bool {
    let known = items.iter().all(|item| words.contains(&item.as_str()));
    let repeated = (1..items.len()).any(|at| items[..at].contains(&items[at]));
    known && !repeated
}

fn is_path_template(template: &str) -> bool {
    // A leading `~` would otherwise create a folder of that name, because only a shell expands it.
    if template.is_empty() || template.starts_with('~') || template.ends_with('/') || template.contains('\0') {
        return false;
    }
    let mut pieces = template.split('{');
    let before_first = pieces.next().unwrap_or_default();
    !before_first.contains('}')
        && pieces.all(|piece| match piece.split_once('}') {
            Some((name, rest)) => PLACEHOLDERS.contains(&name) && !rest.contains('}'),
            None => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_their_ends_and_nothing_else() {
        let integers = Rule::Integer(1, 5);
        for (integer, allowed) in [(0, false), (1, true), (5, true), (6, false), (i64::MIN, false)] {
            assert_eq!(integers.allows(&Value::Integer(integer)), allowed, "{integer}");
        }
        let numbers = Rule::Number(0.0, 1.0);
        for (number, allowed) in
            [(0.0, true), (1.0, true), (-0.1, false), (1.1, false), (f64::NAN, false), (f64::INFINITY, false)]
        {
            assert_eq!(numbers.allows(&Value::Number(number)), allowed, "{number}");
        }
        assert!(!integers.allows(&Value::Number(2.0)), "a value of another type is never allowed");
    }

    #[test]
    fn words_are_known_and_once() {
        let rule = Rule::Words(&["a", "b"]);
        for (items, allowed) in
            [(vec!["a"], true), (vec!["b", "a"], true), (vec![], false), (vec!["a", "a"], false), (vec!["c"], false)]
        {
            let value = Value::List(items.iter().map(|&item| item.to_owned()).collect());
            assert_eq!(rule.allows(&value), allowed, "{items:?}");
        }
    }

    #[test]
    fn path_templates() {
        for (template, allowed) in [
            ("{home}/{agent}.sqlite", true),
            ("/var/memory.sqlite", true),
            ("memory.sqlite", true),
            ("", false),
            ("~/memory.sqlite", false),
            ("folder/", false),
            ("{home}/{agentId}.sqlite", true),
            ("{user}/x", false),
            ("{home/x", false),
            ("home}/x", false),
            ("{home}}/x", false),
            ("{{home}/x", false),
            ("a\0b", false),
        ] {
            assert_eq!(Rule::PathTemplate.allows(&Value::Text(template.into())), allowed, "{template:?}");
        }
    }
}
