//! Tables of texts and what is found in them, and properties that hold for any text.

use proptest::prelude::*;
use scrubjay_core::entity::EntityType;

use super::RegexNer;
use crate::ner::mention::Mention;
use crate::ner::provider::{MAX_MENTIONS, Ner};

fn mentions(text: &str) -> Vec<Mention> {
    match RegexNer.mentions(text) {
        Ok(mentions) => mentions,
        Err(error) => unreachable!("{error}"),
    }
}

/// Checks the names of one type in a text, and that each stands where it says.
fn check(entity_type: EntityType, text: &str, expected: &[&str]) {
    let found = mentions(text);
    for mention in &found {
        assert_eq!(text.get(mention.start..mention.end), Some(mention.text.as_str()));
    }
    let names: Vec<&str> = found
        .iter()
        .filter(|mention| mention.entity_type == entity_type)
        .map(|mention| mention.name.as_str())
        .collect();
    assert_eq!(names, expected, "{entity_type:?} in {text:?}");
}

/// Checks what stands in the text, letter for letter.
fn check_text(text: &str, expected: &[&str]) {
    let found = mentions(text);
    let texts: Vec<&str> = found.iter().map(|mention| mention.text.as_str()).collect();
    assert_eq!(texts, expected, "in {text:?}");
}

#[test]
fn handles() {
    let check = |text: &str, expected: &[&str]| check(EntityType::Person, text, expected);
    check("ask @ann about it", &["ann"]);
    check("@Ann: done, thanks (@bob_2, @c-d).", &["Ann", "bob_2", "c-d"]);
    check("@ann's \"@bob\" '@cid'", &["ann", "bob", "cid"]);
    check("@j.doe. @josé!", &["j.doe", "josé"]);
    check("请@张三看", &["张三看"]);
    check("请@ann看", &["ann"]);
    check("@ann\n@bob\n@cid\nplease look", &["ann", "bob", "cid"]);
    check("@ann@social.example said", &["ann"]);
    check("@ @1 @@ @- x@y a@ @.", &[]);
    check("ann@example.org", &[]);
    check("npm i @types/node @scope/pkg", &[]);
    check("npm i left-pad@1.2.3 left-pad@latest", &[]);
    check("@dataclass\nclass A:\n    pass", &[]);
    check("    @Override\n    public void run() {}", &[]);
    check("@app.route(\"/\")\ndef home(): pass", &[]);
    check("@my_decorator\n@other\nasync def home(): pass", &[]);
    check("@Component({})", &[]);
    check("add @Override or @param there, says @media", &["media"]);
    check("@media print { }", &[]);
    check("/**\n * @param x the value\n * @returns nothing\n */", &[]);
    check("use `@ann` here and `git log @dev`", &[]);
    check("```\n@ann hello\n```\n@bob hi", &["bob"]);
    check("~~~\n@ann\n~~~\n@bob hi", &["bob"]);
    check("https://example.org/@ann", &[]);
}

#[test]
fn hashtags() {
    let check = |text: &str, expected: &[&str]| check(EntityType::Tag, text, expected);
    check("ship #Release today", &["release"]);
    check("#a1 #to-do, #area/work. (#done)", &["a1", "to-do", "area/work", "done"]);
    check("#日本語 #żółw #хэш #हिन्दी", &["日本語", "żółw", "хэш", "हिन्दी"]);
    check("#100daysofcode", &["100daysofcode"]);
    check("#fff #FFF000 #00ff7f80 #abcd", &[]);
    check("fixes #123 and GH#45", &[]);
    check("see #a1b2c3d", &[]);
    check("# Heading\n## Second\n#", &[]);
    check("#include <stdio.h>\n#define X 1\n  #endif", &[]);
    check("we #include everyone", &["include"]);
    check("C# F# a#b &#x27; &#39;", &[]);
    check("#main { color: red }", &[]);
    check("https://example.org/#part", &[]);
    check("`#tag` and\n```sh\n#comment\n```", &[]);
    check("#!/bin/sh #[derive] #{x}", &[]);
}

#[test]
fn e_mail_addresses() {
    let check = |text: &str, expected: &[&str]| check(EntityType::Email, text, expected);
    check("Mail Ann.Lee@Example.ORG.", &["ann.lee@example.org"]);
    check("<a+b@c-d.co.uk>, mailto:x_y@z.io;", &["a+b@c-d.co.uk", "x_y@z.io"]);
    check("联系ann@example.org吧", &["ann@example.org"]);
    check("müller@bücher.de", &["müller@bücher.de"]);
    check("ann@localhost a@b.c @x.org x@.org a@b..org a@-b.org", &[]);
    check("git@example.org:team/code.git", &[]);
    check("ann@example.org: hello", &["ann@example.org"]);
    check("pkg@1.2.3", &[]);
    check("https://ann@example.org/x", &[]);
    check("@ann@social.example", &[]);
}

