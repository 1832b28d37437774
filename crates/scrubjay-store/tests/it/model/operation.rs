//! What can happen. Choices are small numbers that the world maps to what it
//! has, so that most operations hit something.

use proptest::prelude::*;

/// One operation, made by someone who stands in one of the places.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    pub(crate) place: u8,
    pub(crate) action: Action,
}

#[derive(Debug, Clone)]
pub(crate) enum Action {
    /// Several changes as one run.
    Apply(Vec<Edit>),
    /// A message of a conversation.
    Capture {
        session: u8,
        text: u8,
        assistant: bool,
        client_id: Option<u8>,
        minutes: Option<u8>,
        mentions: Vec<u8>,
    },
    UndoLast,
    UndoMemory(u8),
    UndoRun(u8),
    /// Undoes an undoing, the newest first.
    Redo(u8),
    Purge {
        memories: Vec<u8>,
        dry_run: bool,
    },
    Touch(Vec<u8>),
    LinkMentions {
        memory: u8,
        mentions: Vec<u8>,
    },
    Upsert {
        name: u8,
        alias: Option<u8>,
        protected: bool,
    },
    Merge {
        into: u8,
        from: u8,
    },
    EndSession(u8),
    Job {
        key: u8,
        act: u8,
    },
}

#[derive(Debug, Clone)]
pub(crate) enum Edit {
    Create { text: u8, sources: Vec<u8>, mentions: Vec<u8>, client_id: Option<u8>, session: Option<u8>, despite: bool },
    Update { memory: u8, patch: u8, value: u8, stale: bool },
    End { memory: u8, by: u8 },
    Reopen { memory: u8 },
    Link { from: u8, relation: u8, to: u8 },
    Unlink { from: u8, relation: u8, to: u8 },
}

pub(crate) fn operation() -> impl Strategy<Value = Operation> {
    (any_byte(), action()).prop_map(|(place, action)| Operation { place, action })
}

fn action() -> impl Strategy<Value = Action> {
    let few = || prop::collection::vec(any_byte(), 0..3);
    let sometimes = || prop::option::weighted(0.3, any_byte());
    prop_oneof![
        14 => prop::collection::vec(edit(), 1..4).prop_map(Action::Apply),
        4 => (any_byte(), any_byte(), any::<bool>(), sometimes(), sometimes(), few()).prop_map(
            |(session, text, assistant, client_id, minutes, mentions)| Action::Capture {
                session, text, assistant, client_id, minutes, mentions,
            }
        ),
        4 => Just(Action::UndoLast),
        2 => any_byte().prop_map(Action::UndoMemory),
        2 => any_byte().prop_map(Action::UndoRun),
        5 => any_byte().prop_map(Action::Redo),
        2 => (prop::collection::vec(any_byte(), 1..3), prop::bool::weighted(0.2))
            .prop_map(|(memories, dry_run)| Action::Purge { memories, dry_run }),
        1 => few().prop_map(Action::Touch),
        1 => (any_byte(), few()).prop_map(|(memory, mentions)| Action::LinkMentions { memory, mentions }),
        1 => (any_byte(), sometimes(), any::<bool>())
            .prop_map(|(name, alias, protected)| Action::Upsert { name, alias, protected }),
        4 => (any_byte(), any_byte()).prop_map(|(into, from)| Action::Merge { into, from }),
        1 => any_byte().prop_map(Action::EndSession),
        8 => (any_byte(), any_byte()).prop_map(|(key, act)| Action::Job { key, act }),
    ]
}

fn edit() -> impl Strategy<Value = Edit> {
    let few = || prop::collection::vec(any_byte(), 0..3);
    let sometimes = || prop::option::weighted(0.2, any_byte());
    let three = || (any_byte(), any_byte(), any_byte());
    prop_oneof![
        4 => (any_byte(), few(), few(), sometimes(), sometimes(), prop::bool::weighted(0.2)).prop_map(
            |(text, sources, mentions, client_id, session, despite)| Edit::Create {
                text, sources, mentions, client_id, session, despite,
            }
        ),
        5 => (any_byte(), any_byte(), any_byte(), prop::bool::weighted(0.05))
            .prop_map(|(memory, patch, value, stale)| Edit::Update { memory, patch, value, stale }),
        2 => (any_byte(), any_byte()).prop_map(|(memory, by)| Edit::End { memory, by }),
        1 => any_byte().prop_map(|memory| Edit::Reopen { memory }),
        3 => three().prop_map(|(from, relation, to)| Edit::Link { from, relation, to }),
        2 => three().prop_map(|(from, relation, to)| Edit::Unlink { from, relation, to }),
    ]
}

fn any_byte() -> impl Strategy<Value = u8> {
    any::<u8>()
}
