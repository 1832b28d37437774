//! The shapes that belong to no vendor: something is called a password, a secret or a token, and has a value.
//!
//! These rules come last, so that a vendor's name wins where both fit.

use crate::redact::rule::{Filter, Hint, LeftEdge, Rule, within};

/// What may follow the word that announces a secret and still leave it one: `password_prod`, `secretKey2`, `tokenValue`.
macro_rules! named {
    ($name:expr) => {
        concat!("(?:", $name, r")(?:[_\-.]?(?:value|string|plain|plaintext|raw|prod|production|dev|development|staging|stage|test|live|old|new|current|primary|secondary|backup|default|base64|b64|hex|key|[0-9]{1,2}))?")
    };
}

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule::keyed("crypt-key-hex", "Encryption key in hexadecimal", &["aes", "encryption", "hmac"],
        r#"\A(?i:aes|encryption|hmac)[\w \-]{0,12}?(?i:key|secret)["'`\])]{0,2}\s{0,3}(?:=|:|is)\s{0,3}["'`]{0,2}(?:0x)?([0-9a-fA-F]{32,128})(?:[^A-Za-z0-9]|\z)"#,
        &[within("AES256 key: ", "{hex:64}", ""), within("ENCRYPTION_KEY=", "{hex:32}", "")])
        .left(LeftEdge::Identifier).entropy(3.0),
    Rule::keyed("password", "Password in an assignment",
        &["password", "passwd", "passphrase", "passcode", "pwd", "passwort", "contrase", "mot_de_passe", "motdepasse",
          "senha", "kennwort"],
        assigned!(named!(r"password|passwd|passphrase|passcode|pwd|passwort|kennwort|contrase\xc3\xb1a|contrasena|mot_?de_?passe|senha")),
        &[within("DB_PASSWORD=", "{lower:10}", "\n"), within("password: \"", "{alnum:8}3{lower:4}", "\""),
          within("dbPassword = '", "{lower:6}{mark:1}{digit:3}", "'"),
          within("\"password\": \"", "{lower:5}{digit:4}", "\""),
          within("let password: &str = \"", "{alpha:8}{digit:3}", "\";"),
          within("password: ", "{lower:5}{digit:4}{upper:3}", "\n"),
          within("name: DB_PASSWORD\n  value: ", "{lower:5}{digit:4}{upper:3}", "\n"),
          within(".password(\"", "{lower:5}{digit:4}{upper:3}", "\")")])
        .filter(Filter::Password).hint(Hint::Operator).near(600).left(LeftEdge::Any).no_entropy(),
    Rule::keyed("environment-password", "Password in an environment file, under a short name", &["pass=", "pw="],
        r#"\A(?-i:PASS|PW)=(?:"([^"\n]{4,})"|'([^'\n]{4,})'|([^\s"'`;&|<>]{4,}))"#,
        &[within("SMTP_PASS=", "{lower:10}", "\n"), within("export ROOT_PW='", "{alnum:10}", "'")])
        .filter(Filter::GivenPassword).near(600).no_entropy(),
    Rule::keyed("short-password", "Password in an assignment, under a short name",
        &["pass:", "pass=", "pass =", "pass\"", "pass'", "pass\\\"", "pw:", "pw=", "pw ="],
        assigned!(r"(?-i:[pP]ass|[pP][wW])"),
        &[within("user: bob pass: ", "{lower:4}{digit:3}{upper:3}", "\n"),
          within("PW: ", "{lower:4}{digit:3}{upper:3}", "\n"),
          within("db_pass = '", "{lower:6}{mark:1}{digit:3}", "'"),
          within("{\"user\":\"a\",\"pass\":\"", "{alnum:8}3{lower:4}", "\"}")])
        .filter(Filter::Password).hint(Hint::Operator).near(600).no_entropy(),
    Rule::keyed("secret", "Secret, token or key in an assignment",
        &["secret", "token", "api_key", "apikey", "api-key", "api key", "access_key", "accesskey", "access-key",
          "auth_key", "authkey", "private_key", "privatekey", "signing_key", "signingkey", "encryption_key",
          "encryptionkey", "master_key", "masterkey", "shared_key", "sharedkey", "account_key", "app_key", "appkey",
          "license_key", "licensekey", "credential", "webhook_key", "session_key", "service_key", "servicekey",
          "client_key", "deploy_key", "admin_key", "jwt_key", "hmac_key", "cookie_key"],
        assigned!(named!(r"(?:client|app|consumer|shared|webhook|signing|jwt|cookie|session|api|auth)?[_\-]?secret(?:[_\-]?(?:access[_\-]?)?key)?(?:[_\-]?base)?|(?:access|auth|refresh|bearer|id|api|session|bot|personal|deploy|security|csrf|xsrf|verification)?[_\-]?token|api[_\- ]?(?:key|token|secret)|(?:access|auth|private|signing|encryption|master|shared|account|app|licen[cs]e|webhook|session|service|client|deploy|admin|jwt|hmac|cookie)[_\-]?key|credentials?")),
        &[within("API_KEY=", "{alnum:32}", "\n"), within("clientSecret: \"", "{url:40}", "\""),
          within("\"access_token\": \"", "{alnum:40}", "\""), within("token = '", "{hex:32}", "'"),
          within("secret_key: ", "{alnum:24}", "\n"), within("?token=", "{alnum:32}", "&page=2"),
          within("const API_KEY: &str = \"", "{b64:40}", "\";"),
          within("headers.set('api_key', '", "{alnum:32}", "')"), within("**API key:** `", "{alnum:32}", "`")])
        .filter(Filter::Secret).left(LeftEdge::Any).hint(Hint::Operator).no_entropy(),
    Rule::keyed("xml-secret", "Secret in an element of markup",
        &["password>", "passwd>", "secret>", "token>", "apikey>", "api_key>", "passphrase>", "accesskey>",
          "secretkey>", "privatekey>"],
        r"\A(?i:password|passwd|passphrase|secret|secretkey|token|apikey|api_key|accesskey|privatekey)>\s{0,8}([^\s<>&]{6,400})\s{0,8}</",
        &[within("<password>", "{alnum:8}3{alnum:3}", "</password>"),
          within("<apiKey>", "{alnum:16}4{alnum:15}", "</apiKey>")])
        .filter(Filter::SpokenPassword).hint(Hint::Chosen).no_entropy(),
];
