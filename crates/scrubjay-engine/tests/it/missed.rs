//! Nothing that is there is missed: quoted phrases, one line of a long paste, emoji, misspelt words, times, inflections,
//! compounds, both Chinese scripts. Each once by words alone and once with the built-in model.

use std::time::Duration;

use scrubjay_engine::Ctx;
use scrubjay_test::TestApp;
use scrubjay_test::app::call;
use serde_json::{Value, json};

/// What a team says in a week of work; none of it answers what is asked below.
const CHATTER: [&str; 24] = [
    "The canteen closes at three in the afternoon on Fridays",
    "We agreed to review pull requests within one working day",
    "The invoice template moved to the shared drive last month",
    "Ada prefers short meetings and written agendas",
    "The onboarding guide needs new screenshots for the settings page",
    "Our release notes are written by whoever merges last",
    "The dashboard uses the corporate colours since the redesign",
    "Please keep the changelog in chronological order",
    "The search page loads slowly when the filter list is open",
    "Ben will present the quarterly numbers on Tuesday",
    "The login form validates the address before it is sent",
    "We decided to drop support for the old browser",
    "The export button creates a spreadsheet with all columns",
    "The background worker retries a failed upload three times",
    "Translations are reviewed by a native speaker before release",
    "The avatar is cropped to a square on the profile page",
    "A nightly job removes drafts that nobody touched for a year",
    "The payment form shows the currency of the customer",
    "Support answers tickets in the order in which they arrive",
    "The staging data is anonymised every Sunday",
    "The mobile menu closes when somebody taps outside",
    "Unit tests run before every merge, browser tests once a night",
    "The licence check happens when the program starts",
    "Large attachments are stored outside of the mail system",
];

struct Memory {
    app: TestApp,
    with_model: bool,
}

impl Memory {
    fn new(with_model: bool) -> Self {
        let app = if with_model {
            TestApp::with_own_models(&[])
        } else {
            TestApp::with_own_models(&[("embedding.provider", "none")])
        };
        Self { app, with_model }
    }

    fn here(&self) -> Ctx {
        self.app.in_project("apple")
    }

    fn chatter(&self) {
        for (number, text) in CHATTER.iter().enumerate() {
            self.say(&format!("chatter-{number}"), text, "2026-04-20T09:00:00Z");
        }
    }

    fn say(&self, session: &str, content: &str, time: &str) -> String {
        let message = json!({"session_id": session, "role": "user", "content": content, "time": time});
        let answer = call(&self.here(), "capture", json!({"messages": [message]})).unwrap();
        answer["results"][0]["id"].as_str().unwrap().to_owned()
    }

    fn recall(&self, query: &str) -> Value {
        if self.with_model {
            call(&self.here(), "jobs.run", json!({})).unwrap();
        }
        call(&self.here(), "recall", json!({"query": query})).unwrap()
    }

    fn found(&self, query: &str) -> Vec<String> {
        let answer = self.recall(query);
        answer["hits"].as_array().unwrap().iter().map(|hit| hit["id"].as_str().unwrap().to_owned()).collect()
    }
}

fn both_ways(test: impl Fn(&Memory)) {
    for with_model in [false, true] {
        let memory = Memory::new(with_model);
        memory.chatter();
        test(&memory);
    }
}

const NOON: &str = "2026-04-21T12:00:00Z";

#[test]
fn a_quoted_phrase_is_always_found() {
    both_ways(|memory| {
        let held = memory.say("a", "he said, and I quote: it is what it is, you know", NOON);
        let apart = memory.say("b", "you know it is not what is in the box, is it", NOON);
        let found = memory.found("\"it is what it is\"");
        assert_eq!(found.first(), Some(&held));
        assert!(!found.contains(&apart) || found[0] == held);
        let error = memory.say("c", "it broke again with ENOENT: no such file or directory, open 'a.json'", NOON);
        assert_eq!(memory.found("why do I get “no such file or directory” all the time?").first(), Some(&error));
    });
}

#[test]
fn an_identifier_is_always_found() {
    both_ways(|memory| {
        let held = memory.say("a", "I renamed it: resolveTenantFromHeader now throws when there is none", NOON);
        for query in
            ["resolveTenantFromHeader", "what about resolve_tenant_from_header?", "was resolveTenantFromHeader deleted"]
        {
            assert_eq!(memory.found(query).first(), Some(&held), "{query}");
        }
    });
}

