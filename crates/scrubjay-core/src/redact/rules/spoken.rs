//! Secrets that somebody tells in a sentence, in English and in other languages.
//!
//! Any word can follow “the password is”: *wrong*, *required*, *hashed*. So the value has to look like no word; the
//! filter decides.

use crate::redact::rule::{Filter, Hint, LeftEdge, Rule, within};

/// A value in a sentence, with the quotation marks of any language before it.
macro_rules! told {
    () => {
        concat!(
            r#"(?:[:"'`\*\\]|\xe2\x80[\x98-\x9f]|\xc2\xab(?:[ ]|\xc2\xa0)?|\xe3\x80[\x8c\x8e\x90]){0,4}"#,
            r#"([^\s"'`<>\\]{5,63}[^\s"'`<>\\.,;:)?\*])"#
        )
    };
}

/// A value between characters of a script that has no letters in common with it, so that it needs no blank around it.
macro_rules! told_between {
    () => {
        concat!(
            r#"(?:[ :"'`\*]|\xef\xbc\x9a|\xe2\x80[\x98-\x9f]|\xe3\x80[\x8c\x8e\x90]){0,5}"#,
            r"([!#-&(-;=?-\[\]-_a-~]{5,63}[!#-&*+/-9=@-\[\]-_a-~])"
        )
    };
}

/// The words for a password in languages that are written in Latin letters.
macro_rules! latin_names {
    () => {
        r"passwort|kennwort|mots? de passe|mdp|contrase(?:\xc3\xb1|n)as?|clave|senha|palavra-passe|heslo|wachtwoord|has(?:\xc5\x82|l)o|adgangskoden?|passord(?:et)?|salasana|jelsz\xc3\xb3"
    };
}

/// What the password is for, as in “für den Router”, “du wifi”, “del correo”.
macro_rules! purpose {
    () => {
        r#"(?:[ ](?:(?i:f\xc3\xbcr|fuer|zum|zur|vom|von|der|des|im|am|pour|du|des?|para|del|da|do|pro|ke?|od|na|voor|van|het|f\xc3\xb6r|till?|for|of|to|on|at)[ ]|d(?:'|\xe2\x80\x99)|de[ ]l(?:'|\xe2\x80\x99))[^\n\\:=.!?",;]{1,48}?)?"#
    };
}

/// What kind of password it is, where the word for it comes after: “la contraseña nueva”, “le mot de passe actuel”.
macro_rules! quality {
    () => {
        r"(?:[ ](?i:nuev[ao]|actual|antigu[ao]|maestr[ao]|actuel|nouveau|ancien|ma\xc3\xaetre|nova|novo|atual|nuovo|attuale))?"
    };
}

