//! Makes fake secrets from the examples of a rule, so that no text that looks like a live secret has to lie in a file.

use std::ops::Range;

use super::rule::{Example, Rule};

/// A fake secret in its context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The context and the secret.
    pub text: String,
    /// Where in `text` the secret stands.
    pub secret: Range<usize>,
}

impl Sample {
    /// The fake secret alone.
    pub fn secret(&self) -> &str {
        &self.text[self.secret.clone()]
    }
}

impl Rule {
    /// A fake secret of this kind: another one for each seed, the same one for the same seed.
    pub fn sample(&self, seed: u64) -> Option<Sample> {
        let count = u64::try_from(self.examples.len()).ok()?;
        let example = self.examples.get(usize::try_from(seed.checked_rem(count)?).ok()?)?;
        Some(sample(example, seed))
    }
}

fn sample(example: &Example, seed: u64) -> Sample {
    let mut random = Random { state: seed };
    let mut text = example.before.to_owned();
    let start = text.len();
    let mut rest = example.secret;
    while let Some((literal, from_open)) = rest.split_once('{') {
        text.push_str(literal);
        let (shape, tail) = from_open.split_once('}').unwrap_or((from_open, ""));
        push_shape(&mut text, shape, &mut random);
        rest = tail;
    }
    text.push_str(rest);
    let end = text.len();
    text.push_str(example.after);
    Sample { text, secret: start..end }
}

/// Appends what `class:count`, `uuid`, `card:prefix`, `pem:lines`, `words:count`, `numbered:mark` or `discord` stands
/// for. An unknown shape stays as it is, which
/// the tests notice, because such a sample is not redacted.
fn push_shape(text: &mut String, shape: &str, random: &mut Random) {
    let (name, argument) = shape.split_once(':').unwrap_or((shape, ""));
    match name {
        "uuid" => {
            for (index, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
                text.push_str(if index > 0 { "-" } else { "" });
                random.push(text, HEXADECIMAL, length);
            }
        }
        "card" => push_card(text, argument, random),
        "pem" => {
            for _ in 0..argument.parse().unwrap_or(0) {
                random.push(text, BASE64, 64);
                text.push('\n');
            }
        }
        "words" => {
            for index in 0..argument.parse().unwrap_or(0) {
                text.push_str(if index > 0 { " " } else { "" });
                push_word(text, random);
            }
        }
        // Twelve words; the number of the first stands before the sample, because it is no part of the secret.
        "numbered" => {
            push_word(text, random);
            for number in 2..=12 {
                text.push_str(&format!(" {number}{argument}"));
                push_word(text, random);
            }
        }
        "discord" => push_discord_id(text, random),
        _ => match (alphabet(name), argument.parse()) {
            (Some(alphabet), Ok(count)) => random.push(text, alphabet, count),
            _ => text.push_str(shape),
        },
    }
}

fn push_word(text: &mut String, random: &mut Random) {
    random.push(text, "bcdfghjklmnprtvwz", 2);
    random.push(text, "aeiou", 1);
    random.push(text, "bcdfghjklmnprtvwz", 2);
}

/// Eighteen random digits in base64, as tokens of Discord begin with the number of their account.
fn push_discord_id(text: &mut String, random: &mut Random) {
    for _ in 0..6 {
        let mut digits = String::new();
        random.push(&mut digits, DIGITS, 3);
        let bits = digits.bytes().fold(0_usize, |bits, digit| bits << 8 | usize::from(digit));
        text.extend([18, 12, 6, 0].map(|shift| char::from(BASE64.as_bytes()[bits >> shift & 63])));
    }
}

/// Random digits after a prefix, sixteen in all, or fifteen for `34` and `37`, with the right check digit.
fn push_card(text: &mut String, prefix: &str, random: &mut Random) {
    let length = if matches!(prefix, "34" | "37") { 15 } else { 16 };
    let mut number = prefix.to_owned();
    random.push(&mut number, DIGITS, length - 1 - prefix.len());
    let sum: u32 = number
        .chars()
        .rev()
        .enumerate()
        .map(|(place, c)| match (place % 2, c.to_digit(10).unwrap_or(0)) {
            (0, digit) => digit * 2 / 10 + digit * 2 % 10,
            (_, digit) => digit,
        })
        .sum();
    text.push_str(&number);
    text.push_str(&((10 - sum % 10) % 10).to_string());
}

const DIGITS: &str = "0123456789";
const HEXADECIMAL: &str = "0123456789abcdef";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn alphabet(name: &str) -> Option<&'static str> {
    Some(match name {
        "digit" => DIGITS,
        "hex" => HEXADECIMAL,
        "HEX" => "0123456789ABCDEF",
        "lower" => "abcdefghijklmnopqrstuvwxyz",
        "upper" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "lownum" => "abcdefghijklmnopqrstuvwxyz0123456789",
        "upnum" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        "alpha" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        "alnum" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "url" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
        "b64" => BASE64,
        "base32" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "base32low" => "abcdefghijklmnopqrstuvwxyz234567",
        "bech32" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
        "base58" => "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
        "mark" => "!@#^*+~",
        _ => return None,
    })
}

/// The splitmix64 generator: good enough for fakes, and without a dependency.
struct Random {
    state: u64,
}

impl Random {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn push(&mut self, text: &mut String, alphabet: &str, count: usize) {
        let letters = alphabet.as_bytes();
        for _ in 0..count {
            let place = self.next() % letters.len() as u64;
            text.push(usize::try_from(place).map_or('?', |place| char::from(letters[place])));
        }
    }
}
