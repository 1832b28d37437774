//! The check that every request passes before anything else is looked at.

use std::sync::Arc;

use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, header};
use scrubjay_engine::sources::Clock;

use super::grant::Grant;
use super::grants::Grants;
use super::owner::OwnerToken;
use super::secrets::{COOKIE_LIFE, LINK_LIFE, Secrets, cookie_name};

/// Why a request was turned away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denied {
    /// It was sent to another name, as a page that rebinds names would.
    Host,
    /// It came from another page.
    Origin,
    /// It carries no token.
    NoToken,
    /// It carries a token that is none of ours.
    WrongToken,
}

/// What is open to strangers: whether the daemon lives, and the way in.
const OPEN: [(Method, &str); 4] =
    [(Method::GET, "/healthz"), (Method::POST, "/login"), (Method::GET, ENTRANCE), (Method::POST, ENTRANCE)];

/// Where a link that signs in leads.
pub(crate) const ENTRANCE: &str = "/enter";

/// Who was let in, and by which token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admitted {
    /// What they may do at most.
    pub grant: Grant,
    /// The hash of the token, for asking later whether it is still good.
    pub token: Option<blake3::Hash>,
}

/// Guards all routes.
pub struct Gate {
    hosts: Vec<String>,
    origins: Vec<String>,
    owner: OwnerToken,
    grants: Grants,
    /// The name of our cookie.
    pub cookie_name: String,
    /// Cookies of people who signed in.
    pub browsers: Secrets,
    /// Links that sign a browser in once.
    pub links: Secrets,
}

impl Gate {
    /// A gate for a daemon that listens on this port, and is known by these
    /// further names.
    #[must_use]
    pub fn new(port: u16, names: &[String], owner: OwnerToken, grants: Grants, clock: Arc<dyn Clock>) -> Self {
        let own = ["localhost", "127.0.0.1", "[::1]"].into_iter().map(str::to_owned);
        let (mut hosts, mut origins) = (Vec::new(), Vec::new());
        for name in own.chain(names.iter().map(|name| name.to_ascii_lowercase())) {
            // A page of ours has our port; a browser leaves it out if it is the usual one.
            origins.push(if port == 80 { format!("http://{name}") } else { format!("http://{name}:{port}") });
            hosts.push(format!("{name}:{port}"));
            hosts.push(name);
        }
        let browsers = Secrets::new(COOKIE_LIFE, Arc::clone(&clock));
        let links = Secrets::new(LINK_LIFE, clock);
        Self { hosts, origins, owner, grants, cookie_name: cookie_name(port), browsers, links }
    }

    /// Who is asking.
    ///
    /// # Errors
    /// When they may not come in.
    pub fn admit(&self, request: &Parts) -> Result<Admitted, Denied> {
        self.check_host(request)?;
        self.check_origin(request)?;
        let is_open = OPEN.iter().any(|(method, path)| request.method == method && request.uri.path() == *path);
        match self.token(&request.headers) {
            Err(Denied::NoToken | Denied::WrongToken) if is_open => Ok(Admitted { grant: Grant::Nobody, token: None }),
            outcome => outcome,
        }
    }

    /// What the token with this hash is worth now.
    #[must_use]
    pub fn value_of(&self, token: blake3::Hash) -> Option<Grant> {
        if self.owner.is(token) {
            return Some(Grant::Owner);
        }
        // A list that cannot be read lets nobody in.
        self.grants.find(token).ok().flatten()
    }

    /// Whether whoever was let in would be let in again, for as much.
    #[must_use]
    pub fn still_admits(&self, admitted: &Admitted) -> bool {
        admitted.token.is_some_and(|token| self.value_of(token).as_ref() == Some(&admitted.grant))
    }

    // Exactly one Host, and it is ours; the same goes for an address in the
    // request line.
    fn check_host(&self, request: &Parts) -> Result<(), Denied> {
        let mut hosts = request.headers.get_all(header::HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok()).ok_or(Denied::Host)?;
        let in_line = request.uri.authority().map(|authority| authority.as_str());
        let ours = |name: &str| self.hosts.iter().any(|known| known.eq_ignore_ascii_case(name));
        if hosts.next().is_some() || !ours(host) || in_line.is_some_and(|name| !ours(name)) {
            return Err(Denied::Host);
        }
        Ok(())
    }

