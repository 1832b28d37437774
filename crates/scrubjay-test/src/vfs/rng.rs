//! A tiny seeded generator, so that a failing image can be built again from the numbers in a test's message.

/// Marsaglia's xorshift64 with a multiplication on the way out; quality is ample for choosing sectors.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// Neighbouring seeds must give unrelated streams, so the seed is spread over all bits first.
    pub fn new(seed: u64) -> Self {
        let mut spread = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        spread = (spread ^ (spread >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        spread = (spread ^ (spread >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        // Zero is the one state that xorshift never leaves.
        Self { state: (spread ^ (spread >> 31)).max(1) }
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number in `0..bound`; a bound of zero is taken as one.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = bound.max(1) as u64;
        // The remainder is smaller than `bound`, which came from a usize.
        (self.next_u64() >> 16) as usize % bound as usize
    }

    /// True once in `times` draws on average.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn the_same_seed_gives_the_same_stream_and_neighbours_differ() {
        let draw = |seed| {
            let mut rng = Rng::new(seed);
            (0..8).map(|_| rng.next_u64()).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        assert_ne!(draw(0), draw(u64::MAX));
    }

    #[test]
    fn below_reaches_every_value_and_stays_in_bounds() {
        let mut rng = Rng::new(1);
        let mut seen = [0_u32; 5];
        for _ in 0..1_000 {
            seen[rng.below(5)] += 1;
        }
        assert!(seen.iter().all(|count| *count > 120), "{seen:?}");
        assert_eq!(rng.below(0), 0);
    }
}
