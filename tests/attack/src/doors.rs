//! Every operation and tool × every token that is not the owner's × every place it
//! can stand in × everything that it could get hold of.

use serde_json::{Value, json};

use crate::Attack;
use crate::arena::{Arena, Daemon, Found};
use crate::http::post;
use crate::inputs::{Bait, inputs};

/// A word of the other project that nobody else may see.
const SECRET: &str = "kestrel-of-the-other-project";

struct Grant {
    name: &'static str,
    token: String,
    reads_only: bool,
    all_projects: bool,
}

/// Routes that are no operation, and so not in the document.
const OTHERS: [&str; 5] = ["/v1/messages", "/v1/memory-tool", "/v1/hook", "/v1/shutdown", "/mcp"];

pub(crate) fn attack(attack: &Attack, found: &mut Found) {
    let arena = Arena::new(&attack.program);
    let mut daemon = arena.serve();
    let baits = stock(&arena, &daemon);
    let grants = grants(&arena);
    let operations = operations(&daemon);
    found.check(operations.len() > 40, || format!("only {} operations are told", operations.len()));
    let mut before = contents(&daemon);
    found.check(before.global.len() > 3 && before.other.len() > 1, || "there is nothing to attack".to_owned());
    for grant in &grants {
        for (path, schema) in &operations {
            for place in ["app", "none", "other"] {
                // Another project is refused before anything is looked at.
                let baits = if attack.long || place != "other" { &baits[..] } else { &baits[..1] };
                for bait in baits {
                    let inputs = inputs(schema, bait);
                    let few = if attack.long { inputs.len() } else { 2 };
                    for input in inputs.into_iter().take(few) {
                        let answer = post(daemon.port, &grant.token, place, path, &input);
                        let told = || format!("{} at {path} from {place} with {input}: {answer:?}", grant.name);
                        found.check((200..500).contains(&answer.status), told);
                        let leaks = !grant.all_projects && answer.body.contains(SECRET);
                        found.check(!leaks, || format!("{} was told another project's: {}", grant.name, told()));
                    }
                }
            }
            let after = contents(&daemon);
            compare(grant, path, &before, &after, found);
            before = after;
        }
        tools(&daemon, grant, &baits, found);
        before = contents(&daemon);
    }
    found.check(daemon.lives(), || "the daemon was ended".to_owned());
}

// What holds for all projects, what the other project has, and what ours has.
struct Contents {
    global: Vec<String>,
    other: Vec<String>,
    own: Vec<String>,
    waiting: usize,
}

fn contents(daemon: &Daemon) -> Contents {
    // An export comes in pages.
    let (mut lines, mut asked) = (Vec::new(), json!({"all_projects": true}));
    loop {
        let page = post(daemon.port, &daemon.token, "none", "/v1/export", &asked).json();
        lines.extend(page["lines"].as_array().into_iter().flatten().filter_map(record));
        if page["next"].is_null() {
            break;
        }
        asked["cursor"] = page["next"].clone();
    }
    let of = |scope: &str| {
        let here = lines.iter().filter(|line| line["scope"].as_str().is_some_and(|found| found.starts_with(scope)));
        here.map(ToString::to_string).collect()
    };
    let asked = json!({"all_projects": true, "all": true, "limit": 1000});
    let listed = post(daemon.port, &daemon.token, "none", "/v1/confirmations.list", &asked).json();
    let states = listed["confirmations"].as_array().into_iter().flatten();
    let waiting = states.filter(|one| one["state"] == "waiting").count();
    Contents { global: of("global"), other: of("project/other"), own: of("project/app"), waiting }
}

// A line of an export without what looking at it changes.
fn record(line: &Value) -> Option<Value> {
    let mut line: Value = serde_json::from_str(line.as_str()?).ok()?;
    for looked in ["access_count", "last_accessed", "effective_confidence", "exported_at", "mention_count"] {
        line.as_object_mut()?.remove(looked);
    }
    Some(line)
}

fn compare(grant: &Grant, path: &str, before: &Contents, after: &Contents, found: &mut Found) {
    let changed = |what: &str, before: &[String], after: &[String]| {
        let new: Vec<&String> = after.iter().filter(|line| !before.contains(line)).collect();
        let gone: Vec<&String> = before.iter().filter(|line| !after.contains(line)).collect();
        format!("{} changed {what} by {path}: new {new:?}, gone {gone:?}", grant.name)
    };
    let (one, two) = (&before.global, &after.global);
    if grant.all_projects {
        // It may add what is no preference, and takes nothing away for good.
        let forged = two.iter().filter(|line| !one.contains(line)).any(|line| line.contains("\"preference\""));
        found.check(!forged, || changed("preferences", one, two));
    } else {
        found.check(one == two, || changed("what holds for all projects", one, two));
        found.check(before.other == after.other, || changed("another project", &before.other, &after.other));
    }
    if grant.reads_only {
        found.check(before.own == after.own, || changed("what it may only read", &before.own, &after.own));
    }
    found.check(after.waiting >= before.waiting, || format!("{} answered a confirmation by {path}", grant.name));
}

