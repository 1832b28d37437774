//! French.

use super::rule::{Language, Rule};

pub(super) const LANGUAGE: Language = Language { lead_in: LEAD_IN, unreal: UNREAL, rules: RULES };

const LEAD_IN: &str = r"^(?:(?:alors|bon|oui|non|bonjour|salut|au fait|ok|d'accord|et|mais|merci|en fait|note que|retiens que)(?:[,!.:;–-]+\s*|\s)\s*)";

const UNREAL: &str = r"\b(?:peut-être|j'espère|je pense|je crois|probablement|serait|aurais|aurait|pourrais|pourrait|voudrais|aimerais|je me demande)\b|^(?:si|est-ce|que|qui|quoi|pourquoi|comment|où|quel\w*|peux|pouvez)\b|[\[\]{}]";

const RULES: &[Rule] = &[
    Rule::new("fr-name", "fact", r"^(?:je m'appelle|mon nom est) (?-i:[A-ZÉÈÀÇ][\w'-]+(?: [A-ZÉÈÀÇ][\w'-]+){0,3})\b.*$").tag("identity").slot("name").importance(4.5),
    Rule::new("fr-home", "fact", r"^(?:j'habite|je vis|nous habitons|nous vivons) (?:maintenant |actuellement )?(?:à|en|au|aux|près de) (?-i:[A-ZÉÈÀÇ]).+$").tag("identity").slot("home").importance(4.0),
    Rule::new("fr-employer", "fact", r"^je travaille (?:actuellement |maintenant )?(?:chez|pour) (?-i:[A-ZÉÈÀÇ0-9]).+$").tag("identity").slot("employer").importance(4.0),
    Rule::new("fr-job", "fact", r"^je travaille comme .{3,}$|^je suis (?:développeu(?:r|se)|ingénieure?|professeure?|enseignante?|médecin|infirmi(?:er|ère)|étudiante?|avocate?|architecte|graphiste|journaliste|comptable|chercheu(?:r|se))\b.*$").tag("identity").slot("job").importance(4.0),
    Rule::new("fr-condition", "fact", r"^je suis (?:allergique (?:à|aux|au) .{2,}|intolérante? au .{2,}|végane?|végétarienne?|végétarien|diabétique|mariée?|fiancée?|divorcée?|enceinte|daltonienne?|gauch(?:er|ère))\b.*$").tag("identity").importance(4.5),
    Rule::new("fr-family", "fact", r"^(?:mon|ma|mes) (?:femme|mari|compagne|compagnon|fils|fille|enfants|frère|sœur|mère|père|parents|chien|chat|chef) (?:s'appelle|s'appellent|est|sont|travaille|habite|vit|a) .{3,}$").unless(r"\b(?:est|sont) (?:très|si|tellement|super)\b").tag("identity"),
    Rule::new("fr-decided", "decision", r"^(?:nous avons|on a|j'ai) (?:enfin |finalement |tous )?(?:décidé|choisi|convenu|opté) (?:de|d'|que|pour|contre).{5,}$").confirmed(),
    Rule::new("fr-prefers", "preference", r"^(?:je préfère|nous préférons|on préfère) .{3,}$|^(?:je déteste|j'adore) (?:les|le|la|l') ?.{2,}$|^je ne (?:mange|bois|fume|travaille) (?:jamais|pas) .{2,}$").unless(r"\b(?:ça|cela|ceci|cette idée|ton|ta|tes|votre)\b").in_passing(),
    Rule::new("fr-favourite", "preference", r"^mon (?P<slot>\w+) préféré est .{2,}$|^ma \w+ préférée est .{2,}$").importance(4.0),
    Rule::new("fr-convention", "convention", r"^(?:nous utilisons|on utilise|nous écrivons|on écrit) (?:toujours|uniquement|seulement) .{3,}$|^dans ce projet,? (?:nous|on) .{6,}$"),
    Rule::new("fr-always", "preference", r"^(?:à partir de maintenant|désormais|dorénavant),? .{8,}$"),
    Rule::new("fr-cause", "failure", r"^(?:le problème|le bug|l'erreur|la cause|la panne) (?:était|venait|vient) .{8,}$").confirmed(),
];
