//! What a planted bug is.

/// One change to the code, and the tests that must notice it.
pub(crate) struct Bug {
    /// What is wrong with it planted, in a few words; its name.
    pub(crate) what: &'static str,
    /// The file to change, relative to the repository.
    pub(crate) file: &'static str,
    /// Text that the file holds exactly once.
    pub(crate) find: &'static str,
    /// What takes its place.
    pub(crate) replace: &'static str,
    /// The package with the tests.
    pub(crate) package: &'static str,
    /// Part of the names of the tests.
    pub(crate) test: &'static str,
}

impl Bug {
    /// Tells this bug from every other, and from itself once any part of it was changed.
    pub(crate) fn key(&self) -> String {
        let parts = [self.what, self.file, self.find, self.replace, self.package, self.test];
        blake3::hash(parts.join("\0").as_bytes()).to_hex()[..16].to_owned()
    }

    /// Bugs of one crate after another, so that a build has to make the fewest crates again.
    pub(crate) fn build_order(&self) -> (&'static str, &'static str, &'static str) {
        let of_crate = self.file.split("/src/").next().unwrap_or(self.file);
        (of_crate, self.package, self.file)
    }
}
