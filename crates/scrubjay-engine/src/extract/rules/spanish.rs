//! Spanish.

use super::rule::{Language, Rule};

pub(super) const LANGUAGE: Language = Language { lead_in: LEAD_IN, unreal: UNREAL, rules: RULES };

const LEAD_IN: &str = r"^(?:(?:bueno|pues|sí|no|hola|por cierto|vale|ok|y|pero|gracias|en realidad|recuerda que|ten en cuenta que)(?:[,!.:;–-]+\s*|\s)\s*)";

const UNREAL: &str = r"\b(?:quizás?|tal vez|a lo mejor|ojalá|espero|creo que|probablemente|podría|sería|gustaría|me pregunto)\b|^(?:si|qué|quién|por qué|cómo|dónde|cuál|puedes|podrías)\b|[\[\]{}¿]";

const RULES: &[Rule] = &[
    Rule::new("es-name", "fact", r"^(?:me llamo|mi nombre es) (?-i:[A-ZÁÉÍÓÚÑ][\w'-]+(?: [A-ZÁÉÍÓÚÑ][\w'-]+){0,3})\b.*$").tag("identity").slot("name").importance(4.5),
    Rule::new("es-home", "fact", r"^(?:yo )?(?:vivo|vivimos) (?:ahora |actualmente )?en (?-i:[A-ZÁÉÍÓÚÑ]).+$").tag("identity").slot("home").importance(4.0),
    Rule::new("es-employer", "fact", r"^(?:yo )?trabajo (?:ahora |actualmente )?(?:en|para) (?-i:[A-ZÁÉÍÓÚÑ0-9]).+$").tag("identity").slot("employer").importance(4.0),
    Rule::new("es-job", "fact", r"^(?:yo )?trabajo (?:ahora |actualmente )?(?:como|de) .{3,}$|^soy (?:desarrollador|ingenier|profesor|médic|enfermer|estudiante|abogad|arquitect|diseñador|periodista|programador)\w*\b.*$").tag("identity").slot("job").importance(4.0),
    Rule::new("es-condition", "fact", r"^(?:soy (?:alérgic[oa] a .{2,}|vegan[oa]|vegetarian[oa]|diabétic[oa]|celíac[oa]|daltónic[oa]|zurd[oa])|estoy (?:casad[oa]|embarazada|divorciad[oa]|jubilad[oa]))\b.*$").tag("identity").importance(4.5),
    Rule::new("es-family", "fact", r"^mi (?:esposa|esposo|marido|mujer|novia|novio|hijo|hija|hermano|hermana|madre|padre|perro|perra|gato|gata|jefe|jefa) (?:se llama|es|trabaja|vive|tiene|estudia) .{3,}$").unless(r"\bes (?:muy|tan|súper)\b").tag("identity"),
    Rule::new("es-decided", "decision", r"^(?:hemos|he|ya hemos) (?:decidido|acordado|elegido|optado) (?:que|por|no|usar|\w+r\b).{4,}$|^(?:decidimos|acordamos) (?:que|no|por|\w+r\b).{5,}$").confirmed(),
    Rule::new("es-prefers", "preference", r"^(?:yo )?(?:prefiero|preferimos) .{3,}$|^(?:me encantan?|odio|no soporto|no me gustan?) (?:el|la|los|las|\w+r\b) ?.{2,}$|^(?:yo )?nunca (?:como|bebo|uso|trabajo) .{2,}$").unless(r"\b(?:eso|esto|tu|tus|la idea)\b").in_passing(),
    Rule::new("es-favourite", "preference", r"^mi (?P<slot>\w+) (?:favorit[oa]|preferid[oa]) es .{2,}$").slot("favourite {}").importance(4.0),
    Rule::new("es-convention", "convention", r"^(?:siempre|solo|nunca) (?:usamos|escribimos|utilizamos|desplegamos) .{3,}$|^en este proyecto,? .{8,}$"),
    Rule::new("es-always", "preference", r"^(?:a partir de ahora|de ahora en adelante),? .{8,}$"),
    Rule::new("es-cause", "failure", r"^(?:el problema|el error|el fallo|la causa) (?:era|estaba|fue|venía) .{8,}$").confirmed(),
];
