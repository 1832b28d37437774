//! Secrets in tables: the cells below a head, and the cell beside a name.

use crate::redact::rule::{Filter, Hint, Rule, within};

/// A head: the word, what it is for before it, and a number or a remark in brackets after it.
macro_rules! head {
    ($name:expr) => {
        concat!(r"\A(?:[\w./\-]{1,24}[ _.\-/])?(?:", $name, r")(?:[ _-]?[0-9]{1,2})?(?:[ ]?\([^()]{1,24}\))?\z")
    };
}

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule::column("column-password", "Password in a column of a table",
        &["password", "passwd", "passphrase", "passcode", "pwd", "pass", "pw", "secret", "passwort", "kennwort",
          "mot de passe", "contrase", "heslo", "senha", "пароль", "Пароль", "密码", "密碼", "パスワード"],
        head!(r"(?i:password|passwd|passphrase|passcode|pwd|pass|pw|secret|passwort|kennwort|mot de passe|contrase(?:\xc3\xb1|n)a|heslo|senha)|пароль|Пароль|密码|密碼|パスワード"),
        &[within("\nuser,password\nanna,", "{lower:10}", "\n"),
          within("\nname, password\nanna, ", "{lower:6}{digit:3}", "\n"),
          within("\nname\tpassword\nanna\t", "{lower:6}{digit:3}", "\n"),
          within("\n| user | Password |\n|------|----------|\n| anna | ", "{lower:6}{digit:3}", " |\n"),
          within("\n host | db_password \n------+-------------\n db1  | ", "{lower:6}{digit:3}", "\n"),
          within("\n| name | secret |\n|---|---|\n| db | `", "{lower:4}{upper:3}{digit:3}", "` |\n")])
        .filter(Filter::Password),
    Rule::column("column-secret", "Key or token in a column of a table",
        &["token", "api_key", "apikey", "api key", "api-key", "access key", "access_key", "secret key", "secret_key",
          "private key", "private_key", "credential"],
        head!(r"(?i:token|api[ _-]?key|access[ _]key|secret[ _]key|private[ _]key|credentials?)"),
        &[within("\nservice,token\nci,", "{alnum:12}4{alnum:11}", "\n"),
          within("\n| service | API key |\n|---|---|\n| ci | `", "{alnum:16}4{alnum:15}", "` |\n")])
        .filter(Filter::Secret),
    Rule::keyed("row-password", "Password beside its name in a table",
        &["password", "passwd", "passphrase", "passcode", "pwd", "passwort", "kennwort", "mot de passe", "contrase",
          "heslo"],
        r#"\A(?i:password|passwd|passphrase|passcode|pwd|passwort|kennwort|mot de passe|contrase(?:\xc3\xb1|n)a|heslo)["'`*]{0,3}[ \t]{0,32}\|[ \t]{0,32}["'`*]{0,3}([^\s|"'`<>\\]{5,63}[^\s|"'`<>\\.,;:)?*])["'`*]{0,3}[ \t]{0,32}(?:\||[\r\n]|\\n|\z)"#,
        &[within("| Password | ", "{lower:6}{digit:3}", " |\n"),
          within("| **DB password** | `", "{lower:4}{upper:3}{digit:3}", "` |\n")])
        .filter(Filter::SpokenPassword).hint(Hint::Chosen).no_entropy(),
];
