//! What of a path tells one file from another.

use scrubjay_store::Store;
use scrubjay_store::source::SourcePlace;

use crate::Result;

/// The places whose files are indexed.
///
/// Whatever leads to such a place is shared by everything in it, and says where somebody keeps their files rather
/// than what is in them: `/home/ann/work` would be about Ann, home and work.
#[derive(Debug, Clone, Default)]
pub(super) struct Roots {
    paths: Vec<String>,
}

impl Roots {
    /// Those that the store knows.
    pub(super) async fn of(store: &dyn Store) -> Result<Self> {
        Ok(Self::new(store.all_sources().await?))
    }

    fn new(places: Vec<SourcePlace>) -> Self {
        Self { paths: places.into_iter().map(|place| place.path).collect() }
    }

    /// The part of a path below the innermost place that holds it; the name of the file if it is a place itself or
    /// in none.
    pub(super) fn below<'a>(&self, path: &'a str) -> &'a str {
        let inside = |root: &String| {
            let rest = path.strip_prefix(root.as_str())?;
            let rest = if root.ends_with('/') { rest } else { rest.strip_prefix('/')? };
            (!rest.is_empty()).then_some(rest)
        };
        let name = path.rsplit('/').next().unwrap_or(path);
        self.paths.iter().filter_map(inside).min_by_key(|rest| rest.len()).unwrap_or(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_a_place_tells_files_apart() {
        let paths = ["/home/ann/work", "/home/ann/work/shop", "/notes/todo.md", "/"].map(str::to_owned).to_vec();
        for (path, below) in [
            ("/home/ann/work/app/src/main.rs", "app/src/main.rs"),
            ("/home/ann/work/shop/src/cart.rs", "src/cart.rs"),
            // No part of a name is a folder.
            ("/home/ann/workshop/plan.md", "home/ann/workshop/plan.md"),
            ("/notes/todo.md", "notes/todo.md"),
        ] {
            assert_eq!(Roots { paths: paths.clone() }.below(path), below);
        }
        let apart = Roots { paths: vec!["/notes/todo.md".to_owned()] };
        assert_eq!(apart.below("/notes/todo.md"), "todo.md");
        assert_eq!(apart.below("/elsewhere/deep/a.md"), "a.md");
    }
}
