//! Where the numbers of a model come from.

/// The tensors of a model, by the names under which Hugging Face's libraries save them.
pub(crate) trait Numbers {
    /// The numbers of a tensor that has this shape, row by row. An error says in words what is missing or damaged.
    fn numbers(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, String>;
}
