//! Which providers there are.

#[cfg(test)]
use super::fake;
use super::{Descriptor, anthropic, builtin, command, gemini, local, ollama, openai};

/// Every provider, in the order in which people are shown them.
pub(super) static PROVIDERS: &[&Descriptor] = &[
    &builtin::BUILTIN,
    &local::LOCAL,
    &ollama::OLLAMA,
    &openai::OPENAI,
    &gemini::GEMINI,
    &anthropic::ANTHROPIC,
    &command::COMMAND,
    #[cfg(test)]
    &fake::FAKE,
];