#[test]
fn web_addresses() {
    let check = |text: &str, expected: &[&str]| check(EntityType::Url, text, expected);
    check("see https://Example.org/A?b=c#d.", &["https://example.org/A?b=c"]);
    check("HTTPS://EXAMPLE.ORG/ and http://localhost:8080/x", &["https://example.org", "http://localhost:8080/x"]);
    check("(https://example.org/a), [x](https://example.org/b)!", &["https://example.org/a", "https://example.org/b"]);
    check(
        "https://example.org/Rust_(language) (https://example.org/a_(b))",
        &["https://example.org/Rust_(language)", "https://example.org/a_(b)"],
    );
    check(
        "<https://example.org> \"https://example.org/q\" **https://example.org/b**",
        &["https://example.org", "https://example.org/q", "https://example.org/b"],
    );
    check(
        "https://example.org/a, https://example.org/b; https://example.org/c…",
        &["https://example.org/a", "https://example.org/b", "https://example.org/c"],
    );
    check("请看https://example.org/路径。然后", &["https://example.org/路径"]);
    check("看https://example.org看", &["https://example.org"]);
    check("https://ann:secret@example.org/x", &["https://example.org/x"]);
    check("http://[::1]:80/x", &["http://[::1]:80/x"]);
    check("postgres://db.example/x git+ssh://example.org/x", &["postgres://db.example/x", "git+ssh://example.org/x"]);
    check("file:///etc/hosts", &["file:///etc/hosts"]);
    check("www.Example.org/a. see www.example.org", &["www.example.org/a", "www.example.org"]);
    check(":// a:// C://x http:// http://. www. www.x awww.example.org", &[]);
    check("https://example.org/a|b https://example.org/{id}", &["https://example.org/a", "https://example.org/{id}"]);
}

#[test]
fn days() {
    let check = |text: &str, expected: &[&str]| check(EntityType::Date, text, expected);
    check("on 2026-05-01, 2026/05/02 and 2026.5.3", &["2026-05-01", "2026-05-02", "2026-05-03"]);
    check("2026-05-01T10:00:00Z 2026-05-02.", &["2026-05-01", "2026-05-02"]);
    check("05.05.2026 und 1.12.1999", &["2026-05-05", "1999-12-01"]);
    check("5 May 2026, 5th of May, 2026, 05 may 2026", &["2026-05-05", "2026-05-05", "2026-05-05"]);
    check("May 5, 2026; Sept. 1st 2026; Dec 31 2026", &["2026-05-05", "2026-09-01", "2026-12-31"]);
    check("5. März 2026, 1er août 2026, 3 de mayo de 2026", &["2026-03-05", "2026-08-01", "2026-05-03"]);
    check("2026年5月1日", &["2026-05-01"]);
    check("25/12/2026 12/25/2026 05/05/2026", &["2026-12-25", "2026-12-25", "2026-05-05"]);
    check("29 February 2024", &["2024-02-29"]);
    check("29 February 2026 31.04.2026 2026-13-01 2026-00-10 0001-01-01", &[]);
    check("04/05/2026 1.2.3 10.0.0.1 1.2.2026.4 2026-05-01-02 12026-05-01", &[]);
    check("5 Foo 2026, Foo 5, 2026, May 2026, 5 May", &[]);
    check("log-2026-05-01.txt /var/2026-05-01/x 2026-05-01_a v2026.05.01", &[]);
}

#[test]
fn paths() {
    let check = |text: &str, expected: &[&str]| check(EntityType::Other, text, expected);
    check("open src/main.rs, then ./build.sh.", &["src/main.rs", "build.sh"]);
    check("/usr/local/bin and /etc and /notes.md", &["/usr/local/bin", "/etc", "/notes.md"]);
    check("~/notes/x ../up/one", &["~/notes/x", "../up/one"]);
    check("(src/lib.rs:12:5) `a/b_c.py` \"docs/READ ME\"", &["src/lib.rs", "a/b_c.py"]);
    check(r"C:\Users\ann\x.txt D:/data/y", &[r"C:\Users\ann\x.txt", "D:/data/y"]);
    check(r"\\server\share\x src\main.rs", &[r"\\server\share\x", r"src\main.rs"]);
    check(
        ".github/workflows/ci.yml $HOME/.bashrc.bak path=/var/log/x",
        &[".github/workflows/ci.yml", "$HOME/.bashrc.bak", "/var/log/x"],
    );
    check("在/usr/bin下", &["/usr/bin"]);
    check("/home/alice/project/ a/b/c.xyz", &["/home/alice/project", "a/b/c.xyz"]);
    check("and/or he/she 24/7 km/h TCP/IP 1/2 n/a I/O origin/main", &[]);
    check("/help / // /* x */ </b> <br/> /x/g s/a/b/", &[]);
    check("yes/no.Then go", &[]);
    check("example.org/index.html github.com/a/b", &[]);
    check("https://example.org/a/b.html", &[]);
    check(r"\alpha\beta a\nb my\_long\_name.txt", &[]);
}

