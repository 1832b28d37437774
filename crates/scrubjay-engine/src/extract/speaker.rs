//! Who may be learned from.
//!
//! A role is `user`, `assistant` or a name, and a name can be a person's or an agent's. In a chat among people, as Slack
//! and the like export them, nobody has the part of the user or of the assistant: there, whoever has a name is a person.
//! Beside a user, a name is an agent's, whatever it sounds like, and its word needs the user's agreement. Who knows
//! better states `origin`. None of this changes the origin of what was said or of what is learned from it.

use std::collections::BTreeSet;

use scrubjay_core::memory::{Memory, OriginKind};

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// A person, whose word counts.
    Person,
    /// An assistant, whose word counts once a person agreed.
    Assistant,
}

/// Types of episodes that are conversation; others are reports, reasoning or output.
const TALK: [&str; 2] = ["message", "conversation"];

/// Words in the names of agents: their makes, their clients, and the parts they are given.
const AGENTS: &str = "
assistant ai agent agents model bot chatbot llm gpt chatgpt openai anthropic claude sonnet opus haiku codex gemini gemma copilot cursor
opencode aider windsurf cline roo continue devin jules amp goose kiro junie crush llama mistral mixtral qwen deepseek grok phi siri
alexa cortana bard bing perplexity
planner coder programmer reviewer critic executor researcher writer editor supervisor orchestrator router coordinator manager worker tester
architect developer engineer analyst summarizer summariser evaluator judge moderator proxy helper expert narrator verifier retriever
scraper scout explorer builder debugger operator controller dispatcher delegator specialist advisor tutor teacher interviewer host
memory search browser computer terminal shell output result server service client api webhook integration automation workflow app
";

/// Who takes part in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cast {
    is_among_people: bool,
}

impl Cast {
    /// Of what was said in a conversation, or in a part of it.
    #[must_use]
    pub fn of<'a>(episodes: impl IntoIterator<Item = &'a Memory>) -> Self {
        let mut names = BTreeSet::new();
        let mut is_imported = true;
        for episode in episodes.into_iter().filter(|episode| is_talk(episode)) {
            match role_of(episode) {
                Role::Silent => {}
                Role::User | Role::Agent => return Self { is_among_people: false },
                Role::Named(name) => {
                    is_imported &= episode.origin.kind == OriginKind::Import;
                    names.insert(name);
                }
            }
        }
        // Importers tell programs from people; elsewhere someone who talks alone may be an agent with a name.
        Self { is_among_people: names.len() > 1 || (is_imported && !names.is_empty()) }
    }

    /// Whether nobody has the part of a user or an assistant.
    #[must_use]
    pub fn is_among_people(self) -> bool {
        self.is_among_people
    }

    /// Who speaks in an episode; none if nothing may be learned from it: ended, a system prompt, tool output, or text
    /// that was read somewhere.
    #[must_use]
    pub fn speaker(self, episode: &Memory) -> Option<Speaker> {
        if !is_talk(episode) {
            return None;
        }
        match role_of(episode) {
            Role::Silent => None,
            Role::User => Some(Speaker::Person),
            Role::Named(_) if self.is_among_people || episode.origin.kind == OriginKind::User => Some(Speaker::Person),
            Role::Named(_) | Role::Agent => Some(Speaker::Assistant),
        }
    }
}

/// Whether two names of speakers are of two different people, as far as both are names.
#[must_use]
pub fn are_different_people(one: Option<&str>, other: Option<&str>) -> bool {
    let name = |role: &str| match named(role) {
        Role::Named(name) => Some(name),
        Role::User | Role::Agent | Role::Silent => None,
    };
    one.and_then(name).zip(other.and_then(name)).is_some_and(|(one, other)| one != other)
}

enum Role {
    User,
    Agent,
    Named(String),
    // Nothing is learned from it.
    Silent,
}

fn is_talk(episode: &Memory) -> bool {
    episode.is_active() && TALK.contains(&episode.memory_type.as_str())
}

