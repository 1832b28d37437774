//! The driver for power cuts: choose many places and ways to cut, build each image, let the test judge it.
//!
//! A test runs its workload once, notes every acknowledgement in an [`Acknowledged`], and then hands [`check_cuts`] a
//! judge that opens an image and compares it with what had been acknowledged by the cut.

use std::fmt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::error::VfsError;
use super::handle::Handle;
use super::image::CutPolicy;
use super::record::LogPosition;
use super::rng::Rng;

/// One power cut, reproducible on the same log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutPoint {
    /// What had happened by the cut.
    pub position: LogPosition,
    /// Decides what the policy leaves open.
    pub seed: u64,
    /// How operations in doubt fare.
    pub policy: CutPolicy,
}

impl Handle {
    /// Chooses `count` cuts between `from` and the end of the log. The places are spread evenly with a random offset,
    /// so that a short critical stretch is not missed by chance; five of eight cuts scatter, the others take turns.
    pub fn cut_points(&self, from: LogPosition, count: usize, seed: u64) -> Vec<CutPoint> {
        let end = self.log_position().operations();
        let start = from.operations().min(end);
        let places = end - start + 1;
        let mut rng = Rng::new(seed);
        (0..count)
            .map(|index| {
                let low = index * places / count;
                let high = ((index + 1) * places / count).max(low + 1);
                CutPoint {
                    position: LogPosition(start + low + rng.below(high - low)),
                    seed: rng.next_u64(),
                    policy: match rng.below(8) {
                        0 => CutPolicy::InOrder,
                        1 => CutPolicy::SyncedOnly,
                        2 => CutPolicy::Everything,
                        _ => CutPolicy::Scattered,
                    },
                }
            })
            .collect()
    }
}

/// What a judge finds in one image. The text says what was missing, doubled or broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything acknowledged is there once, and the store is whole.
    Sound,
    /// Something acknowledged is missing.
    Lost(String),
    /// Something is there twice.
    Duplicated(String),
    /// The store does not open, fails its own check, or holds what nobody wrote.
    Corrupt(String),
}

/// How the images fared, with the first one that was not sound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CutReport {
    /// How many images were judged.
    pub images: usize,
    /// Images with the verdict [`Verdict::Sound`].
    pub sound: usize,
    /// Images with the verdict [`Verdict::Lost`].
    pub lost: usize,
    /// Images with the verdict [`Verdict::Duplicated`].
    pub duplicated: usize,
    /// Images with the verdict [`Verdict::Corrupt`].
    pub corrupt: usize,
    /// Images in which at least one operation in doubt was lost or torn: without some of these nothing was tried.
    pub damaged: usize,
    /// The first image that was not sound: its numbers build it again from the same log.
    pub first_failure: Option<(CutPoint, Verdict)>,
}

impl CutReport {
    /// Whether there was an image and no fault in any.
    pub fn is_sound(&self) -> bool {
        self.images > 0 && self.sound == self.images
    }
}

impl fmt::Display for CutReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} images, {} damaged: {} sound, {} lost, {} duplicated, {} corrupt",
            self.images, self.damaged, self.sound, self.lost, self.duplicated, self.corrupt
        )?;
        match &self.first_failure {
            Some((point, verdict)) => write!(formatter, "; first {point:?}: {verdict:?}"),
            None => Ok(()),
        }
    }
}

/// Builds each image in its own directory below `scratch`, lets `judge` open it, and removes it again.
pub fn check_cuts(
    handle: &Handle,
    points: &[CutPoint],
    scratch: &Path,
    mut judge: impl FnMut(&CutPoint, &Path) -> Verdict,
) -> Result<CutReport, VfsError> {
    let mut report = CutReport::default();
    for (index, point) in points.iter().enumerate() {
        let directory = scratch.join(format!("cut-{index}"));
        let image = handle.image_at(point.position, point.seed, point.policy, &directory)?;
        let verdict = judge(point, &directory);
        report.images += 1;
        report.damaged += usize::from(image.lost + image.torn > 0);
        match &verdict {
            Verdict::Sound => report.sound += 1,
            Verdict::Lost(_) => report.lost += 1,
            Verdict::Duplicated(_) => report.duplicated += 1,
            Verdict::Corrupt(_) => report.corrupt += 1,
        }
        if verdict != Verdict::Sound {
            report.first_failure.get_or_insert((*point, verdict));
        }
        remove_image(&directory).map_err(|source| VfsError::WriteImage { path: directory, source })?;
    }
    Ok(report)
}

#[expect(
    clippy::disallowed_methods,
    reason = "an image is a copy, in a directory that was empty before the image was built"
)]
fn remove_image(directory: &Path) -> std::io::Result<()> {
    std::fs::remove_dir_all(directory)
}

/// What was acknowledged, and how much the log held by then. Threads may share it.
#[derive(Debug)]
pub struct Acknowledged<T> {
    entries: Mutex<Vec<(LogPosition, T)>>,
}

impl<T> Default for Acknowledged<T> {
    fn default() -> Self {
        Self { entries: Mutex::new(Vec::new()) }
    }
}

impl<T: Clone> Acknowledged<T> {
    /// To be called after the acknowledgement arrived, never before.
    pub fn note(&self, handle: &Handle, what: T) {
        let position = handle.log_position();
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).push((position, what));
    }

    /// Everything that a cut at `position` must keep.
    pub fn by(&self, position: LogPosition) -> Vec<T> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.iter().filter(|(noted, _)| *noted <= position).map(|(_, what)| what.clone()).collect()
    }
}
