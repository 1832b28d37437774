//! `/login`, `/enter` and `/logout`: the way in for people with a browser.
//!
//! A page cannot send a token by itself, so a person enters it once, or follows
//! a link that is good once, and gets a cookie that other sites cannot use:
//! HttpOnly, SameSite=Strict, and good only with our own Origin.

use axum::http::{HeaderValue, StatusCode, header};
use scrubjay_core::scope::ProjectId;
use serde_json::json;

use super::docs;
use super::entry::slow_down;
use super::problem::Problem;
use super::reply::{Reply, bytes, json as json_reply};
use super::routes::{Answering, Call};
use super::shared::{Shared, parameter};
use crate::ServerError;
use crate::auth::{ENTRANCE, Grant, LINK_LIFE};

pub(crate) fn enter(call: Call) -> Answering {
    Box::pin(async move {
        let token = field(&call.body, "token").unwrap_or_default();
        let token = blake3::hash(token.trim().as_bytes());
        let Some(grant) = call.shared.gate.value_of(token) else {
            slow_down(&call.shared, call.address).await;
            return docs::way_in(StatusCode::UNAUTHORIZED);
        };
        let mut reply = bytes(StatusCode::SEE_OTHER, "text/plain; charset=utf-8", "");
        reply.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/"));
        admit(&call.shared, &grant, token, reply).await
    })
}

/// Makes a link that signs a browser in with the token of whoever asks.
pub(crate) fn link(call: Call) -> Answering {
    Box::pin(async move {
        let made = async {
            let token = call.token.ok_or_else(|| ServerError::invalid("a link stands for a token"))?;
            let ctx = call.shared.agents.context(&call.grant.agent(None)?, None).await?;
            call.shared.gate.links.issue(&ctx, token)
        };
        match made.await {
            Ok(key) => {
                let path = format!("{ENTRANCE}?key={key}");
                let expires_s = LINK_LIFE.as_secs();
                json_reply(StatusCode::OK, &json!({"path": path, "port": call.shared.port, "expires_s": expires_s}))
            }
            Err(error) => Problem::new(error.code(), error.to_string()).reply(),
        }
    })
}

/// Signs in whoever follows a link, once. A form may carry the secret instead,
/// so that it is in no address that a browser remembers.
pub(crate) fn follow(call: Call) -> Answering {
    Box::pin(async move {
        // A browser that only guesses where its user will go next must not use the link up.
        if call.request.headers.contains_key("sec-purpose") {
            return bytes(StatusCode::SERVICE_UNAVAILABLE, "text/plain; charset=utf-8", "");
        }
        let given = |name: &str| parameter(&call.request, name).or_else(|| field(&call.body, name));
        let key = given("key").unwrap_or_default();
        let token = call.shared.gate.links.take(&key);
        let Some((token, grant)) = token.and_then(|token| Some((token, call.shared.gate.value_of(token)?))) else {
            slow_down(&call.shared, call.address).await;
            return docs::way_in(StatusCode::UNAUTHORIZED);
        };
        let project = given("project").and_then(|project| project.parse::<ProjectId>().ok());
        let place = project.map_or_else(|| "/".to_owned(), |project| format!("/#/?p={project}"));
        // A redirection would still count as coming from where the link was, and a strict cookie would not come along.
        let page = format!(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Scrubjay</title>\
             <link rel=\"icon\" href=\"/web/icon.svg\">\
             <meta http-equiv=\"refresh\" content=\"0;url={place}\"><p><a href=\"{place}\">Go on</a></p></html>"
        );
        admit(&call.shared, &grant, token, bytes(StatusCode::OK, "text/html; charset=utf-8", page)).await
    })
}

pub(crate) fn leave(call: Call) -> Answering {
    Box::pin(async move {
        let gate = &call.shared.gate;
        if let Some(cookie) = gate.cookie(&call.request.headers) {
            gate.browsers.take(&cookie);
        }
        let mut reply = bytes(StatusCode::SEE_OTHER, "text/plain; charset=utf-8", "");
        reply.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/"));
        set_cookie(&mut reply, &format!("{}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0", gate.cookie_name));
        reply
    })
}

// The reply, with a cookie in place of the token.
async fn admit(shared: &Shared, grant: &Grant, token: blake3::Hash, mut reply: Reply) -> Reply {
    let cookie = async {
        let ctx = shared.agents.context(&grant.agent(None)?, None).await?;
        shared.gate.browsers.issue(&ctx, token)
    };
    match cookie.await {
        Ok(cookie) => {
            let name = &shared.gate.cookie_name;
            let text = format!("{name}={cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age=604800");
            set_cookie(&mut reply, &text);
            reply
        }
        Err(error) => Problem::new(error.code(), error.to_string()).reply(),
    }
}

fn set_cookie(reply: &mut Reply, text: &str) {
    if let Ok(value) = HeaderValue::from_str(text) {
        reply.headers_mut().insert(header::SET_COOKIE, value);
    }
}

// A field of a form. A token has no character that a form would escape.
fn field(body: &[u8], name: &str) -> Option<String> {
    let text = std::str::from_utf8(body).ok()?;
    let mut pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
}
