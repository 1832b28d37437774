//! The table of routes.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::Method;
use axum::http::request::Parts;
use scrubjay_engine::ops::{Entry, REGISTRY, Risk};

use super::reply::Reply;
use super::shared::Shared;
use super::{
    docs, events, health, hook, login, mcp, memory_tool, messages, metrics, offers, openapi, operations, pages, status,
};
use crate::auth::{Address, ENTRANCE, Grant};

/// What a route needs of whoever asks, beyond having been let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Nothing: strangers may.
    Nothing,
    /// A token.
    Token,
    /// A token that may write.
    Write,
    /// The owner's token.
    Owner,
}

/// One request that was let in, with its body.
pub(crate) struct Call {
    pub(crate) shared: Arc<Shared>,
    pub(crate) grant: Grant,
    /// The hash of the token, for asking later whether it is still good.
    pub(crate) token: Option<blake3::Hash>,
    pub(crate) address: Address,
    pub(crate) request: Parts,
    pub(crate) body: Bytes,
}

/// A handler on its way.
pub(crate) type Answering = Pin<Box<dyn Future<Output = Reply> + Send>>;

/// What a route does.
#[derive(Clone, Copy)]
pub(crate) enum Does {
    /// Runs an operation.
    Operation(&'static Entry),
    /// Something else.
    Other(fn(Call) -> Answering),
}

/// One route.
#[derive(Clone)]
pub struct Route {
    /// Its method.
    pub method: Method,
    /// Its path; none has parameters in it.
    pub path: String,
    /// What it needs.
    pub need: Need,
    pub(crate) does: Does,
}

/// Every route there is.
#[must_use]
pub fn routes() -> Vec<Route> {
    let operation = |entry: &'static Entry| Route {
        method: Method::POST,
        path: format!("/v1/{}", entry.name),
        need: need_of(entry),
        does: Does::Operation(entry),
    };
    let mut routes: Vec<Route> = REGISTRY.iter().filter(|entry| entry.surfaces.http).map(operation).collect();
    let mut other = |method: Method, path: &str, need: Need, does: fn(Call) -> Answering| {
        routes.push(Route { method, path: path.to_owned(), need, does: Does::Other(does) });
    };
    other(Method::GET, "/healthz", Need::Nothing, health::answer);
    other(Method::POST, "/login", Need::Nothing, login::enter);
    other(Method::POST, "/login/link", Need::Token, login::link);
    other(Method::GET, ENTRANCE, Need::Nothing, login::follow);
    other(Method::POST, ENTRANCE, Need::Nothing, login::follow);
    other(Method::POST, "/logout", Need::Token, login::leave);
    other(Method::GET, "/docs", Need::Token, docs::page);
    other(Method::GET, "/docs.js", Need::Token, docs::script);
    other(Method::GET, "/docs.css", Need::Token, docs::style);
    other(Method::GET, "/openapi.json", Need::Token, openapi::answer);
    other(Method::GET, "/metrics", Need::Owner, metrics::answer);
    other(Method::GET, "/v1/status", Need::Owner, status::answer);
    other(Method::POST, "/v1/shutdown", Need::Owner, status::shutdown);
    other(Method::GET, "/v1/events", Need::Token, events::stream);
    other(Method::POST, "/v1/messages", Need::Write, messages::capture);
    other(Method::POST, "/v1/hook", Need::Owner, hook::answer);
    other(Method::POST, "/v1/memory-tool", Need::Write, memory_tool::answer);
    other(Method::POST, "/mcp", Need::Token, mcp::answer);
    other(Method::GET, "/web/offers.json", Need::Token, offers::answer);
    routes.extend(pages::routes());
    routes
}

fn need_of(entry: &Entry) -> Need {
    match (entry.access, entry.risk) {
        (scrubjay_engine::ops::Access::Owner, _) => Need::Owner,
        (_, Risk::Read) => Need::Token,
        (_, Risk::Write | Risk::Destroy) => Need::Write,
    }
}

/// The routes by path.
pub(crate) struct Table {
    by_path: BTreeMap<String, Vec<Route>>,
}

/// What a path and a method lead to.
pub(crate) enum RouteMatch<'a> {
    Route(&'a Route),
    OtherMethods(Vec<&'a str>),
    Nothing,
}

impl Table {
    pub(crate) fn new() -> Self {
        let mut by_path: BTreeMap<String, Vec<Route>> = BTreeMap::new();
        for route in routes() {
            by_path.entry(route.path.clone()).or_default().push(route);
        }
        Self { by_path }
    }

    pub(crate) fn find(&self, method: &Method, path: &str) -> RouteMatch<'_> {
        let Some(routes) = self.by_path.get(path) else { return RouteMatch::Nothing };
        match routes.iter().find(|route| route.method == *method) {
            Some(route) => RouteMatch::Route(route),
            None => RouteMatch::OtherMethods(routes.iter().map(|route| route.method.as_str()).collect()),
        }
    }
}

impl Does {
    pub(crate) fn run(self, call: Call) -> Answering {
        match self {
            Self::Operation(entry) => Box::pin(operations::run(entry, call)),
            Self::Other(does) => does(call),
        }
    }
}
