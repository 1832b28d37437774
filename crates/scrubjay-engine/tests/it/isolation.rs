//! Five projects in one store, a canary in every row: nothing that a project
//! does shows, counts or hints at another one's rows.
//!
//! Two questions are asked of the same random sequences. Does any answer contain
//! a foreign canary? And does a project get the same answers, letter by letter,
//! when the others' rows are not there at all? The second one also sees counts,
//! scores, orders and cursors.

use std::collections::BTreeMap;

use scrubjay_engine::{Ctx, EngineError};
use scrubjay_test::app::call;
use scrubjay_test::{SeededEntropy, TestApp, longer};
use serde_json::{Value, json};

const PROJECTS: [&str; 5] = ["apple", "birch", "cedar", "daisy", "elm"];
const STEPS: usize = 120;

/// One step of a project: what is done, with numbers that choose among what the
/// project has made so far.
#[derive(Debug, Clone)]
struct Step {
    project: usize,
    action: usize,
    choice: usize,
    other: usize,
}

#[test]
fn no_answer_contains_a_foreign_canary() {
    for seed in 0..4 * longer(20) as u64 {
        for app in [TestApp::on_sqlite(), TestApp::in_memory()] {
            let mut world = World::new(&app);
            for step in steps(seed) {
                let answer = world.act(&step, true);
                for (at, project) in PROJECTS.iter().enumerate() {
                    let leaked = at != step.project && answer.contains(&canary(project));
                    assert!(!leaked, "seed {seed}: {} saw {project}: {step:?}\n{answer}", PROJECTS[step.project]);
                }
            }
        }
    }
}

#[test]
fn answers_are_the_same_without_the_others() {
    for seed in 100..100 + 3 * longer(20) as u64 {
        let all = steps(seed);
        let together = TestApp::on_sqlite();
        let mut crowded = World::new(&together);
        let mut answers: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for step in &all {
            let answer = crowded.act(step, false);
            answers.entry(step.project).or_default().push(answer);
        }
        for (project, expected) in answers {
            let alone = TestApp::on_sqlite();
            let mut lonely = World::new(&alone);
            let own = all.iter().filter(|step| step.project == project);
            let found: Vec<String> = own.clone().map(|step| lonely.act(step, false)).collect();
            let (found, expected) = (without_ids(&found), without_ids(&expected));
            for ((found, expected), step) in found.iter().zip(&expected).zip(own) {
                assert_eq!(found, expected, "seed {seed}: {} answers differently alone: {step:?}", PROJECTS[project]);
            }
        }
    }
}

#[test]
fn a_foreign_id_answers_like_a_missing_one() {
    let app = TestApp::on_sqlite();
    let theirs = call(&app.in_project("birch"), "remember", json!({"content": "the birch is white"})).unwrap();
    let foreign = theirs["id"].as_str().unwrap().to_owned();
    let missing = "fact_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55".to_owned();
    let here = app.in_project("apple");
    let own = call(&here, "remember", json!({"content": "the apple is red"})).unwrap()["id"].clone();
    type Input = fn(&str, &Value) -> Value;
    let calls: [(&str, Input); 11] = [
        ("show", |id, _| json!({"id": id})),
        ("history", |id, _| json!({"id": id})),
        ("correct", |id, _| json!({"id": id, "content": "x y z"})),
        ("confirm", |id, _| json!({"id": id})),
        ("forget", |id, _| json!({"ids": [id]})),
        ("restore", |id, _| json!({"ids": [id]})),
        ("purge", |id, _| json!({"ids": [id], "yes": true})),
        ("edit", |id, _| json!({"id": id, "importance": 5})),
        ("undo", |id, _| json!({"target": id})),
        ("link", |id, own| json!({"from": own, "relation": "related", "to": id})),
        ("link", |id, own| json!({"from": id, "relation": "related", "to": own})),
    ];
    for (operation, input) in calls {
        let answer = |id: &String| match call(&here, operation, input(id, &own)) {
            Ok(value) => value.to_string().replace(id, "ID"),
            Err(error) => format!("{:?} {}", error.code(), error.to_string().replace(id, "ID")),
        };
        assert_eq!(answer(&foreign), answer(&missing), "{operation}");
    }
    let kept = call(&app.in_project("birch"), "show", json!({"id": foreign})).unwrap();
    assert_eq!((&kept["content"], &kept["version"]), (&json!("the birch is white"), &json!(1)));
}

#[test]
fn a_confined_caller_cannot_leave_its_project() {
    let app = TestApp::in_memory();
    call(&app.in_project("birch"), "remember", json!({"content": "the birch is white"})).unwrap();
    let confined = app.in_project("apple").confined_to("apple".parse().unwrap());
    let elsewhere = json!({"messages": [{"session_id": "s", "role": "user", "content": "hello", "project": "birch"}]});
    let answer = call(&confined, "capture", elsewhere).unwrap();
    assert!(answer["results"][0]["error"].as_str().unwrap().contains("confined"), "{answer}");
    for owner_only in ["doctor", "backup", "config.show", "jobs.run"] {
        let refused = call(&confined, owner_only, json!({}));
        assert!(matches!(refused, Err(EngineError::Refused { .. })), "{owner_only}");
    }
    let refused = call(&confined, "export", json!({"all_projects": true}));
    assert!(matches!(refused, Err(EngineError::Refused { .. })));
}

