//! `/metrics`: numbers for Prometheus.
//!
//! Labels are routes and statuses, which are few; never a project, a session or
//! anything that was said.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use scrubjay_engine::schedule;

use super::reply::bytes;
use super::routes::{Answering, Call};
use super::shared::Shared;

/// Upper bounds of the classes of times, in seconds.
const BOUNDS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 10.0];

#[derive(Default, Clone)]
struct Times {
    classes: [u64; BOUNDS.len()],
    sum: f64,
    count: u64,
}

/// How many replies, by route and status.
type Replies = BTreeMap<(String, u16), u64>;

#[derive(Default)]
pub(crate) struct Metrics {
    counted: Mutex<(Replies, BTreeMap<String, Times>)>,
}

impl Metrics {
    /// Counts an answered request.
    pub(crate) fn count(&self, route: &str, status: u16, took: Duration) {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        *counted.0.entry((route.to_owned(), status)).or_default() += 1;
        let times = counted.1.entry(route.to_owned()).or_default();
        let seconds = took.as_secs_f64();
        times.sum += seconds;
        times.count += 1;
        for (class, bound) in times.classes.iter_mut().zip(BOUNDS) {
            *class += u64::from(seconds <= bound);
        }
    }

    fn text(&self, shared: &Shared) -> String {
        let counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        let mut say = |line: String| {
            text.push_str(&line);
            text.push('\n');
        };
        say("# HELP scrubjay_requests_total Requests answered, by route and status.".to_owned());
        say("# TYPE scrubjay_requests_total counter".to_owned());
        for ((route, status), count) in &counted.0 {
            say(format!("scrubjay_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}"));
        }
        say("# HELP scrubjay_request_seconds Time to answer, by route.".to_owned());
        say("# TYPE scrubjay_request_seconds histogram".to_owned());
        for (route, times) in &counted.1 {
            for (class, bound) in times.classes.iter().zip(BOUNDS) {
                say(format!("scrubjay_request_seconds_bucket{{route=\"{route}\",le=\"{bound}\"}} {class}"));
            }
            let (sum, count) = (times.sum, times.count);
            say(format!("scrubjay_request_seconds_bucket{{route=\"{route}\",le=\"+Inf\"}} {count}"));
            say(format!("scrubjay_request_seconds_sum{{route=\"{route}\"}} {sum}"));
            say(format!("scrubjay_request_seconds_count{{route=\"{route}\"}} {count}"));
        }
        let (uptime, in_flight) = (shared.uptime().as_secs_f64(), shared.in_flight());
        for (name, help, value) in [
            ("scrubjay_uptime_seconds", "Seconds since the daemon started.", format!("{uptime}")),
            ("scrubjay_requests_in_flight", "Requests being worked on.", format!("{in_flight}")),
        ] {
            say(format!("# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}"));
        }
        text
    }
}

pub(crate) fn answer(call: Call) -> Answering {
    Box::pin(async move {
        let mut text = call.shared.metrics.text(&call.shared);
        let _ = writeln!(
            text,
            "# HELP scrubjay_jobs_due Background jobs that are due, by agent.\n# TYPE scrubjay_jobs_due gauge"
        );
        for (agent, ctx) in call.shared.agents.open().await {
            if let Ok(due) = schedule::due(&ctx).await {
                let _ = writeln!(text, "scrubjay_jobs_due{{agent=\"{agent}\"}} {due}");
            }
        }
        bytes(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", text)
    })
}
