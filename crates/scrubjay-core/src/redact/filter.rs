//! The judgement on a captured value: is it a secret, or does it only stand where one could stand?
//!
//! Documentation, tests and code are full of passwords that are none: `changeme`, `${PASSWORD}`, `<your-key>`,
//! `next_token()`. A rule that replaced those would take meaning out of memories and protect nobody.

use std::ops::Range;

use super::rule::{Filter, Rule};

/// Whether the secret captured at `secret`, by a match that begins at `match_start`, is to be replaced.
pub(super) fn accepts(rule: &Rule, text: &str, match_start: usize, secret: Range<usize>) -> bool {
    let value = &text[secret.clone()];
    if rule.minimum_entropy.is_some_and(|minimum| entropy(value) < minimum) {
        return false;
    }
    match rule.filter {
        Filter::None => true,
        Filter::Token => !is_masked(value) && !names_a_placeholder(value),
        Filter::Mixed => !is_masked(value) && !names_a_placeholder(value) && is_mixed(value),
        Filter::Secret => is_plausible_secret(value, &Surroundings::of(text, match_start, secret)),
        Filter::Password => is_plausible_password(value, &Surroundings::of(text, match_start, secret)),
        Filter::GivenPassword => is_given_password(value),
        Filter::SpokenPassword => is_spoken_password(value),
        Filter::StatedPassword => is_spoken_password(value) && !is_numbered_word(value),
        Filter::Card => is_card_number(value) && !is_part_of_numbers(text, secret),
        Filter::Block => has_encoded_body(value),
        Filter::Phrase => has_distinct_words(value),
    }
}

/// Takes off what belongs to the text around an unquoted value: the next parameter, and the brackets and marks that
/// close a list.
pub(super) fn narrow(rule: &Rule, text: &str, secret: Range<usize>) -> Range<usize> {
    let is_quoted = text[..secret.start].ends_with(['"', '\'', '`']);
    if is_quoted || !matches!(rule.filter, Filter::Password | Filter::Secret) {
        return secret;
    }
    let value = &text[secret.clone()];
    let end = match rule.filter {
        Filter::Secret => value.find([',', ';', '&', '(', ')', '{', '}', '[', ']']),
        _ => value
            .match_indices([',', ';', '&'])
            .map(|(index, _)| index)
            .find(|index| begins_parameter(&value[index + 1..])),
    };
    let value = &value[..end.unwrap_or(value.len())];
    secret.start..secret.start + value.trim_end_matches([',', ';', ')', ']', '}']).len()
}

/// `name=` or `name:`, as after the `&`, `;` or `,` of a query, a connection string or a list.
fn begins_parameter(text: &str) -> bool {
    let name = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == '.');
    name.len() < text.len() && name.starts_with(['=', ':'])
}

/// Shannon entropy in bits for each byte.
pub(super) fn entropy(value: &str) -> f32 {
    let mut counts = [0_u16; 256];
    let sampled = &value.as_bytes()[..value.len().min(1024)];
    for byte in sampled {
        counts[usize::from(*byte)] += 1;
    }
    let total = sampled.len() as f32;
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f32::from(*count) / total);
    -shares.map(|share| share * share.log2()).sum::<f32>()
}

/// What stands around a value that was assigned to a name.
struct Surroundings {
    is_quoted: bool,
    /// The value is one of several in a list or a call. Without quotation marks it is a variable, then.
    is_argument: bool,
    /// `NAME=value` without spaces, the name in capitals: the form of an environment file, where every value is literal.
    is_environment_line: bool,
    /// The value is the next in a list after a name: `("api_key", "…")`, if the name stands in quotation marks.
    follows_comma: bool,
    follows_quoted_name: bool,
    /// The name is itself a part of something with colons, such as a resource name.
    is_inside_path: bool,
    next: Option<u8>,
    /// The next byte that is no white space.
    next_visible: Option<u8>,
}

