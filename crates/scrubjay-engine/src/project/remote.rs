//! One form for all spellings of a git remote's address.

/// Brings a remote's address to the form `host/path`, or `/path` for a local repository, so that
/// `git@host:path.git`, `https://user:password@HOST/path/` and `ssh://git@host:22/path` are the same.
///
/// Scheme, user, password, port, parameters, and `/` or `.git` at the end are dropped; the host is lower-cased; the
/// path keeps its case and `~`. Doing it twice changes nothing.
pub fn normalise_remote(remote: &str) -> String {
    let (host, path) = match parse(remote) {
        Address::Local(path) => (String::new(), path),
        Address::Network { host, path } => (host, path.split(['?', '#']).next().unwrap_or_default()),
    };
    let mut segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    while let Some(last) = segments.pop() {
        let shorter = last.trim_end();
        let shorter = shorter.strip_suffix(".git").unwrap_or(shorter);
        if shorter == last {
            segments.push(last);
            break;
        }
        if !shorter.is_empty() {
            segments.push(shorter);
        }
    }
    match (host.is_empty(), segments.is_empty()) {
        (false, true) => host,
        _ => format!("{host}/{}", segments.join("/")),
    }
}

/// The readable part of a normalised remote: its last segment, which is the repository's name.
pub(super) fn name_of(normalised: &str) -> &str {
    let last = normalised.rsplit('/').next().unwrap_or_default();
    // An `@` here can only come from an address too broken to tell a password from a path, so what precedes it
    // stays out of the name.
    last.rsplit('@').next().unwrap_or_default()
}

/// Whether git would take this address as a path relative to the worktree.
pub(super) fn is_relative_path(remote: &str) -> bool {
    let remote = remote.trim();
    let before_slash = remote.split('/').next().unwrap_or_default();
    !remote.starts_with('/') && !before_slash.contains(':')
}

enum Address<'a> {
    Local(&'a str),
    Network { host: String, path: &'a str },
}

fn parse(remote: &str) -> Address<'_> {
    let mut remote = remote.trim();
    // `transport::address` names a helper program; the address behind it is what identifies the repository.
    while let Some((helper, address)) = remote.split_once("::") {
        if helper.is_empty() || !helper.chars().all(|character| character.is_ascii_alphanumeric() || character == '-') {
            break;
        }
        remote = address.trim_start();
    }
    if remote.starts_with('/') {
        return Address::Local(remote);
    }
    if let Some((scheme, rest)) = remote.split_once("://")
        && is_scheme(scheme)
    {
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        if scheme.eq_ignore_ascii_case("file") {
            return Address::Local(path);
        }
        return Address::Network { host: host_of(authority), path };
    }
    scp_like(remote)
}

/// `user@host:path`, and for addresses without any colon `host/path`, which is the normalised form itself.
fn scp_like(remote: &str) -> Address<'_> {
    let (head, path) = remote.split_at(remote.find('/').unwrap_or(remote.len()));
    let host_start = after_user(head);
    let host = &head[host_start..];
    // Colons in brackets belong to the host.
    let bracket_end = if host.starts_with('[') { host.find(']') } else { None };
    let search_start = host_start + bracket_end.unwrap_or(0);
    match head[search_start..].find(':') {
        Some(at) => {
            let colon = search_start + at;
            Address::Network { host: host_of(&head[..colon]), path: &remote[colon + 1..] }
        }
        None => Address::Network { host: host_of(head), path },
    }
}

/// Where the host starts: behind the last `@` that can end a user name or a password.
fn after_user(head: &str) -> usize {
    let user_end = head.find('@').filter(|&at| !head[..at].contains(':'));
    match user_end {
        // `user@host:path`: later `@` belong to the path.
        Some(at) => at + 1,
        // `user:password@host`, an address that lost its scheme.
        None => head.rfind('@').map_or(0, |at| at + 1),
    }
}

/// The host of `user:password@HOST:port`.
fn host_of(authority: &str) -> String {
    let host = authority.rsplit('@').next().unwrap_or_default().trim();
    let bracketed = host.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let host = match bracketed {
        // Only an IPv6 address needs its brackets; `[host:port]` is an old way to give ssh a port.
        Some((inner, _)) if inner.matches(':').count() > 1 => {
            return format!("[{}]", inner.to_ascii_lowercase());
        }
        Some((inner, _)) => inner,
        None => host,
    };
    let end = host.find([':', '?', '#']).unwrap_or(host.len());
    host[..end].trim().to_ascii_lowercase()
}

