//! Search while everything around it changes, and after its files were lost or
//! damaged.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use scrubjay_engine::Ctx;
use scrubjay_engine::embed::{finish, settle};
use scrubjay_engine::search::catch_up;
use scrubjay_index::Index;
use scrubjay_store::item::NewGeneration;
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

const PLANTED: &str = "the heron nests in the old oak beside the mill";

fn fill(ctx: &Ctx, from: usize, count: usize) {
    let messages: Vec<Value> = (from..from + count)
        .map(|number| json!({"session_id": "s", "role": "user", "content": format!("entry {number} of the ledger")}))
        .collect();
    call(ctx, "capture", json!({"messages": messages})).unwrap();
}

fn first(ctx: &Ctx) -> String {
    let answer = call(ctx, "recall", json!({"query": "where does the heron nest?"})).unwrap();
    answer["hits"][0]["snippet"].as_str().unwrap_or_default().to_owned()
}

fn write_files(ctx: &Ctx) {
    block_on(async {
        let store = ctx.store().await.unwrap();
        assert!(ctx.index().await.unwrap().bring_up_to_date(&*store, true).await.unwrap());
    });
}

fn files(app: &TestApp) -> Vec<PathBuf> {
    let entries = fs::read_dir(app.path().join("index/default")).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file() && !path.ends_with("lock"));
    files.sort();
    files
}

#[test]
fn files_are_written_before_a_question_would_have_to() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let standing = || {
        block_on(async {
            let written = catch_up(&here).await.unwrap();
            let files = here.index().await.unwrap().summary().unwrap().map_or(0, |summary| summary.through);
            let newest = here.store().await.unwrap().tail(None, 0, 0).await.unwrap().newest;
            (written, newest - files)
        })
    };
    fill(&here, 0, 100);
    assert_eq!(standing(), (false, 100), "a little is read with each question");
    fill(&here, 100, 700);
    assert_eq!(standing(), (true, 0));
    assert_eq!(standing(), (false, 0));
    // Files that cannot be used are made again here, too.
    fill(&here, 800, 1);
    for file in files(&app) {
        fs::write(file, "not an index").unwrap();
    }
    assert_eq!(standing(), (true, 0));
    // And those of another store, however little there is to write.
    let (other, folder) = (TestApp::on_sqlite(), |app: &TestApp| app.path().join("index/default"));
    fill(&other.in_project("pear"), 0, 5);
    write_files(&other.owner);
    for file in files(&app) {
        fs::remove_file(file).unwrap();
    }
    for file in files(&other) {
        fs::copy(&file, folder(&app).join(file.file_name().unwrap())).unwrap();
    }
    assert_eq!(standing(), (true, 0));
    assert_eq!(standing(), (false, 0));
}

#[test]
fn a_question_does_not_need_the_files_while_another_process_writes_them() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    fill(&here, 0, 100);
    write_files(&here);
    let elsewhere = Index::open(&app.path().join("index/default"));
    let writer = elsewhere.try_writer().unwrap().expect("nobody writes");
    // More than a question reads by itself if it can have it written, and more than a page.
    fill(&here, 100, 3000);
    call(&here, "remember", json!({"content": PLANTED})).unwrap();
    assert_eq!(first(&here), PLANTED);
    fill(&here, 3100, 10);
    assert_eq!(first(&here), PLANTED);
    let through = || block_on(async { here.index().await.unwrap().summary().unwrap().unwrap().through });
    let before = through();
    drop(writer);
    assert_eq!(first(&here), PLANTED);
    assert!(through() > before, "whoever can, writes");
}

#[test]
fn what_was_just_written_is_found_and_what_was_purged_is_not() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    fill(&here, 0, 700);
    let id = call(&here, "remember", json!({"content": PLANTED})).unwrap()["id"].clone();
    assert_eq!(first(&here), PLANTED);
    write_files(&here);
    assert_eq!(first(&here), PLANTED);
    call(&here, "edit", json!({"id": id, "content": "the osprey is gone"})).unwrap();
    assert_eq!(first(&here), "", "the old wording is not found any more");
    call(&here, "undo", json!({})).unwrap();
    assert_eq!(first(&here), PLANTED);
    call(&here, "purge", json!({"ids": [id], "yes": true})).unwrap();
    assert_eq!(first(&here), "");
}

