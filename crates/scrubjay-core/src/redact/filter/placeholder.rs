//! Values that stand for a secret without being one: masks, templates, references, the words of documentation.

use super::words::is_made_of_words;

pub(super) fn is_no_password(value: &str) -> bool {
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
pub(super) fn is_masked(value: &str) -> bool {
    let bytes = value.as_bytes();
    let has_run = bytes.windows(7).any(|window| window.iter().all(|byte| *byte == window[0]));
    let Some(first) = bytes.first() else { return true };
    let other = bytes.iter().find(|byte| *byte != first).unwrap_or(first);
    has_run || bytes.iter().all(|byte| byte == first || byte == other)
}

/// Words and sequences that stand in documentation where a real token would stand.
pub(super) fn names_a_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    PLACEHOLDERS.iter().any(|placeholder| lower.contains(placeholder))
}

/// Something that is filled in later: `${NAME}`, `{{ name }}`, `<name>`, `%s`, `$(command)`, `$NAME`.
pub(super) fn is_template(value: &str) -> bool {
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
    ["${", "$(", "$env:", "{{", "#{", "<%", "%(", "$[", "@@"].iter().any(|opening| value.contains(opening))
        || has_field
        || enclosed('<', '>')
        || enclosed('{', '}')
        || enclosed('[', ']')
        || enclosed('%', '%')
        || value.starts_with("__") && value.ends_with("__")
        || matches!(value, "%s" | "%v" | "%d" | "{}" | "{:?}" | "?")
        || value.strip_prefix('$').is_some_and(is_variable)
        || REFERENCES.iter().any(|reference| value.contains(reference))
}

/// A file, an address or a checksum: it says where something is, or what it is.
pub(super) fn is_location(value: &str) -> bool {
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

/// `DB_PASSWORD` and the like: the name of a constant or of a variable in the environment.
fn is_constant_name(value: &str) -> bool {
    let is_upper = value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    is_upper && value.contains('_') && is_made_of_words(value)
}

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
    "deinpass",
    "dein_pass",
    "ihrpass",
    "ihr_pass",
    "votremot",
    "votre_mot",
    "tucontras",
    "tu_contras",
    "vaseheslo",
    "ваш_пароль",
    "ваш-пароль",
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
pub(super) const NO_PASSWORDS: &[&str] = &[
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
    "valor",
    "valeur",
    "wert",
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
