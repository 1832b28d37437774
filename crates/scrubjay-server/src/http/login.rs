//! `/login` and `/logout`: the way in for people with a browser.
//!
//! A page cannot send a token by itself, so a person enters it once and gets a
//! cookie that other sites cannot use: HttpOnly, SameSite=Strict, and good only
//! with our own Origin.

use axum::http::{HeaderValue, StatusCode, header};
use scrubjay_core::error::ErrorCode;

use super::entry::slow_down;
use super::problem::Problem;
use super::reply::{Reply, bytes};
use super::routes::{Answering, Call};
use super::{docs, shared::Shared};
use crate::auth::Grant;

pub(crate) fn enter(call: Call) -> Answering {
    Box::pin(async move {
        let token = field(&call.body, "token").unwrap_or_default();
        let token = blake3::hash(token.trim().as_bytes());
        let Some(grant) = call.shared.gate.value_of(token) else {
            slow_down(&call.shared, call.address).await;
            return docs::way_in(StatusCode::UNAUTHORIZED);
        };
        match admit(&call.shared, &grant, token).await {
            Ok(cookie) => {
                let mut reply = bytes(StatusCode::SEE_OTHER, "text/plain; charset=utf-8", "");
                reply.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/"));
                let text =
                    format!("{}={cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age=604800", crate::auth::COOKIE);
                set_cookie(&mut reply, &text);
                reply
            }
            Err(error) => Problem::new(ErrorCode::Internal, error.to_string()).reply(),
        }
    })
}

pub(crate) fn leave(call: Call) -> Answering {
    Box::pin(async move {
        if let Some(cookie) = crate::auth::cookie(&call.request.headers) {
            call.shared.gate.browsers.dismiss(&cookie);
        }
        let mut reply = bytes(StatusCode::SEE_OTHER, "text/plain; charset=utf-8", "");
        reply.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/"));
        set_cookie(&mut reply, &format!("{}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0", crate::auth::COOKIE));
        reply
    })
}

async fn admit(shared: &Shared, grant: &Grant, token: blake3::Hash) -> crate::Result<String> {
    let agent = grant.agent(None)?;
    let ctx = shared.agents.context(&agent, None).await?;
    shared.gate.browsers.admit(&ctx, token)
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
