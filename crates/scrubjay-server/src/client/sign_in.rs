//! A link that signs a browser in.

use std::path::Path;
use std::time::Duration;

use scrubjay_core::scope::ProjectId;
use serde_json::Value;

use super::connection::{Away, Connection, Request};

/// Asks this home's daemon for a link that signs a browser in once, with the
/// owner's token, and shows this project. The token itself is not in it.
///
/// # Errors
/// When there is no answer.
pub fn sign_in_link(home: &Path, project: Option<&ProjectId>, within: Duration) -> Result<String, Away> {
    let connection = Connection::to(home).ok_or(Away::Absent)?;
    let request = Request { method: "POST", path: "/login/link", headers: &[], body: b"" };
    let answer = connection.ask(request, within)?;
    let told: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let (Some(path), Some(port)) = (told["path"].as_str(), told["port"].as_u64()) else {
        return Err(Away::Broken(format!("it gave no link ({})", answer.status)));
    };
    let project = project.map_or_else(String::new, |project| format!("&project={project}"));
    Ok(format!("http://127.0.0.1:{port}{path}{project}"))
}