impl Surroundings {
    fn of(text: &str, match_start: usize, secret: Range<usize>) -> Surroundings {
        let before = &text.as_bytes()[match_start..secret.start];
        let quote = before.last().filter(|byte| matches!(byte, b'"' | b'\'' | b'`')).copied();
        let after = text.as_bytes().get(secret.end..).unwrap_or_default();
        let assignment = &before[..before.len() - usize::from(quote.is_some())];
        let name = assignment.trim_ascii_end();
        let is_argument = name.ends_with(b",") || name.ends_with(b"(");
        let follows_quoted_name = [&b"\","[..], b"',", b"`,"].iter().any(|end| name.ends_with(end));
        let is_environment_line = assignment.strip_suffix(b"=").is_some_and(|name| {
            name.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
        });
        Surroundings {
            is_quoted: quote.is_some(),
            is_argument,
            is_environment_line,
            follows_comma: name.ends_with(b","),
            follows_quoted_name,
            is_inside_path: text[..match_start].ends_with(':') && assignment.ends_with(b":"),
            next: after.first().copied(),
            next_visible: after.trim_ascii_start().first().copied(),
        }
    }
}

impl Surroundings {
    /// Whether the value only happens to stand after the name: in a list, or in a path.
    fn is_unrelated(&self) -> bool {
        self.follows_comma && !self.follows_quoted_name || self.is_inside_path
    }

    /// Whether the value is an expression of source code rather than a literal.
    fn is_expression(&self, value: &str) -> bool {
        if self.is_quoted {
            return false;
        }
        let ends_statement = matches!(self.next, Some(b';' | b',' | b')'));
        let is_name = is_identifier(value) && (value.len() < 16 || value.contains('_'));
        self.is_argument
            || is_code(value)
            || is_number(value)
            || ends_statement && is_name
            || matches!(self.next, Some(b'(' | b'[' | b'{' | b'<' | b'!'))
            || self.next_visible == Some(b'.') && self.next != Some(b'.')
    }
}

/// A key of an unknown vendor: long enough and random enough to be nothing else.
fn is_plausible_secret(value: &str, around: &Surroundings) -> bool {
    if value.len() < 12 || value.len() > 4096 || !value.bytes().all(|byte| byte.is_ascii_graphic()) {
        return false;
    }
    if is_masked(value) || names_a_placeholder(value) || is_template(value) || is_location(value) {
        return false;
    }
    if around.is_expression(value) || around.is_unrelated() {
        return false;
    }
    let is_compound = value.bytes().any(|byte| matches!(byte, b'_' | b'-' | b'.' | b'/' | b':'));
    if around.is_environment_line && looks_chosen(value) && !(is_compound && is_made_of_words(value)) {
        return true;
    }
    let least_entropy = if value.len() < 16 { 3.2 } else { 3.0 };
    mixes_letters_and_digits(value) && !is_made_of_words(value) && entropy(value) >= least_entropy
}

/// A password in an assignment. People choose passwords, so there is little to measure; what counts is that the value
/// is literal, and no word that documentation or code would put there.
fn is_plausible_password(value: &str, around: &Surroundings) -> bool {
    let is_spaced = value.bytes().any(|byte| byte.is_ascii_whitespace() || byte.is_ascii_control());
    if value.len() < 6 || value.len() > 128 || is_spaced || is_no_password(value) {
        return false;
    }
    if around.is_environment_line {
        return !matches!(around.next, Some(b'('));
    }
    if around.is_expression(value) || around.is_unrelated() {
        return false;
    }
    let is_compound = value.bytes().any(|byte| matches!(byte, b'_' | b'-' | b'.' | b'/' | b':'));
    looks_chosen(value) && !((is_compound || around.follows_comma) && is_made_of_words(value))
}

fn is_given_password(value: &str) -> bool {
    let is_field = value
        .trim_end_matches([')', ',', ';'])
        .rsplit_once('.')
        .is_some_and(|(_, field)| NO_PASSWORDS.contains(&field));
    value.len() >= 3 && value.len() <= 256 && !is_field && !is_no_password(value)
}

