//! What was spent, and what may still be.

use scrubjay_core::time::Timestamp;
use scrubjay_store::Store;
use scrubjay_store::model::Spend;

use super::price::Price;
use crate::Result;
use crate::provider_list::Provider;

/// What a guarded model knows about money.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    /// What the calls are for.
    pub(crate) role: &'static str,
    /// The model.
    pub(crate) model: String,
    /// What it costs; none if that is not known.
    pub(crate) price: Option<Price>,
    /// What a day may cost, in millionths of a dollar.
    pub(crate) cap_micros: Option<u64>,
    /// How many calls a day may have.
    pub(crate) cap_calls: Option<u64>,
    /// Whether each call counts, answered or not.
    pub(crate) counts_calls: bool,
}

impl Account {
    /// Why a call that may take so many tokens must not be made today, if so. What costs nothing may always be called.
    pub(crate) async fn paused(
        &self,
        store: &dyn Store,
        now: Timestamp,
        estimate: (u64, u64),
    ) -> Result<Option<String>> {
        if let Some(cap) = self.cap_calls
            && calls_of_day(store, now).await? >= cap
        {
            let model = &self.model;
            return Ok(Some(format!(
                "{model} pauses until tomorrow (UTC): today's {cap} calls are used up (chat.command.calls_per_day)"
            )));
        }
        let (Some(cap), Some(price)) = (self.cap_micros, self.price) else { return Ok(None) };
        if price.input <= 0.0 && price.output <= 0.0 {
            return Ok(None);
        }
        let spent = store.spent_micros(&day_of(now)).await?;
        let next = price.micros(estimate.0, estimate.1);
        if spent < cap && spent.saturating_add(next) <= cap {
            return Ok(None);
        }
        if spent < cap {
            return Ok(Some(format!(
                "{} pauses until tomorrow (UTC): with today's {}, a call of about {} would pass spend.daily_cap_usd",
                self.model,
                usd(spent),
                usd(next)
            )));
        }
        Ok(Some(format!(
            "{} pauses until tomorrow (UTC): today's {} reached spend.daily_cap_usd",
            self.model,
            usd(spent)
        )))
    }

    /// Notes what was spent. `share` is the part of the price that was paid.
    pub(crate) async fn note(
        &self,
        store: &dyn Store,
        now: Timestamp,
        calls: u64,
        tokens: (u64, u64),
        share: f64,
    ) -> Result<()> {
        if calls == 0 && tokens == (0, 0) {
            return Ok(());
        }
        let price = self.price.unwrap_or_default();
        let price = Price { input: price.input * share, output: price.output * share };
        let spend = Spend {
            day: day_of(now),
            role: self.role.to_owned(),
            model: self.model.clone(),
            calls,
            input_tokens: tokens.0,
            output_tokens: tokens.1,
            cost_micros: price.micros(tokens.0, tokens.1),
        };
        Ok(store.add_spend(spend).await?)
    }
}

/// About how many tokens a text has, before anyone has counted them: four bytes each.
pub(crate) fn estimated_tokens(texts: impl IntoIterator<Item = impl AsRef<str>>) -> u64 {
    texts.into_iter().map(|text| text.as_ref().len().div_ceil(4) as u64).sum()
}

/// The day of a time, in UTC.
#[must_use]
pub fn day_of(at: Timestamp) -> String {
    at.to_string().chars().take(10).collect()
}

/// An amount for people.
#[must_use]
pub fn usd(micros: u64) -> String {
    if micros == 0 || micros >= 10_000 {
        return format!("${}.{:02}", micros / 1_000_000, micros % 1_000_000 / 10_000);
    }
    format!("${}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

/// How many calls of commands a day has had.
pub(crate) async fn calls_of_day(store: &dyn Store, now: Timestamp) -> Result<u64> {
    let day = day_of(now);
    let spent = store.spend(&day, &day).await?;
    let of_commands = spent.iter().filter(|entry| Provider::of_model(&entry.model).is_some_and(Provider::is_command));
    Ok(of_commands.map(|entry| entry.calls).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_amounts() {
        assert_eq!(day_of("2026-05-01T23:59:59Z".parse().unwrap()), "2026-05-01");
        assert_eq!(usd(0), "$0.00");
        assert_eq!(usd(1_234_567), "$1.23");
        assert_eq!(usd(42), "$0.000042");
    }
}
