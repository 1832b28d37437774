//! Numbers of things, as people say them.

/// “1 memory”, “2 memories”.
#[must_use]
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_not_several() {
        for (count, expected) in [(0, "0 memories"), (1, "1 memory"), (2, "2 memories")] {
            assert_eq!(counted(count, "memory", "memories"), expected);
        }
    }
}
