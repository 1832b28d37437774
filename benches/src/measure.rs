//! Taking times.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// Wall and CPU time of one repetition, or of some work.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Taken {
    /// On the clock on the wall.
    pub(crate) wall: Duration,
    /// Of the processor: all threads of this process together, unless the function says otherwise.
    pub(crate) cpu: Duration,
}

/// Runs `work` some times and gives the medians.
pub(crate) fn median(times: usize, mut work: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<Taken> {
    let mut taken = Vec::with_capacity(times);
    for _ in 0..times {
        let mut watch = Stopwatch::default();
        watch.time(&mut work)?;
        taken.push(watch.taken());
    }
    Ok(medians(&taken))
}

/// Runs `work` and gives its result with the wall time and the CPU time of this thread.
pub(crate) fn on_this_thread<T>(work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<(T, Taken)> {
    let (wall, cpu) = (now(), cpu_time(ClockId::ThreadCPUTime));
    let result = work()?;
    let cpu = cpu_time(ClockId::ThreadCPUTime).saturating_sub(cpu);
    Ok((result, Taken { wall: now().duration_since(wall), cpu }))
}

/// The median of the walls and the median of the CPU times; nothing at all takes no time.
pub(crate) fn medians(taken: &[Taken]) -> Taken {
    percentiles(taken, 50)
}

/// The same for another share of the times, in percent, that are no longer.
pub(crate) fn percentiles(taken: &[Taken], percent: usize) -> Taken {
    let pick = |mut times: Vec<Duration>| {
        times.sort();
        let at = (times.len() * percent / 100).min(times.len().saturating_sub(1));
        times.get(at).copied().unwrap_or_default()
    };
    Taken {
        wall: pick(taken.iter().map(|taken| taken.wall).collect()),
        cpu: pick(taken.iter().map(|taken| taken.cpu).collect()),
    }
}

/// Adds up what stretches of work take that have other work between them.
#[derive(Debug, Default)]
pub(crate) struct Stopwatch(Taken);

impl Stopwatch {
    /// Runs `work` and adds what it took.
    pub(crate) fn time<T>(&mut self, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
        let (wall, cpu) = (now(), process_cpu_time());
        let result = work()?;
        self.0.wall += now().duration_since(wall);
        self.0.cpu += process_cpu_time().saturating_sub(cpu);
        Ok(result)
    }

    /// Everything so far.
    pub(crate) fn taken(&self) -> Taken {
        self.0
    }
}

/// The CPU time this process has used since it was started.
pub(crate) fn process_cpu_time() -> Duration {
    cpu_time(ClockId::ProcessCPUTime)
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

fn cpu_time(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}
