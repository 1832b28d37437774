//! Export, import, backup and restore.

use scrubjay_core::entity::{Entity, EntityType};
use scrubjay_core::error::ErrorCode;
use scrubjay_core::id::EntityId;
use scrubjay_core::scope::View;
use scrubjay_engine::Ctx;
use scrubjay_store::query::Session;
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

fn export(ctx: &Ctx, input: Value) -> Vec<String> {
    let mut lines = Vec::new();
    let mut input = input;
    loop {
        let page = call(ctx, "export", input.clone()).unwrap();
        lines.extend(page["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()));
        match page["next"].as_str() {
            Some(next) => input["cursor"] = json!(next),
            None => return lines,
        }
    }
}

fn filled(app: &TestApp) -> Ctx {
    let here = app.in_project("apple");
    let messages: Vec<Value> = (0..1200)
        .map(|number| {
            json!({"session_id": format!("s{}", number % 3), "role": "user", "id": format!("m{number}"),
                             "content": format!("message {number} for @ada about src/part{number}.rs")})
        })
        .collect();
    call(&here, "capture", json!({"messages": messages})).unwrap();
    let old = call(
        &here,
        "remember",
        json!({"content": "The port is 80", "tags": ["net"], "attributes": {"a": [1, {"b": null}]}}),
    )
    .unwrap();
    call(&here, "correct", json!({"id": old["id"], "content": "The port is 81"})).unwrap();
    call(
        &here,
        "remember",
        json!({"content": "Tea over coffee", "scope": "global", "type": "preference", "yes": true}),
    )
    .unwrap();
    here
}

#[test]
fn an_export_comes_back_whole_and_only_once() {
    let from = TestApp::on_sqlite();
    let there = filled(&from);
    call(&there, "consolidate", json!({"session": "s0"})).unwrap();
    block_on(async { there.store().await.unwrap().end_session(there.view(), "s1", there.now()).await.unwrap() });
    let lines = export(&there, json!({}));
    let ends = lines.iter().filter(|line| line.contains("\"ended_at\":\"2"));
    let drawn = lines.iter().filter(|line| line.contains("\"consolidated_through\":\"ep_"));
    assert_eq!((ends.count(), drawn.count()), (1, 1), "a session is over, and facts were drawn from one");
    let to = TestApp::on_sqlite();
    let here = to.in_project("other");
    let import = |lines: &[String]| call(&here, "import", json!({"lines": lines, "first_line": 1})).unwrap();
    let answer = import(&lines);
    assert_eq!((&answer["memories"], &answer["skipped"]), (&json!(1203), &json!([])), "{answer}");
    assert_eq!(answer["links"], 1);
    let again = import(&lines);
    assert_eq!((&again["memories"], &again["duplicates"], &again["links"]), (&json!(0), &json!(1203), &json!(0)));
    // Apart from the project's name, counts of use and versions, the same export.
    let normal = |lines: Vec<String>| {
        let mut lines: Vec<String> = lines
            .into_iter()
            .filter(|line| !line.contains("\"record\":\"entity\""))
            .map(|line| {
                let mut value: Value = serde_json::from_str(&line).unwrap();
                if let Some(fields) = value.as_object_mut() {
                    fields.remove("version");
                }
                value.to_string().replace("project/other", "project/apple")
            })
            .collect();
        lines.sort();
        lines
    };
    assert_eq!(normal(export(&here, json!({}))), normal(lines));
}

// What comes and goes between two pages moves nothing else from one page to another.
#[test]
fn an_export_misses_and_repeats_nothing_while_others_write() {
    let app = TestApp::in_memory();
    let store = block_on(app.owner.store()).unwrap();
    let put = |project: &str, number: usize, at: &str| {
        let at = at.parse().unwrap();
        let scope = format!("project/{project}").parse().unwrap();
        let session = Session {
            session_id: format!("{project}-{number:04}"),
            scope,
            first_seen: at,
            last_seen: at,
            ended_at: None,
            messages: 1,
            consolidated_through: None,
            completed_at: None,
        };
        block_on(store.put_session(session)).unwrap();
    };
    let name = |project: &str, number: usize| {
        let entity = Entity {
            id: EntityId::from(app.owner.uuid().unwrap()),
            scope: format!("project/{project}").parse().unwrap(),
            name: format!("{project} thing {number:04}"),
            entity_type: EntityType::Project,
            aliases: Vec::new(),
            summary: None,
            mention_count: 0,
            protected: false,
        };
        block_on(store.upsert_entity(entity)).unwrap().id
    };
    let mut things = Vec::new();
    for project in ["birch", "cedar"] {
        for number in (0..1300).step_by(2) {
            put(project, number, "2026-04-01T10:00:00Z");
            things.push(name(project, number));
        }
    }
    let (mut lines, mut cursor, mut page) = (Vec::new(), Value::Null, 0);
    loop {
        let output = call(&app.owner, "export", json!({"all_projects": true, "cursor": cursor})).unwrap();
        lines.extend(output["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()));
        page += 1;
        // A project that comes before all others, sessions before and behind the page, one that was handed out and is
        // spoken in again, and things that come and go.
        put("apple", page, "2026-05-01T10:00:00Z");
        for project in ["birch", "cedar"] {
            put(project, 1 + 2 * page, "2026-05-01T10:00:00Z");
            put(project, 1301 + 2 * page, "2026-05-01T10:00:00Z");
            put(project, 20 * page, "2026-05-01T11:00:00Z");
            name(project, 1 + 2 * page);
        }
        let gone = View::project("birch".parse().unwrap());
        assert!(block_on(store.forget_entity(&gone, things[page])).unwrap());
        match &output["next"] {
            Value::Null => break,
            next => cursor = next.clone(),
        }
    }
    assert!(page > 6, "{page} pages");
    let count = |text: &str| lines.iter().filter(|line| line.contains(text)).count();
    for project in ["birch", "cedar"] {
        for number in (0..1300).step_by(2) {
            assert_eq!(count(&format!("\"session_id\":\"{project}-{number:04}\"")), 1, "{project} {number}");
            let forgotten = project == "birch" && number / 2 <= page && number > 0;
            let told = count(&format!("\"name\":\"{project} thing {number:04}\""));
            assert!(told == 1 || (forgotten && told == 0), "{project} thing {number}: {told}");
        }
    }
}

#[test]
fn bad_lines_are_passed_over_with_their_reason() {
    let app = TestApp::in_memory();
    let here = app.in_project("apple");
    let lines = [
        "nonsense",
        "{}",
        "[]",
        "{\"record\":\"memory\"}",
        "{\"record\":\"spaceship\"}",
        "{\"record\":\"scrubjay-export\",\"version\":99}",
        "",
        "{\"type\":\"entity\",\"name\":\"Ada\",\"entityType\":\"person\",\"observations\":[\"likes tea\"]}",
    ];
    let answer = call(&here, "import", json!({"lines": lines, "first_line": 11})).unwrap();
    let skipped: Vec<u64> =
        answer["skipped"].as_array().unwrap().iter().map(|line| line["line"].as_u64().unwrap()).collect();
    assert_eq!(skipped, [11, 12, 13, 14, 15, 16]);
    assert_eq!(answer["memories"], 1);
}

#[test]
fn a_knowledge_graph_becomes_facts_and_entities() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let lines = [
        json!({"type": "entity", "name": "Ada Lovelace", "entityType": "person", "observations": ["wrote the first program", "likes tea"]}).to_string(),
        json!({"type": "entity", "name": "Analytical Engine", "entityType": "machine", "observations": []}).to_string(),
        json!({"type": "relation", "from": "Ada Lovelace", "to": "Analytical Engine", "relationType": "worked_on"}).to_string(),
    ];
    let import = || call(&here, "import", json!({"lines": lines})).unwrap();
    assert_eq!((&import()["memories"], &import()["duplicates"]), (&json!(3), &json!(3)));
    let about = call(&here, "entity", json!({"name": "ada lovelace"})).unwrap();
    assert_eq!((&about["entity"]["type"], &about["entity"]["mention_count"]), (&json!("person"), &json!(3)));
    let contents: Vec<&str> =
        about["memories"].as_array().unwrap().iter().map(|memory| memory["content"].as_str().unwrap()).collect();
    assert!(contents.contains(&"Ada Lovelace worked on Analytical Engine"), "{contents:?}");
}

#[test]
fn a_backup_restores_and_the_former_state_is_kept() {
    let app = TestApp::on_sqlite();
    let here = filled(&app);
    let made = call(&app.owner, "backup", json!({})).unwrap();
    assert_eq!(made["created"]["memories"], 1203);
    call(&here, "remember", json!({"content": "said after the backup"})).unwrap();
    assert_eq!(call(&app.owner, "restore-backup", json!({})).unwrap_err().code(), ErrorCode::Refused);
    let restored = call(&app.owner, "restore-backup", json!({"yes": true})).unwrap();
    assert!(restored["former"].is_string(), "{restored}");
    let hits = call(&here, "recall", json!({"query": "said after the backup"})).unwrap();
    assert_eq!(hits["hits"], json!([]));
    let former = json!({"path": restored["former"], "yes": true});
    call(&app.owner, "restore-backup", former).unwrap();
    let hits = call(&here, "recall", json!({"query": "said after the backup"})).unwrap();
    assert_eq!(hits["hits"].as_array().unwrap().len(), 1);
    let health = call(&app.owner, "doctor", json!({})).unwrap();
    assert_eq!(health["status"], "good", "{health}");
}

#[test]
fn a_damaged_store_is_loud_and_comes_back_from_its_backup() {
    let app = TestApp::on_sqlite();
    let here = filled(&app);
    call(&app.owner, "backup", json!({})).unwrap();
    let store = app.path().join("default.sqlite");
    // A second engine on the same folder, so that nothing is cached.
    drop(here);
    let second = || {
        let parts = scrubjay_engine::ctx::Parts::new(
            app.owner.home().clone(),
            app.owner.config().clone(),
            scrubjay_core::scope::View::global(),
        );
        scrubjay_engine::Ctx::new(parts)
    };
    std::fs::write(&store, b"this is no database any more, just some bytes").unwrap();
    for suffix in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(app.path().join(format!("default.sqlite{suffix}")));
    }
    assert_eq!(call(&second(), "stats", json!({})).unwrap_err().code(), ErrorCode::StoreDamaged);
    assert_eq!(call(&second(), "doctor", json!({})).unwrap()["status"], "damaged");
    let restored = call(&second(), "restore-backup", json!({"yes": true})).unwrap();
    let kept = std::path::PathBuf::from(restored["former"].as_str().unwrap()).join("default.sqlite");
    assert!(std::fs::read(kept).unwrap().starts_with(b"this is no database"), "the damaged bytes are kept");
    let health = call(&second(), "doctor", json!({})).unwrap();
    assert_eq!(health["status"], "good", "{health}");
}

#[test]
fn old_backups_go_and_foreign_files_stay() {
    let app = TestApp::with(None, &[("backup.keep", "2")]);
    call(&app.owner, "remember", json!({"content": "one thing"})).unwrap();
    let foreign = app.path().join("backups");
    std::fs::create_dir_all(&foreign).unwrap();
    std::fs::write(foreign.join("notes.txt"), "mine").unwrap();
    for _ in 0..4 {
        app.clock.advance(std::time::Duration::from_secs(60));
        call(&app.owner, "backup", json!({})).unwrap();
    }
    let listed = call(&app.owner, "backup", json!({"list": true})).unwrap();
    assert_eq!(listed["backups"].as_array().unwrap().len(), 2);
    assert!(foreign.join("notes.txt").exists());
}

#[test]
fn an_import_cannot_join_another_projects_run() {
    let app = TestApp::on_sqlite();
    let (apple, pear) = (app.in_project("apple"), app.in_project("pear"));
    let line = |name: &str| {
        json!({"type": "entity", "name": name, "entityType": "person", "observations": ["likes tea"]}).to_string()
    };
    let import = |ctx: &Ctx, name: &str, run: &Value| {
        let mut input = json!({"lines": [line(name)]});
        if run.is_string() {
            input["run"] = run.clone();
        }
        call(ctx, "import", input).unwrap()["run"].clone()
    };
    let victim = import(&apple, "Ada", &Value::Null);
    // Known or not, a run of another project answers alike: with a run of its own.
    let unknown = json!("run_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55");
    for foreign in [&victim, &unknown] {
        let own = import(&pear, &format!("Grace {foreign}"), foreign);
        assert_ne!(own, *foreign);
        // The next part goes on where this one ended.
        assert_eq!(import(&pear, &format!("Tim {foreign}"), &own), own);
    }
    let remembered = call(&pear, "remember", json!({"content": "not an import"})).unwrap();
    let history = call(&pear, "history", json!({"id": remembered["id"]})).unwrap();
    let run = history["changes"][0]["run"].clone();
    assert!(run.is_string(), "{history}");
    assert_ne!(import(&pear, "Joan", &run), run, "a run of another kind is not joined either");
    let undone = call(&apple, "undo", json!({"target": victim})).unwrap();
    assert_eq!(undone["undone"], victim, "{undone}");
}

#[test]
fn a_purge_killed_before_the_index_was_purged_is_finished_later() {
    let app = TestApp::on_sqlite();
    let here = filled(&app);
    call(&here, "recall", json!({"query": "message 7"})).unwrap();
    let counts = |ctx: &Ctx| {
        let summary = block_on(async { ctx.index().await.unwrap().summary().unwrap().unwrap() });
        let sum = |count: fn(&scrubjay_index::ScopeSummary) -> u64| summary.scopes.iter().map(count).sum::<u64>();
        (sum(|scope| scope.documents), sum(|scope| scope.deleted))
    };
    let before = counts(&here);
    assert!(before.0 > 1000, "{before:?}");
    // What the operation does first, and no more.
    let found = call(&here, "list", json!({"limit": 1, "where": {"kind": "episode"}})).unwrap();
    let id = found["memories"][0]["id"].as_str().unwrap().parse().unwrap();
    block_on(async {
        let stamp = here.stamp("purge").unwrap();
        here.store().await.unwrap().purge(here.view(), stamp, vec![id], false).await.unwrap();
    });
    let again = app.again();
    assert_eq!(counts(&again), before, "the files still have it");
    block_on(async { scrubjay_engine::search::catch_up(&again).await.unwrap() });
    // 1,200 messages and 3 facts, which had not been written to the files yet, less the message that was purged.
    assert_eq!(counts(&again), (1202, 0), "they were made anew");
    // Once is enough: nothing is made again.
    let written = || std::fs::metadata(app.path().join("index/default/manifest")).unwrap().modified().unwrap();
    let then = written();
    block_on(async { scrubjay_engine::search::catch_up(&app.again()).await.unwrap() });
    assert_eq!(written(), then);
}
