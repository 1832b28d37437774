//! Project ids: making them from names and addresses, and checking those that people give.

use crate::project_error::ProjectError;

/// The longest project id.
const LONGEST: usize = 80;

/// How many hex digits tell projects of the same name apart.
const HASH_DIGITS: usize = 8;

/// The name of a project whose own name has no usable character.
const NAMELESS: &str = "project";

/// Checks a project id: 1 to 80 of `a-z 0-9 . _ -`, starting with a letter or digit. Returns it unchanged; the
/// error proposes the nearest id that is allowed.
pub fn validate_slug(slug: &str) -> Result<&str, ProjectError> {
    let starts_well = slug.starts_with(|first: char| first.is_ascii_lowercase() || first.is_ascii_digit());
    if starts_well && slug.len() <= LONGEST && slug.chars().all(is_slug_char) {
        return Ok(slug);
    }
    Err(ProjectError::Slug { slug: slug.to_owned(), proposal: cleaned(slug, LONGEST) })
}

/// The id of whatever `identity` stands for: its name made readable, and a hash that tells it from others.
pub(super) fn slug_of(name: &str, identity: &[u8]) -> String {
    let hash = blake3::hash(identity).to_hex();
    let name = cleaned(name, LONGEST - HASH_DIGITS - 1);
    format!("{name}-{}", &hash[..HASH_DIGITS])
}

/// A name brought to the characters of a slug: lower case, runs of anything else as one `-`, none of it at the ends.
fn cleaned(name: &str, longest: usize) -> String {
    let mut slug = String::new();
    for character in name.chars() {
        let character = character.to_ascii_lowercase();
        if is_slug_char(character) && character != '-' {
            slug.push(character);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
        // Enough is kept for the start to be trimmed; a name of a megabyte is not worth more.
        if slug.len() > 2 * longest {
            break;
        }
    }
    let start = slug.trim_start_matches(|first: char| !first.is_ascii_alphanumeric());
    let cut = &start[..start.len().min(longest)];
    let slug = cut.trim_end_matches(['-', '.']);
    if slug.is_empty() { NAMELESS.to_owned() } else { slug.to_owned() }
}

fn is_slug_char(character: char) -> bool {
    matches!(character, 'a'..='z' | '0'..='9' | '.' | '_' | '-')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn slugs_are_checked_and_cleaned() {
        for slug in ["a", "0", "my-app", "my.app_2-deadbeef", &"x".repeat(80)] {
            assert_eq!(validate_slug(slug).unwrap(), slug);
        }
        for (slug, proposal) in [
            ("", "project"),
            ("My App", "my-app"),
            ("..", "project"),
            (".hidden", "hidden"),
            ("-x", "x"),
            ("../../etc/passwd", "etc-passwd"),
            ("a//b\\c", "a-b-c"),
            ("漢字", "project"),
            ("Café au lait!", "caf-au-lait"),
            ("a\u{1b}[2J", "a-2j"),
            (&"x".repeat(81), &"x".repeat(80)),
        ] {
            let error = validate_slug(slug).unwrap_err();
            assert!(error.to_string().ends_with(&format!("for example `{proposal}`")), "{error}");
            assert!(!error.to_string().contains(char::is_control));
            validate_slug(proposal).unwrap();
        }
    }

    #[test]
    fn an_id_is_a_name_and_a_hash() {
        assert_eq!(slug_of("My App", b""), "my-app-af1349b9");
        assert_ne!(slug_of("a", b"1"), slug_of("a", b"2"));
        assert_eq!(slug_of(&"x".repeat(500), b"").len(), 80);
    }

    proptest! {
        #[test]
        fn every_made_slug_is_valid(name in "\\PC*|.{0,200}|[-._a-zA-Z]{0,200}", identity: Vec<u8>) {
            validate_slug(&slug_of(&name, &identity)).unwrap();
            validate_slug(&cleaned(&name, LONGEST)).unwrap();
        }

        #[test]
        fn a_valid_slug_without_odd_ends_is_its_own_proposal(slug in "[a-z0-9]([a-z0-9._]{0,40}[a-z0-9_])?") {
            prop_assert_eq!(cleaned(validate_slug(&slug).unwrap(), LONGEST), slug);
        }
    }
}
