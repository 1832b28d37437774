//! Times as people say them.

use scrubjay_core::time::Timestamp;

/// How long ago, and the date: "3 days ago (2026-05-01)".
pub(super) fn when(text: &str, now: Timestamp) -> String {
    match text.parse::<Timestamp>() {
        Ok(time) => format!("{} ({})", ago(time, now), time.date()),
        Err(_) => text.to_owned(),
    }
}

/// The date alone.
pub(super) fn date(text: &str) -> String {
    text.parse::<Timestamp>().map_or_else(|_| text.to_owned(), Timestamp::date)
}

/// Date and minute, in UTC.
pub(super) fn minute(text: &str) -> String {
    text.parse::<Timestamp>().map_or_else(|_| text.to_owned(), Timestamp::minute)
}

/// How long ago, or how soon.
pub(super) fn ago(time: Timestamp, now: Timestamp) -> String {
    let seconds = (now.millis() - time.millis()) / 1000;
    let distance = seconds.unsigned_abs();
    let (unit_seconds, unit) = match distance {
        0..60 => return "just now".to_owned(),
        60..3_600 => (60, "minute"),
        3_600..86_400 => (3_600, "hour"),
        86_400..1_209_600 => (86_400, "day"),
        1_209_600..5_184_000 => (604_800, "week"),
        5_184_000..31_557_600 => (2_629_800, "month"),
        _ => (31_557_600, "year"),
    };
    let count = distance / unit_seconds;
    let plural = if count == 1 { "" } else { "s" };
    if seconds < 0 { format!("in {count} {unit}{plural}") } else { format!("{count} {unit}{plural} ago") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_cut_to_what_people_say() {
        let now = Timestamp::from_millis(1_777_638_600_000);
        for (seconds, expected) in [
            (0, "just now"),
            (59, "just now"),
            (60, "1 minute ago"),
            (3_599, "59 minutes ago"),
            (3_600, "1 hour ago"),
            (86_399, "23 hours ago"),
            (86_400, "1 day ago"),
            (13 * 86_400, "13 days ago"),
            (14 * 86_400, "2 weeks ago"),
            (70 * 86_400, "2 months ago"),
            (364 * 86_400, "11 months ago"),
            (366 * 86_400, "1 year ago"),
            (800 * 86_400, "2 years ago"),
            (-7_200, "in 2 hours"),
            (-10, "just now"),
        ] {
            assert_eq!(ago(now.plus_millis(-seconds * 1000), now), expected, "{seconds}");
        }
        assert_eq!(when("2026-05-01T12:30:00Z", now), "just now (2026-05-01)");
        assert_eq!(when("soon", now), "soon");
        assert_eq!(minute("2026-05-01T12:30:00Z"), "2026-05-01 12:30");
    }
}
