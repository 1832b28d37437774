//! A GGUF file, served by llama.cpp's server.
//!
//! The server is started by us on a free port of this machine, with a key that nobody else knows, and stopped when the
//! value that stands for it goes. Nothing of llama.cpp is linked in.

use std::fs::File;
use std::io::Read;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::error::EmbedError;

/// How long a model may take to load.
pub const LOADING: Duration = Duration::from_secs(300);

/// What every GGUF file begins with.
const MAGIC: &[u8; 4] = b"GGUF";

/// What a model served by llama.cpp is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Served {
    /// Vectors.
    Embeddings,
    /// Vectors, from a model that was made for words and does not say how a vector is made of them: their mean.
    MeanEmbeddings,
    /// Words.
    Chat,
}

/// A server that runs as long as this value lives.
#[derive(Debug)]
pub struct LlamaServer {
    child: Mutex<Child>,
    port: u16,
}

impl LlamaServer {
    /// Starts a server for a model. It answers when the model is loaded, which whoever calls it has to wait for.
    ///
    /// # Errors
    /// If the file is no model, or the program cannot be started.
    pub fn start(program: &Path, model: &Path, key: &str, served: Served) -> Result<Self, EmbedError> {
        let unusable = |why: String| EmbedError::Folder { path: model.to_owned(), why };
        if !is_gguf(model) {
            return Err(unusable("it is no GGUF file".to_owned()));
        }
        // Free a moment ago, and hardly taken by anyone else since; if it is, the server ends and says so.
        let free = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
        let port = free.map_err(|error| unusable(format!("there is no free port ({error})")))?.port();
        let mut command = Command::new(program);
        command.arg("--model").arg(model).args(["--host", "127.0.0.1", "--port"]).arg(port.to_string());
        if served == Served::Chat {
            command.args(["--ctx-size", "8192"]);
        } else {
            command.args(["--embedding", "--ubatch-size", "2048", "--batch-size", "2048"]);
        }
        if served == Served::MeanEmbeddings {
            command.args(["--pooling", "mean"]);
        }
        // In the environment, because everyone on the machine can see arguments.
        command.env("LLAMA_API_KEY", key).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().map_err(|error| {
            let shown = program.display();
            unusable(format!("{shown} cannot be started ({error}); install llama.cpp, or set embedding.server"))
        })?;
        Ok(Self { child: Mutex::new(child), port })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Whether it still runs.
    #[must_use]
    pub fn runs(&self) -> bool {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        child.try_wait().is_ok_and(|ended| ended.is_none())
    }
}

impl Drop for LlamaServer {
    fn drop(&mut self) {
        let child = self.child.get_mut().unwrap_or_else(PoisonError::into_inner);
        // If it has ended already there is nothing to stop; either way it is waited for, so that nothing is left of it.
        drop(child.kill());
        drop(child.wait());
    }
}

/// Whether a file is a model of llama.cpp.
#[must_use]
pub fn is_gguf(path: &Path) -> bool {
    let mut beginning = [0; 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut beginning)).is_ok() && &beginning == MAGIC
}

/// The server program: the one that is named, else `llama-server` in one of these folders.
#[must_use]
pub fn find_program(named: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    if !named.is_empty() {
        return Some(PathBuf::from(named));
    }
    folders.iter().map(|folder| folder.join("llama-server")).find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_models_are_served() {
        let error = LlamaServer::start(Path::new("x"), Path::new("/dev/null"), "k", Served::Embeddings).unwrap_err();
        assert!(error.to_string().contains("no GGUF file"), "{error}");
        assert_eq!(find_program("", &[PathBuf::from("/nonexistent")]), None);
        assert_eq!(find_program("/opt/ls", &[]), Some(PathBuf::from("/opt/ls")));
    }
}
