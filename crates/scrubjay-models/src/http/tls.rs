//! Encryption, and whom to trust.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// Makes encrypted connections to servers that the compiled-in list of authorities vouches for, or those in a file.
///
/// # Errors
/// What is wrong with the file, in words.
pub(super) fn connector(authorities: Option<&Path>) -> Result<TlsConnector, String> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(path) = authorities {
        let unreadable = |why: String| format!("{} cannot be read as certificates: {why}", path.display());
        let certificates = CertificateDer::pem_file_iter(path).map_err(|error| unreadable(error.to_string()))?;
        let mut added = 0;
        for certificate in certificates {
            let certificate = certificate.map_err(|error| unreadable(error.to_string()))?;
            roots.add(certificate).map_err(|error| unreadable(error.to_string()))?;
            added += 1;
        }
        if added == 0 {
            return Err(unreadable("it holds none".to_owned()));
        }
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_there_and_a_bad_file_is_not_passed_over() {
        assert!(connector(None).is_ok());
        assert!(connector(Some(Path::new("/nonexistent.pem"))).is_err_and(|why| why.contains("/nonexistent.pem")));
    }
}
