//! What replies made of what was really injected.

use scrubjay_core::time::Timestamp;
use scrubjay_store::context::{Receipt, ReceiptQuery};

use super::report::Injections;
use crate::context::look_for_use;
use crate::{Ctx, Result};

/// Receipts read at a time.
const PAGE: usize = 200;

/// Adds the receipts of a project. Those that no reply was compared with yet are compared now, and nothing is noted.
pub(super) async fn add_receipts(ctx: &Ctx, since: Option<Timestamp>, sum: &mut Injections) -> Result<()> {
    let store = ctx.store().await?;
    let home = ctx.view().home();
    let is_meant = |receipt: &&Receipt| {
        receipt.profile == "inject" && receipt.scope == home && since.is_none_or(|since| receipt.at >= since)
    };
    let mut before = None;
    loop {
        let page = store.receipts(ctx.view(), ReceiptQuery { before, limit: PAGE, ..ReceiptQuery::default() }).await?;
        for receipt in page.iter().filter(is_meant) {
            add(ctx, receipt, sum).await?;
        }
        before = page.last().map(|receipt| receipt.id);
        if page.len() < PAGE {
            return Ok(());
        }
    }
}

async fn add(ctx: &Ctx, receipt: &Receipt, sum: &mut Injections) -> Result<()> {
    let verdicts = match receipt.judged_at {
        Some(_) => Some(receipt.items.iter().filter_map(|item| item.verdict).collect()),
        None => look_for_use(ctx, receipt).await?,
    };
    sum.receipts += 1;
    match verdicts {
        Some(verdicts) => {
            let used = verdicts.iter().filter(|verdict| verdict.used).count();
            sum.used += used;
            sum.unused += verdicts.len() - used;
        }
        None => sum.without_reply += receipt.items.len(),
    }
    Ok(())
}
