//! How a case is run, and how it fails.

use std::fmt;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;

use scrubjay_core::error::ErrorCode;

use crate::{Store, StoreError};

/// All cases, by file.
pub const CASES: &[&[Case]] = &[
    super::memories::CASES,
    super::capture::CASES,
    super::changes::CASES,
    super::versions::CASES,
    super::undo::CASES,
    super::purge::CASES,
    super::projects::CASES,
    super::entities::CASES,
    super::sessions::CASES,
    super::sources::CASES,
    super::jobs::CASES,
    super::filters::CASES,
    super::as_of::CASES,
    super::indexing::CASES,
    super::vectors::CASES,
    super::cache::CASES,
    super::spaces::CASES,
    super::documents::CASES,
    super::receipts::CASES,
    super::confirmations::CASES,
    super::tiers::CASES,
    super::models::CASES,
    super::isolation::CASES,
    super::upkeep::CASES,
    super::abbreviations::CASES,
];

/// Runs every case on a store of its own, which `make` makes empty. The answer
/// names the cases that failed and why; a conforming backend has none.
pub async fn run<Making>(make: impl Fn() -> Making) -> Vec<String>
where
    Making: Future<Output = Arc<dyn Store>>,
{
    let mut failures = Vec::new();
    for case in CASES.iter().copied().flatten() {
        let store = make().await;
        if let Err(failure) = case.run(store.as_ref()).await {
            failures.push(format!("{}: {failure}", case.name));
        }
    }
    failures
}

/// What a case comes to.
pub type Outcome = Result<(), Failure>;

/// What a running case is.
pub(super) type Running<'a> = Pin<Box<dyn Future<Output = Outcome> + Send + 'a>>;

/// One case.
pub struct Case {
    /// What it shows, as a sentence with underscores.
    pub name: &'static str,
    pub(super) body: for<'a> fn(&'a dyn Store) -> Running<'a>,
}

impl Case {
    /// Runs the case on an empty store.
    ///
    /// # Errors
    /// When the store does not do what the case shows.
    pub async fn run(&self, store: &dyn Store) -> Outcome {
        (self.body)(store).await
    }
}

/// The cases of one file.
macro_rules! cases {
    ($($name:ident),* $(,)?) => {
        pub(super) const CASES: &[$crate::conformance::Case] = &[$($crate::conformance::Case {
            name: stringify!($name),
            body: |store| Box::pin($name(store)),
        }),*];
    };
}
pub(super) use cases;

/// Why a case failed, and at which line of it.
#[derive(Debug)]
pub struct Failure(String);

impl Failure {
    #[track_caller]
    pub(super) fn new(text: impl fmt::Display) -> Self {
        let place = Location::caller();
        let file = place.file().rsplit('/').next().unwrap_or_default();
        Self(format!("{file}:{}: {text}", place.line()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<StoreError> for Failure {
    #[track_caller]
    fn from(error: StoreError) -> Self {
        Self::new(format!("failed unexpectedly: {error} ({error:?})"))
    }
}

/// Two values must be equal.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a case reads better without borrowing what it just made")]
pub(super) fn equal<T: PartialEq + fmt::Debug>(what: &str, got: T, wanted: T) -> Outcome {
    if got == wanted { Ok(()) } else { Err(Failure::new(format!("{what}: got {got:?}, wanted {wanted:?}"))) }
}

/// Something must be true.
#[track_caller]
pub(super) fn holds(what: &str, truth: bool) -> Outcome {
    if truth { Ok(()) } else { Err(Failure::new(format!("it does not hold that {what}"))) }
}

/// A call must be refused with this code; gives the refusal.
#[track_caller]
pub(super) fn refused<T: fmt::Debug>(
    what: &str,
    result: crate::Result<T>,
    code: ErrorCode,
) -> Result<StoreError, Failure> {
    match result {
        Err(error) if error.code() == code => Ok(error),
        other => Err(Failure::new(format!("{what}: wanted {}, got {other:?}", code.name()))),
    }
}

/// Something must be there.
#[track_caller]
pub(super) fn present<T>(what: &str, value: Option<T>) -> Result<T, Failure> {
    value.ok_or_else(|| Failure::new(format!("{what} is missing")))
}