#[test]
fn one_line_of_a_long_paste_is_found_and_shown() {
    both_ways(|memory| {
        // With a model, a shorter paste: each of its windows is embedded.
        let lines = if memory.with_model { 1_000 } else { 10_000 };
        let mut paste = String::new();
        for number in 0..lines {
            if number == lines * 9 / 10 {
                paste.push_str("WARN the turbine calibration drifted by four percent after the night shift\n");
            }
            paste.push_str(&format!(
                "INFO request {number} was served in {} ms by worker {}\n",
                number % 97,
                number % 7
            ));
        }
        let held = memory.say("a", &paste, NOON);
        for number in 0..30 {
            memory.say(
                &format!("t{number}"),
                &format!("the night shift of team {number} went home, the plan drifted"),
                NOON,
            );
        }
        let answer = memory.recall("how much did the turbine calibration drift?");
        let first = &answer["hits"][0];
        assert_eq!(first["id"], held.as_str(), "{answer}");
        assert!(first["snippet"].as_str().unwrap().contains("drifted by four percent"), "{first}");
    });
}

#[test]
fn words_that_are_far_apart_in_a_long_paste_are_no_hit() {
    let memory = Memory::new(false);
    memory.chatter();
    let filler = "a line that says nothing in particular about anything\n".repeat(3_000);
    memory.say("a", &format!("the turbine\n{filler}was calibrated\n{filler}by Grace\n"), NOON);
    let held = memory.say("b", "turbine calibrated by the night crew under Grace", NOON);
    assert_eq!(memory.found("who calibrated the turbine, Grace?").first(), Some(&held));
}

#[test]
fn an_emoji_is_found() {
    both_ways(|memory| {
        let held = memory.say("a", "shipped 🦀 at last", NOON);
        assert_eq!(memory.found("🦀").first(), Some(&held));
        let tone = memory.say("b", "this one gets a 👍🏽 from me", NOON);
        assert_eq!(memory.found("👍").first(), Some(&tone));
        assert!(memory.found("🐙").is_empty());
    });
}

#[test]
fn a_misspelt_rare_word_finds_its_neighbours() {
    both_ways(|memory| {
        let held = memory.say("a", "the Kubernetes cluster lives in Frankfurt and Ada has the credentials", NOON);
        let postgres = memory.say("b", "postgres listens on 5433, and the authentication is by certificate", NOON);
        for (query, expected) in [
            ("where is the kuberentes cluster", &held),
            ("kubrnets cluster", &held),
            ("where is Frankfrut", &held),
            ("postgers certificate", &postgres),
            ("how does autentication to postgres work", &postgres),
            ("authenticatoin", &postgres),
        ] {
            assert_eq!(memory.found(query).first(), Some(expected), "{query}");
        }
    });
}

#[test]
fn words_of_another_project_are_no_neighbours() {
    let memory = Memory::new(false);
    memory.chatter();
    let alone = memory.recall("where is the zanzibra office");
    let other = memory.app.in_project("pear");
    let message = json!({"session_id": "p", "role": "user", "content": "the zanzibar office opens in June"});
    call(&other, "capture", json!({"messages": [message]})).unwrap();
    assert_eq!(memory.recall("where is the zanzibra office"), alone);
    let there = call(&other, "recall", json!({"query": "zanzibra"})).unwrap();
    assert_eq!(there["hits"].as_array().unwrap().len(), 1, "{there}");
}

#[test]
fn a_time_alone_is_a_question() {
    both_ways(|memory| {
        // It is the first of May 2026.
        let old = memory.say("a", "the first prototype ran on a borrowed laptop", "2020-05-17T10:00:00Z");
        let yesterday = memory.say("b", "the load balancer was replaced after the outage", "2026-04-30T10:00:00Z");
        let later = memory.say("b", "the new load balancer passed its tests", "2026-04-30T11:00:00Z");
        memory.say("b", "ok thanks", "2026-04-30T11:30:00Z");
        let today = memory.say("c", "the certificate was renewed this morning", "2026-05-01T08:00:00Z");
        for query in
            ["what happened yesterday", "yesterday", "¿qué pasó ayer?", "was war gestern?", "qu'avons-nous fait hier ?"]
        {
            assert_eq!(memory.found(query), [later.clone(), yesterday.clone()], "{query}");
        }
        for query in ["what happened in May 2020", "en mayo de 2020", "May 2020"] {
            assert_eq!(memory.found(query), std::slice::from_ref(&old), "{query}");
        }
        assert_eq!(memory.found("today"), std::slice::from_ref(&today));
        assert!(memory.found("what happened in June 2019?").is_empty());
        let week = memory.found("what did we do last week?");
        assert!(week.contains(&yesterday) && week.contains(&later) && !week.contains(&old), "{week:?}");
        // Who names a matter, too, is asking about that.
        assert_eq!(memory.found("what happened to the certificate today?").first(), Some(&today));
    });
}