fn tools(daemon: &Daemon, grant: &Grant, baits: &[Bait], found: &mut Found) {
    let ask = |method: &str, params: Value| {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        post(daemon.port, &grant.token, "app", "/mcp", &message)
    };
    // All tools there are, whether this token is told of them or not.
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let listed = post(daemon.port, &daemon.token, "app", "/mcp", &message).json();
    let before = contents(daemon);
    for tool in listed["result"]["tools"].as_array().into_iter().flatten() {
        for bait in baits {
            for input in inputs(&tool["inputSchema"], bait) {
                let answer = ask("tools/call", json!({"name": tool["name"], "arguments": input}));
                let told = || format!("{} by tool {} with {input}: {answer:?}", grant.name, tool["name"]);
                found.check(answer.status > 0 && answer.status < 500, told);
                let leaks = !grant.all_projects && answer.body.contains(SECRET);
                found.check(!leaks, || format!("was told another project's: {}", told()));
            }
        }
    }
    for (method, params) in
        [("resources/list", json!({})), ("prompts/get", json!({"name": "recall", "arguments": {"query": SECRET}}))]
    {
        let answer = ask(method, params);
        // A prompt repeats what it was asked.
        let leaks = method == "resources/list" && !grant.all_projects && answer.body.contains(SECRET);
        found.check(answer.status < 500 && !leaks, || format!("{} by {method}: {answer:?}", grant.name));
    }
    compare(grant, "/mcp", &before, &contents(daemon), found);
}

fn operations(daemon: &Daemon) -> Vec<(String, Value)> {
    let (host, bearer) = (format!("localhost:{}", daemon.port), format!("Bearer {}", daemon.token));
    let headers = [("Host", host.as_str()), ("Authorization", bearer.as_str())];
    let document = crate::http::send(daemon.port, "GET", "/openapi.json", &headers, "").json();
    let paths = document["paths"].as_object().cloned().unwrap_or_default();
    let posts = paths.into_iter().filter_map(|(path, methods)| {
        let schema = methods.pointer("/post/requestBody/content/application~1json/schema")?;
        Some((path, resolved(schema, &document)))
    });
    let mut operations: Vec<(String, Value)> = posts.collect();
    for path in OTHERS.into_iter().filter(|path| operations.iter().all(|(known, _)| known != path)).collect::<Vec<_>>()
    {
        operations.push((path.to_owned(), json!({})));
    }
    operations
}

// A schema with everything that it refers to in it.
fn resolved(schema: &Value, document: &Value) -> Value {
    match schema {
        Value::Object(fields) => match fields.get("$ref").and_then(Value::as_str) {
            Some(reference) => {
                let target = document.pointer(reference.trim_start_matches('#'));
                target.map_or(Value::Null, |target| resolved(target, document))
            }
            None => fields.iter().map(|(name, value)| (name.clone(), resolved(value, document))).collect(),
        },
        Value::Array(values) => values.iter().map(|value| resolved(value, document)).collect(),
        other => other.clone(),
    }
}

fn stock(arena: &Arena, daemon: &Daemon) -> Vec<Bait> {
    let owner = |project: &str, path: &str, body: Value| {
        let answer = post(daemon.port, &daemon.token, project, path, &body);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()
    };
    let id = |answer: &Value, field: &str| answer[field].as_str().unwrap().to_owned();
    let fact = id(&owner("none", "/v1/remember", json!({"content": "Ada owns billing"})), "id");
    let changed = owner("none", "/v1/remember", json!({"content": "Brook owned shipping"}));
    let run = id(&owner("none", "/v1/forget", json!({"ids": [changed["id"]]})), "run");
    let asked = json!({"content": "Answers in British English", "type": "preference", "scope": "global"});
    let pending = id(&owner("app", "/v1/remember", asked), "pending");
    owner("app", "/v1/confirmations.answer", json!({"id": pending, "answer": "yes"}));
    let asked = json!({"content": "Prefers tabs", "type": "preference", "scope": "global"});
    let waiting = id(&owner("app", "/v1/remember", asked), "pending");
    let secret = id(&owner("other", "/v1/remember", json!({"content": SECRET})), "id");
    let own = id(&owner("app", "/v1/remember", json!({"content": "This project builds with cmake"})), "id");
    let promoted = json!({"id": own, "to": "global"});
    let lifted = id(&owner("app", "/v1/promote", promoted), "id");
    for (project, session) in [("none", "talk-for-all"), ("other", "talk-of-others"), ("app", "talk-of-ours")] {
        let said = json!({"session_id": session, "role": "user", "content": "Where is billing?"});
        owner(project, "/v1/messages", said);
    }
    let preference = arena.json(&["list", "--type", "preference", "--scope", "global"]);
    let preference = id(&preference["memories"][0], "id");
    let ids = [fact, preference, lifted, run, waiting, secret, own];
    let bait = |id: String| Bait { id, session: "talk-for-all".to_owned(), text: "intruder was here" };
    ids.into_iter().map(bait).collect()
}

fn grants(arena: &Arena) -> Vec<Grant> {
    let token = |words: &[&str]| {
        let mut all = vec!["token", "create"];
        all.extend(words);
        arena.json(&all)["token"].as_str().unwrap().to_owned()
    };
    let grant = |name, token, reads_only, all_projects| Grant { name, token, reads_only, all_projects };
    vec![
        grant("a token of one project", token(&["writes"]), false, false),
        grant("a token of one project that may look", token(&["reads", "--read"]), true, false),
        grant("a token of all projects", token(&["everywhere", "--all-projects"]), false, true),
    ]
}
