//! Where a provider is, and which places are none.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why an address is not used.
pub(super) type Objection = &'static str;

/// The beginning of a provider's addresses, as the settings have it: scheme, host, port and a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub(super) tls: bool,
    pub(super) host: String,
    pub(super) port: u16,
    /// Without a slash at its end.
    pub(super) path: String,
}

impl Address {
    /// Reads an address such as `https://api.openai.com/v1` or `http://localhost:11434`.
    ///
    /// # Errors
    /// If it is none, holds a password or parameters, or names a place that is never called.
    pub fn parse(text: &str) -> Result<Self, Objection> {
        let (scheme, rest) = text.trim().split_once("://").ok_or("it begins with neither http:// nor https://")?;
        let tls = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return Err("it begins with neither http:// nor https://"),
        };
        let (authority, path) = match rest.find(['/', '?', '#']) {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        if authority.contains('@') {
            return Err("it holds a user or password; keys come from the environment");
        }
        if path.contains(['?', '#']) {
            return Err("it holds parameters");
        }
        let visible = |byte: u8| byte.is_ascii_graphic();
        if !path.bytes().all(visible) || !authority.bytes().all(visible) {
            return Err("it holds characters that no address has");
        }
        let (host, port) = host_and_port(authority)?;
        let port = port.unwrap_or(if tls { 443 } else { 80 });
        let address = Self { tls, host: host.to_ascii_lowercase(), port, path: path.trim_end_matches('/').to_owned() };
        if let Some(ip) = address.literal() {
            address.check(ip)?;
        }
        Ok(address)
    }

    /// Whether the host is this machine, by its name or number.
    #[must_use]
    pub fn is_local(&self) -> bool {
        match self.literal() {
            Some(ip) => plain(ip).is_loopback(),
            None => self.host == "localhost" || self.host.ends_with(".localhost"),
        }
    }

    /// Whether a host that resolved to this number may be called. What the name resolved to counts, so that no name
    /// can stand for a place that is not to be called.
    pub(super) fn check(&self, ip: IpAddr) -> Result<(), Objection> {
        let ip = plain(ip);
        if is_metadata(ip) {
            return Err("it is a cloud's metadata address");
        }
        let link_local = match ip {
            IpAddr::V4(ip) => ip.is_link_local(),
            IpAddr::V6(ip) => ip.is_unicast_link_local(),
        };
        if link_local {
            return Err("it is a link-local address");
        }
        if ip.is_unspecified() || ip.is_multicast() || ip == IpAddr::V4(Ipv4Addr::BROADCAST) {
            return Err("it is the address of no machine");
        }
        if !self.tls && !is_near(ip) {
            return Err("plain http is only used on this machine and in private networks; use https");
        }
        Ok(())
    }

    /// The number that the host is, if it is one.
    pub(super) fn literal(&self) -> Option<IpAddr> {
        self.host.trim_start_matches('[').trim_end_matches(']').parse().ok()
    }

    /// Host and port as the `Host` header has them.
    pub(super) fn authority(&self) -> String {
        match (self.tls, self.port) {
            (true, 443) | (false, 80) => self.host.clone(),
            (_, port) => format!("{}:{port}", self.host),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "https" } else { "http" };
        write!(formatter, "{scheme}://{}{}", self.authority(), self.path)
    }
}

fn host_and_port(authority: &str) -> Result<(&str, Option<u16>), Objection> {
    let end = authority.rfind(']').map_or(0, |at| at + 1);
    let (host, port) = match authority[end..].rfind(':') {
        Some(at) => (&authority[..end + at], Some(&authority[end + at + 1..])),
        None => (authority, None),
    };
    let port = port.map(|port| port.parse::<u16>().ok().filter(|port| *port > 0).ok_or("its port is no port"));
    let bracketed = host.starts_with('[') && host.ends_with(']');
    let good = if bracketed {
        host.trim_matches(['[', ']']).parse::<Ipv6Addr>().is_ok()
    } else {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        !host.is_empty() && host.len() < 254 && host.bytes().all(allowed)
    };
    if !good {
        return Err("its host is no name of a machine");
    }
    // `0x7f.1`, `2130706433`: numbers that some programs take for an address and others for a name.
    let last = host.rsplit('.').next().unwrap_or_default();
    let number = last.starts_with("0x") || last.bytes().all(|byte| byte.is_ascii_digit());
    if !bracketed && number && host.parse::<Ipv4Addr>().is_err() {
        return Err("its host is an address in an unusual notation");
    }
    Ok((host, port.transpose()?))
}