/// A password in a sentence. Here the next word may be any word, so it has to look like no word.
fn is_spoken_password(value: &str) -> bool {
    if value.len() < 6 || value.len() > 400 || is_no_password(value) || is_code(value) || is_location(value) {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    let first_word = lower.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let names_an_algorithm = ALGORITHMS.contains(&first_word.trim_end_matches(|c: char| c.is_ascii_digit()));
    let starts_with_a_count = value.as_bytes()[0].is_ascii_digit() && is_measure(&lower);
    // A mark at the end belongs to the sentence as often as to the password.
    looks_chosen(value.trim_end_matches(['!', '?', '*']))
        && !names_an_algorithm
        && !starts_with_a_count
        && !value.ends_with("'s")
}

/// `field2`, `step10`: a word in small letters and its number.
fn is_numbered_word(value: &str) -> bool {
    let word = value.trim_end_matches(|c: char| c.is_ascii_digit());
    value.len() - word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// `8-character`, `12chars`, `2nd`: a number and then one word in small letters.
fn is_measure(lower: &str) -> bool {
    let word = lower.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(['-', '+', '.']);
    word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

/// Letters together with digits or with marks that words do not have.
fn looks_chosen(value: &str) -> bool {
    let has_mark = value
        .bytes()
        .any(|byte| matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'+' | b'=' | b'?' | b'~'));
    let has_letter = value.chars().any(char::is_alphabetic);
    has_letter && (has_mark || value.bytes().any(|byte| byte.is_ascii_digit()))
}

fn is_no_password(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let trimmed = lower.trim_matches(|c: char| !c.is_alphanumeric());
    // `password2` is the second field of a form.
    let bare = trimmed
        .strip_suffix(['0', '1', '2', '3'])
        .filter(|name| name.ends_with(char::is_alphabetic))
        .unwrap_or(trimmed);
    is_masked(value)
        || is_template(value)
        || is_constant_name(value)
        || NO_PASSWORDS.contains(&bare)
        || PASSWORD_PLACEHOLDERS.iter().any(|placeholder| lower.contains(placeholder))
        || bare.is_empty()
}

/// Seven equal characters in a row, or no more than two different ones: somebody blotted it out already.
fn is_masked(value: &str) -> bool {
    let bytes = value.as_bytes();
    let has_run = bytes.windows(7).any(|window| window.iter().all(|byte| *byte == window[0]));
    let Some(first) = bytes.first() else { return true };
    let other = bytes.iter().find(|byte| *byte != first).unwrap_or(first);
    has_run || bytes.iter().all(|byte| byte == first || byte == other)
}

/// Words and sequences that stand in documentation where a real token would stand.
fn names_a_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    PLACEHOLDERS.iter().any(|placeholder| lower.contains(placeholder))
}

/// `DB_PASSWORD` and the like: the name of a constant or of a variable in the environment.
fn is_constant_name(value: &str) -> bool {
    let is_upper = value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    is_upper && value.contains('_') && is_made_of_words(value)
}

/// Something that is filled in later: `${NAME}`, `{{ name }}`, `<name>`, `%s`, `$(command)`, `$NAME`.
fn is_template(value: &str) -> bool {
    let is_variable =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    // `{name}` and `{0}`, as format strings have it.
    let has_field = value.match_indices('{').any(|(open, _)| {
        let name = value[open + 1..].split_once('}').map(|(name, _)| name);
        name.is_some_and(|name| {
            name.len() <= 40 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:[]?#".contains(&byte))
        })
    });
    let enclosed = |open: char, close: char| value.starts_with(open) && value.ends_with(close);
    ["${", "$(", "{{", "#{", "<%", "%(", "$[", "@@"].iter().any(|opening| value.contains(opening))
        || has_field
        || enclosed('<', '>')
        || enclosed('{', '}')
        || enclosed('[', ']')
        || enclosed('%', '%')
        || enclosed('_', '_')
        || matches!(value, "%s" | "%v" | "%d" | "{}" | "{:?}" | "?")
        || value.strip_prefix('$').is_some_and(is_variable)
        || REFERENCES.iter().any(|reference| value.contains(reference))
}

/// A file, an address or a checksum: it says where something is, or what it is.
fn is_location(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    value.contains("://")
        || value.contains("aws4_request")
        || [
            "/",
            "./",
            "../",
            "~/",
            "\\\\",
            "sha1:",
            "sha1-",
            "sha256:",
            "sha256-",
            "sha384-",
            "sha512:",
            "sha512-",
            "md5:",
            "0.0.0.0",
            "127.0.0.1",
        ]
        .iter()
        .any(|start| lower.starts_with(start))
        || lower.rsplit_once('.').is_some_and(|(_, extension)| FILE_EXTENSIONS.contains(&extension))
}

/// Source code rather than a literal, judged by the value alone.
fn is_code(value: &str) -> bool {
    let starts_as_code = value
        .starts_with(['$', '&', '*', '(', '[', '{', '<', '>', '|', '\\', '@', '%', '-', '!', '.', ',', ':', '=', '?']);
    let has_code =
        ["::", "->", "=>", "()", "(", ")", "[", "]", "{", "}", "<", ">"].iter().any(|part| value.contains(part));
    let has_operator = ["?.", "||", "&&", "??", "==", "!="].iter().any(|operator| value.contains(operator));
    let is_path = |value: &str| value.contains('.') && value.split('.').all(is_identifier);
    let is_choice = value
        .split_once('?')
        .is_some_and(|(condition, rest)| is_path(condition) || is_identifier(condition) && rest.contains(':'));
    starts_as_code || has_code || has_operator || is_choice || is_path(value)
}

fn is_identifier(value: &str) -> bool {
    let starts = value.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A number as source code writes it, with or without a suffix for its type.
fn is_number(value: &str) -> bool {
    let suffixes = [
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64", "L", "UL",
    ];
    let number = suffixes.iter().find_map(|suffix| value.strip_suffix(suffix)).unwrap_or(value);
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'.'));
    let hexadecimal = number.strip_prefix("0x").map(|digits| digits.trim_end_matches('_'));
    is_plain
        || hexadecimal.is_some_and(|digits| digits.len() <= 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Only words, joined by hyphens, underscores, dots, slashes or capitals, such as `user-login-v2` or `OAuthTokenKey`.
fn is_made_of_words(value: &str) -> bool {
    let mut words: Vec<&str> = value.split(|c: char| WORD_JOINTS.contains(c)).flat_map(split_humps).collect();
    words.retain(|word| !word.is_empty());
    // Random characters break into pieces that are shorter than words are, and most of them end in a digit.
    let letters: usize = words.iter().map(|word| word.bytes().filter(u8::is_ascii_alphabetic).count()).sum();
    let numbered = words.iter().filter(|word| word.ends_with(|c: char| c.is_ascii_digit())).count();
    letters >= 3 * words.len() && 3 * numbered <= words.len() + 2 && words.iter().all(|word| is_word(word))
}

/// Cuts `parseHTTPRequest2Go` into `parse`, `HTTP`, `Request2` and `Go`.
fn split_humps(joined: &str) -> Vec<&str> {
    let bytes = joined.as_bytes();
    let mut parts = Vec::new();
    let mut start = 0;
    for index in 1..bytes.len() {
        let (previous, current, next) = (bytes[index - 1], bytes[index], bytes.get(index + 1));
        let starts_hump = previous.is_ascii_lowercase() && current.is_ascii_uppercase();
        let ends_acronym =
            previous.is_ascii_uppercase() && current.is_ascii_uppercase() && next.is_some_and(u8::is_ascii_lowercase);
        let ends_number = previous.is_ascii_digit() && current.is_ascii_alphabetic();
        if (starts_hump || ends_acronym || ends_number) && joined.is_char_boundary(index) {
            parts.push(&joined[start..index]);
            start = index;
        }
    }
    parts.push(&joined[start..]);
    parts
}

/// Letters that can be spoken, then at most four digits; or a short number.
fn is_word(word: &str) -> bool {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = word.len() - letters.len();
    if letters.is_empty() {
        return digits <= 4;
    }
    if digits > 4 || !letters.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return false;
    }
    let is_vowel = |byte: u8| matches!(byte.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u' | b'y');
    let vowels = letters.bytes().filter(|byte| is_vowel(*byte)).count();
    let one_case = letters[1..].bytes().all(|byte| byte.is_ascii_lowercase())
        || letters.bytes().all(|byte| byte.is_ascii_uppercase());
    let consonants = letters.as_bytes().split(|byte| is_vowel(*byte)).map(<[u8]>::len).max();
    let is_spoken = vowels * 5 >= letters.len() && consonants.is_some_and(|longest| longest <= 4);
    one_case && (letters.len() <= 3 && digits <= 2 || is_spoken)
}

/// Letters and digits, or letters of both cases, that spell no words.
fn is_mixed(value: &str) -> bool {
    let has_both_cases =
        value.bytes().any(|byte| byte.is_ascii_lowercase()) && value.bytes().any(|byte| byte.is_ascii_uppercase());
    (mixes_letters_and_digits(value) || has_both_cases) && !is_made_of_words(value)
}

fn mixes_letters_and_digits(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_alphabetic()) && value.bytes().any(|byte| byte.is_ascii_digit())
}

/// The check digit of payment card numbers.
fn is_card_number(value: &str) -> bool {
    let digits = value.chars().rev().filter_map(|c| c.to_digit(10));
    let sum: u32 = digits.enumerate().map(|(place, digit)| luhn_share(place, digit)).sum();
    sum.is_multiple_of(10)
}

/// A number that goes on after the match, or that stands alone on a line of a list in source code.
fn is_part_of_numbers(text: &str, number: Range<usize>) -> bool {
    let after = text.as_bytes().get(number.end..).unwrap_or_default();
    let goes_on = match after {
        [b'.' | b',' | b'-' | b' ', next, ..] => next.is_ascii_digit(),
        [next, ..] => next.is_ascii_alphanumeric() || matches!(next, b'_' | b'%' | b'/' | b'+' | b'='),
        [] => false,
    };
    let before = text[..number.start].trim_end_matches([' ', '\t']);
    goes_on || before.ends_with('\n') && after.starts_with(b",\n")
}

fn luhn_share(place: usize, digit: u32) -> u32 {
    match (place % 2, digit * 2) {
        (0, _) => digit,
        (_, doubled) if doubled > 9 => doubled - 9,
        (_, doubled) => doubled,
    }
}

/// A sentence that only names the first and last line of a key has no run of encoded text between them.
fn has_encoded_body(value: &str) -> bool {
    let is_encoded = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let longest = value.as_bytes().split(|byte| !is_encoded(*byte)).map(<[u8]>::len).max();
    longest.unwrap_or(0) >= 24
}

fn has_distinct_words(value: &str) -> bool {
    // A sentence may go on after the phrase, so only as many words are judged as the shortest phrase has.
    let mut words: Vec<&str> = value.split_ascii_whitespace().take(12).collect();
    let total = words.len();
    let common = words.iter().filter(|word| COMMON_WORDS.contains(*word)).count();
    words.sort_unstable();
    words.dedup();
    words.len() * 4 >= total * 3 && common == 0
}

/// What joins the words of a name.
const WORD_JOINTS: &str = "_-./:+@,=&#~!*";

/// Parts of a token that only an invented one has.
const PLACEHOLDERS: &[&str] = &[
    "example",
    "placeholder",
    "changeme",
    "change-me",
    "change_me",
    "replace-me",
    "replace_me",
    "replaceme",
    "your-",
    "your_",
    "yourkey",
    "yourtoken",
    "yoursecret",
    "my-secret",
    "my_secret",
    "mysecret",
    "redacted",
    "dummy",
    "insert",
    "xxxxx",
    "goes-here",
    "goes_here",
    "goeshere",
    "-here",
    "_here",
    "not-a-real",
    "not_a_real",
    "notreal",
    "0123456789",
    "1234567890",
    "123456789abc",
    "abcdefghij",
    "deadbeefdead",
    "test-token",
    "test_token",
    "testtoken",
    "sample",
];

/// Parts of a password that only a placeholder has. People do put `example` into a password, so the list is short.
const PASSWORD_PLACEHOLDERS: &[&str] = &[
    "changeme",
    "change-me",
    "change_me",
    "placeholder",
    "yourpass",
    "your-",
    "your_",
    "<password",
    "password>",
    "mypassword",
    "my-password",
    "my_password",
    "redacted",
    "xxxxx",
    "****",
    "....",
    "goes-here",
    "goes_here",
    "_here",
    "-here",
    "\u{2022}\u{2022}",
    "\u{2026}",
    "example",
];

/// What stands for a password without being one.
const NO_PASSWORDS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pass",
    "pwd",
    "pw",
    "secret",
    "token",
    "key",
    "apikey",
    "api_key",
    "string",
    "str",
    "text",
    "char",
    "varchar",
    "none",
    "null",
    "nil",
    "undefined",
    "true",
    "false",
    "yes",
    "no",
    "required",
    "optional",
    "admin",
    "administrator",
    "root",
    "user",
    "username",
    "guest",
    "test",
    "testing",
    "tests",
    "demo",
    "foo",
    "bar",
    "foobar",
    "baz",
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "mongo",
    "mongodb",
    "redis",
    "rabbitmq",
    "default",
    "value",
    "empty",
    "hidden",
    "masked",
    "unset",
    "invalid",
    "incorrect",
    "wrong",
    "missing",
    "somepassword",
    "thepassword",
    "newpassword",
    "oldpassword",
    "userpassword",
    "password_hash",
    "secretkey",
    "accesskey",
    "abc",
    "xyz",
    "1234",
    "12345",
    "123456",
    "1234567",
    "12345678",
];