/// What fulfils a condition is found behind any number of better ones that do not.
#[test]
fn a_condition_that_few_fulfil_is_looked_for_further_down() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let messages: Vec<Value> = (0..900)
        .map(|number| json!({"session_id": "s", "role": "user", "content": format!("heron nest {number}")}))
        .collect();
    call(&here, "capture", json!({"messages": messages})).unwrap();
    let planted = format!("{PLANTED}, and many other words about the weather stand beside that in the same long note");
    call(&here, "remember", json!({"content": planted, "importance": 5})).unwrap();
    let ask = |conditions: Value| {
        let question = json!({"query": "heron nest", "limit": 3, "min_score": 0.0, "where": conditions});
        let answer = call(&here, "recall", question).unwrap();
        let hits = answer["hits"].as_array().unwrap();
        hits.iter().map(|hit| hit["snippet"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(!ask(json!({})).contains(&planted), "there are better ones");
    assert_eq!(ask(json!({"importance": {"$gte": 5}})), [planted]);
}

/// The best hits tell what else belongs to the question, and nothing that the question did not find comes in by that.
#[test]
fn what_the_best_hits_are_about_counts() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    fill(&here, 0, 30);
    let tell = |content: &str| call(&here, "remember", json!({"content": content})).unwrap();
    // Long enough to show what they are about.
    let work = "On the kayak trip we sanded the hull, mixed epoxy and laid on fibreglass. ".repeat(20);
    tell(&work);
    tell(&format!("{work}It held."));
    tell("On some trip the hull of the boat got fresh epoxy and a coat of fibreglass");
    tell("On some trip the train to the coast was late and it rained a lot there");
    tell("A hull of epoxy and fibreglass");
    call(&here, "jobs.run", json!({})).unwrap();
    let order = |without: &[&str]| -> Vec<String> {
        let asked = json!({"query": "kayak trip", "min_score": 0.0, "limit": 100, "without_arms": without});
        let answer = call(&here, "recall", asked).unwrap();
        answer["hits"].as_array().unwrap().iter().map(|hit| hit["snippet"].as_str().unwrap().to_owned()).collect()
    };
    let place = |order: &[String], part: &str| order.iter().position(|text| text.contains(part)).expect(part);
    let (plain, fed_back) = (order(&["feedback", "vector"]), order(&["vector"]));
    assert!(place(&plain, "train") < place(&plain, "boat"), "{plain:?}");
    assert!(place(&fed_back, "boat") < place(&fed_back, "train"), "{fed_back:?}");
    for without in [&["vector"][..], &[]] {
        let (mut plain, mut fed_back) = (order(&[without, &["feedback"]].concat()), order(without));
        plain.sort();
        fed_back.sort();
        assert_eq!(plain, fed_back, "the same hits");
    }
}

#[test]
fn lost_and_damaged_files_are_made_again() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    fill(&here, 0, 600);
    call(&here, "remember", json!({"content": PLANTED})).unwrap();
    write_files(&here);
    for path in files(&app) {
        let intact = fs::read(&path).unwrap();
        for place in [0, intact.len() / 3, intact.len() / 2, intact.len() - 1] {
            let mut bytes = intact.clone();
            bytes[place] ^= 0x40;
            fs::write(&path, &bytes).unwrap();
            // Another process, which has read nothing yet.
            let fresh = app.again();
            let there = fresh.at(here.view().clone()).unwrap();
            assert_eq!(first(&there), PLANTED, "{} at {place}", path.display());
            write_files(&there);
            if !path.exists() {
                break;
            }
            fs::write(&path, &intact).unwrap();
            write_files(&there);
        }
    }
    for path in files(&app) {
        fs::remove_file(path).unwrap();
    }
    let fresh = app.again();
    assert_eq!(first(&fresh.at(here.view().clone()).unwrap()), PLANTED);
}

#[test]
fn search_answers_while_vectors_and_files_are_made_anew() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    fill(&here, 0, 200);
    call(&here, "remember", json!({"content": PLANTED})).unwrap();
    call(&app.owner, "reembed", json!({})).unwrap();
    let done = AtomicBool::new(false);
    let asked = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let answer = call(&here, "recall", json!({"query": "where does the heron nest?"})).unwrap();
                assert_eq!(answer["hits"][0]["snippet"], PLANTED, "{answer}");
                assert_eq!(answer["warnings"], json!([]), "no arm is ever missing");
                asked.fetch_add(1, Ordering::Relaxed);
            }
        });
        let elsewhere = app.again().at(here.view().clone()).unwrap();
        // Three rounds, and more on a busy machine, until enough was asked meanwhile.
        for round in 0..30 {
            if round >= 3 && asked.load(Ordering::Relaxed) > 3 {
                break;
            }
            fill(&elsewhere, 1000 + round * 100, 100);
            call(&app.owner, "reembed", json!({"force": true})).unwrap();
            write_files(&elsewhere);
        }
        done.store(true, Ordering::Relaxed);
        reader.join().unwrap();
    });
    let asked = asked.into_inner();
    assert!(asked > 3, "{asked} questions");
}