fn role_of(episode: &Memory) -> Role {
    match (named(episode.role.as_deref().unwrap_or_default()), episode.origin.kind) {
        (_, OriginKind::Tool | OriginKind::File | OriginKind::Web | OriginKind::System) => Role::Silent,
        // Whoever brings it in knows that a person said it.
        (Role::Agent, OriginKind::User) => Role::User,
        (role, OriginKind::User | OriginKind::Assistant | OriginKind::Import) => role,
    }
}

fn named(role: &str) -> Role {
    let role = role.trim().to_lowercase();
    let is_agents = |word: &str| AGENTS.split_ascii_whitespace().any(|known| known == word);
    let mut words = role.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    match role.as_str() {
        "system" | "developer" | "tool" | "function" | "" => Role::Silent,
        "user" | "human" => Role::User,
        _ if words.any(is_agents) || role.ends_with("bot") => Role::Agent,
        _ => Role::Named(role),
    }
}

#[cfg(test)]
mod tests {
    use scrubjay_core::id::MemoryId;
    use scrubjay_core::memory::{Confidence, DecayRate, Importance, Kind, Origin};
    use scrubjay_core::scope::Scope;
    use uuid::Uuid;

    use super::*;

    fn said(role: &str, origin: OriginKind) -> Memory {
        let at = "2026-05-01T12:00:00Z".parse().unwrap();
        Memory {
            id: MemoryId::new(Kind::Episode, Uuid::from_u128(1)),
            memory_type: "message".parse().unwrap(),
            scope: Scope::Global,
            session_id: None,
            role: Some(role.to_owned()),
            content: "We deploy on Fridays".to_owned(),
            importance: Importance::default(),
            confidence: Confidence::FULL,
            decay_rate: DecayRate::PROTECTED,
            event_time: at,
            created_at: at,
            ended: None,
            access_count: 0,
            last_accessed: None,
            source_ids: Vec::new(),
            origin: Origin::from(origin),
            tags: Vec::new(),
            attributes: Default::default(),
            version: 1,
        }
    }

    #[test]
    fn a_name_is_a_persons_where_only_people_talk() {
        use OriginKind::{Assistant, Import, System, Tool, User, Web};
        let person = Some(Speaker::Person);
        let assistant = Some(Speaker::Assistant);
        for (talk, expected) in [
            (vec![("ines", Assistant), ("Tom K.", Assistant)], vec![person, person]),
            (vec![("ines", Assistant), ("tool", Tool), ("Tom", Assistant)], vec![person, None, person]),
            (vec![("user", User), ("ines", Assistant)], vec![person, assistant]),
            (vec![("ines", Assistant), ("assistant", Assistant)], vec![assistant, assistant]),
            (vec![("ines", Assistant), ("code-reviewer", Assistant)], vec![assistant, assistant]),
            (vec![("planner", Assistant), ("coder", Assistant)], vec![assistant, assistant]),
            (vec![("ines", Assistant)], vec![assistant]),
            (vec![("ines", Import)], vec![person]),
            (vec![("ines", Import), ("buildbot", Import)], vec![assistant, assistant]),
            (vec![("user", User), ("ines", User)], vec![person, person]),
            // Neither a tool nor a page becomes a person by its name.
            (vec![("ines", Tool), ("tom", Web), ("ana", System)], vec![None, None, None]),
            (vec![("ines", Tool), ("tom", Assistant)], vec![None, assistant]),
        ] {
            let talk: Vec<Memory> = talk.into_iter().map(|(role, origin)| said(role, origin)).collect();
            let cast = Cast::of(&talk);
            let heard: Vec<Option<Speaker>> = talk.iter().map(|episode| cast.speaker(episode)).collect();
            let roles: Vec<_> = talk.iter().filter_map(|episode| episode.role.as_deref()).collect();
            assert_eq!(heard, expected, "{roles:?}");
        }
    }

    #[test]
    fn people_are_told_apart_by_their_names_alone() {
        assert!(are_different_people(Some("ines"), Some("Tom")));
        assert!(!are_different_people(Some("ines"), Some("Ines")));
        assert!(!are_different_people(Some("user"), Some("assistant")));
        assert!(!are_different_people(Some("ines"), Some("user")));
        assert!(!are_different_people(None, Some("ines")));
    }
}