// An IPv4 address inside of an IPv6 one is that IPv4 address.
fn plain(ip: IpAddr) -> IpAddr {
    let IpAddr::V6(ip) = ip else { return ip };
    if let Some(mapped) = ip.to_ipv4_mapped() {
        return IpAddr::V4(mapped);
    }
    let parts = ip.segments();
    let embedded = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        IpAddr::V4(Ipv4Addr::new(a, b, c, d))
    };
    match parts {
        // NAT64.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => embedded(high, low),
        // 6to4.
        [0x2002, high, low, ..] => embedded(high, low),
        _ => IpAddr::V6(ip),
    }
}

fn is_metadata(ip: IpAddr) -> bool {
    const METADATA_V4: [Ipv4Addr; 3] =
        [Ipv4Addr::new(169, 254, 169, 254), Ipv4Addr::new(100, 100, 100, 200), Ipv4Addr::new(192, 0, 0, 192)];
    const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);
    match ip {
        IpAddr::V4(ip) => METADATA_V4.contains(&ip),
        IpAddr::V6(ip) => ip == METADATA_V6,
    }
}

fn is_near(ip: IpAddr) -> bool {
    match ip {
        // 100.64.0.0/10 is what overlay networks give to their machines.
        IpAddr::V4(ip) => ip.is_loopback() || ip.is_private() || (ip.octets()[0] == 100 && ip.octets()[1] & 0xc0 == 64),
        IpAddr::V6(ip) => ip.is_loopback() || ip.is_unique_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        for (text, shown, local) in [
            ("https://api.openai.com/v1/", "https://api.openai.com/v1", false),
            ("http://localhost:11434", "http://localhost:11434", true),
            ("HTTP://127.0.0.1:80/", "http://127.0.0.1", true),
            ("http://[::1]:8080/v1", "http://[::1]:8080/v1", true),
            ("http://192.168.1.5:8000", "http://192.168.1.5:8000", false),
            ("https://Example.COM", "https://example.com", false),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!((address.to_string().as_str(), address.is_local()), (shown, local), "{text}");
        }
    }

    #[test]
    fn what_is_never_called_is_refused() {
        for text in [
            "",
            "localhost:11434",
            "ftp://x",
            "file:///etc/passwd",
            "https://user:secret@host",
            "https://host/v1?key=1",
            "https://host/#x",
            "https://",
            "https://host:0",
            "https://host:99999",
            "https://ho st",
            "https://[::1",
            "http://169.254.169.254/latest",
            "https://169.254.1.1",
            "http://[fe80::1]/",
            "http://[::ffff:169.254.169.254]",
            "https://[64:ff9b::a9fe:a9fe]",
            "http://[fd00:ec2::254]",
            "http://100.100.100.200",
            "https://0.0.0.0",
            "https://0x7f.1",
            "https://2852039166",
            "http://8.8.8.8",
        ] {
            assert!(Address::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_a_name_stands_for_counts() {
        let remote = Address::parse("https://provider.example").unwrap();
        assert!(remote.check("93.184.216.34".parse().unwrap()).is_ok());
        assert!(remote.check("169.254.169.254".parse().unwrap()).is_err());
        let plain = Address::parse("http://provider.example").unwrap();
        assert!(plain.check("93.184.216.34".parse().unwrap()).is_err());
        assert!(plain.check("10.0.0.7".parse().unwrap()).is_ok());
    }
}