#[test]
fn reembedding_outlasts_the_end_of_another_run() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    fill(&here, 0, 40);
    call(&here, "remember", json!({"content": PLANTED})).unwrap();
    call(&app.owner, "reembed", json!({})).unwrap();
    block_on(async {
        let ctx = &app.owner;
        let (store, embedder) = (ctx.store().await.unwrap(), ctx.embedder().await.unwrap().unwrap());
        let serving = store.generations().await.unwrap().remove(0);
        let spec = NewGeneration { scheme: format!("{}#1", serving.spec.scheme), ..serving.spec.clone() };
        let next = store.begin_generation(spec, ctx.now()).await.unwrap();
        settle(ctx, &*embedder, next.id).await.unwrap();
        assert!(ctx.index().await.unwrap().bring_up_to_date(&*store, false).await.unwrap());
        // Another process comes to the end of what it did for the vectors that
        // serve, after some of the next ones are in the files.
        finish(ctx, &serving).await.unwrap();
        finish(ctx, &next).await.unwrap();
    });
    let question = json!({"query": "where does the heron nest?", "explain": true});
    let answer = call(&here, "recall", question).unwrap();
    assert_eq!(answer["hits"][0]["snippet"], PLANTED);
    assert!(answer["hits"][0]["explanation"]["arms"]["vector"].is_object(), "{answer}");
    // What is complete and current is not made again.
    assert_eq!(call(&app.owner, "reembed", json!({})).unwrap()["done"], 0);
}

#[test]
fn what_has_no_vector_yet_is_found_by_its_words() {
    let app = TestApp::with_own_models(&[]);
    let here = app.in_project("apple");
    let known = [
        "the ledger is exported on the last day of each month",
        "our mail server rejects attachments above ten megabytes",
        "the intern repaired the badge reader at the back door",
        "nightly builds are kept for a fortnight and then removed",
        "the meeting room on the second floor seats twelve people",
        "translations come from the agency every other week",
    ];
    let turn = |text: &&str| json!({"session_id": "talk", "role": "user", "content": text});
    call(&here, "capture", json!({"messages": known.iter().map(turn).collect::<Vec<_>>()})).unwrap();
    call(&here, "reembed", json!({})).unwrap();
    let new = "the espresso machine is descaled every second Tuesday by Ivo";
    let messages = json!({"messages": [{"session_id": "new", "role": "user", "content": new}]});
    call(&here, "capture", messages).unwrap();
    assert_eq!(call(&here, "sync.status", json!({})).unwrap()["waiting_for_vectors"], 1);
    for query in ["when is the espresso machine descaled", "who does the descaling of the espresso machine?"] {
        let answer = call(&here, "recall", json!({"query": query})).unwrap();
        assert_eq!(answer["hits"][0]["snippet"], new, "{query}: {answer}");
    }
    // What it shares no word with is not asked for by that.
    let answer = call(&here, "recall", json!({"query": "which branch do we release from"})).unwrap();
    assert_ne!(answer["hits"][0]["snippet"], new, "{answer}");
}

