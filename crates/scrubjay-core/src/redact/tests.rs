use std::collections::BTreeSet;

use proptest::prelude::*;
use regex::bytes::RegexBuilder;

use super::*;

/// How many fresh values each rule has to find, in each surrounding.
const SEEDS: u64 = 24;

/// The same sample as somebody would write it in a sentence, in code, in JSON and in an environment file.
fn surroundings(sample: &str) -> Vec<(&'static str, String)> {
    let escaped = sample.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
    vec![
        ("alone", sample.to_owned()),
        ("prose", format!("Hello Anna, please use {sample} from tomorrow on; größte Vorsicht, thanks.")),
        ("end of a line", format!("first line\n{sample}\nlast line\n")),
        ("code", format!("fn main() {{\n    connect(r#\"{sample}\"#);\n}}\n")),
        ("JSON", format!("{{\"role\": \"user\", \"content\": \"{escaped}\"}}")),
        ("environment", format!("export VALUE='{sample}'\nNEXT=1\n")),
        ("markdown", format!("- `{sample}`\n- next\n")),
    ]
}

#[test]
fn every_rule_finds_fresh_values_everywhere() {
    let mut missed = Vec::new();
    for rule in rules() {
        for seed in 0..SEEDS {
            let sample = rule.sample(seed).unwrap();
            for (place, text) in surroundings(&sample.text) {
                let redacted = redact(&text);
                let secret = match place {
                    "JSON" => sample.secret().replace('\n', "\\n"),
                    _ => sample.secret().to_owned(),
                };
                assert!(text.contains(&secret) || place == "JSON", "{} {place}", rule.id);
                if redacted.text.contains(&secret) && missed.len() < 10 {
                    missed.push(format!("{} in {place}: {text:?} became {:?}", rule.id, redacted.text));
                }
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn every_rule_finds_its_own_kind() {
    let mut wrong = Vec::new();
    for rule in rules() {
        let total = rule.examples.len() as u64 * 8;
        let named = (0..total).filter(|seed| {
            let redacted = redact(&rule.sample(*seed).unwrap().text);
            redacted.findings.iter().any(|finding| finding.rule == rule.id)
        });
        let named = named.count();
        if named * 8 < 7 * total as usize {
            let seed = (0..total).find(|seed| {
                redact(&rule.sample(*seed).unwrap().text).findings.iter().all(|finding| finding.rule != rule.id)
            });
            let redacted = redact(&rule.sample(seed.unwrap()).unwrap().text);
            wrong.push(format!("{}: {named} of {total}, else {:?}", rule.id, redacted));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A random value can spell words by chance, and is then left alone; that has to stay rare.
#[test]
fn values_are_found_almost_always() {
    let count = 60;
    for rule in rules() {
        let samples = (1000..1000 + count).map(|seed| rule.sample(seed).unwrap());
        let missed = samples.filter(|sample| redact(&sample.text).text.contains(sample.secret())).count();
        assert!(missed * 15 <= count as usize, "{}: {missed} of {count}", rule.id);
    }
}

#[test]
fn the_secret_goes_and_the_context_stays() {
    for rule in rules() {
        for seed in 0..SEEDS {
            let sample = rule.sample(seed).unwrap();
            let redacted = redact(&sample.text).text;
            let before = &sample.text[..sample.secret.start];
            assert!(redacted.starts_with(before), "{}: {:?} became {redacted:?}", rule.id, sample.text);
        }
    }
}

#[test]
fn the_table_is_sound() {
    let mut ids = BTreeSet::new();
    for rule in rules() {
        assert!(ids.insert(rule.id), "{} twice", rule.id);
        assert!(
            rule.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
            "{}",
            rule.id
        );
        assert!(!rule.description.is_empty(), "{}", rule.id);
        assert!(!rule.keywords.is_empty(), "{}", rule.id);
        assert!(!rule.examples.is_empty(), "{}", rule.id);
        assert!(rule.pattern.starts_with(r"\A"), "{}", rule.id);
        assert!(rule.lead_minimum <= rule.lead_maximum, "{}", rule.id);
        for keyword in rule.keywords {
            assert!(keyword.len() >= 2 && *keyword == keyword.to_ascii_lowercase(), "{}: {keyword:?}", rule.id);
        }
    }
    assert!(rules().len() >= 120, "{}", rules().len());
}

#[test]
fn every_pattern_compiles() {
    for rule in rules() {
        let regex = RegexBuilder::new(rule.pattern).unicode(false).build();
        let regex = regex.unwrap_or_else(|error| panic!("{}: {error}", rule.id));
        assert!(rule.secret_group < regex.captures_len(), "{}", rule.id);
    }
}

#[test]
fn samples_are_fresh_and_repeatable() {
    for rule in rules() {
        let values: BTreeSet<String> = (0..SEEDS).map(|seed| rule.sample(seed).unwrap().text).collect();
        assert_eq!(values.len() as u64, SEEDS, "{}", rule.id);
        assert_eq!(rule.sample(7), rule.sample(7), "{}", rule.id);
    }
}

/// Text in which a careless rule would see a secret.
const HARMLESS: &[&str] = &[
    "",
    "The password is stored in the vault.",
    "the password is base64-encoded and then hashed with sha256",
    "Your password is required. Passwords are 8-16 characters; a password is 12chars at least.",
    "password: required",
    "Password: Your account password (at least 8 characters)",
    "Enter password: ",
    "The secret to good bread is time. The token was invalid.",
    "the token is refreshed every 15 minutes; the API key is read from the environment",
    "let token = next_token();",
    "token = next_token()",
    "let token = lexer.next_token2();",
    "const token = await getAccessToken({ audience: API_AUDIENCE_V2 });",
    "password = get_password(user1)",
    "password = config.database.password2",
    "self.password = password1;",
    "let password = prompt_password(\"Password: \")?;",
    "pub struct Login { pub user: String, pub password: SecretString, pub token: [u8; 32] }",
    "fn login(user: &str, password: &str) -> Result<Token>",
    "api_key: Option<ApiKeyV2>,",
    "password=\"\"",
    "password: ''",
    "PASSWORD=changeme",
    "PASSWORD=${DB_PASSWORD}",
    "password: \"${DB_PASSWORD}\"",
    "PASSWORD=$DB_PASSWORD",
    "PASSWORD=$(cat /run/secrets/db)",
    "api_key = \"<your-api-key>\"",
    "api_key: YOUR_API_KEY_HERE_12345",
    "token: xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "token = \"****************\"",
    "secret: {{ vault_secret_1 }}",
    "apiKey: process.env.OPENAI_API_KEY2",
    "token: os.environ[\"TOKEN_V2\"]",
    "secret = env::var(\"SECRET_KEY_2\")?",
    "client_secret: !Ref MySecret01",
    "password: op://vault/item-1/password",
    "SECRET_NAME=projects/shop-1/secrets/db-pass-2",
    "secretName: prod-db-credentials-v2",
    "token_type: bearer2token",
    "access_token_url: https://shop.org/oauth2/token",
    "max_tokens: 4096, token_count=128000",
    "tokenizer: cl100k_base, secret_santa: 2024",
    "key: value, key1: value1, primary_key: user_id_2",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "9fceb02 (HEAD -> main) fix token refresh",
    "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "id: 123e4567-e89b-12d3-a456-426614174000",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl anna@laptop",
    "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ1\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
    "A key file starts with -----BEGIN RSA PRIVATE KEY----- and ends with -----END RSA PRIVATE KEY-----.",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "postgres://postgres:postgres@localhost/test",
    "postgres://user:password@localhost:5432/db",
    "postgres://$USER:$PASSWORD@localhost/db and mysql://{user}:{password}@{host}/db",
    "mongodb://localhost:27017/shop, redis://localhost:6379/0 and redis://cache:6379",
    "https://shop.org:8443/path?x=a@b.org",
    "http://localhost:8080/@anna/status",
    "git@github.com:anna/shop.git and ssh://git@github.com:22/anna/shop.git",
    "https://user:pass@shop.org",
    "mail anna@shop.org or call +49 170 1234567",
    "Authorization: Bearer <token>",
    "Authorization: Bearer ${TOKEN}",
    "Authorization: Basic authentication is required",
    "Bearer authentication with OpenID Connect",
    concat!("AKIA", "IOSFODNN7EXAMPLE"),
    "order 4111111111111112, tracking 9400100000000000000000, 2024-05-01 12:34:56.789012",
    "0.4111111111111111 and 1714561234567890",
    "call 4111-1111-1111-111",
    "pk_live_ is public, sk_live_ is not; ghp_ tokens are 40 characters long",
    "risk-based task-oriented ask-me-anything disk-utilization-report-for-production-environment-0001",
    "sk-SK locale, sk-learn, sk-estimator-with-long-name-for-testing-purposes",
    "uses eyJ as a prefix: a JWT has three parts, header.payload.signature",
    "mnemonic: the quick brown fox jumps over the lazy dog and then it sleeps again",
    "the recovery phrase is a list of twelve words that you should write down and never share with anyone",
    "GitHub Actions: uses: actions/checkout@b4ffde65f46336ab88eb53be808477a3936bae11",
    "\"integrity\": \"sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg==\"",
    "checksum = \"44cee9e8b7e34e8a5f2a2d9f1f0b9a0d1c2e3f405162738495a6b7c8d9e0f112\"",
    "PASS: TestLogin2 (0.01s)\nPASS: tests/login2.py, bypass: on1off2",
    "the password field1 is hidden, password OAuth2 flow, password v2.1, password recovery",
    "the cvv is three digits, CVC4 solver",
    "curl -u user https://shop.org",
    "docker run --name mysql -p3306:3306 mysql:8",
    "CREATE USER anna WITH PASSWORD 'changeme'",
    "<password>changeme</password><token/>",
    "pw is too short, pw is required, PW is hashed; the pw is stored in vault",
    "the password is wrong, the password is hashed with argon2id, the password is v2",
    "das Passwort ist falsch. Das Passwort ist 8-stellig. Das Kennwort lautet anders. Passwort: erforderlich",
    "le mot de passe est obligatoire ; mot de passe : requis, le mot de passe est SHA256-hash\u{e9}",
    "la contraseña es obligatoria. La contraseña es incorrecta, la clave es el orden; clave: valor1",
    "heslo je povinné, heslo je špatné; a senha é obrigatória; het wachtwoord is onjuist",
    "密码是必填项。密码是MD5加密的，密码使用PBKDF2算法。密码：至少8位",
    "パスワードは必須です。パスワードはSHA256でハッシュ化。パスワードは8文字以上",
    "пароль неверный, пароль: обязателен, пароль 8-значный, пароль от почты забыт",
    "das Passwort ist <passwort>, пароль: ${PASSWORD}, heslo je changeme, 密码是process.env.DB_PASSWORD",
    "the password is:\nrequired\n",
    "password:\n  secretKeyRef:\n    name: db-credentials-v2\n",
    "if password:\n    login2()\npassword:\n  type: string\npassword:\n    ${DB_PASSWORD}\n",
    "log in with SAML/OAuth2, sign in with Google/GitHub, login with email/password",
    "log in at https://shop.org/a1b2c3, login as user/group, credentials: see vault/item1",
    "| field | type |\n|---|---|\n| password | string |\n| password | varchar(255) |\n| password | OAuth2.0 |\n",
    "| Method | Password | Token |\n|---|---|---|\n| Basic | yes | no |\n| OAuth2 | no | JSON |\n| SSO | hashed | optional |\n",
    "token,pos,lemma\nrunning,VERB,run\nCOVID-19,NOUN,covid\n",
    "user,password\nalice,\nbob,changeme\ncarol,<password>\n",
    "fn login(user, password) {\n    a, b2c3d4\n}\nlet (user, password) =\n    (name1, value2);\n",
    "    user,\n    password,\n    token,\n",
    "1. apples 2. eggs 3. beans 4. milk 5. nuts 6. oats 7. pears 8. plums 9. rice 10. salt 11. tea 12. yams",
    "1. first 2. second 3. third 4. fourth 5. fifth 6. sixth 7. seventh 8. eighth 9. ninth 10. tenth 11. last",
    "variable \"secret_name\" {\n  default = \"prod-db\"\n}\nvariable \"region\" {\n  default = \"eu-central-1\"\n}\n",
    "variable \"db_password\" {\n  type      = string\n  sensitive = true\n}\nvariable \"size\" {\n  default = \"large\"\n}\n",
    "hostname:port:database:username:password and localhost:5432:shop:anna:mypassword, -p 127.0.0.1:5432:5432",
    "ConvertTo-SecureString $password -AsPlainText -Force; ConvertTo-SecureString $env:PW -AsPlainText",
    "Read-Host -AsSecureString | ConvertFrom-SecureString; ConvertTo-SecureString -String $plain",
    "private key 0x1f and the private key fingerprint 0xdeadbeef",
    "task-9f86d081884c7d659a2feaa0c55ad015 disk-9f86d081884c7d659a2feaa0c55ad015 monkey-9f86d081884c7d659a2feaa0c55ad015",
    "do all tests pass: Perfect! Checks pass: `docs/PRD.md` exists",
    "<input type=\"password\" name=\"password\" placeholder=\"Password\" autocomplete=\"current-password\">",
    "i18n: { password: \"Passwort\", \"password2\": \"Passwort wiederholen\" }",
];

#[test]
fn harmless_text_stays() {
    let mut hit = Vec::new();
    for text in HARMLESS {
        if let Some(redacted) = redact_if_needed(text) {
            hit.push(format!("{text:?} became {:?}", redacted.text));
        }
        assert!(redact(text).findings.is_empty() || redact(text).text != *text);
    }
    assert!(hit.is_empty(), "{}", hit.join("\n"));
}

/// Text with a secret that the examples of the rules do not show, and what has to be left of it.
#[test]
fn secrets_in_unusual_places() {
    let github = rule("github-personal-token").sample(3).unwrap().text;
    let check = |text: String, expected: &str| assert_eq!(redact(&text).text, expected, "{text:?}");
    check(format!("\"a\\n{github}\\n\""), "\"a\\n[REDACTED:github-personal-token]\\n\"");
    check(format!("x=%3D{github}%26"), "x=%3D[REDACTED:github-personal-token]%26");
    check(format!("\u{1b}[32m{github}\u{1b}[0m"), "\u{1b}[32m[REDACTED:github-personal-token]\u{1b}[0m");
    check(format!("ключ：{github}，"), "ключ：[REDACTED:github-personal-token]，");
    check(format!("{github} {github}"), "[REDACTED:github-personal-token] [REDACTED:github-personal-token]");
    check(format!("password = \"{github}\""), "password = \"[REDACTED:github-personal-token]\"");
    check("password: \"größte4Freude\"".to_owned(), "password: \"[REDACTED:password]\"");
    check("the WiFi password is Fluffy2019!".to_owned(), "the WiFi password is [REDACTED:spoken-password]");
    check("password is hunter2, ok?".to_owned(), "password is [REDACTED:spoken-password], ok?");
    check("PGPASSWORD=correcthorse psql".to_owned(), "PGPASSWORD=[REDACTED:password] psql");
    check("user: bob pass: Tr0ub4dor&3".to_owned(), "user: bob pass: [REDACTED:short-password]");
    check("JWT_SECRET=mysuperlongkey123".to_owned(), "JWT_SECRET=[REDACTED:secret]");
    check("postgres://a:b4/c@d:5432/x".to_owned(), "postgres://a:[REDACTED:postgres-url-password]@d:5432/x");
    let card = rule("payment-card").sample(0).unwrap().text;
    let grouped = format!("{} {} {} {}", &card[..4], &card[4..8], &card[8..12], &card[12..]);
    check(format!("card {grouped}, thanks"), "card [REDACTED:payment-card], thanks");
    let jwt = rule("json-web-token").sample(0).unwrap().text;
    check(format!("Authorization: Bearer {jwt}"), "Authorization: Bearer [REDACTED:json-web-token]");
}

/// The forms in which people tell a password, and how much of the text is left.
#[test]
fn told_passwords() {
    let check = |text: &str, expected: &str| assert_eq!(redact(text).text, expected, "{text:?}");
    check("pw is hunter2", "pw is [REDACTED:spoken-password]");
    check("PW: Hunter2x", "PW: [REDACTED:short-password]");
    check("user anna pw hunter42!x ok", "user anna pw [REDACTED:stated-password] ok");
    check("login with admin/hunter2!", "login with admin/[REDACTED:spoken-login]");
    check("please log in as root:Tr0ub4dor, ok", "please log in as root:[REDACTED:spoken-login], ok");
    check("das Passwort ist Sommer2024!", "das Passwort ist [REDACTED:latin-spoken-password]");
    check("Das Passwort lautet „Sommer24“.", "Das Passwort lautet „[REDACTED:latin-spoken-password]“.");
    check("le mot de passe est Soleil24, merci", "le mot de passe est [REDACTED:latin-spoken-password], merci");
    check("mot de passe : « Soleil24 »", "mot de passe : « [REDACTED:latin-spoken-password] »");
    check("la contraseña es Verano24.", "la contraseña es [REDACTED:latin-spoken-password].");
    check("la contraseña del wifi es Verano24", "la contraseña del wifi es [REDACTED:latin-spoken-password]");
    check("le mot de passe du wifi c'est Soleil24", "le mot de passe du wifi c'est [REDACTED:latin-spoken-password]");
    check("le mdp, c’est Soleil24.", "le mdp, c’est [REDACTED:latin-spoken-password].");
    check("la contraseña nueva es Verano24", "la contraseña nueva es [REDACTED:latin-spoken-password]");
    check("die Passphrase lautet Sommer24!", "die Passphrase lautet [REDACTED:spoken-password]");
    check("the password's Fluffy2019", "the password's [REDACTED:spoken-password]");
    let key = "q7Rk2mXw9TzL4bVn8HsD";
    for before in [
        "der Token ist ",
        "API-Schlüssel: ",
        "der API-Schlüssel für staging lautet ",
        "la clé API est ",
        "la clé d’API c'est ",
        "la clave API es ",
    ] {
        check(&format!("{before}{key}, ok"), &format!("{before}[REDACTED:latin-spoken-secret], ok"));
    }
    for harmless in [
        "le mot de passe c'est important",
        "la contraseña nueva es obligatoria",
        "the password's expired",
        "the password's field is hidden",
        "der Token ist abgelaufen, sagt der Authentifizierungsdienst",
        "la clé API est obligatoire pour l'authentification",
        "the API-key is mandatory for authentication",
    ] {
        check(harmless, harmless);
    }
    check("パスワードはSakura24です", "パスワードは[REDACTED:cjk-spoken-password]です");
    check("heslo je Slunce24", "heslo je [REDACTED:latin-spoken-password]");
    check("密码是Abc12345，谢谢", "密码是[REDACTED:cjk-spoken-password]，谢谢");
    check("WiFi密码：Abc12345。", "WiFi密码：[REDACTED:cjk-spoken-password]。");
    check("пароль: Лето2024!", "пароль: [REDACTED:cyrillic-spoken-password]");
    check("Пароль от почты — «Leto2024».", "Пароль от почты — «[REDACTED:cyrillic-spoken-password]».");
    check("the password is:\nHunter2\nok", "the password is:\n[REDACTED:next-line-password]\nok");
    check("Passwort:\n\n    `Sommer24`\n", "Passwort:\n\n    `[REDACTED:next-line-password]`\n");
}

#[test]
fn secrets_in_files() {
    let check = |text: &str, expected: &str| assert_eq!(redact(text).text, expected, "{text:?}");
    check(
        "name,user,password,note\nShop,anna,swordfish,\"a, b\"\nMail,bob,\"tu,na\",\n\nrest",
        "name,user,password,note\nShop,anna,[REDACTED:column-password],\"a, b\"\nMail,bob,\"[REDACTED:column-password]\",\n\nrest",
    );
    check(
        "| user | Password | role |\n|---|:-:|---|\n| anna | hunter2 | admin |\n| bob | `tuna` | none |\n\nrest",
        "| user | Password | role |\n|---|:-:|---|\n| anna | [REDACTED:column-password] | admin |\n| bob | `[REDACTED:column-password]` | none |\n\nrest",
    );
    check("| Password | hunter2 |", "| Password | [REDACTED:row-password] |");
    check(
        "variable \"db_password\" {\n  type = string\n  default = \"swordfish\"\n}",
        "variable \"db_password\" {\n  type = string\n  default = \"[REDACTED:terraform-default]\"\n}",
    );
    check("localhost:5432:shop:anna:swordfish", "localhost:5432:shop:anna:[REDACTED:pgpass-password]");
    check(
        "ConvertTo-SecureString \"swordfish\" -AsPlainText -Force",
        "ConvertTo-SecureString \"[REDACTED:powershell-secure-string]\" -AsPlainText -Force",
    );
}

#[test]
fn numbered_recovery_phrases() {
    let words = "abcd bcde cdef defg efgh fghi ghij hijk ijkl jklm klmn lmno";
    let numbered = |between: &str, mark: &str| {
        let items = words.split(' ').enumerate().map(|(index, word)| format!("{}{mark} {word}", index + 1));
        items.collect::<Vec<_>>().join(between)
    };
    for (between, mark) in [(" ", "."), ("\n", "."), (", ", ")"), ("\r\n", ":")] {
        let text = format!("keep this: {} safe", numbered(between, mark));
        let expected = format!("keep this: 1{mark} [REDACTED:numbered-seed-phrase] safe");
        assert_eq!(redact(&text).text, expected, "{text:?}");
        assert_eq!(redact_keeping_lines(&text).text.lines().count(), text.lines().count());
    }
    let announced = format!("seed phrase for the wallet:\n{words}\n");
    assert_eq!(redact(&announced).text, "seed phrase for the wallet:\n[REDACTED:wallet-seed-phrase]\n");
}

/// `KEY_ghp_…` and `tokenghp_…`: a token with a prefix of its own is found wherever it is glued to.
#[test]
fn a_known_prefix_is_found_after_a_name() {
    let mut missed = Vec::new();
    for rule in rules().iter().filter(|rule| rule.lead_maximum == 0 && rule.examples[0].before.is_empty()) {
        let glues: &[&str] = match rule.left_edge {
            LeftEdge::Any => &["KEY_", "token", "TOKEN", "my1"],
            LeftEdge::Identifier => &["KEY_", "my1"],
            LeftEdge::Joined => &["KEY_", "old_"],
            _ => continue,
        };
        for glue in glues {
            let sample = rule.sample(5 * rule.examples.len() as u64).unwrap();
            let text = format!("{glue}{} is it", sample.text);
            let redacted = redact(&text).text;
            if redacted.contains(sample.secret()) || !redacted.starts_with(glue) {
                missed.push(format!("{}: {text:?} became {redacted:?}", rule.id));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    let joined = rules().iter().filter(|rule| rule.left_edge == LeftEdge::Any).count();
    assert!(joined > 150, "{joined}");
}

fn rule(id: &str) -> &'static Rule {
    rules().iter().find(|rule| rule.id == id).unwrap()
}

#[test]
fn findings_count_and_never_show() {
    let npm = rule("npm-token");
    let text = format!(
        "{} {} {}",
        npm.sample(1).unwrap().text,
        rule("groq-key").sample(1).unwrap().text,
        npm.sample(2).unwrap().text
    );
    let redacted = redact(&text);
    let expected = vec![Finding { rule: "npm-token", count: 2 }, Finding { rule: "groq-key", count: 1 }];
    assert_eq!(redacted.findings, expected);
}

#[test]
fn a_false_mark_hides_nothing() {
    let token = rule("npm-token").sample(1).unwrap().text;
    let redacted = redact(&format!("[REDACTED:{token}] [REDACTED:npm-token]"));
    assert_eq!(redacted.text, "[REDACTED:[REDACTED:npm-token]] [REDACTED:npm-token]");
}

#[test]
fn a_long_secret_goes_whole() {
    let body =
        rule("pkcs8-private-key").sample(0).unwrap().text.replace("-----END", &"QUJDRGFiY2QxMjM0\n".repeat(2000));
    let body = body.replace(" PRIVATE KEY-----\n\n", "");
    let redacted = redact(&format!("start\n{body}"));
    assert!(!redacted.text.contains("QUJDRGFiY2QxMjM0"), "{}", &redacted.text[..redacted.text.len().min(300)]);
    let jwt = format!("eyJ{}.eyJ{}.{}", "a1B2c3D4".repeat(20), "e5F6g7H8".repeat(3000), "i9J0".repeat(12));
    assert_eq!(redact(&jwt).text, "[REDACTED:json-web-token]");
}

/// A text made to be slow stays linear: each of these would take minutes if a rule read on from every keyword.
#[test]
fn hostile_text_is_read_once() {
    for part in [
        "sk-proj-",
        "-----BEGIN RSA PRIVATE KEY-----\n",
        "password=",
        "<private <private",
        "cookie: ",
        "eyJ.eyJ.",
        "://a:",
        "\"kty\"",
        "secret_secret_",
        "4111 ",
        "password,a\n",
        "password\\n",
        "|password|a\n|--|--|\n",
        "*:*:",
        "variable \"db_password\" {",
        "password:\n",
        "1. abc 2. abc ",
        "密码是",
    ] {
        let text = part.repeat(400_000 / part.len());
        let _ = redact(&text);
        let _ = strip_private(&text);
    }
}

/// Pieces that rules are made of, glued at random.
fn fragments() -> impl Strategy<Value = String> {
    let literal = prop::sample::select(vec![
        "password",
        "secret",
        "token",
        "=",
        ":",
        " ",
        "\"",
        "'",
        "\n",
        "\\n",
        "-",
        "_",
        "/",
        "@",
        "://",
        "[REDACTED:npm-token]",
        "[REDACTED:",
        "]",
        "api_key",
        "Authorization: Bearer ",
        "sk-",
        "ä",
        "日本",
        "-----BEGIN RSA PRIVATE KEY-----",
        "postgres://",
        "<private>",
        "4111 1111 1111 1111",
        "eyJ",
        "is",
        "--password ",
    ]);
    let sampled = (0..rules().len(), any::<u64>())
        .prop_map(|(index, seed)| rules()[index].sample(seed % 1_000_000).unwrap().text);
    let piece = prop_oneof![3 => literal.prop_map(str::to_owned), 2 => sampled, 1 => "[a-zA-Z0-9+/=_.-]{1,40}", 1 => any::<String>()];
    prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

/// Ordinary text of several kinds and scripts, in which there is nothing to redact.
fn filler() -> impl Strategy<Value = String> {
    let sentence = prop::sample::select(vec![
        "We met at noon.",
        "größte Vorsicht, bitte",
        "会议在下午。",
        "let total = items.len();",
        "| a | b |",
        "a,b,c",
        "- one point",
        "{\"role\": \"user\"}",
        "the password is wrong",
        "пароль забыт",
        "> quoted",
        "1. first",
        "",
    ]);
    prop::collection::vec(sentence, 0..5).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_redacted_once(text in any::<String>()) {
        let redacted = redact(&text);
        if redacted.findings.is_empty() {
            prop_assert_eq!(&redacted.text, &text);
        }
        prop_assert_eq!(redact_if_needed(&redacted.text), None);
    }

    #[test]
    fn any_mixture_is_redacted_once(text in fragments()) {
        let redacted = redact(&text);
        if redacted.findings.is_empty() {
            prop_assert_eq!(&redacted.text, &text);
        }
        prop_assert_eq!(redact_if_needed(&redacted.text), None);
    }

    #[test]
    fn a_secret_in_any_text_goes_alone((rule, seed) in (0..rules().len(), 0..SEEDS), before in filler(), after in filler()) {
        let sample = rules()[rule].sample(seed).unwrap();
        let text = format!("{before}\n{}\n{after}", sample.text);
        let redacted = redact(&text);
        prop_assert!(!redacted.text.contains(sample.secret()), "{} in {:?}", rules()[rule].id, redacted.text);
        prop_assert!(redacted.text.starts_with(&before) && redacted.text.ends_with(&after), "{:?}", redacted.text);
        prop_assert_eq!(redact_if_needed(&redacted.text), None);
        let kept = redact_keeping_lines(&text).text;
        prop_assert_eq!(kept.matches('\n').count(), text.matches('\n').count());
    }

    #[test]
    fn any_private_part_is_removed_once(text in "(<private>|</private>|<PRIVATE a='b'>|<private/>|<pri|vate>|[a-z<>/\" ]{0,6}|ä){0,20}") {
        let stripped = strip_private(&text);
        prop_assert_eq!(stripped.removed == 0, stripped.text == text);
        let again = strip_private(&stripped.text);
        prop_assert_eq!(again.removed, 0);
    }
}

#[test]
fn lines_around_a_secret_keep_their_numbers() {
    let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\nVJTUt9Us8cKjMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDu\n-----END PRIVATE KEY-----";
    let text = format!("first\n{key}\nlast <private>\nhidden\n</private> end\nafter");
    let redacted = redact_keeping_lines(&text).text;
    assert_eq!(redacted.lines().count(), text.lines().count());
    assert!(!redacted.contains("MIIEvQ"));
    let public = strip_private_keeping_lines(&redacted).text;
    assert_eq!(public.lines().count(), text.lines().count());
    assert_eq!(public.lines().last(), Some("after"));
    assert!(!public.contains("hidden"));
}