/// Calls and references that fetch a secret from where it is kept.
const REFERENCES: &[&str] = &[
    "process.env",
    "os.environ",
    "os.getenv",
    "getenv(",
    "env::var",
    "env(",
    "env.",
    "ENV[",
    "import.meta",
    "secrets.",
    "op://",
    "vault:",
    "ref+",
    "arn:aws",
    "ssm:",
    "keyring:",
    "file://",
    "projects/",
    "Deno.env",
    "std::env",
    "sm://",
    "kv://",
    "keychain:",
    "secretKeyRef",
    "!vault",
    "!secret",
    "!Ref",
    "!Sub",
];

const FILE_EXTENSIONS: &[&str] = &[
    "json", "pem", "txt", "yaml", "yml", "toml", "key", "crt", "cer", "p12", "pfx", "env", "rs", "py", "js", "ts",
    "go", "rb", "java", "md", "html", "php", "cs", "sh", "com", "org", "net", "io", "dev", "local", "conf", "cfg",
    "ini", "xml", "log", "csv", "sql", "tf", "service",
];

/// Names to which a number belongs, such as `sha256` or `base64-encoded`.
const ALGORITHMS: &[&str] = &[
    "base", "sha", "md", "bcrypt", "argon", "pbkdf", "aes", "rsa", "rs", "hs", "es", "ps", "ed", "utf", "oauth", "x",
    "http", "ipv", "crc", "blake", "scrypt", "ripemd", "hmac", "pkcs", "win", "web", "mp", "des", "chacha", "iso",
    "ascii", "latin", "rfc", "bit", "byte",
];

/// Words that no recovery phrase has, because the lists they are made of leave them out.
const COMMON_WORDS: &[&str] = &[
    "the", "and", "for", "are", "was", "were", "with", "that", "this", "from", "your", "have", "has", "had", "not",
    "but", "they", "their", "which", "will", "would", "should", "each", "into", "words", "its", "our", "been", "more",
    "than", "when", "you",
];
