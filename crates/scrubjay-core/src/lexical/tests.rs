//! Tables of texts and their terms, and properties that hold for any text.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

fn check(text: &str, expected: &str) {
    assert_eq!(terms(text).join(" "), expected, "terms of {text:?}");
}

#[test]
fn words_are_folded_and_lower_cased() {
    check("", "");
    check(" \t\n .,;!? ", "");
    check("Dark mode, please!", "dark mode plea");
    check("(word) \"word\" 'word' word… word。", "word word word word word");
    check("Café naïve ÉCOLE", "cafe naiv ecol");
    check("cafe\u{301} Zu\u{308}rich", "cafe zurich");
    check("Straße STRASSE", "strass strass");
    check("smørrebrød Łódź Þór IŞIK ışık", "smorrebrod lodz thor isik isik");
    check("ﬁle ＡＢＣ １２３ x² ①", "file abc 123 x 2 x2 1");
    check("soft\u{ad}ware zero\u{200d}width a\u{200b}b", "softwar zerowidth a b");
    check("a\u{a0}b\u{3000}c\u{2028}d", "a b c d");
    check("´ \u{301}lone", "lone");
    check("nul\0byte", "nul byte");
    check("🎉 party 👩‍💻 done✅now 👍🏽 ☎️ ▶ →", "🎉 parti 👩 💻 done ✅ now 👍 ☎");
    check("50% of $3", "50 of 3");
}

#[test]
fn identifiers_give_parts_and_whole() {
    check("getUserId", "get user id getuserid");
    check("UserId", "user id userid");
    check("HTTPServer", "http server httpserver");
    check("parseHTTPHeader", "par http header parsehttphead");
    check("snake_bird", "snake bird snakebird");
    check("MAX_RETRY_LIMIT", "max retri limit maxretrylimit");
    check("kebab-bird", "kebab bird kebabbird");
    check("a.b.c", "a b c abc");
    check("foo2bar", "foo 2 bar foo2bar");
    check("__init__", "init");
    check("self._lock", "self lock selflock");
    check("std::io::Read", "std io read stdioread");
    check("path/to/map.txt", "path to map txt maptxt pathtomaptxt");
    check("./src/getUser.py", "src get user getus py getuserpi srcgetuserpi");
    check("C:\\Users\\Ann", "c user ann usersann");
    check("URLs userIDs PCs", "url user id userid pc");
    check("userIDsList", "user id list useridlist");
    check("HTTP2", "http 2 http2");
    check("foo() bar[0] baz<T>", "foo bar 0 baz t");
    check("C++ c# F# C", "cpp c csharp c fsharp f c");
    check("rock--roll wait...what", "rock roll wait what");
}

#[test]
fn a_whole_is_found_however_it_is_written() {
    let plain = terms("getusername");
    for written in ["getUserName", "GetUserName", "get_user_name", "get-user-name", "GET_USER_NAME", "get.user.name"] {
        let found = terms(written);
        assert!(plain.iter().all(|term| found.contains(term)), "{plain:?} in {found:?}");
    }
}

#[test]
fn numbers_keep_parts_and_whole() {
    check("3.14", "3 14 314");
    check("v1.2.3", "v 1 v1 2 3 v123 123");
    check("2026-05-01", "2026 05 01 20260501");
    check("10:30", "10 30");
    check("1,000", "1 000");
    check("sha256sum", "sha 256 sum sha256sum");
}

#[test]
fn hashes_and_encodings_stay_whole() {
    check("3f2a9bce01d4e5f6a7b8", "3f2a9bce01d4e5f6a7b8");
    check("a1b2c3d4", "a1b2c3d4");
    check("aGVsBGxYdZrQ", "agvsbgxydzrq");
}

#[test]
fn addresses_give_parts() {
    check("ann.lee@Example.org", "ann lee annl exampl org exampleorg");
    check("https:// a/b", "https a b ab");
    check("https://example.org/a/b?x=1#top", "https exampl org exampleorg a b x 1 top");
}

#[test]
fn apostrophes_hold_words_together() {
    check("don't can’t", "dont cant");
    check("user's we're I'll they've", "user we i they");
    check("O'Brien", "o brien obrien");
    check("l'amour qu'il", "l amour lamour qu il quil");
    check("'quoted'", "quot");
}

