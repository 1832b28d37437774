//! What is learned where nobody works: people speak of themselves, and most of what they say is of the day.

use scrubjay_test::TestApp;
use scrubjay_test::app::call;
use serde_json::json;

use super::talks::say;

fn learned(turns: &[(&str, &str)]) -> Vec<String> {
    let app = TestApp::on_sqlite();
    let here = app.in_project("home");
    say(&here, "s", turns);
    call(&here, "consolidate", json!({})).unwrap();
    let facts = call(&here, "list", json!({"kind": "fact", "limit": 100})).unwrap()["memories"].clone();
    facts.as_array().unwrap().iter().map(|fact| fact["content"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn who_somebody_is_and_what_they_like_is_learned() {
    for said in [
        "My wife Noor is a midwife and works nights in Ghent.",
        "I'm allergic to peanuts.",
        "I really enjoy hiking in the Alps.",
        "My younger sister works as a pilot.",
    ] {
        assert_eq!(learned(&[("user", said), ("assistant", "I see.")]), [said]);
    }
}

#[test]
fn what_is_of_the_day_is_not_learned() {
    for said in [
        "I love pizza too!",
        "I'm going to the cinema tomorrow.",
        "I've been listening to it for two weeks now.",
        "I've been meaning to dust the shelves every two weeks.",
        "Interest rates have been rising for two years, and banks pass that on.",
        "Write a poem of 12 lines about my dog Rex.",
    ] {
        assert_eq!(learned(&[("user", said), ("assistant", "I see.")]), Vec::<String>::new(), "{said}");
    }
    let lecture = "Regular sleep always matters more than any pill, and you should never skip breakfast.";
    assert!(learned(&[("user", "how do I get fit?"), ("assistant", lecture), ("user", "ok and then?")]).is_empty());
}

#[test]
fn good_advice_among_people_is_no_request_to_remember() {
    let talk = |said| learned(&[("ines", "It was a long week."), ("tom", said), ("ines", "thanks tom")]);
    assert!(talk("Remember to take it easy and look after yourself.").is_empty());
    assert!(talk("Don't forget that you are the best!").is_empty());
    assert_eq!(talk("Remember the retro is on Tuesday at 10 in room 4."), ["The retro is on Tuesday at 10 in room 4."]);
    // Whoever tells an assistant to remember something wants it kept.
    let told = learned(&[("user", "Remember to always answer me in French."), ("assistant", "I will.")]);
    assert_eq!(told, ["To always answer me in French."]);
}
