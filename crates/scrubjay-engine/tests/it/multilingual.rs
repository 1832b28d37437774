//! The built-in table for other languages than English: chosen by a setting, switched to as any other, and putting first
//! what shares its meaning with a question and hardly a word.

use scrubjay_engine::Ctx;
use scrubjay_test::TestApp;
use scrubjay_test::app::call;
use serde_json::{Value, json};

const MODEL: &str = "builtin/potion-multilingual-128@1";

/// What else was said.
const CHATTER: [&str; 24] = [
    "La cantina cierra a las tres los viernes",
    "Revisamos los cambios en un día laborable",
    "La plantilla de la factura está en la carpeta compartida",
    "Ana prefiere reuniones cortas",
    "El formulario de pago muestra la moneda del cliente",
    "Los tests se ejecutan antes de cada fusión",
    "Die Kantine schließt freitags um drei Uhr",
    "Die Rechnungsvorlage liegt im gemeinsamen Ordner",
    "Ben stellt am Dienstag die Zahlen vor",
    "Das Menü schließt sich beim Tippen daneben",
    "Die Testdaten werden sonntags anonymisiert",
    "Große Anhänge werden außerhalb der Post gespeichert",
    "食堂は金曜日の三時に閉まる",
    "請求書のひな形は共有フォルダにある",
    "支払い画面には通貨が表示される",
    "会議は短いほうがよい",
    "毎晩古い下書きが削除される",
    "画像は正方形に切り取られる",
    "Столовая закрывается в пятницу в три часа",
    "Шаблон счёта лежит в общей папке",
    "Анна любит короткие совещания",
    "Форма оплаты показывает валюту клиента",
    "Тесты запускаются перед каждым слиянием",
    "Большие вложения хранятся отдельно",
];

/// Questions and what answers them: four of the five, of 13 tried, that the table puts first (docs/models.md). They show
/// that it is asked and its order counts, not that it is good: the English model puts three of these first as well.
const PAIRS: [(&str, &str); 4] = [
    ("¿Qué animal tenemos en casa?", "Mi hermana adoptó un gato negro la semana pasada"),
    ("Wie heißt die Schule der Kinder?", "Unsere Tochter und unser Sohn gehen in das Gymnasium am Marktplatz"),
    ("電車は何時に着きますか", "列車は八時半に駅に到着する"),
    ("Где учатся дети?", "Дочь и сын ходят в гимназию у площади"),
];

fn capture(ctx: &Ctx, answer: &str) {
    for (number, text) in CHATTER.into_iter().chain([answer]).enumerate() {
        let message = json!({"session_id": format!("s{number}"), "role": "user", "content": text});
        call(ctx, "capture", json!({"messages": [message]})).unwrap();
    }
}

/// Whatever its relevance: that of these answers stays below the default threshold.
fn recall(ctx: &Ctx, query: &str) -> Value {
    call(ctx, "recall", json!({"query": query, "min_score": 0.0, "limit": 5})).unwrap()
}

fn first(ctx: &Ctx, query: &str) -> String {
    recall(ctx, query)["hits"][0]["snippet"].as_str().unwrap_or_default().to_owned()
}

fn model_of(ctx: &Ctx) -> String {
    let status = call(ctx, "reembed", json!({"status": true})).unwrap();
    assert_eq!(status["embedded"], status["items"], "{status}");
    status["model"].as_str().unwrap().to_owned()
}

#[test]
fn a_paraphrase_comes_first_in_four_languages() {
    let app = TestApp::with_own_models(&[("embedding.model", "builtin-multilingual")]);
    // A project each: two of the answers say the same in two languages, and the table knows it.
    for (number, (question, answer)) in PAIRS.into_iter().enumerate() {
        let ctx = app.in_project(&format!("project-{number}"));
        capture(&ctx, answer);
        call(&ctx, "jobs.run", json!({})).unwrap();
        assert_eq!(model_of(&ctx), MODEL);
        assert_eq!(first(&ctx, question), answer, "{question}: {}", recall(&ctx, question));
    }
}

#[test]
fn the_switch_is_a_new_generation_and_the_old_one_serves_until_then() {
    let app = TestApp::with_own_models(&[]);
    let ctx = app.in_project("one");
    let (question, answer) = PAIRS[1];
    capture(&ctx, answer);
    call(&ctx, "jobs.run", json!({})).unwrap();
    let english = model_of(&ctx);
    assert!(english.starts_with("builtin/granite"), "{english}");

    let other = app.again_with(&[("embedding.model", "builtin-multilingual")]);
    let ctx = other.at(ctx.view().clone()).unwrap();
    // Nothing has been made anew yet: the English vectors serve, and are asked with the model that made them.
    assert!(!recall(&ctx, question)["warnings"].to_string().contains("words and names only"));
    call(&ctx, "reembed", json!({})).unwrap();
    call(&ctx, "jobs.run", json!({})).unwrap();
    assert_eq!(model_of(&ctx), MODEL);
    assert_eq!(first(&ctx, question), answer);
}

#[test]
fn a_built_in_model_that_does_not_exist_is_named() {
    let app = TestApp::with_own_models(&[("embedding.model", "builtin-multilangual")]);
    let listed = call(&app.owner, "models", json!({})).unwrap();
    assert_eq!(listed["models"][0]["state"], "unusable", "{listed}");
    let detail = listed["models"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("builtin-multilangual") && detail.contains("builtin-multilingual"), "{detail}");
}
