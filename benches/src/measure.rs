//! Taking times.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// The median wall and CPU time of one repetition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taken {
    /// On the clock on the wall.
    pub(crate) wall: Duration,
    /// Of this process, all threads together.
    pub(crate) cpu: Duration,
}

/// Runs `work` some times and gives the medians.
pub(crate) fn median(times: usize, mut work: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<Taken> {
    let (mut walls, mut cpus) = (Vec::with_capacity(times), Vec::with_capacity(times));
    for _ in 0..times {
        let (wall, cpu) = (now(), cpu_time());
        work()?;
        walls.push(now().duration_since(wall));
        cpus.push(cpu_time().saturating_sub(cpu));
    }
    walls.sort();
    cpus.sort();
    Ok(Taken { wall: walls[times / 2], cpu: cpus[times / 2] })
}

/// Microseconds with a digit behind the point.
pub(crate) fn micros(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1e6)
}

/// How many times as long one is as the other.
pub(crate) fn ratio(one: Duration, other: Duration) -> String {
    format!("{:.2}", one.as_secs_f64() / other.as_secs_f64().max(1e-9))
}

#[expect(clippy::disallowed_methods, reason = "measuring time is what this crate is for")]
fn now() -> Instant {
    Instant::now()
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}
