//! German.

use super::rule::{Language, Rule};

pub(super) const LANGUAGE: Language = Language { lead_in: LEAD_IN, unreal: UNREAL, rules: RULES };

const LEAD_IN: &str = r"^(?:(?:also|ja|nein|ach|hallo|hi|hey|übrigens|na gut|okay|ok|und|aber|danke|gut|genau|naja|ehrlich gesagt|merk dir|bitte merk dir)(?:[,!.:;–-]+\s*|\s)\s*)";

const UNREAL: &str = r"\b(?:würde\w*|könnte\w*|vielleicht|wahrscheinlich|hoffe|hoffentlich|wünschte|angenommen|ich glaube|ich denke|nicht sicher|mal sehen|hätte\w*|wäre\w*)\b|^(?:wenn|falls|ob|was|warum|wie|wer|wo|welche\w*|kannst|kann|soll|ist|sind|hast|gibt)\b|[\[\]{}]";

const RULES: &[Rule] = &[
    Rule::new("de-name", "fact", r"^(?:ich heiße|mein name ist|ich heisse) (?-i:[A-ZÄÖÜ][\w'-]+(?: [A-ZÄÖÜ][\w'-]+){0,3})\b.*$").tag("identity").slot("name").importance(4.5),
    Rule::new("de-home", "fact", r"^(?:ich|wir) (?:wohnen?|leben?|lebe|wohne) (?:jetzt |derzeit |seit [\w ]{2,} )?in (?-i:[A-ZÄÖÜ]).+$").tag("identity").slot("home").importance(4.0),
    Rule::new("de-employer", "fact", r"^ich arbeite (?:jetzt |derzeit |seit [\w ]{2,} )?(?:bei|für) (?-i:[A-ZÄÖÜ0-9]).+$").tag("identity").slot("employer").importance(4.0),
    Rule::new("de-job", "fact", r"^ich arbeite (?:jetzt |derzeit )?als (?-i:[A-ZÄÖÜ]).{2,}$|^ich bin (?:gelernter |gelernte |selbständiger |freiberufliche[r]? )?(?-i:[A-ZÄÖÜ])\w+(?:in|er|e)? von beruf\b.*$").tag("identity").slot("job").importance(4.0),
    Rule::new("de-condition", "fact", r"^ich bin (?:allergisch gegen .{2,}|laktoseintolerant|veganer(?:in)?|vegetarier(?:in)?|diabetiker(?:in)?|verheiratet|verlobt|geschieden|schwanger|farbenblind|linkshänder(?:in)?)\b.*$").tag("identity").importance(4.5),
    Rule::new("de-family", "fact", r"^(?:mein|meine) (?:frau|mann|partner(?:in)?|freundin|sohn|tochter|kinder|bruder|schwester|mutter|vater|eltern|hund|katze|chef(?:in)?) (?:heißt|heißen|ist|sind|arbeitet|wohnt|lebt|hat|studiert) .{3,}$").unless(r"\b(?:ist|sind) (?:so|sehr|total|gerade|toll|super)\b").tag("identity"),
    Rule::new("de-decided", "decision", r"^(?:wir|ich) (?:haben|habe) (?:uns |mich )?(?:heute |jetzt |gestern |nun |endlich )*(?:entschieden|beschlossen|vereinbart|darauf geeinigt)\b.{6,}$|^(?:wir|ich) (?:haben|habe) .{4,} (?:entschieden|beschlossen|vereinbart)[.!]?$").confirmed(),
    Rule::new("de-use", "decision", r"^(?:wir nehmen|wir verwenden ab jetzt|wir benutzen ab jetzt|wir bleiben bei|wir wechseln (?:von .{2,} )?zu|lass uns .{3,} (?:nehmen|verwenden|benutzen)) ?.*$").unless(r"\b(?:das|es|sie|diese[snr]?)[.!]?$").confirmed(),
    Rule::new("de-prefers", "preference", r"^(?:ich|wir) (?:bevorzugen?|bevorzuge) .{3,}$|^ich (?:mag|hasse|liebe) (?-i:[A-ZÄÖÜ]).{2,}$|^ich (?:trinke|esse|nutze|verwende|benutze) (?:nie|niemals|immer|lieber) .{2,}$").unless(r"\b(?:es|das|dich|euch)\b").in_passing(),
    Rule::new("de-favourite", "preference", r"^mein(?:e)? lieblings(?P<slot>[\w]+) (?:ist|sind) .{2,}$").slot("favourite {}").importance(4.0),
    Rule::new("de-convention", "convention", r"^wir (?:verwenden|nutzen|benutzen|schreiben|committen|testen|deployen) (?:immer|nie|niemals|grundsätzlich|nur) .{3,}$|^(?:in diesem projekt|bei uns) (?:verwenden|nutzen|benutzen|gilt|schreiben) .{4,}$"),
    Rule::new("de-always", "preference", r"^(?:bitte )?(?:ab jetzt|in zukunft|künftig),? .{8,}$"),
    Rule::new("de-cause", "failure", r"^(?:das problem|der fehler|die ursache|der grund)(?: für .{2,})? (?:war|lag (?:daran|an|in)|ist),? .{8,}$").unless(r"\b(?:du|dein\w*)\b").confirmed(),
    Rule::new("de-correction", "fact", r"^(?:der|die|das|unser|unsere|mein|meine) [\w -]{2,} (?:ist|läuft auf|liegt (?:in|auf)|heißt|war) [^,]+, nicht (?P<old>[^,]+?)[.!]?$").tag("correction"),
];