    // A program sends no Origin. A page does, and only our own may ask: another
    // port of this machine is somebody else's, and `null` is nobody's.
    fn check_origin(&self, request: &Parts) -> Result<(), Denied> {
        if enters(request) {
            return Ok(());
        }
        let headers = &request.headers;
        for origin in headers.get_all(header::ORIGIN) {
            let ours = |origin: &str| self.origins.iter().any(|known| known.eq_ignore_ascii_case(origin));
            if !origin.to_str().is_ok_and(ours) {
                return Err(Denied::Origin);
            }
        }
        // Browsers say where a request comes from even when they send no Origin.
        let foreign =
            headers.get_all("sec-fetch-site").iter().any(|site| !matches!(site.as_bytes(), b"same-origin" | b"none"));
        if foreign { Err(Denied::Origin) } else { Ok(()) }
    }

    fn token(&self, headers: &HeaderMap) -> Result<Admitted, Denied> {
        let admitted = |token| {
            let grant = self.value_of(token).ok_or(Denied::WrongToken)?;
            Ok(Admitted { grant, token: Some(token) })
        };
        let mut given = headers.get_all(header::AUTHORIZATION).iter();
        if let Some(value) = given.next() {
            let text = value.to_str().ok().filter(|_| given.next().is_none()).ok_or(Denied::WrongToken)?;
            let (scheme, token) = text.split_once(' ').ok_or(Denied::WrongToken)?;
            if !scheme.eq_ignore_ascii_case("bearer") {
                return Err(Denied::WrongToken);
            }
            return admitted(blake3::hash(token.trim().as_bytes()));
        }
        let cookie = self.cookie(headers).ok_or(Denied::NoToken)?;
        admitted(self.browsers.find(&cookie).ok_or(Denied::WrongToken)?)
    }

    /// The session cookie that a request carries.
    pub(crate) fn cookie(&self, headers: &HeaderMap) -> Option<String> {
        let pairs = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = pairs.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(name, _)| *name == self.cookie_name).map(|(_, value)| value.to_owned())
    }
}

// Whoever signs in by a link comes from a file or from a terminal's page, to a
// page of its own: the link's secret is what counts.
fn enters(request: &Parts) -> bool {
    let says =
        |name: &str, value: &str| request.headers.get(name).is_some_and(|given| given.as_bytes() == value.as_bytes());
    matches!(request.method, Method::GET | Method::POST)
        && request.uri.path() == ENTRANCE
        && says("sec-fetch-mode", "navigate")
        && says("sec-fetch-dest", "document")
}

#[cfg(test)]
mod tests {
    use axum::http::Request;
    use scrubjay_test::TestApp;

    use super::*;
    use crate::auth::{NewGrant, read_token};

    struct Fixture {
        app: TestApp,
        gate: Gate,
        token: String,
    }

    fn fixture() -> Fixture {
        let app = TestApp::in_memory();
        let path = app.path().join("token");
        let owner = OwnerToken::load_or_create(&path, &app.owner).unwrap();
        let grants = Grants::at(&app.path().join("tokens.json"));
        let gate = Gate::new(4747, &[], owner, grants, Arc::clone(app.owner.clock()));
        let token = read_token(&path).unwrap();
        Fixture { app, gate, token }
    }

