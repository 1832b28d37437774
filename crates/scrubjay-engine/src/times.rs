//! Times as people write them, in their time zone.

use jiff::tz::TimeZone;
use scrubjay_core::time::Timestamp;
use scrubjay_core::when::given_time;

use crate::{Ctx, EngineError, Result};

/// The user's time zone: as set, else that of the environment or the machine.
///
/// # Errors
/// When the setting names none.
pub(crate) fn time_zone(ctx: &Ctx) -> Result<TimeZone> {
    let name = match ctx.config().settings.maintain.time_zone.as_str() {
        "" => ctx.variable("TZ").unwrap_or_default(),
        name => name,
    };
    if name.is_empty() {
        return Ok(TimeZone::system());
    }
    let known = TimeZone::get(name).or_else(|_| TimeZone::posix(name));
    known.map_err(|_| {
        EngineError::invalid(format!("maintain.time_zone: `{name}` is not a time zone known here; write Europe/Berlin"))
    })
}

/// Turns a time in words into a time; what is none is left to the caller to read or to refuse.
///
/// # Errors
/// When the time zone is not known.
pub(crate) fn date(ctx: &Ctx, end: bool, text: &mut String) -> Result<()> {
    if text.parse::<Timestamp>().is_ok() {
        return Ok(());
    }
    if let Some(span) = given_time(text, ctx.now(), &time_zone(ctx)?) {
        // Nobody means a moment that has not come by “as of today”.
        let moment = if end { span.until.min(ctx.now()) } else { span.from };
        *text = moment.to_string();
    }
    Ok(())
}