#[test]
fn scripts_without_spaces_give_pairs() {
    check("手", "手");
    check("手机", "手机");
    check("用户喜欢", "用户 户喜 喜欢");
    check("用户，喜欢。", "用户 喜欢");
    check("ひらカナ", "ひら らカ カナ");
    check("ﾊﾟﾝ", "パン");
    check("スーパー", "スー ーパ パー");
    check("한국어 말", "한국 국어 말");
    check("iOS版", "i os ios 版");
    check("數據庫 数据库", "数据 据库 数据 据库");
    check("臺灣的後端", "台湾 湾的 的后 后端");
    check("ไทย", "ไท ทย");
    check("ที่นี่", "ท\u{e35}\u{e48}น\u{e35}\u{e48}");
    check("ລາວ", "ລາ າວ");
    check("ខ្មែរ", "ខ\u{17d2}ម\u{17c2} ម\u{17c2}រ");
    check("မြန်မာ", "မ\u{103c}န\u{103a} န\u{103a}မ\u{102c}");
}

#[test]
fn other_scripts_give_words() {
    check("Привет, МИР", "привет мир");
    check("книги книгами книгах", "книг книг книг");
    check("ёлка елка йод иод", "елк елк йод иод");
    check("їжак за́мок", "їжак замок");
    check("Ελλάδα ΟΔΟΣ οδός", "ελλαδα οδοσ οδοσ");
    check("مُحَمَّد محمـد أحمد", "محمد محمد احمد");
    check("שָׁלוֹם שלום צה״ל", "שלום שלום צהל");
    check("हिन्दी में", "हिन्दी में");
    check("தமிழ் বাংলা", "தமிழ் বাংলা");
}

#[test]
fn stemming_joins_inflections() {
    check("runs running run", "run run run");
    check("embedding embedded embed", "emb emb emb");
    check("lens lenses", "len len");
    check("early ear overall over", "early ear overall over");
    check("added adding add", "add add add");
    check("был были", "был был");
}

#[test]
fn long_words_are_cut_at_a_character() {
    let ascii = terms(&"x".repeat(1000));
    assert_eq!(ascii, ["x".repeat(MAX_TERM_BYTES)]);
    let wide = terms(&"ж".repeat(1000));
    assert_eq!(wide.len(), 1);
    assert!(wide.iter().all(|term| term.len() <= MAX_TERM_BYTES));
    let odd = terms(&format!("x{}", "ж".repeat(1000)));
    assert_eq!(odd, [format!("x{}", "ж".repeat(31))]);
    let marks = terms(&format!("ท{}", "\u{e48}".repeat(1000)));
    assert!(marks.iter().all(|term| term.len() <= MAX_TERM_BYTES));
}

#[test]
fn positions_count_parts() {
    let mut seen = Vec::new();
    for_each_term("use getUserId 深色模", |term, position| seen.push(format!("{term}@{position}")));
    assert_eq!(seen.join(" "), "use@0 get@1 user@2 id@3 getuserid@1 深色@4 色模@5");
}

#[test]
fn analysis_can_be_nested() {
    let mut inner = Vec::new();
    for_each_term("running dogs", |term, _| inner.extend(terms(term)));
    assert_eq!(inner, ["run", "dog"]);
}

#[test]
fn stop_words_are_known_as_terms() {
    for word in ["the", "because", "before", "don't", "nicht", "für", "être", "también", "não", "più", "niet", "чтобы"]
    {
        assert!(terms(word).iter().all(|term| is_stop_word(term)), "{word}");
    }
    for word in
        ["memory", "die", "car", "may", "mit", "dir", "parse", "noise", "early", "door", "dell", "книга", "手机"]
    {
        assert!(!terms(word).iter().any(|term| is_stop_word(term)), "{word}");
    }
}

#[test]
fn words_for_comparison_are_whole() {
    let words: Vec<String> = word_set("Use foo_bar, don’t use getUser; 1.5 at 10:30 Café.").into_iter().collect();
    assert_eq!(words, ["1.5", "10:30", "at", "cafe", "don't", "foo_bar", "getuser", "use"]);
    assert_eq!(word_set("深色模").into_iter().collect::<Vec<_>>(), ["深色", "色模"]);
}

#[test]
fn jaccard_is_the_share_of_common_words() {
    let share = |first: &str, second: &str| jaccard(&word_set(first), &word_set(second));
    assert_eq!(share("a b c", "A, b. C!"), 1.0);
    assert_eq!(share("a b c", "b c d"), 0.5);
    assert_eq!(share("a", "b"), 0.0);
    assert_eq!(share("", ""), 0.0);
}

