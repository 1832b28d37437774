//! Named things that memories mention.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::EntityId;
use crate::memory::InvalidMemory;
use crate::scope::Scope;

/// What sort of thing an entity is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntityType {
    /// A person.
    Person,
    /// A project.
    Project,
    /// An organization.
    Organization,
    /// A place.
    Location,
    /// An e-mail address.
    Email,
    /// A web address.
    Url,
    /// A hashtag.
    Tag,
    /// A day.
    Date,
    /// Anything else, such as a path or an identifier in code.
    Other,
}

impl EntityType {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Person,
        Self::Project,
        Self::Organization,
        Self::Location,
        Self::Email,
        Self::Url,
        Self::Tag,
        Self::Date,
        Self::Other,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Project => "project",
            Self::Organization => "organization",
            Self::Location => "location",
            Self::Email => "email",
            Self::Url => "url",
            Self::Tag => "tag",
            Self::Date => "date",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for EntityType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for EntityType {
    type Err = InvalidMemory;

    fn from_str(text: &str) -> Result<Self, InvalidMemory> {
        Self::ALL.into_iter().find(|value| value.name() == text).ok_or_else(|| InvalidMemory::Unknown {
            field: "an entity type",
            text: text.chars().take(60).collect(),
            allowed: Self::ALL.map(Self::name).join(", "),
        })
    }
}

/// A named thing with its other names.
///
/// An entity lives in one scope, like the memories that mention it: what a
/// project talks about is nobody else's business.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entity {
    /// Its id.
    pub id: EntityId,
    /// Where it lives: a project or global.
    pub scope: Scope,
    /// The name it goes by.
    pub name: String,
    /// What sort of thing it is.
    pub entity_type: EntityType,
    /// Other names, sorted.
    pub aliases: Vec<String>,
    /// What is known about it in a sentence or two.
    pub summary: Option<String>,
    /// How many memories mention it.
    pub mention_count: u64,
    /// Set by hand; automatic clean-up leaves it alone.
    pub protected: bool,
}

/// The form under which names are compared: lower case, single spaces.
#[must_use]
pub fn name_key(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