fn steps(seed: u64) -> Vec<Step> {
    let random = SeededEntropy::new(seed + 1);
    (0..STEPS)
        .map(|_| Step {
            project: random.below(PROJECTS.len()),
            action: random.below(ACTIONS.len()),
            choice: random.below(1000),
            other: random.below(1000),
        })
        .collect()
}

fn canary(project: &str) -> String {
    format!("canary{project}")
}

struct World {
    contexts: Vec<Ctx>,
    // What waits for a person, by project; it is never allowed here, because what
    // is allowed for all projects may be seen by all.
    pending: Vec<(usize, String)>,
    ids: Vec<Vec<String>>,
    foreign: Vec<String>,
    count: Vec<usize>,
}

type Action = fn(&mut World, &Step, bool) -> (&'static str, Value);

const ACTIONS: &[Action] = &[
    |world, step, _| {
        let (canary, number) = world.next(step);
        let messages: Vec<Value> = (0..1 + step.choice % 3)
            .map(|at| {
                json!({"session_id": format!("s{}", step.other % 4), "role": "user",
                       "content": format!("message {number} {at} about the release by @{canary} in src/{canary}.rs"),
                       "attributes": {"note": canary}})
            })
            .collect();
        ("capture", json!({"messages": messages}))
    },
    |world, step, _| {
        let (canary, number) = world.next(step);
        (
            "remember",
            json!({"content": format!("fact {number}: {canary} ships the release"), "tags": [canary, "shared"]}),
        )
    },
    |_, step, _| {
        let query = ["release", "ships facts", "message about"][step.choice % 3];
        ("recall", json!({"query": query, "min_score": 0.0, "limit": 20, "explain": true}))
    },
    |_, step, _| {
        let order = ["event_time", "importance", "-created_at", "access_count"][step.choice % 4];
        ("list", json!({"order_by": order, "limit": 1 + step.other % 7, "all": step.other.is_multiple_of(2)}))
    },
    |world, step, leak| ("show", json!({"id": world.pick(step, leak)})),
    |world, step, leak| ("history", json!({"id": world.pick(step, leak)})),
    |world, step, leak| ("forget", json!({"ids": [world.pick(step, leak)]})),
    |world, step, leak| ("restore", json!({"ids": [world.pick(step, leak)]})),
    |world, step, leak| ("confirm", json!({"id": world.pick(step, leak)})),
    |world, step, leak| {
        let (canary, number) = world.next(step);
        ("correct", json!({"id": world.pick(step, leak), "content": format!("correction {number} by {canary}")}))
    },
    |world, step, leak| ("edit", json!({"id": world.pick(step, leak), "importance": 1 + step.other % 5})),
    |world, step, leak| {
        let other = Step { choice: step.other, ..step.clone() };
        ("link", json!({"from": world.pick(step, leak), "relation": "related", "to": world.pick(&other, false)}))
    },
    |_, _, _| ("undo", json!({})),
    |world, step, leak| ("undo", json!({"target": world.pick(step, leak)})),
    |world, step, leak| ("purge", json!({"ids": [world.pick(step, leak)], "yes": step.other.is_multiple_of(3)})),
    |_, step, leak| {
        let whose = if leak { step.other % PROJECTS.len() } else { step.project };
        let name = canary(PROJECTS[whose]);
        // A foreign name may come back in the message that it is not known, so
        // it is asked for by a part of it.
        ("entities", json!({"name": name.strip_prefix("canary"), "limit": 5}))
    },
    |_, step, _| ("entities", json!({"limit": 1 + step.other % 5})),
    |_, step, _| ("entity", json!({"name": canary(PROJECTS[step.project])})),
    |_, _, _| ("sessions", json!({})),
    |_, step, _| ("session.end", json!({"session_id": format!("s{}", step.other % 4)})),
    |_, _, _| ("stats", json!({})),
    |_, _, _| ("jobs", json!({})),
    |_, step, _| {
        let session = (step.other % 3 > 0).then(|| format!("s{}", step.other % 4));
        ("inject", json!({"text": "who ships the release?", "session": session, "min_score": 0.1, "limit": 5}))
    },
    |_, step, _| {
        let turns = json!([{"role": "user", "content": "go on"}]);
        ("context", json!({"task": "ship the release", "conversation": turns, "budget": 100 + step.other}))
    },
    |_, step, _| {
        let task = step.other.is_multiple_of(2).then(|| format!("t{}", step.choice % 3));
        ("context", json!({"profile": "tiers", "task": "release", "task_id": task, "budget": 100 + step.choice}))
    },
    |_, _, _| ("receipts", json!({})),
    |_, _, _| ("tune", json!({})),
    |world, step, _| {
        let (canary, _) = world.next(step);
        ("task.begin", json!({"title": format!("work for {canary}"), "id": format!("t{}", step.choice % 3)}))
    },
    |world, step, _| {
        let (canary, number) = world.next(step);
        ("task.add", json!({"content": format!("note {number} of {canary}"), "task": format!("t{}", step.choice % 3)}))
    },
    |_, step, _| ("task.show", json!({"task": format!("t{}", step.choice % 3)})),
    |_, _, _| ("task.show", json!({"all": true})),
    |world, step, leak| {
        let promote = if step.other.is_multiple_of(2) { vec![world.pick(step, leak)] } else { Vec::new() };
        ("task.end", json!({"task": format!("t{}", step.choice % 3), "promote": promote}))
    },
    |world, step, leak| {
        let task = format!("t{}", step.choice % 3);
        ("promote", json!({"id": world.pick(step, leak), "to": "project", "task": task}))
    },
    |world, step, _| {
        let (canary, number) = world.next(step);
        let content = format!("preference {number} of {canary}");
        ("remember", json!({"content": content, "type": "preference", "scope": "global"}))
    },
    |_, _, _| ("confirmations.list", json!({"all": true})),
    |world, step, leak| ("confirmations.answer", json!({"id": world.pending(step, leak), "answer": "no"})),
    |_, _, _| ("export", json!({"format": "jsonl"})),
    |_, _, _| ("export", json!({"format": "markdown"})),
];

impl World {
    fn new(app: &TestApp) -> Self {
        Self {
            contexts: PROJECTS.iter().map(|project| app.in_project(project)).collect(),
            ids: vec![Vec::new(); PROJECTS.len()],
            foreign: Vec::new(),
            pending: Vec::new(),
            count: vec![0; PROJECTS.len()],
        }
    }

    fn next(&mut self, step: &Step) -> (String, usize) {
        self.count[step.project] += 1;
        (canary(PROJECTS[step.project]), self.count[step.project])
    }

    // An id that the project made; with `leak`, now and then one that another
    // project made.
    fn pick(&self, step: &Step, leak: bool) -> String {
        let own = &self.ids[step.project];
        let pool = if leak && step.other.is_multiple_of(3) { &self.foreign } else { own };
        match pool.len() {
            0 => "fact_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55".to_owned(),
            length => pool[step.choice % length].clone(),
        }
    }

    fn pending(&self, step: &Step, leak: bool) -> String {
        let own = |(project, _): &&(usize, String)| leak || *project == step.project;
        let known: Vec<&(usize, String)> = self.pending.iter().filter(own).collect();
        match known.len() {
            0 => "conf_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55".to_owned(),
            length => known[step.choice % length].1.clone(),
        }
    }

    fn act(&mut self, step: &Step, leak: bool) -> String {
        let (operation, input) = ACTIONS[step.action](self, step, leak);
        // Whoever owns the store sees every project; here each caller has its own.
        let own = PROJECTS[step.project].parse().unwrap();
        let caller = self.contexts[step.project].clone().confined_to(own);
        let answer = match call(&caller, operation, input) {
            Ok(answer) => {
                self.collect(step.project, &answer);
                answer.to_string()
            }
            Err(error) => format!("{:?} {error}", error.code()),
        };
        format!("{operation}: {answer}")
    }

    fn collect(&mut self, project: usize, answer: &Value) {
        self.pending.extend(answer["pending"].as_str().map(|id| (project, id.to_owned())));
        let results = answer["results"].as_array().into_iter().flatten().filter_map(|result| result["id"].as_str());
        for id in results.chain(answer["id"].as_str()) {
            let id = id.to_owned();
            if !self.ids[project].contains(&id) {
                self.ids[project].push(id.clone());
                self.foreign.push(id);
            }
        }
    }
}

// Ids are random; what matters is which ones are the same.
fn without_ids(answers: &[String]) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    let is_id = |text: &str| text.len() == 36 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    answers
        .iter()
        .map(|answer| without_nonces(answer))
        .map(|answer| {
            let mut out = String::new();
            let mut rest = answer.as_str();
            while let Some(at) =
                rest.char_indices().map(|(at, _)| at).find(|&at| rest.get(at..at + 36).is_some_and(is_id))
            {
                let id = rest[at..at + 36].to_owned();
                let number = seen.iter().position(|known| *known == id).unwrap_or_else(|| {
                    seen.push(id);
                    seen.len() - 1
                });
                out.push_str(&rest[..at]);
                out.push_str(&format!("<{number}>"));
                rest = &rest[at + 36..];
            }
            out + rest
        })
        .collect()
}

// Nonces are random too; that they are always as long is part of the promise.
fn without_nonces(answer: &str) -> String {
    let mut parts = answer.split("nonce=\\\"");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        assert!(part.as_bytes()[..18].iter().all(u8::is_ascii_digit), "{part}");
        out.push_str("nonce=");
        out.push_str(&part[18..]);
    }
    out
}
