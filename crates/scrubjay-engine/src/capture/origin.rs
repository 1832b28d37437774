//! Where a text came from, as far as whoever brings it may say so.

use scrubjay_core::memory::OriginKind;

use crate::{Ctx, EngineError, Result};

/// The origin of a text that came in over a surface. `own` is what the surface
/// makes it; the owner in person may state another, everyone else only one that
/// is trusted no more. The second value says when a statement did not count.
///
/// # Errors
/// When there is no such origin.
pub fn origin_of(ctx: &Ctx, stated: Option<&str>, own: OriginKind) -> Result<(OriginKind, Option<String>)> {
    let Some(stated) = stated else { return Ok((own, None)) };
    let stated: OriginKind = stated.parse().map_err(EngineError::invalid)?;
    if ctx.is_consented() || ctx.is_person() || trust(stated) <= trust(own) {
        return Ok((stated, None));
    }
    let warning =
        format!("the origin `{}` is not this caller's to state; it was kept as `{}`", stated.name(), own.name());
    Ok((own, Some(warning)))
}

// A person's word counts for more than a program's, and a program's for more than what was only passed on.
fn trust(origin: OriginKind) -> u8 {
    match origin {
        OriginKind::User => 2,
        OriginKind::Assistant => 1,
        OriginKind::Tool | OriginKind::File | OriginKind::Web | OriginKind::Import | OriginKind::System => 0,
    }
}
