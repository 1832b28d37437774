//! What a rule is.

use std::sync::OnceLock;

use regex::Regex;

use super::{english, french, german, spanish};
use crate::{EngineError, Result};

/// Whose sentences a rule is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SaidBy {
    /// A person.
    Person,
    /// A person, or an assistant to whom a person then agreed.
    Confirmed,
}

/// A pattern for a sentence, and the fact it makes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    /// Its name, noted on what it finds.
    pub(super) name: &'static str,
    /// The sentence, ignoring case. A group `slot` tells which slot, a group `old` what is no longer so.
    pub(super) pattern: &'static str,
    /// What must not be in the sentence; empty for nothing.
    pub(super) unless: &'static str,
    /// The type of the fact.
    pub(super) memory_type: &'static str,
    /// A label.
    pub(super) tag: &'static str,
    /// What the fact is the only value of; `{}` stands for the group `slot`.
    pub(super) slot: Option<&'static str>,
    /// How much it matters; none for what is usual for the type.
    pub(super) importance: Option<f64>,
    /// Whose sentences it is for.
    pub(super) said_by: SaidBy,
    /// Whether the sentence must name a day to come.
    pub(super) dated: bool,
    /// Whether people say such a thing in passing.
    pub(super) in_passing: bool,
}

impl Rule {
    /// A rule for what people say, without a slot.
    pub(super) const fn new(name: &'static str, memory_type: &'static str, pattern: &'static str) -> Self {
        Self {
            name,
            pattern,
            unless: "",
            memory_type,
            tag: "",
            slot: None,
            importance: None,
            said_by: SaidBy::Person,
            dated: false,
            in_passing: false,
        }
    }

    /// The same, not for sentences with this in them.
    pub(super) const fn unless(self, unless: &'static str) -> Self {
        Self { unless, ..self }
    }

    /// The same with a label.
    pub(super) const fn tag(self, tag: &'static str) -> Self {
        Self { tag, ..self }
    }

    /// The same, for a thing that has one value.
    pub(super) const fn slot(self, slot: &'static str) -> Self {
        Self { slot: Some(slot), ..self }
    }

    /// The same with another importance.
    pub(super) const fn importance(self, importance: f64) -> Self {
        Self { importance: Some(importance), ..self }
    }

    /// The same, for assistants too once a person agreed.
    pub(super) const fn confirmed(self) -> Self {
        Self { said_by: SaidBy::Confirmed, ..self }
    }

    /// The same, only with a day to come.
    pub(super) const fn dated(self) -> Self {
        Self { dated: true, ..self }
    }

    /// The same, for what people say in passing.
    pub(super) const fn in_passing(self) -> Self {
        Self { in_passing: true, ..self }
    }
}

/// A rule, ready for use.
pub(super) struct Compiled {
    pub(super) rule: Rule,
    pub(super) pattern: Regex,
    pub(super) unless: Option<Regex>,
}

/// Patterns that hold for a language as a whole.
pub(super) struct Language {
    /// Words before a sentence that mean nothing.
    pub(super) lead_in: &'static str,
    /// What makes a sentence a question, a wish or a condition.
    pub(super) unreal: &'static str,
    /// The rules, the surest first.
    pub(super) rules: &'static [Rule],
}

/// A language, ready for use.
pub(super) struct CompiledLanguage {
    pub(super) lead_in: Regex,
    pub(super) unreal: Regex,
    pub(super) rules: Vec<Compiled>,
}

/// All languages.
pub(super) fn languages() -> Result<&'static [CompiledLanguage]> {
    static LANGUAGES: OnceLock<std::result::Result<Vec<CompiledLanguage>, String>> = OnceLock::new();
    let compiled = LANGUAGES.get_or_init(|| {
        [&english::LANGUAGE, &german::LANGUAGE, &french::LANGUAGE, &spanish::LANGUAGE]
            .into_iter()
            .map(compile)
            .collect()
    });
    compiled.as_deref().map_err(EngineError::defect)
}

fn compile(language: &Language) -> std::result::Result<CompiledLanguage, String> {
    let regex = |name: &str, pattern: &str| {
        Regex::new(&format!("(?i){pattern}")).map_err(|error| format!("the pattern of rule `{name}` is wrong: {error}"))
    };
    let rule = |rule: &Rule| {
        Ok(Compiled {
            rule: *rule,
            pattern: regex(rule.name, rule.pattern)?,
            unless: if rule.unless.is_empty() { None } else { Some(regex(rule.name, rule.unless)?) },
        })
    };
    Ok(CompiledLanguage {
        lead_in: regex("lead-in", language.lead_in)?,
        unreal: regex("unreal", language.unreal)?,
        rules: language.rules.iter().map(rule).collect::<std::result::Result<_, String>>()?,
    })
}
