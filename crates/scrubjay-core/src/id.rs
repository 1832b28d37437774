//! Identifiers. Each kind of thing has its own type, so that one can never be
//! passed where another is meant.
//!
//! Ids are a prefix and a UUIDv7: they sort by time of creation, reveal nothing
//! about how many others exist, and say what they name. They are made by
//! [`IdSource`] from a time and random bytes that the
//! caller supplies.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::kind::Kind;
use crate::time::Timestamp;

/// The text is not an id of the wanted kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {wanted}")]
pub struct InvalidId {
    /// What was given, shortened.
    pub text: String,
    /// What was wanted, with an example.
    pub wanted: &'static str,
}

/// The id of a memory; its prefix tells the kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryId {
    kind: Kind,
    uuid: Uuid,
}

impl MemoryId {
    /// An id of `kind` from a UUID.
    #[must_use]
    pub fn new(kind: Kind, uuid: Uuid) -> Self {
        Self { kind, uuid }
    }

    /// The kind of memory it names.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The part that is unique; it sorts by time of creation.
    #[must_use]
    pub fn uuid(&self) -> Uuid {
        self.uuid
    }
}

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.kind.id_prefix(), self.uuid)
    }
}

impl FromStr for MemoryId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let wanted = "a memory id such as fact_1c0b8e55";
        let invalid = || InvalidId { text: shorten(text), wanted };
        let (prefix, rest) = text.split_once('_').ok_or_else(invalid)?;
        let kind = Kind::ALL.into_iter().find(|kind| kind.id_prefix() == prefix).ok_or_else(invalid)?;
        Ok(Self { kind, uuid: parse_uuid(rest).ok_or_else(invalid)? })
    }
}

macro_rules! prefixed_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $wanted:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl From<Uuid> for $name {
            fn from(uuid: Uuid) -> Self {
                Self(uuid)
            }
        }

        impl $name {
            /// The part that is unique; it sorts by time of creation.
            #[must_use]
            pub fn uuid(&self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "_{}"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                text.strip_prefix(concat!($prefix, "_"))
                    .and_then(parse_uuid)
                    .map(Self)
                    .ok_or_else(|| InvalidId { text: shorten(text), wanted: $wanted })
            }
        }

        string_serde!($name);
    };
}

macro_rules! string_serde {
    ($name:ident) => {
        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

string_serde!(MemoryId);
prefixed_id!(
    /// The id of an entity.
    EntityId, "ent", "an entity id such as ent_1c0b8e55");
prefixed_id!(
    /// The id of a background job.
    JobId, "job", "a job id such as job_1c0b8e55");
prefixed_id!(
    /// One invocation of an operation that changed something; what `undo` undoes.
    RunId, "run", "a run id such as run_1c0b8e55");
prefixed_id!(
    /// The id of an indexed file.
    DocumentId, "doc", "a document id such as doc_1c0b8e55");
prefixed_id!(
    /// A write that waits for a person's answer.
    ConfirmationId, "conf", "a confirmation id such as conf_1c0b8e55");
prefixed_id!(
    /// The record of what an agent was handed.
    ReceiptId, "rec", "a receipt id such as rec_1c0b8e55");

/// Makes UUIDv7 values that strictly increase, from times and random bytes given
/// from outside.
#[derive(Debug, Default)]
pub struct IdSource {
    last_ms: u64,
    counter: u16,
}

impl IdSource {
    /// The next id for time `now`, with `random` filling what time does not.
    ///
    /// Ids made by one source strictly increase, even when the clock stands
    /// still or jumps back: the 12 bits after the time count up within one
    /// millisecond, and a counter that runs full borrows from the next one.
    pub fn next(&mut self, now: Timestamp, random: [u8; 10]) -> Uuid {
        let now_ms = u64::try_from(now.millis()).unwrap_or(0);
        if now_ms > self.last_ms {
            self.last_ms = now_ms;
            self.counter = u16::from_be_bytes([random[0], random[1]]) & 0x07ff;
        } else if self.counter == 0x0fff {
            self.last_ms += 1;
            self.counter = 0;
        } else {
            self.counter += 1;
        }
        let mut bytes = random;
        [bytes[0], bytes[1]] = self.counter.to_be_bytes();
        uuid::Builder::from_unix_timestamp_millis(self.last_ms, &bytes).into_uuid()
    }
}

fn parse_uuid(text: &str) -> Option<Uuid> {
    // Only the canonical form: one id, one spelling.
    let uuid = Uuid::try_parse(text).ok()?;
    (uuid.hyphenated().to_string() == text).then_some(uuid)
}

fn shorten(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ids_read_back_and_refuse_others() {
        let uuid = IdSource::default().next(Timestamp::from_millis(1_777_638_600_000), [7; 10]);
        let id = MemoryId::new(Kind::Fact, uuid);
        assert_eq!(id.to_string().parse::<MemoryId>().unwrap(), id);
        assert!(EntityId::from(uuid).to_string().parse::<MemoryId>().is_err());
        for bad in [
            "",
            "fact",
            "fact_",
            "fact_x",
            "FACT_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55",
            "fact_0197A3C2-1b7e-7c44-9d3a-2f6d1c0b8e55",
        ] {
            assert!(bad.parse::<MemoryId>().is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn ids_strictly_increase(times in proptest::collection::vec(0i64..50, 1..200), random in any::<[u8; 10]>()) {
            let mut source = IdSource::default();
            let mut last = Uuid::nil();
            for time in times {
                let next = source.next(Timestamp::from_millis(time), random);
                prop_assert!(next > last);
                last = next;
            }
        }

        #[test]
        fn any_text_is_refused_or_read(text in ".*") {
            if let Ok(id) = text.parse::<MemoryId>() {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }
}
