//! What of a path tells one file from another.

use scrubjay_core::scope::{Scope, View};
use scrubjay_store::Store;
use scrubjay_store::source::{SourceKind, SourcePlace};

use crate::Result;

/// The places whose files are indexed.
///
/// Whatever leads to such a place is shared by everything in it, and says where somebody keeps their files rather
/// than what is in them: `/data/ann/work` would be about data, Ann and work.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roots {
    places: Vec<(Scope, String)>,
}

impl Roots {
    /// Those that the store knows, of all projects.
    pub(super) async fn of(store: &dyn Store) -> Result<Self> {
        Ok(Self::new(store.all_sources().await?))
    }

    /// Those that a view can see.
    pub(crate) async fn seen(store: &dyn Store, view: &View) -> Result<Self> {
        Ok(Self::new(store.sources(view).await?))
    }

    fn new(places: Vec<SourcePlace>) -> Self {
        let places = places.into_iter().filter(|place| place.kind != SourceKind::Transcripts);
        Self { places: places.map(|place| (place.scope, place.path)).collect() }
    }

    /// The part of a path below the innermost place of its scope that holds it; the name of the file if it is a place
    /// itself or in none.
    pub(super) fn below<'a>(&self, scope: &Scope, path: &'a str) -> &'a str {
        let inside = |(place, root): &(Scope, String)| {
            let rest = path.strip_prefix(root.as_str()).filter(|_| place == scope)?;
            let rest = if root.ends_with('/') { rest } else { rest.strip_prefix('/')? };
            (!rest.is_empty()).then_some(rest)
        };
        let name = path.rsplit('/').next().unwrap_or(path);
        self.places.iter().filter_map(inside).min_by_key(|rest| rest.len()).unwrap_or(name)
    }

    /// A question that names files by their whole path, with the paths as the index knows them.
    pub(crate) fn shortened(&self, question: &str) -> String {
        let mut roots: Vec<&str> = self.places.iter().map(|(_, root)| root.as_str()).collect();
        // The innermost first.
        roots.sort_by_key(|root| std::cmp::Reverse(root.len()));
        let mut question = question.to_owned();
        for root in roots.into_iter().filter(|root| root.len() > 1) {
            question = question.replace(&format!("{}/", root.trim_end_matches('/')), "");
        }
        question
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots(places: &[(&str, &str)]) -> Roots {
        let place = |(scope, path): &(&str, &str)| (scope.parse().expect("a scope"), (*path).to_owned());
        Roots { places: places.iter().map(place).collect() }
    }

    #[test]
    fn what_is_below_a_place_tells_files_apart() {
        let here: Scope = "project/here".parse().expect("a scope");
        let nested = roots(&[
            ("project/here", "/data/ann/work"),
            ("project/here", "/data/ann/work/shop"),
            ("project/there", "/data/ann/work/app"),
            ("project/here", "/"),
        ]);
        for (path, below) in [
            ("/data/ann/work/app/src/main.rs", "app/src/main.rs"),
            ("/data/ann/work/shop/src/cart.rs", "src/cart.rs"),
            // No part of a name is a folder.
            ("/data/ann/workshop/plan.md", "data/ann/workshop/plan.md"),
        ] {
            assert_eq!(nested.below(&here, path), below);
        }
        let apart = roots(&[("project/here", "/notes/todo.md")]);
        assert_eq!(apart.below(&here, "/notes/todo.md"), "todo.md");
        assert_eq!(apart.below(&here, "/elsewhere/deep/a.md"), "a.md");
        let asked = nested.shortened("see /data/ann/work/shop/src/cart.rs and /data/ann/x.md");
        assert_eq!(asked, "see src/cart.rs and /data/ann/x.md");
    }
}