#[test]
fn near_duplicates() {
    for (first, second) in [
        ("User prefers dark mode in the editor", "The user prefers dark mode in the editor."),
        ("Deploys run on Friday afternoon", "The deploys run on Friday afternoon!"),
        ("User said that tabs are better than spaces", "User said tabs are better than spaces"),
        ("User likes tea, coffee and milk", "User likes tea and coffee and milk"),
        ("Der Server steht in einem Keller", "Server steht in einem Keller"),
        ("用户喜欢深色模式", "用户喜欢深色模式。"),
        ("*Build* with `cargo`", "Build with cargo"),
        ("Builds run nightly. Server restarts weekly now", "Builds run nightly. The server restarts weekly now"),
        ("same", " same "),
    ] {
        assert!(near_duplicate(first, second), "{first:?} and {second:?} are duplicates");
        assert!(near_duplicate(second, first), "{second:?} and {first:?} are duplicates");
    }
}

#[test]
fn no_near_duplicates() {
    for (first, second) in [
        ("User prefers tea over coffee", "User prefers coffee over tea"),
        ("The limit is 100", "The limit is 200"),
        ("The limit for each request is 1.5 seconds", "The limit for each request is 15 seconds"),
        ("The offset of each request is -5 seconds", "The offset of each request is 5 seconds"),
        ("The share of each request is 5 % here", "The share of each request is 5 here"),
        ("In this project use tabs", "In this project do not use tabs"),
        ("User does like long meetings on Monday", "User doesn't like long meetings on Monday"),
        ("User never eats meat at home or abroad", "User eats meat at home or abroad"),
        ("User drinks coffee with some milk and sugar", "User drinks coffee without some milk and sugar"),
        ("Der Server ist in dem Keller erreichbar", "Der Server ist nicht in dem Keller erreichbar"),
        ("Il ne mange pas de viande le soir", "Il mange de viande le soir"),
        ("El usuario come carne en la casa", "El usuario no come carne en la casa"),
        ("The flight to Paris leaves on Monday morning", "The flight from Paris leaves on Monday morning"),
        ("User was the owner of the blue house", "User is the owner of the blue house"),
        ("The team writes the service in C now", "The team writes the service in C# now"),
        ("The server in Berlin is up and running", "The server in Berlin is up and running?"),
        ("User likes tea and coffee in the morning", "User likes tea or coffee in the morning"),
        ("The plants die in the cold winter", "The plants in the cold winter"),
        ("用户喜欢深色模式", "用户不喜欢深色模式"),
        ("User takes vitamin A in the morning", "User takes vitamin in the morning"),
        ("User picked the cheap plan a", "User picked the cheap plan"),
        ("User often flies to LA on Monday", "User often flies to on Monday"),
        ("The meeting begins at 5 am", "The meeting begins at 5"),
        ("a", "the"),
        ("", ""),
        ("!", "?"),
    ] {
        assert!(!near_duplicate(first, second), "{first:?} and {second:?} differ");
        assert!(!near_duplicate(second, first), "{second:?} and {first:?} differ");
    }
}

/// Text with much of what is special to the analyzer in it.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "\\PC{0,80}",
        "([a-zA-Z0-9_./:\\\\'’@#+ -]|://|::){0,80}",
        "[a-zA-Zéßİǅϴ\u{301}\u{308}\u{345}深機กี่ကြ한ｶﾞжйё\u{64b}\u{200d}½㈱ﬃ0-9 .'-]{0,60}",
    ]
}

/// How the words of an identifier are put together.
fn written(words: &[String], style: usize) -> String {
    let capital = |word: &String| format!("{}{}", word[..1].to_ascii_uppercase(), &word[1..]);
    match style {
        0 => words.iter().map(capital).collect(),
        1 => words
            .iter()
            .enumerate()
            .map(|(index, word)| if index == 0 { word.clone() } else { capital(word) })
            .collect(),
        2 => words.join("_").to_ascii_uppercase(),
        _ => words.join(["_", "-", ".", "/", "::", "\\"][style % 6]),
    }
}