fn is_scheme(text: &str) -> bool {
    let rest_allowed = |character: char| character.is_ascii_alphanumeric() || matches!(character, '+' | '.' | '-');
    text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.chars().all(rest_allowed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn spellings_agree() {
        for (expected, remotes) in [
            (
                "github.com/Owner/Repo",
                &[
                    "https://github.com/Owner/Repo",
                    "https://github.com/Owner/Repo.git",
                    "https://github.com/Owner/Repo/",
                    "https://github.com/Owner/Repo.git/",
                    "HTTPS://GitHub.com//Owner//Repo.git//",
                    "http://github.com:80/Owner/Repo",
                    "https://user@github.com/Owner/Repo",
                    "https://user:password@github.com/Owner/Repo",
                    "https://user:pass@word@github.com/Owner/Repo",
                    "https://user:p?a#s:s@github.com/Owner/Repo",
                    "https://github.com/Owner/Repo.git?token=secret#secret",
                    "git@github.com:Owner/Repo.git",
                    "git@GITHUB.com:/Owner/Repo",
                    "github.com:Owner/Repo",
                    "ssh://git@github.com/Owner/Repo",
                    "ssh://git@github.com:22/Owner/Repo",
                    "ssh://github.com:/Owner/Repo",
                    "git+ssh://git@github.com/Owner/Repo",
                    "git://github.com/Owner/Repo",
                    "git@[github.com:22]:Owner/Repo",
                    "[github.com]:Owner/Repo",
                    "git@[github.com]:Owner/Repo",
                    "user:password@github.com/Owner/Repo",
                    "user:password@github.com:Owner/Repo",
                    "persistent-https::https://user:password@github.com/Owner/Repo",
                    "  https://github.com/Owner/Repo.git\t",
                    "github.com/Owner/Repo",
                ][..],
            ),
            ("git.sr.ht/~user/repo", &["https://git.sr.ht/~user/repo", "git@git.sr.ht:~user/repo"]),
            ("[::1]/a/b", &["ssh://git@[::1]:22/a/b.git", "git@[::1]:a/b", "https://[::1]/a/b"]),
            (
                "/srv/git/Repo",
                &["/srv/git/Repo.git", "file:///srv/git/Repo", "file://localhost/srv/git/Repo/", "/srv/git/Repo/.git"],
            ),
            ("host/a@b/c", &["git@host:a@b/c", "https://host/a@b/c"]),
            ("host", &["https://host", "https://host/", "https://me@host:1/.git", "host:"]),
            ("/", &["", "/", "https://", "file://"]),
        ] {
            for remote in remotes {
                assert_eq!(normalise_remote(remote), expected, "{remote}");
            }
        }
        assert_ne!(normalise_remote("https://a/x"), normalise_remote("https://b/x"));
        assert_ne!(normalise_remote("https://a/x"), normalise_remote("https://a/X"));
    }

    #[test]
    fn relative_paths_are_told_from_addresses() {
        for (remote, relative) in [
            ("../x.git", true),
            ("x", true),
            ("./a:b/c", true),
            ("a/b:c", true),
            ("/x", false),
            ("host:x", false),
            ("https://host/x", false),
        ] {
            assert_eq!(is_relative_path(remote), relative, "{remote}");
        }
    }

    proptest! {
        #[test]
        fn twice_is_once(remote in "\\PC*|[a-z@:/\\[\\].?# ]{0,24}|(ssh://|https://|git@)?[a-zA-Z@:/\\[\\].~ -]{0,24}(.git|/| ){0,4}") {
            let once = normalise_remote(&remote);
            prop_assert_eq!(normalise_remote(&once), once);
        }

        #[test]
        fn equal_forms_agree(
            host in "[a-zA-Z][a-zA-Z0-9-]{0,8}(\\.[a-zA-Z]{2,4}){0,2}",
            path in "~?[a-zA-Z0-9_-]{1,8}(/[a-zA-Z0-9._~-]{0,6}[a-zA-Z0-9_-]){0,3}",
            user in "[a-z0-9._-]{1,8}",
            password in "[a-zA-Z0-9:@!$&*()+,;=-]{0,12}",
            port in 1..65535_u16,
            end in "(/|\\.git){0,3}",
        ) {
            let expected = format!("{}/{path}", host.to_ascii_lowercase());
            for form in [
                format!("https://{host}/{path}{end}"),
                format!("https://{user}:{password}@{host}:{port}/{path}{end}"),
                format!("ssh://{user}@{host}:{port}/{path}{end}"),
                format!("{user}@{host}:{path}{end}"),
                format!("{user}@{host}:/{path}{end}"),
                format!("git://{host}/{path}{end}"),
            ] {
                prop_assert_eq!(normalise_remote(&form), expected.as_str(), "{}", form);
            }
        }

        #[test]
        fn a_password_never_shows(
            user in "[a-z]{1,6}",
            password in "SECRET[A-Za-z0-9:@?#!~.-]{0,8}",
            rest in "(/[a-z]{1,6}){0,3}(\\.git)?",
            scheme in "(https://|ssh://|git::https://)?",
        ) {
            let normalised = normalise_remote(&format!("{scheme}{user}:{password}@host{rest}"));
            prop_assert!(!normalised.to_uppercase().contains("SECRET"), "{}", normalised);
        }
    }
}