    fn ask(gate: &Gate, path: &str, headers: &[(&str, &str)]) -> Result<Grant, Denied> {
        let mut request = Request::get(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        gate.admit(&request.body(()).unwrap().into_parts().0).map(|admitted| admitted.grant)
    }

    #[test]
    fn only_our_own_names_and_pages() {
        // A token is good for as long as its file is there.
        let Fixture { app: _app, gate, token } = fixture();
        let bearer = format!("Bearer {token}");
        let at = |host: &str, extra: &[(&str, &str)]| {
            let mut headers = vec![("host", host), ("authorization", bearer.as_str())];
            headers.extend(extra);
            ask(&gate, "/v1/stats", &headers)
        };
        for good in ["localhost:4747", "127.0.0.1:4747", "[::1]:4747", "localhost", "LOCALHOST:4747"] {
            assert_eq!(at(good, &[]), Ok(Grant::Owner), "{good}");
        }
        for bad in ["evil.example:4747", "localhost:4748", "localhost.evil.example", "127.0.0.1.evil.example:4747", ""]
        {
            assert_eq!(at(bad, &[]), Err(Denied::Host), "{bad}");
        }
        assert_eq!(at("localhost:4747", &[("host", "evil.example")]), Err(Denied::Host));
        assert_eq!(ask(&gate, "/v1/stats", &[("authorization", &bearer)]), Err(Denied::Host));
        let headers = [("host", "localhost:4747"), ("authorization", bearer.as_str())];
        assert_eq!(ask(&gate, "http://evil.example/v1/stats", &headers), Err(Denied::Host));
        assert_eq!(at("localhost:4747", &[("origin", "http://localhost:4747")]), Ok(Grant::Owner));
        let foreign = ["null", "http://evil.example", "http://localhost:3000", "https://localhost:4747", ""];
        for origin in foreign.into_iter().chain(["http://localhost", "http://127.0.0.1", "http://[::1]"]) {
            assert_eq!(at("localhost:4747", &[("origin", origin)]), Err(Denied::Origin), "{origin}");
        }
        for site in ["cross-site", "same-site"] {
            assert_eq!(at("localhost:4747", &[("sec-fetch-site", site)]), Err(Denied::Origin), "{site}");
        }
        assert_eq!(at("localhost:4747", &[("sec-fetch-site", "same-origin")]), Ok(Grant::Owner));
    }

    #[test]
    fn tokens_and_cookies() {
        let Fixture { app, gate, token } = fixture();
        let with = |headers: &[(&str, &str)]| {
            let mut all = vec![("host", "localhost:4747")];
            all.extend(headers);
            ask(&gate, "/v1/stats", &all)
        };
        assert_eq!(with(&[]), Err(Denied::NoToken));
        for wrong in ["Bearer", "Bearer ", "Bearer x", &token, &format!("Basic {token}"), &format!("Bearer {token}x")] {
            assert_eq!(with(&[("authorization", wrong)]), Err(Denied::WrongToken), "{wrong}");
        }
        let cookie = gate.browsers.issue(&app.owner, blake3::hash(token.as_bytes())).unwrap();
        let name = &gate.cookie_name;
        // A daemon on another port has a cookie of its own, which the browser sends along.
        let header = format!("a=b; scrubjay_session_4748=of-another; {name}={cookie}");
        assert_eq!(with(&[("cookie", &header)]), Ok(Grant::Owner));
        assert_eq!(with(&[("cookie", "scrubjay_session_4748=of-another")]), Err(Denied::NoToken));
        // A wrong token is not made up for by a cookie.
        assert_eq!(with(&[("cookie", &header), ("authorization", "Bearer x")]), Err(Denied::WrongToken));
        gate.browsers.take(&cookie);
        assert_eq!(with(&[("cookie", &header)]), Err(Denied::WrongToken));
        let new = NewGrant { name: "x".to_owned(), agent: "default".to_owned(), project: None, read_only: true };
        let (part, _) = Grants::at(&app.path().join("tokens.json")).create(&app.owner, new).unwrap();
        let grant = with(&[("authorization", &format!("bearer {part}"))]).unwrap();
        assert!(matches!(grant, Grant::Part { read_only: true, .. }));
        // A cookie ends with its token.
        let cookie = gate.browsers.issue(&app.owner, blake3::hash(part.as_bytes())).unwrap();
        let header = format!("{name}={cookie}");
        assert_eq!(with(&[("cookie", &header)]), Ok(grant));
        assert!(Grants::at(&app.path().join("tokens.json")).revoke(&app.owner, "x").unwrap());
        assert_eq!(with(&[("cookie", &header)]), Err(Denied::WrongToken));
    }

    #[test]
    fn strangers_learn_that_it_lives_and_nothing_else() {
        let Fixture { gate, .. } = fixture();
        assert_eq!(ask(&gate, "/healthz", &[("host", "localhost:4747")]), Ok(Grant::Nobody));
        assert_eq!(ask(&gate, "/healthz", &[("host", "evil.example")]), Err(Denied::Host));
        for path in ["/", "/docs", "/openapi.json", "/metrics", "/mcp", "/v1/events", "/healthz/", "/nothing"] {
            assert_eq!(ask(&gate, path, &[("host", "localhost:4747")]), Err(Denied::NoToken), "{path}");
        }
    }
}