/// What says that a value follows, in the same languages.
macro_rules! latin_verbs {
    () => {
        r"(?i:ist|lautet|war|wird|heisst|c(?:'|\xe2\x80\x99)est|est|sera|es|era|is|was|je|bylo|bude|to|jest|er|on)|hei\xc3\x9ft|\xc3\xa9tait|ser\xc3\xa1|zn\xc3\xad|\xc3\xa8|\xc3\xa9"
    };
}

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule::keyed("spoken-password", "Password named in a sentence",
        &["password", "passphrase", "passcode", "pwd", "pw ", "pws "],
        concat!(r"\A(?i:password|passphrase|passcode|pwd|pw)(?i:s)?(?:(?:\s(?i:for|of|to|on|at)\s[\w@.'\- ]{1,40}?)?\s{1,2}(?:(?i:is now|is still|is set to|is|was|are|becomes|to|will be|ist|lautet|est|es|je)|\xc3\xa8)|(?:'|\xe2\x80\x99)s(?i:\snow)?)\s{1,2}", told!()),
        &[within("my wifi password is ", "{alpha:7}{digit:4}", " by the way"),
          within("I changed the password to ", "{lower:6}{digit:2}!", "."),
          within("The password for the router is \"", "{lower:7}{digit:3}", "\"."),
          within("pw is ", "{lower:6}{digit:2}", ""), within("the password's ", "{lower:6}{digit:3}", ", by the way"),
          within("die Passphrase lautet ", "{lower:6}{digit:3}", "."), within("the passcode is ", "{digit:3}49{digit:3}", "."),
          within("the password is \u{201c}", "{lower:7}{digit:3}", "\u{201d}.")])
        .filter(Filter::SpokenPassword).hint(Hint::Chosen).no_entropy(),
    Rule::keyed("stated-password", "Password that directly follows the word",
        &["password ", "passphrase ", "passcode ", "pwd ", "pw "],
        r#"\A(?i:password|passphrase|passcode|pwd|pw) (?:\\?"([^\s"\\]{6,64})|'([^\s'\\]{6,64})'|`([^\s`\\]{6,64})`|([A-Za-z0-9!@\#$%^&*+?~]{5,63}[A-Za-z0-9!@\#$%^&*+~]))(?:[^A-Za-z0-9_=/\-]|\z)"#,
        &[within("log in as admin with password ", "{lower:6}{digit:2}!{digit:2}", ", please"),
          within("user anna, password \"", "{lower:6}{digit:4}", "\""),
          within("user anna pw ", "{lower:6}{digit:2}!{digit:2}", ", please")])
        .filter(Filter::StatedPassword).hint(Hint::Chosen).no_entropy(),
    Rule::keyed("spoken-login", "Password after the name of an account",
        &["login", "log in", "log-in", "logged in", "logging in", "sign in", "signin", "signed in", "creds", "credentials"],
        concat!(r"\A(?i:log(?:ged|ging)?[ -]?in|sign(?:ed)?[ -]?in|cred(?:ential)?s)(?:\s(?i:to|into|on|at|for)\s[\w@.'\- ]{1,40}?)?(?:\s{0,2}[:=]|\s{1,2}(?i:with|as|using|via|is|are|was|mit|avec|con))\s{1,2}(?i:user\s|the\s(?:user\s)?)?[`'\x22\\]{0,2}[A-Za-z][\w.@+\-]{1,63}(?:[ ]?/[ ]?|:)", told!()),
        &[within("login with admin/", "{lower:6}{digit:2}!", ""), within("creds: anna:", "{alpha:6}{digit:4}", ""),
          within("log in to staging as root / ", "{lower:7}{digit:3}", ", please"),
          within("the credentials are anna@shop.org/", "{lower:7}{digit:3}", ".")])
        .filter(Filter::SpokenPassword).hint(Hint::Chosen).no_entropy(),
    Rule::keyed("latin-spoken-password", "Password named in German, French, Spanish, Czech or a language near them",
        &["passwort", "kennwort", "mot de passe", "mots de passe", "mdp", "contrase", "clave", "senha", "palavra-passe",
          "heslo", "wachtwoord", "hasło", "haslo", "adgangskode", "passord", "salasana",
          "jelszó"],
        concat!(r"\A(?i:", latin_names!(), ")", quality!(), purpose!(),
            r"(?:(?:[ ]|\xc2\xa0|\xe2\x80\xaf){0,2}[:=](?:[ ]|\xc2\xa0){0,3}|,?[ ]{1,2}(?:", latin_verbs!(),
            r")(?:[ ](?i:jetzt|nun|noch|maintenant|ahora|agora|nu|ora)|[ ]te\xc4\x8f)?[ ]{0,1}:?[ ]{1,2})", told!()),
        &[within("das Passwort ist ", "{alpha:6}{digit:4}", ""),
          within("Das Kennwort für den Router lautet \u{201e}", "{lower:6}{digit:4}", "\u{201c}."),
          within("le mot de passe est ", "{alpha:6}{digit:4}", ", merci"),
          within("mot de passe du wifi\u{a0}: ", "{alpha:6}{digit:4}", ""),
          within("le mot de passe du wifi c'est ", "{alpha:6}{digit:4}", ", merci"),
          within("le mdp, c\u{2019}est ", "{alpha:6}{digit:4}", ""),
          within("la contraseña nueva es ", "{alpha:6}{digit:4}", "."),
          within("la contraseña es ", "{alpha:6}{digit:4}", "."),
          within("heslo je ", "{alpha:6}{digit:4}", ""), within("a senha é ", "{alpha:6}{digit:4}", "")])
        .filter(Filter::SpokenPassword).hint(Hint::Chosen).no_entropy(),
    Rule::keyed("latin-changed-password", "Password that somebody set, in German, French or Spanish",
        &["passwort", "kennwort", "mot de passe", "mdp", "contrase", "clave"],
        concat!(r"\A(?i:passwort|kennwort|mot de passe|mdp|contrase(?:\xc3\xb1|n)a|clave)", purpose!(),
            r"[ ](?:(?i:auf|zu|in|en|par|por|a)|\xc3\xa0)[ ]{1,2}", told!()),
        &[within("ich habe das Passwort auf ", "{alpha:6}{digit:4}", " geändert"),
          within("J'ai changé le mot de passe en ", "{alpha:6}{digit:4}", "."),
          within("le mot de passe du wifi par ", "{alpha:6}{digit:4}", ""),
          within("he cambiado la contraseña a ", "{alpha:6}{digit:4}", ", gracias")])
        .filter(Filter::StatedPassword).hint(Hint::Chosen).no_entropy(),
    Rule::keyed("latin-stated-password", "Password that directly follows the German, French or Spanish word",
        &["passwort ", "kennwort ", "mot de passe ", "mdp ", "contrase"],
        r#"\A(?i:passwort|kennwort|mot de passe|mdp|contrase(?:\xc3\xb1|n)a) (?:\\?"([^\s"\\]{6,64})|'([^\s'\\]{6,64})'|`([^\s`\\]{6,64})`|([A-Za-z0-9!@\#$%^&*+?~]{5,63}[A-Za-z0-9!@\#$%^&*+~]))(?:[^A-Za-z0-9_=/\-]|\z)"#,
        &[within("melde dich als admin mit Passwort ", "{lower:6}{digit:2}!{digit:2}", " an"),
          within("utilisateur anna, mot de passe \"", "{lower:6}{digit:4}", "\""),
          within("usuario anna, contraseña ", "{lower:6}{digit:2}!{digit:2}", ", por favor")])
        .filter(Filter::StatedPassword).hint(Hint::Chosen).no_entropy(),
    Rule::keyed("latin-spoken-login", "Password after the name of an account, in German, French or Spanish",
        &["zugangsdaten", "anmeldedaten", "logindaten", "identifiant", "credenciales", "anmelden"],
        concat!(r"\A(?i:zugangsdaten|anmeldedaten|logindaten|identifiants?|credenciales|anmelden)", purpose!(),
            r"(?:(?:[ ]|\xc2\xa0){0,2}[:=]|[ ]{1,2}(?i:sind|lauten|mit|als|sont|avec|son|con))[ ]{1,2}[`'\x22\\]{0,2}[A-Za-z][\w.@+\-]{1,63}(?:[ ]?/[ ]?|:)", told!()),
        &[within("Zugangsdaten: admin / ", "{alpha:6}{digit:4}", ""),
          within("die Zugangsdaten sind anna:", "{alpha:6}{digit:4}", "."),
          within("identifiants : anna/", "{alpha:6}{digit:4}", ""),
          within("las credenciales son admin/", "{alpha:6}{digit:4}", ", gracias")])
        .filter(Filter::SpokenPassword).hint(Hint::Chosen).no_entropy(),
    Rule::keyed("cyrillic-spoken-password", "Password named in Russian or Ukrainian",
        &["пароль", "Пароль", "ПАРОЛЬ"],
        concat!(r"\A(?:пароль|Пароль|ПАРОЛЬ)(?:[ ](?:от|для|к|на|до|від|в)[ ][^\n\\:=.!?,;]{1,64}?)?(?:[ ]{0,2}[:=][ ]{0,3}|[ ](?:-|–|—)[ ]{1,2}|[ ](?:(?:это|такой|теперь|сейчас|будет|был|стал|тепер|зараз|це):?[ ]{1,2}){0,2})", told!()),
        &[within("пароль: ", "{alpha:6}{digit:4}", ""), within("Пароль от почты — ", "{alpha:6}{digit:4}", "."),
          within("мой пароль теперь ", "{alpha:6}{digit:4}", ", запомни")])
        .filter(Filter::SpokenPassword).hint(Hint::Chosen).no_entropy(),
    Rule::keyed("cjk-spoken-password", "Password named in Chinese, Japanese or Korean",
        &["密码", "密碼", "パスワード", "비밀번호"],
        concat!(r"\A(?:密码|密碼|パスワード|비밀번호)(?:(?:现在|現在|目前|暂时|就|还|仍|已|经|应|该|被|改|设|更|修|置|重|設|變|定|今){0,4}(?:是|为|為|成了?)|[ ]?(?:は|が|는|은|가)(?:現在|今|、)?|[ ]?(?::|：|=|＝))", told_between!(),
            "|", r"\Aパスワードを[ ]?", told_between!(), "[ ]?に(?:変更|設定|し|更新)"),
        &[within("密码是", "{alpha:6}{digit:4}", "，谢谢"), within("密码：", "{alpha:6}{digit:4}", ""),
          within("パスワードは", "{alpha:6}{digit:4}", "です。"),
          within("パスワードは「", "{alpha:6}{digit:4}", "」です。"),
          within("パスワードを", "{alpha:6}{digit:4}", "に変更しました"),
          within("비밀번호는 ", "{alpha:6}{digit:4}", "입니다")])
        .filter(Filter::SpokenPassword).hint(Hint::Chosen).no_entropy().left(LeftEdge::Any),
    Rule::keyed("next-line-password", "Password on the line after the one that announces it",
        &["password", "passphrase", "passcode", "pwd", "pw:", "pw is", "passwort", "kennwort", "mot de passe",
          "contrase", "heslo", "senha", "пароль", "Пароль", "密码", "密碼", "パスワード"],
        concat!(r"\A(?:(?i:password|passphrase|passcode|pwd|pw|", latin_names!(), r")|пароль|Пароль|密码|密碼|パスワード)",
            r#"(?:[ ][^\n\\:=.!?",;]{1,48}?)?(?:[ ]{0,2}(?::|：)|[ ](?:"#, latin_verbs!(), r"):?|は|是)\*{0,2}[ \t]{0,4}",
            r#"(?:(?:\r?\n|\\r\\n|\\n)[ \t>]{0,12}){1,3}(?:```[a-z]{0,10}(?:\r?\n|\\n)[ \t]{0,12})?(?:[-*][ ])?\\?["'`*]{0,3}"#,
            r#"([^\s"'`<>\\]{5,63}[^\s"'`<>\\.,;:)?*{(\[])\\?["'`*]{0,3}[.]?[ \t]{0,4}(?:[\r\n"]|\\[nr]|\z)"#),
        &[within("the password is:\n", "{alpha:6}{digit:4}", "\n"),
          within("Password for the router:\n\n    ", "{alpha:6}{digit:4}", "\n"),
          within("**Password:**\n```\n", "{alpha:6}{digit:4}", "\n```\n"),
          within("das Passwort ist:\n", "{alpha:6}{digit:4}", "\n")])
        .filter(Filter::SpokenPassword).hint(Hint::NextLine).no_entropy().near(400),
    Rule::keyed("spoken-secret", "Key or token named in a sentence",
        &["api key", "api token", "access key", "access token", "secret key", "token", "secret", "auth key",
          "private key", "licence key", "license key"],
        r#"\A(?i:(?:api|access|secret|auth|private|licen[cs]e) (?:key|token)|token|secret)(?:\s(?i:for|of|to|on)\s[\w.'\- ]{1,30}?)?\s{1,2}(?i:is now|is|was|becomes|will be)\s{1,2}[:"'`\*\\]{0,3}([^\s"'`<>\\]{11,}[^\s"'`<>\\.,;:)?\*])"#,
        &[within("the API key is ", "{alnum:32}", ", keep it safe"), within("my token is `", "{hex:40}", "`"),
          within("the secret for staging is ", "a1b2c3d4e5f6{url:22}", "")])
        .filter(Filter::Secret).hint(Hint::Run(12)).no_entropy(),
    Rule::keyed("latin-spoken-secret", "Key or token named in a German, French or Spanish sentence",
        &["api-schlüssel", "api schlüssel", "api-key", "clé api", "clé d'api", "clé d’api", "clave api", "token",
          "jeton"],
        concat!(r"\A(?i:api[- ]schl\xc3\xbcssel|api-key|cl\xc3\xa9 (?:d(?:'|\xe2\x80\x99))?api|clave api|token|jeton)",
            purpose!(), r"(?:[ ]?:[ ]{0,2}|,?[ ]{1,2}(?:", latin_verbs!(), r")(?:[ ](?i:jetzt|nun|maintenant|ahora))?[ ]{0,1}:?[ ]{1,2})",
            r#"[:"'`\*\\]{0,3}([^\s"'`<>\\]{11,}[^\s"'`<>\\.,;:)?\*])"#),
        &[within("der API-Schlüssel für staging lautet ", "{alnum:32}", "."), within("der Token ist ", "{hex:40}", ""),
          within("la clé API est ", "{alnum:32}", ", merci"), within("le jeton c'est ", "{hex:40}", ""),
          within("la clave API es ", "{alnum:32}", ", gracias")])
        .filter(Filter::Secret).hint(Hint::Run(12)).no_entropy(),
];
