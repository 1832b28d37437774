//! Failures of the protocol.

use serde_json::{Value, json};

use super::version::SUPPORTED;

/// A failure of the protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// Its number.
    pub code: i32,
    /// What is wrong.
    pub message: String,
    /// More, for programs.
    pub data: Option<Value>,
}

impl Fault {
    fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// The message is not JSON.
    pub fn not_json(error: &serde_json::Error) -> Self {
        Self::new(-32700, format!("the message is not JSON: {error}"))
    }

    /// The message is JSON and no request.
    pub fn not_a_request(message: &str) -> Self {
        Self::new(-32600, message)
    }

    /// There is no such method.
    pub fn unknown_method(method: &str) -> Self {
        Self::new(-32601, format!("there is no method `{}` here", method.chars().take(60).collect::<String>()))
    }

    /// The parameters make no sense.
    pub fn wrong_params(message: impl Into<String>) -> Self {
        Self::new(-32602, message)
    }

    /// Something failed on our side.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(-32603, message)
    }

    /// A header contradicts the body.
    pub fn header_mismatch(name: &str) -> Self {
        Self::new(-32020, format!("the header {name} does not say what the body says"))
    }

    /// This revision is not spoken here.
    pub fn unsupported_version(requested: &Value) -> Self {
        let data = json!({"supported": SUPPORTED, "requested": requested});
        Self { data: Some(data), ..Self::new(-32022, "this revision of the protocol is not spoken here") }
    }

    /// The answer to the request with this id.
    #[must_use]
    pub fn answer(&self, id: &Value) -> Value {
        let mut error = json!({"code": self.code, "message": self.message});
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        json!({"jsonrpc": "2.0", "id": id, "error": error})
    }
}
