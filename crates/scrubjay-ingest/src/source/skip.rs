//! Why a file or folder was not read.

use std::fmt;

/// Why something was not read. Its [`fmt::Display`] is a sentence for people.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SkipReason {
    /// Not text.
    Binary,
    /// Text in another encoding, or damaged.
    NotUtf8 {
        /// The first byte that does not fit.
        at_byte: usize,
    },
    /// More bytes than the limit.
    TooLarge {
        /// How many there are.
        size_bytes: u64,
        /// How many are allowed.
        limit_bytes: u64,
    },
    /// It would be cut into more pieces than the limit.
    TooManyChunks {
        /// How many are allowed.
        limit: usize,
    },
    /// With it, its place would have more pieces than the limit.
    PlaceFull {
        /// How many are allowed.
        limit: u64,
    },
    /// Nothing in it.
    Empty,
    /// A lock file or the output of a tool.
    Generated,
    /// A file that holds a key or password.
    Secret,
    /// Its name begins with a dot.
    Hidden,
    /// A folder of packages or build output.
    Dependencies,
    /// A fifo, socket or device.
    NotAFile,
    /// A symbolic link to something outside the root.
    LinkOutside,
    /// A symbolic link to something inside the root, which is read by its own path.
    LinkInside,
    /// A symbolic link to nothing.
    LinkBroken,
    /// Deeper than the limit.
    TooDeep {
        /// How deep one may go.
        limit: usize,
    },
    /// The system did not allow it.
    Denied,
    /// It went away while it was being read.
    Gone,
    /// Its name is not text.
    NameNotUtf8,
    /// The system failed.
    Failed {
        /// What it said.
        message: String,
    },
}

impl SkipReason {
    /// Its name, for counting and for machines.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::NotUtf8 { .. } => "not-utf8",
            Self::TooLarge { .. } => "too-large",
            Self::TooManyChunks { .. } => "too-many-chunks",
            Self::PlaceFull { .. } => "place-full",
            Self::Empty => "empty",
            Self::Generated => "generated",
            Self::Secret => "secret",
            Self::Hidden => "hidden",
            Self::Dependencies => "dependencies",
            Self::NotAFile => "not-a-file",
            Self::LinkOutside => "link-outside",
            Self::LinkInside => "link-inside",
            Self::LinkBroken => "link-broken",
            Self::TooDeep { .. } => "too-deep",
            Self::Denied => "denied",
            Self::Gone => "gone",
            Self::NameNotUtf8 => "name-not-utf8",
            Self::Failed { .. } => "failed",
        }
    }

    /// What the system's error means.
    #[must_use]
    pub fn of_error(error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::PermissionDenied => Self::Denied,
            std::io::ErrorKind::NotFound => Self::Gone,
            _ => Self::Failed { message: error.to_string() },
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binary => f.write_str("it is not text"),
            Self::NotUtf8 { at_byte } => write!(f, "it is not UTF-8 text (byte {at_byte} does not fit)"),
            Self::TooLarge { size_bytes, limit_bytes } => {
                write!(f, "it has {size_bytes} bytes, more than the limit of {limit_bytes}")
            }
            Self::TooManyChunks { limit } => {
                write!(f, "it would be cut into more than {limit} pieces (sync.max_file_chunks)")
            }
            Self::PlaceFull { limit } => {
                write!(f, "its place has {limit} pieces already (sync.max_place_chunks)")
            }
            Self::Empty => f.write_str("it is empty"),
            Self::Generated => f.write_str("it is made by a tool"),
            Self::Secret => f.write_str("files of this name hold keys or passwords, or the name does"),
            Self::Hidden => f.write_str("its name begins with a dot"),
            Self::Dependencies => f.write_str("it holds packages or build output"),
            Self::NotAFile => f.write_str("it is a pipe, socket or device"),
            Self::LinkOutside => f.write_str("it is a link that leaves the root"),
            Self::LinkInside => f.write_str("it is a link to something that is read by its own path"),
            Self::LinkBroken => f.write_str("it is a link to nothing"),
            Self::TooDeep { limit } => write!(f, "it is more than {limit} folders deep"),
            Self::Denied => f.write_str("the system denied access"),
            Self::Gone => f.write_str("it went away meanwhile"),
            Self::NameNotUtf8 => f.write_str("its name is not UTF-8 text"),
            Self::Failed { message } => write!(f, "the system failed: {message}"),
        }
    }
}