proptest! {
    #[test]
    fn terms_are_clean(text in any_text()) {
        for_each_term(&text, |term, _| {
            assert!(!term.is_empty() && term.len() <= MAX_TERM_BYTES, "{term:?}");
            for character in term.chars() {
                assert!(!character.is_ascii() || character.is_ascii_lowercase() || character.is_ascii_digit(), "{term:?}");
                assert!(!character.is_whitespace() && !character.is_control(), "{term:?}");
                let is_letter = character.is_alphanumeric() || is_emoji(character);
                assert!(is_letter || unicode_normalization::char::is_combining_mark(character), "{term:?}");
            }
        });
    }

    #[test]
    fn terms_do_not_depend_on_what_follows(first in any_text(), second in any_text()) {
        let mut separate = terms(&first);
        separate.extend(terms(&second));
        prop_assert_eq!(terms(&format!("{first} {second}")), separate);
    }

    #[test]
    fn positions_never_skip(text in any_text()) {
        let mut next = 0;
        for_each_term(&text, |_, position| {
            assert!(position <= next);
            next = next.max(position + 1);
        });
    }

    #[test]
    fn plain_words_are_their_own_terms_again(word in "[a-z]{1,30}|[а-яё]{1,30}|[\\p{Ll}]{1,30}|[a-z]{2,8}(ing|ed|ly|ness|s|ization|fulness|ment)") {
        let once = terms(&word);
        prop_assert_eq!(terms(&once.join(" ")), once);
    }

    #[test]
    fn the_short_way_and_the_long_way_agree(before in "[\"(\\[]{0,2}", word in "[A-Za-z][a-z]{0,80}", after in "[.,;:!?\")\\]]{0,3}") {
        prop_assert_eq!(terms(&format!("{before}{word}{after}")), terms(&format!("~{word}~")));
    }

    #[test]
    fn parts_and_whole_find_an_identifier(
        words in prop::collection::vec("[a-z]{2,9}", 2..5),
        number in prop::option::of("[0-9]{1,4}"),
        style in 0_usize..9,
        other_style in 0_usize..6,
    ) {
        let mut words = words;
        words.extend(number);
        let indexed: BTreeSet<String> = terms(&format!("see {} here", written(&words, style))).into_iter().collect();
        for word in &words {
            for term in terms(word) {
                prop_assert!(indexed.contains(&term), "{} of {:?} in {:?}", term, words, indexed);
            }
        }
        let whole = terms(&words.concat()).pop().unwrap_or_default();
        prop_assert!(indexed.contains(&whole), "{} of {:?} in {:?}", whole, words, indexed);
        let asked = terms(&written(&words, other_style));
        prop_assert!(asked.contains(&whole), "{} of {:?} in {:?}", whole, words, asked);
    }

    #[test]
    fn near_duplicate_is_symmetric_and_bounded(first in any_text(), second in any_text()) {
        prop_assert_eq!(near_duplicate(&first, &second), near_duplicate(&second, &first));
        prop_assert_eq!(near_duplicate(&first, &first), !first.trim().is_empty());
        let share = jaccard(&word_set(&first), &word_set(&second));
        prop_assert!((0.0..=1.0).contains(&share));
    }

    #[test]
    fn a_changed_number_or_an_added_word_is_no_duplicate(
        words in prop::collection::vec("[a-z]{3,8}", 4..12),
        place in 0_usize..4,
        added in prop_oneof!["[0-9]{1,4}".boxed(), prop::sample::select(vec![
            "not", "no", "never", "none", "without", "cannot", "nicht", "kein", "keine", "nie", "ohne", "ne", "pas",
            "jamais", "sans", "nunca", "sin", "não", "sem", "non", "senza", "mai", "niet", "geen", "не", "нет", "без",
        ]).prop_map(str::to_owned).boxed()],
    ) {
        let mut changed = words.clone();
        changed.insert(place, added);
        prop_assert!(!near_duplicate(&words.join(" "), &changed.join(" ")));
    }

    #[test]
    fn swapped_words_are_no_duplicate(words in prop::collection::btree_set("[a-z]{4,8}", 4..12), place in 0_usize..3) {
        let words: Vec<String> = words.into_iter().collect();
        let mut swapped = words.clone();
        swapped.swap(place, place + 1);
        let are_neutral = ["that", "also", "dass", "sind", "auch", "eine", "anche"];
        prop_assume!(!words.iter().any(|word| are_neutral.contains(&word.as_str())));
        prop_assert!(!near_duplicate(&words.join(" "), &swapped.join(" ")));
    }
}

#[test]
fn ten_thousand_distinct_words_stem_alike_twice() {
    // More words than the memory of stems has room for, so that words displace one another.
    let mut seen = BTreeMap::new();
    let syllables = ["ba", "cer", "ding", "ely", "fion", "gous", "his", "ment", "ness", "tion"];
    let word = |number: usize| -> String {
        [number % 10, number / 10 % 10, number / 100 % 10, number / 1000 % 10].map(|digit| syllables[digit]).concat()
    };
    for number in 0..10_000 {
        seen.insert(word(number), terms(&word(number)));
    }
    for (word, stems) in seen.iter().rev() {
        assert_eq!(&terms(word), stems);
    }
}
