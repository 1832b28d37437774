//! How patterns are spelled: what is common to many rules, written once.
//!
//! All patterns are matched byte by byte, without Unicode classes, from the place where a keyword was found. They are
//! macros because a table of constants can only join literals.

/// A token that reaches as far as its alphabet.
macro_rules! open {
    ($body:expr) => {
        concat!(r"\A(", $body, ")")
    };
}

/// A token of known length, with no letter, digit or underscore after it.
macro_rules! exact {
    ($body:expr) => {
        concat!(r"\A(", $body, r")(?:[^A-Za-z0-9_]|\z)")
    };
}

/// A value of known shape after a vendor's name and a word that announces a credential: `HEROKU_API_KEY=…`,
/// `"herokuToken": "…"`, `my Heroku API key is …`.
macro_rules! keyed {
    ($vendor:expr, $value:expr) => {
        concat!(
            r"\A(?i:",
            $vendor,
            r")[\w \t.\-]{0,32}?(?i:key|token|secret|auth|pass|pat|api|credential|access)[\w \t.\-]{0,16}?",
            r#"(?:["'`\\\])]{0,3}\s{0,6}(?:=>|:=|->|[=:,(>]|is\b|was\b)\s{0,6}|["'`]?\s{1,6})["'`\\(<]{0,4}"#,
            "(",
            $value,
            r")(?:[^A-Za-z0-9_+/=]|\z)"
        )
    };
}

/// A value of known shape directly after one name, as in a header, a query or a configuration line.
macro_rules! header {
    ($name:expr, $value:expr) => {
        concat!(
            r"\A(?i:",
            $name,
            r#")["'`\\]{0,2}\s{0,4}[=:,]\s{0,4}["'`\\]{0,2}("#,
            $value,
            r")(?:[^A-Za-z0-9_+/=]|\z)"
        )
    };
}

/// A value after a name and an operator of any language or configuration format. The groups are the forms of the
/// value: in double quotes, in double quotes that are themselves escaped, in single quotes, in backticks, unquoted.
macro_rules! assigned {
    ($name:expr) => {
        concat!(
            r"\A(?i:",
            $name,
            r#")(?:\\?["'`])?\]?"#,
            // The operator, with a type annotation before it where a language has one; or an argument; or `value:` in a
            // list of names and values.
            r#"(?:\*{0,2}[ \t]{0,24}(?::[ \t]{0,2}[&'A-Za-z][\w&'<>\[\]. |]{0,30}?[ \t]{0,2}=|===?|:=|=>|=|:)\*{0,2}[ \t]{0,24}"#,
            r#"|\([ \t]{0,2}|,?(?:\s|\\[nrt]){1,40}\\?["']?(?i:value)\\?["']?[ \t]{0,3}[:=][ \t]{0,3}|\\?["']?,[ \t]{0,3})"#,
            // A wrapper around the literal: `String::from("…")`, `new Secret('…')`. Any other call computes something.
            r#"(?:(?:new[ ][\w.]{1,40}|Some|String::from|Secret(?:String|Str)?(?:::new|::from)?|Buffer\.from|Zeroizing::new|Cow::from)\([ ]?)?"#,
            r#"(?:[bBrRfFuU@]{0,2}(?:"((?:[^"\\\n]|\\[^\n])+)"|'((?:[^'\\\n]|\\[^\n])+)')"#,
            r#"|\\"((?:[^"\\\n]|\\[^"\n])+)\\""#,
            r"|`([^`\n]+)`",
            r#"|([^\s"'`\\<>]+))"#
        )
    };
}
