//! The dashboard's files, as they lie in `web/`. Nothing is built: a browser
//! gets the modules as they were written. They are not compressed either; over
//! loopback that would cost more time than it saves.

use axum::http::{HeaderValue, Method, StatusCode, header};
use scrubjay_core::error::ErrorCode;

use super::problem::Problem;
use super::reply::bytes;
use super::routes::{Answering, Call, Does, Need, Route};

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const ICON: &str = "image/svg+xml";

/// Where the files lie while Scrubjay is worked on.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/web/");

struct File {
    name: &'static str,
    kind: &'static str,
    contents: &'static [u8],
}

macro_rules! files {
    ($($kind:ident: $($name:literal)*;)*) => {
        &[$($(File { name: $name, kind: $kind, contents: include_bytes!(concat!("../../web/", $name)) }),*),*]
    };
}

const FILES: &[File] = files! {
    HTML: "index.html";
    ICON: "icon.svg";
    STYLE: "style.css" "vendor/uPlot.min.css";
    SCRIPT: "app.js" "api.js" "store.js" "strings.js" "router.js" "parts.js" "memory_panel.js" "keyboard.js"
        "pages/home.js" "pages/memories.js" "pages/search.js" "pages/review.js" "pages/receipts.js"
        "pages/context.js" "pages/sessions.js" "pages/entities.js" "pages/projects.js" "pages/sources.js"
        "pages/jobs.js" "pages/settings.js" "chart.js" "graph.js"
        "vendor/htm-preact.js" "vendor/uPlot.iife.min.js" "vendor/d3-quadtree.min.js" "vendor/d3-dispatch.min.js"
        "vendor/d3-timer.min.js" "vendor/d3-force.min.js";
};

/// A route for each file; the page itself is at the root.
pub(crate) fn routes() -> impl Iterator<Item = Route> {
    FILES.iter().map(|file| Route {
        method: Method::GET,
        path: path_of(file),
        need: Need::Token,
        does: Does::Other(answer),
    })
}

fn path_of(file: &File) -> String {
    if file.name == "index.html" { "/".to_owned() } else { format!("/web/{}", file.name) }
}

fn answer(call: Call) -> Answering {
    Box::pin(async move {
        let path = call.request.uri.path();
        let Some(file) = FILES.iter().find(|file| path_of(file) == path) else {
            return Problem::new(ErrorCode::NotFound, "there is no such file").reply();
        };
        let contents = contents(file);
        let tag = format!("\"{}\"", &blake3::hash(&contents).to_hex()[..32]);
        let known =
            call.request.headers.get(header::IF_NONE_MATCH).is_some_and(|given| given.as_bytes() == tag.as_bytes());
        let mut reply = if known {
            bytes(StatusCode::NOT_MODIFIED, file.kind, "")
        } else {
            bytes(StatusCode::OK, file.kind, contents)
        };
        // A browser keeps the files and asks whether they are still the same, because the daemon may be a newer one.
        reply.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            reply.headers_mut().insert(header::ETAG, tag);
        }
        reply
    })
}

// A debug build takes what is on disk now, so that a change of a page needs no
// build.
fn contents(file: &File) -> Vec<u8> {
    let on_disk = if cfg!(debug_assertions) { std::fs::read(format!("{FOLDER}{}", file.name)).ok() } else { None };
    on_disk.unwrap_or_else(|| file.contents.to_vec())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    fn on_disk(folder: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                on_disk(&path, found);
            } else {
                found.insert(path.strip_prefix(FOLDER).unwrap().to_str().unwrap().to_owned());
            }
        }
    }

    #[test]
    fn every_file_is_served() {
        let mut found = BTreeSet::new();
        on_disk(Path::new(FOLDER), &mut found);
        found.retain(|name| !name.contains("LICENSE") && !name.ends_with(".md"));
        let served: BTreeSet<String> = FILES.iter().map(|file| file.name.to_owned()).collect();
        assert_eq!(found, served);
    }

    #[test]
    fn vendored_files_are_the_ones_that_the_list_names() {
        let list = std::fs::read_to_string(format!("{FOLDER}vendor/README.md")).unwrap();
        for file in FILES.iter().filter(|file| file.name.starts_with("vendor/")) {
            let hash = blake3::hash(file.contents).to_hex();
            assert!(list.contains(hash.as_str()), "{} has the hash {hash}", file.name);
        }
    }
}
