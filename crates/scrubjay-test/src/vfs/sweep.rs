//! The driver for failing disks: run a scenario once to count its calls, then again for every call that could fail.

use super::error::VfsError;
use super::fault::{CallKind, Fault, FaultPlan};
use super::handle::{Handle, RecordingVfs};

/// Which faults to try where.
#[derive(Clone, Debug)]
pub struct FaultSweep {
    /// Each pair is tried at every call of its kind.
    pub faults: Vec<(CallKind, Fault)>,
    /// Only files ending so; empty means all.
    pub suffix: String,
    /// From the Nth call on instead of the Nth call alone.
    pub persistent: bool,
    /// Try only every so many-th call; 1 tries all.
    pub stride: u64,
}

/// What a sweep covered. A sweep that injected nothing has tested nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SweepReport {
    /// Scenario runs with a plan that could fire.
    pub runs: u64,
    /// Runs in which it did fire. Fewer than `runs` means that the scenario does not repeat its calls exactly.
    pub fired: u64,
    /// Calls that were made to fail, over all runs.
    pub injected: u64,
}

/// Calls `scenario` with a fresh VFS and a plan for each fault at each call.
///
/// The scenario arms the plan itself with [`Handle::fail`], after whatever set-up should go unharmed; it is called
/// first with a plan that never fires, for counting. It fails its test by panicking or by returning an error.
pub fn sweep_faults<E: From<VfsError>>(
    sweep: &FaultSweep,
    mut scenario: impl FnMut(&Handle, &FaultPlan) -> Result<(), E>,
) -> Result<SweepReport, E> {
    let mut report = SweepReport::default();
    for (call, fault) in &sweep.faults {
        let plan = FaultPlan::new(*call, *fault).for_files_ending(&sweep.suffix);
        let plan = if sweep.persistent { plan.persistently() } else { plan };
        let counting = RecordingVfs::register_numbered("sweep")?;
        scenario(&counting, &plan.clone().never())?;
        let mut nth = 1;
        while nth <= counting.matched_calls() {
            let handle = RecordingVfs::register_numbered("sweep")?;
            scenario(&handle, &plan.clone().on_call(nth))?;
            report.runs += 1;
            report.fired += u64::from(handle.injected_faults() > 0);
            report.injected += handle.injected_faults();
            nth += sweep.stride.max(1);
        }
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use rusqlite::{Connection, OpenFlags};

    use super::*;

    type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

    /// Which of five openings failed, for each run of a sweep over them; the first run is the one that counts.
    fn failures(persistent: bool, stride: u64) -> Outcome<(Vec<Vec<usize>>, SweepReport)> {
        let sweep = FaultSweep {
            faults: vec![(CallKind::Open, Fault::InputOutput)],
            suffix: "store.sqlite".to_owned(),
            persistent,
            stride,
        };
        let mut runs = Vec::new();
        let report = sweep_faults(&sweep, |handle, plan| {
            let directory = tempfile::tempdir()?;
            let path = directory.path().join("store.sqlite");
            let open = || Connection::open_with_flags_and_vfs(&path, OpenFlags::default(), handle.name());
            // What happens before the plan is armed is neither counted nor harmed.
            open()?;
            handle.fail(plan.clone())?;
            runs.push((0..5).filter(|_| open().is_err()).collect());
            Outcome::Ok(())
        })?;
        Ok((runs, report))
    }

    #[test]
    fn a_sweep_fails_each_call_once() -> Outcome<()> {
        let (runs, report) = failures(false, 1)?;
        let expected: [&[usize]; 6] = [&[], &[0], &[1], &[2], &[3], &[4]];
        assert_eq!(runs, expected);
        let expected = SweepReport { runs: 5, fired: 5, injected: 5 };
        assert_eq!(report, expected);
        Ok(())
    }

    #[test]
    fn a_sweep_may_stride_and_persist() -> Outcome<()> {
        let (runs, report) = failures(true, 2)?;
        let expected: [&[usize]; 4] = [&[], &[0, 1, 2, 3, 4], &[2, 3, 4], &[4]];
        assert_eq!(runs, expected);
        assert_eq!(report.injected, 9);
        Ok(())
    }
}
