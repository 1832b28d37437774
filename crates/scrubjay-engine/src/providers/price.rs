//! What models cost.

/// The cost of a model, in dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Price {
    /// For tokens read.
    pub input: f64,
    /// For tokens written.
    pub output: f64,
}

impl Price {
    /// What some tokens cost, in millionths of a dollar, rounded up.
    #[must_use]
    pub fn micros(&self, input_tokens: u64, output_tokens: u64) -> u64 {
        // Dollars per million tokens are millionths of a dollar per token.
        let micros = self.input * input_tokens as f64 + self.output * output_tokens as f64;
        if micros.is_finite() && micros > 0.0 { micros.ceil() as u64 } else { 0 }
    }
}

/// A list of prices.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prices {
    entries: Vec<(String, Price)>,
    /// Lines that are no price.
    pub unreadable: Vec<String>,
}

impl Prices {
    /// Reads lines such as `openai/gpt-5-mini=0.25/2.00`.
    #[must_use]
    pub fn parse(lines: &[String]) -> Self {
        let mut prices = Self::default();
        for line in lines {
            match entry(line) {
                Some(entry) => prices.entries.push(entry),
                None => prices.unreadable.push(line.clone()),
            }
        }
        prices
    }

    /// The price of a model by its id; the longest name that it begins with, so that dated versions and shortened
    /// vectors have the price of their model. A later line wins.
    #[must_use]
    pub fn of(&self, id: &str) -> Option<Price> {
        let fitting = self.entries.iter().filter(|(name, _)| {
            id.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '-', '@']))
        });
        fitting.max_by_key(|(name, _)| name.len()).map(|(_, price)| *price)
    }
}

fn entry(line: &str) -> Option<(String, Price)> {
    let (name, price) = line.split_once('=')?;
    let (input, output) = match price.split_once('/') {
        Some((input, output)) => (input, output),
        None => (price, "0"),
    };
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    let name = name.trim();
    (name.contains('/') && !name.ends_with('/')).then_some(())?;
    Some((name.to_owned(), Price { input: number(input)?, output: number(output)? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_read_and_found() {
        let lines = ["openai/a=0.02", "openai/a-large = 1/ 2", "x", "y=1", "openai/b=-1", "openai/c=nan"];
        let prices = Prices::parse(&lines.map(str::to_owned));
        assert_eq!(prices.unreadable, ["x", "y=1", "openai/b=-1", "openai/c=nan"]);
        assert_eq!(prices.of("openai/a:256").unwrap().input, 0.02);
        assert_eq!(prices.of("openai/a-large-2026-01-01"), Some(Price { input: 1.0, output: 2.0 }));
        assert_eq!(prices.of("openai/ab"), None);
        assert_eq!(prices.of("openai/a").unwrap().micros(1_000_000, 5), 20_000);
        assert_eq!(prices.of("openai/a").unwrap().micros(1, 0), 1);
    }
}
