//! Recall by meaning, with the built-in embedder, in fresh processes.

use crate::scratch::Scratch;

const UNRELATED: [&str; 50] = [
    "Ada owns billing",
    "The invoice template lives in the docs folder",
    "Grace prefers tabs over spaces",
    "Lunch is at noon on Tuesdays",
    "The cat is called Pixel",
    "Releases are cut from the main branch",
    "Coffee beans are in the top drawer",
    "The parser handles nested comments",
    "Berlin office opens in March",
    "Use UTC in all timestamps",
    "The logo is dark green",
    "Sales report is due on Monday",
    "Tests run in parallel by default",
    "The garden needs watering twice a week",
    "Marta plays the violin",
    "Error messages begin in lower case",
    "The bicycle has a flat tyre",
    "Backups are kept for seven days",
    "Tom is allergic to peanuts",
    "The ledger closes at midnight",
    "Prefer composition to inheritance",
    "The train to Leeds leaves at nine",
    "Budget for travel was cut",
    "The oven needs ten minutes to heat",
    "Colour names follow the palette file",
    "The museum is closed on Mondays",
    "Keep functions short",
    "The contract ends in December",
    "Paint the fence before winter",
    "Rust edition is 2024",
    "The choir rehearses on Thursdays",
    "Invoices are numbered by year",
    "The dog had its vaccination",
    "Feature flags live in one file",
    "The book club reads Dickens",
    "Bread is baked on Saturdays",
    "The form has twelve fields",
    "Taxes are filed in April",
    "The roof was repaired in May",
    "Unit prices are stored in cents",
    "The lecture covers photosynthesis",
    "Mountain huts need a reservation",
    "The stapler is empty",
    "Customers pay within thirty days",
    "The recipe calls for two eggs",
    "The chess club meets upstairs",
    "Dates are written day first",
    "The lamp in the hall flickers",
    "Shoes go in the cupboard",
    "The marathon starts at the bridge",
];

#[test]
fn other_words_for_the_same_are_found_first() {
    let scratch = Scratch::new();
    let mut lines = String::new();
    for (number, text) in UNRELATED.iter().chain(&["The wireless network is configured on channel 11"]).enumerate() {
        let line = serde_json::json!({"session_id": format!("s{number}"), "role": "user", "content": text});
        lines.push_str(&format!("{line}\n"));
    }
    let done = scratch.run_with(&["capture", "--json"], lines.as_bytes());
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(scratch.run(&["jobs", "run"]).code, Some(0));
    let answer = scratch.json(&["recall", "WiFi problem"]);
    assert_eq!(answer["warnings"], serde_json::json!([]), "{answer}");
    assert_eq!(answer["hits"][0]["snippet"], "The wireless network is configured on channel 11", "{answer}");
    let nothing = scratch.json(&["recall", "quarterly orbital telescope calibration"]);
    assert_eq!(nothing["hits"], serde_json::json!([]), "{nothing}");
}
