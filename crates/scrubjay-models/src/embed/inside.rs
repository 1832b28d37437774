//! The embedders inside this program, by their names in settings.

use std::sync::Arc;

use super::builtin::Builtin;
use super::multilingual::Multilingual;
use super::provider::Embedder;

/// A built-in embedder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuiltinModel {
    /// [`Builtin`]: an encoder for English and code, the usual one.
    English,
    /// [`Multilingual`]: a table of words in 101 languages, experimental.
    Multilingual,
}

impl BuiltinModel {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::English, Self::Multilingual];

    /// Its name in settings; empty for the usual one.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::English => "",
            Self::Multilingual => "builtin-multilingual",
        }
    }

    /// The model with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|model| model.name() == name)
    }

    /// The model whose vectors have this id, in this or in an earlier version.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        let without_version = |id: &str| id.split('@').next().map(str::to_owned);
        Self::ALL.into_iter().find(|model| without_version(&model.embedder(1).model().id) == without_version(id))
    }

    /// An embedder that computes documents on `threads` threads, where that matters; 0 means one per processor core.
    #[must_use]
    pub fn embedder(self, threads: usize) -> Arc<dyn Embedder> {
        match self {
            Self::English => Arc::new(Builtin::new(threads)),
            Self::Multilingual => Arc::new(Multilingual::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_found_by_name_and_by_id() {
        for model in BuiltinModel::ALL {
            assert_eq!(BuiltinModel::from_name(model.name()), Some(model));
            let id = model.embedder(1).model().id.clone();
            assert_eq!(BuiltinModel::from_id(&id), Some(model));
            assert_eq!(BuiltinModel::from_id(&id.replace("@1", "@7")), Some(model));
        }
        assert_eq!(BuiltinModel::from_name("builtin-multilangual"), None);
        assert_eq!(BuiltinModel::from_id("builtin/other@1"), None);
    }
}