#[test]
fn what_stands_in_no_conversation_keeps_the_order_of_words_and_meaning() {
    let app = TestApp::with_own_models(&[("query.rerank", "off")]);
    let here = app.in_project("apple");
    let functions = [
        "def read_rows(path):\n    \"\"\"Read the rows of a csv file into a list.\"\"\"\n    return list(csv.reader(open(path)))",
        "def write_rows(path, rows):\n    \"\"\"Write rows to a csv file.\"\"\"\n    csv.writer(open(path, 'w')).writerows(rows)",
        "def count_rows(path):\n    \"\"\"How many lines a file has.\"\"\"\n    return sum(1 for _ in open(path))",
        "def parse_date(text):\n    \"\"\"Turn a string into a date.\"\"\"\n    return datetime.strptime(text, '%Y-%m-%d')",
        "def today():\n    return date.today().isoformat()",
        "def flatten(lists):\n    \"\"\"One list of many.\"\"\"\n    return [item for one in lists for item in one]",
        "def unique(items):\n    \"\"\"Remove duplicates from a list and keep its order.\"\"\"\n    return list(dict.fromkeys(items))",
        "def load_json(path):\n    \"\"\"Parse a json file.\"\"\"\n    with open(path) as file:\n        return json.load(file)",
        "def dump_json(path, value):\n    with open(path, 'w') as file:\n        json.dump(value, file)",
        "def is_weekend(day):\n    return day.weekday() > 4",
        "def mean(values):\n    \"\"\"The average of a list of numbers.\"\"\"\n    return sum(values) / len(values)",
        "def median(values):\n    return sorted(values)[len(values) // 2]",
    ];
    let message = |(number, text): (usize, &&str)| {
        // Each was stored at another time; age says nothing about code.
        let time = format!("2025-01-{:02}T10:00:00Z", number + 1);
        json!({"session_id": format!("{number}.py"), "role": "code", "content": text, "time": time})
    };
    let messages: Vec<Value> = functions.iter().enumerate().map(message).collect();
    call(&here, "capture", json!({"messages": messages})).unwrap();
    let talk = ["shall we keep the csv export?", "yes, a list of rows per file is what accounting reads"];
    let turn = |text: &&str| json!({"session_id": "talk", "role": "user", "content": text});
    call(&here, "capture", json!({"messages": talk.iter().map(turn).collect::<Vec<_>>()})).unwrap();
    call(&here, "reembed", json!({})).unwrap();
    for query in [
        "python read csv file to list",
        "string to date python",
        "remove duplicates from list",
        "get json from file",
        "average of list of numbers",
        "python how many lines in a file",
    ] {
        let order = |fusion: &str| -> Vec<String> {
            let question = json!({"query": query, "fusion": fusion, "min_score": 0.0, "limit": 5});
            let hits = call(&here, "recall", question).unwrap();
            let hits = hits["hits"].as_array().unwrap().iter();
            let snippets = hits.map(|hit| hit["snippet"].as_str().unwrap().lines().next().unwrap().to_owned());
            snippets.filter(|snippet| snippet.starts_with("def")).collect()
        };
        let (learned, convex) = (order("learned"), order("convex"));
        let both = learned.len().min(convex.len());
        assert!(both >= 3, "{learned:?}");
        assert_eq!(learned[..both], convex[..both], "{query}");
    }
}

#[test]
fn a_whole_document_is_neither_repeated_nor_replaced_by_another() {
    let beginning =
        ["I moved to Lisbon and rent a flat near the river.", "I moved to Porto and rent a flat near the river."];
    let more = "The kitchen has a gas stove, the windows look over the roofs, and on Sundays there is a market below. ";
    // Shorter ones are taken for statements, of which one repeats or replaces the other.
    for (rest, is_told) in [(more.repeat(5), true), (more.repeat(9), false)] {
        let app = TestApp::with_own_models(&[]);
        let here = app.in_project("apple");
        for (number, text) in beginning.iter().enumerate() {
            let (session, time) = (format!("diary-{number}"), format!("2025-0{}-10T10:00:00Z", number + 1));
            let message =
                json!({"session_id": session, "role": "user", "content": format!("{text} {rest}"), "time": time});
            call(&here, "capture", json!({"messages": [message]})).unwrap();
        }
        let others = [
            "The river is high in spring.",
            "My flat mate cooks well.",
            "Rent is due on Monday.",
            "A gas stove is hot.",
        ];
        for (number, text) in others.iter().enumerate() {
            let message = json!({"session_id": format!("other-{number}"), "role": "user", "content": text});
            call(&here, "capture", json!({"messages": [message]})).unwrap();
        }
        call(&here, "reembed", json!({})).unwrap();
        let question = json!({"query": "where did I rent a flat near the river?", "min_score": 0.0, "explain": true});
        let answer = call(&here, "recall", question).unwrap();
        let hits = answer["hits"].as_array().unwrap();
        let moved = hits.iter().filter(|hit| hit["session_id"].as_str().unwrap().starts_with("diary"));
        let factors = moved.map(|hit| hit["explanation"]["weights"].to_string());
        let told = factors.filter(|factors| factors.contains("\"newer\"") || factors.contains("\"repeats\"")).count();
        assert_eq!(told > 0, is_told, "{answer}");
    }
}