#[test]
fn what_matters_more_comes_first_in_a_time() {
    let memory = Memory::new(false);
    memory.say("a", "the build was green all day", "2026-04-30T18:00:00Z");
    let a_day = Duration::from_secs(86_400);
    memory.app.clock.set_back(a_day);
    let input = json!({"content": "The contract with the printer was cancelled", "importance": 5.0});
    let fact = call(&memory.here(), "remember", input).unwrap()["id"].as_str().unwrap().to_owned();
    memory.app.clock.advance(a_day);
    assert_eq!(memory.found("what happened yesterday?").first(), Some(&fact));
}

#[test]
fn inflected_words_find_one_another() {
    both_ways(|memory| {
        let cases = [
            ("configuramos el proxy inverso con certificados propios", "¿dónde está la configuración del proxy?"),
            ("las migraciones de la tabla de facturas tardan una hora", "¿cuánto tarda la migración de facturas?"),
            ("desplegamos los viernes por la tarde, nunca los lunes", "¿cuándo se puede desplegar?"),
            ("die Sicherungen werden nachts in den zweiten Standort kopiert", "wohin wird die Sicherung kopiert?"),
            ("les utilisateurs invités ne voient pas les factures archivées", "que voit un utilisateur invité ?"),
            ("le configurazioni del server sono salvate in una cartella nascosta", "dove è salvata la configurazione?"),
            ("as notificações urgentes vão para o telefone do plantão", "para onde vai uma notificação urgente?"),
        ];
        let said: Vec<String> =
            cases.iter().enumerate().map(|(number, (text, _))| memory.say(&format!("i{number}"), text, NOON)).collect();
        for ((_, query), expected) in cases.iter().zip(&said) {
            assert_eq!(memory.found(query).first(), Some(expected), "{query}");
        }
    });
}

#[test]
fn compounds_and_their_parts_find_one_another() {
    both_ways(|memory| {
        let whole = memory.say("a", "die Datenbankverbindung bricht nach zehn Minuten ab", NOON);
        let parts = memory.say("b", "der Schlüssel für den Server liegt im Tresor", NOON);
        assert_eq!(memory.found("was ist mit der Datenbank?").first(), Some(&whole));
        assert_eq!(memory.found("wo ist der Serverschlüssel?").first(), Some(&parts));
    });
}

#[test]
fn both_chinese_scripts_find_one_another() {
    both_ways(|memory| {
        let traditional = memory.say("a", "數據庫在法蘭克福的機房", NOON);
        let simplified = memory.say("b", "后端的验证码服务已经关闭", NOON);
        assert_eq!(memory.found("数据库在哪里").first(), Some(&traditional));
        assert_eq!(memory.found("後端的驗證碼").first(), Some(&simplified));
    });
}

#[test]
fn a_wifi_problem_finds_the_network_configuration() {
    let memory = Memory::new(true);
    memory.chatter();
    let held =
        memory.say("a", "The network configuration of the office router was fixed by choosing another channel", NOON);
    assert_eq!(memory.found("WiFi problem").first(), Some(&held));
    assert_eq!(memory.found("WiFi issue").first(), Some(&held));
}

#[test]
fn spanish_prompts_that_ask_for_nothing_get_nothing() {
    let memory = Memory::new(true);
    memory.chatter();
    for (number, text) in
        ["gracias", "sigue", "vale", "continúa", "perfecto, sigue con eso", "ok dale", "hazlo"].iter().enumerate()
    {
        memory.say(&format!("g{number}"), text, NOON);
        memory.say(&format!("g{number}"), &format!("{text}: hecho, el servicio de facturas está desplegado"), NOON);
    }
    call(&memory.here(), "jobs.run", json!({})).unwrap();
    for prompt in ["gracias", "sigue", "vale", "continúa", "perfecto, sigue", "sí, hazlo por favor", "ok dale 👍"] {
        let answer = call(&memory.here(), "inject", json!({"text": prompt})).unwrap();
        assert_eq!(answer["items"], json!([]), "{prompt}");
    }
}
