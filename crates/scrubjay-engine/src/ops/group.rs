//! What people want to do, as the overview of commands is arranged.

/// A heading of the overview.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Keeping and finding.
    Recall,
    /// What an agent is given, and what it made of it.
    Agent,
    /// Tasks, and the tiers above them.
    Tasks,
    /// Looking at what is kept.
    Look,
    /// Changing what is kept.
    Change,
    /// People and things.
    Entities,
    /// Facts and upkeep.
    Facts,
    /// Projects.
    Projects,
    /// Files and transcripts.
    Files,
    /// The store as a whole.
    Store,
    /// The daemon and the clients.
    Daemon,
    /// Models and what they cost.
    Models,
    /// Settings and the program itself.
    Setup,
}

impl Group {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 13] = [
        Self::Recall,
        Self::Agent,
        Self::Tasks,
        Self::Look,
        Self::Change,
        Self::Entities,
        Self::Facts,
        Self::Projects,
        Self::Files,
        Self::Store,
        Self::Daemon,
        Self::Models,
        Self::Setup,
    ];

    /// Its heading.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Recall => "Remember and recall",
            Self::Agent => "Hand to an agent",
            Self::Tasks => "Tasks and tiers",
            Self::Look => "Look",
            Self::Change => "Change",
            Self::Entities => "People and things",
            Self::Facts => "Facts and upkeep",
            Self::Projects => "Projects",
            Self::Files => "Files and transcripts",
            Self::Store => "Store",
            Self::Daemon => "Daemon and clients",
            Self::Models => "Models",
            Self::Setup => "Setup",
        }
    }
}
