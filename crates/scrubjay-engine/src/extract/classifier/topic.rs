//! What a conversation is about: work on code, or anything else.

use super::tokens::{is_code, names_file};

/// How often code or a file is named in a conversation about work, and in which share of its messages at least: in one
/// about the world a command is shown now and then.
const LEAST_NAMED: usize = 3;
const LEAST_SHARE: f64 = 0.2;

/// What a conversation is about, as far as it matters to what is worth keeping of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// Work on something: code and files are named.
    Work,
    /// Anything else: people chat, or ask an assistant about the world.
    Chat,
}

impl Topic {
    /// Of the messages of a conversation, or of a part of it.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of messages")]
    pub fn of<'a>(messages: impl IntoIterator<Item = &'a str>) -> Self {
        let (mut named, mut naming, mut all) = (0, 0, 0);
        for message in messages {
            let blocks = message.matches("```").count();
            let words = message.split_whitespace().filter(|word| is_code(word) || names_file(word)).count();
            named += blocks + words;
            naming += usize::from(blocks + words > 0);
            all += 1;
        }
        let is_work = named >= LEAST_NAMED && naming as f64 >= LEAST_SHARE * all as f64;
        if is_work { Self::Work } else { Self::Chat }
    }
}

#[cfg(test)]
mod tests {
    use super::Topic;

    #[test]
    fn slashes_alone_are_no_files() {
        for (messages, expected) in [
            (vec!["see `a` and `b`", "and `c`"], Topic::Work),
            (vec!["look at src/app.ts", "it is in ./lib/shop", "and in README.md"], Topic::Work),
            (vec!["```\nlet x = 1;\n```\n```\nlet y = 2;\n```"], Topic::Work),
            (vec!["his/her/their dog", "on 12/29/2023", "red/green/blue, w/o you/me/us"], Topic::Chat),
            (vec!["see https://a.example/b/c", "https://a.example/d/e and www.b.example/f", "lol"], Topic::Chat),
            (vec!["I live in Bern."], Topic::Chat),
            (vec!["`a`, `b` and `c`", "oh", "I see", "nice", "it rains", "all day"], Topic::Chat),
        ] {
            assert_eq!(Topic::of(messages.iter().copied()), expected, "{messages:?}");
        }
    }
}
