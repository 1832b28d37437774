//! Reading a whole folder.

use std::path::Path;

use super::config::describe;
use super::encoder::Encoder;
use super::safetensors::Tensors;
use super::wordpiece::WordPiece;
use crate::prefix::PrefixScheme;

/// A model as it was found.
pub struct FolderModel {
    /// The folder's name.
    pub name: String,
    /// Differs where the weights do.
    pub fingerprint: u64,
    /// What is put before texts.
    pub prefix_scheme: PrefixScheme,
    /// What runs it.
    pub encoder: Encoder,
}

/// Reads the model in a folder.
///
/// # Errors
/// What is missing or cannot be run, in words.
pub fn read_folder(folder: &Path) -> Result<FolderModel, String> {
    let description = describe(folder)?;
    let tokenizer = WordPiece::read(&folder.join("tokenizer.json"), description.config.vocab_size)?;
    let tensors = Tensors::read(&folder.join("model.safetensors"))?;
    let encoder = Encoder::new(&description, tokenizer, &tensors)?;
    let name = folder.file_name().map_or_else(|| "model".to_owned(), |name| name.to_string_lossy().into_owned());
    Ok(FolderModel { name, fingerprint: tensors.fingerprint(), prefix_scheme: description.prefix_scheme, encoder })
}