#[test]
fn identifiers() {
    let check = |text: &str, expected: &[&str]| check(EntityType::Other, text, expected);
    check("call getUserName or UserService", &["getUserName", "UserService"]);
    check("HTTPServer parseJSON toString2", &["HTTPServer", "parseJSON", "toString2"]);
    check("snake_case MAX_SIZE __init__ _private_name", &["snake_case", "MAX_SIZE", "__init__", "_private_name"]);
    check("std::io::Read crate::a::b", &["std::io::Read", "crate::a::b"]);
    check("run() and Foo::bar() or obj.load_all()", &["run", "Foo::bar", "load_all"]);
    check("用getUserName吧", &["getUserName"]);
    check("NASA JSON HTTP Hello hello Hello2 COVID19 A1", &[]);
    check("iPhone eBay McDonald PhD WiFi kWh URLs APIs mRNA", &[]);
    check("_emphasis_ __ _ x_ a_b 1_000_000 2fa_x", &[]);
    check("foo( bar (x) run ()", &[]);
    check("naïveTest éFooBar fooBaré", &[]);
    check("aGVsbG8gd29ybGQgZm9vIGJhcg", &[]);
    check("fe80::1 a:: ::b", &[]);
}

#[test]
fn a_span_covers_what_belongs_to_it() {
    check_text("run() in src/a.rs by @ann", &["run()", "src/a.rs", "@ann"]);
    check_text(
        "#tag, ann@example.org; https://example.org/#x.",
        &["#tag", "ann@example.org", "https://example.org/#x"],
    );
    check_text("5th of May, 2026!", &["5th of May, 2026"]);
    check_text("https://example.org/get_user/2026-05-01/@ann", &["https://example.org/get_user/2026-05-01/@ann"]);
    check_text("", &[]);
}

#[test]
fn a_crowd_of_one_shape_does_not_hide_another() {
    let text = format!("{} ann@example.org", "some_name ".repeat(5000));
    let found = mentions(&text);
    assert_eq!(found.len(), MAX_MENTIONS);
    assert!(found.iter().any(|mention| mention.entity_type == EntityType::Email));
    assert!(found.is_sorted_by_key(|mention| mention.start));
}

#[test]
fn any_text_takes_time_in_proportion_to_its_length() {
    // Each would take minutes if a shape were looked for again and again over the same stretch.
    for seed in [
        "a",
        "@",
        "#",
        "/",
        "\\",
        "a@",
        "@a\n",
        "a@b.",
        "://",
        "a1://(",
        "(www.",
        "www.",
        "file:///",
        "1.1.",
        "1 ",
        "may ",
        "a::",
        "a_",
        "aB",
        "`#aa ",
        "```\n",
        "//a",
        ":/",
        "@a ",
        " ",
        "年",
        "é@",
        "(",
        "www.a(",
        "http://a(",
    ] {
        let text = seed.repeat(200_000 / seed.len());
        assert!(mentions(&text).len() <= MAX_MENTIONS, "{seed:?}");
    }
}

/// Text with much of what gives a shape away.
fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>(),
        "\\PC{0,12}",
        "[a-zA-Z0-9_@#./:()\\\\` \n-]{0,16}",
        prop::sample::select(vec![
            "@ann",
            "#tag",
            "ann@example.org",
            "https://example.org/a_(b)",
            "www.example.org",
            "2026-05-01",
            "5 May 2026",
            "src/main.rs",
            "getUserName",
            "snake_case",
            "std::io",
            "run()",
            "```",
            "深色",
            "é",
            "\n",
            " ",
            "\u{301}",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn spans_are_true_and_apart(text in any_text()) {
        let found = mentions(&text);
        let mut end = 0;
        for mention in &found {
            prop_assert!(mention.start >= end && mention.start < mention.end);
            prop_assert_eq!(text.get(mention.start..mention.end), Some(mention.text.as_str()));
            prop_assert!(!mention.name.is_empty());
            prop_assert!((0.0..=1.0).contains(&mention.confidence));
            prop_assert_eq!(mention.provider, "regex");
            end = mention.end;
        }
        prop_assert!(found.len() <= MAX_MENTIONS);
    }

    #[test]
    fn every_day_of_the_calendar_is_read_back(year in 1900_u32..2100, month in 1_u32..=12, day in 1_u32..=28) {
        let iso = format!("{year:04}-{month:02}-{day:02}");
        let name = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December"][month as usize - 1];
        for written in [iso.clone(), format!("{day}.{month}.{year}"), format!("{day} {name} {year}"), format!("{name} {day}, {year}")] {
            let found = mentions(&format!("on {written}."));
            prop_assert_eq!(found.len(), 1, "{}", written);
            prop_assert_eq!(&found[0].name, &iso);
        }
    }

    #[test]
    fn an_address_is_found_among_words(local in "[a-z][a-z0-9_.+-]{0,10}[a-z0-9]", host in "[a-z]{2,8}\\.(org|com|io)") {
        prop_assume!(!local.contains(".."));
        let found = mentions(&format!("write to {local}@{host}, or see https://{host}/{local}."));
        let names: Vec<&str> = found.iter().map(|mention| mention.name.as_str()).collect();
        prop_assert_eq!(names, [format!("{local}@{host}"), format!("https://{host}/{local}")]);
    }
}
