//! `eval`: measuring recall from outside.

use serde_json::{Value, json};

use crate::scratch::Scratch;

#[test]
fn a_harness_is_answered_line_by_line() {
    let documents = json!([
        {"id": "router", "text": "The wireless network is configured on channel 11"},
        {"id": "lunch", "text": "Lunch is at noon on Tuesdays"},
        {"id": "violin", "text": "Marta plays the violin"},
    ]);
    let query = |more: Value| {
        let mut query = json!({"op": "query", "ns": "a", "text": "who plays the violin", "k": 2});
        query.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        query
    };
    let requests = [
        query(json!({})),
        json!({"op": "reset", "ns": "a"}),
        json!({"op": "ingest", "ns": "a", "docs": documents}),
        query(json!({})),
        query(json!({"explain": true})),
        query(json!({"explain": true, "without_arms": ["vector"]})),
        query(json!({"fusion": "rrf"})),
        query(json!({"without_arms": ["smell"]})),
        query(json!({"fusion": "cold"})),
        json!({"op": "forget"}),
    ];
    let input: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let done = Scratch::new().run_with(&["eval", "stdio"], input.as_bytes());
    assert_eq!(done.code, Some(0), "{done:?}");
    let answers: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), requests.len(), "{done:?}");
    let complaint = |number: usize| answers[number]["error"].as_str().unwrap_or_default();
    assert!(complaint(0).contains("was not reset"), "{done:?}");
    assert_eq!(answers[1..3], [json!({"ok": true}), json!({"ok": true})]);
    for number in [3, 4, 5, 6] {
        assert_eq!(answers[number]["ids"][0], "violin", "{}", answers[number]);
    }
    assert_eq!(answers[3].get("hits"), None);
    let best = &answers[4]["hits"][0];
    assert_eq!(best["id"], "violin");
    assert!(best["relevance"].as_f64().unwrap() > 0.9, "{best}");
    assert!(best["arms"]["vector"].is_number() && best["arms"]["lexical"].is_number(), "{best}");
    let arms = answers[5]["hits"][0]["arms"].as_object().unwrap();
    assert_eq!(arms.keys().collect::<Vec<_>>(), ["lexical"]);
    assert!(complaint(7).contains("`smell` is not an arm"), "{done:?}");
    assert!(complaint(8).contains("`cold` is not a fusion"), "{done:?}");
    assert!(complaint(9).contains("line 10"), "{done:?}");
}
