//! Opens one connection to an address that was judged: TCP, and TLS by the URL's name. One request each, for now.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::target::{Target, TargetHost};
use crate::{EgressError, Phase};

/// A stream of either kind.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// What TLS trusts: the roots that ship with this build, TLS 1.2 or later, always verified.
pub(crate) fn trust() -> Arc<ClientConfig> {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring offers suites for TLS 1.2 and 1.3");
    Arc::new(config.with_root_certificates(roots).with_no_client_auth())
}

/// Connects to the first of the addresses that answers.
pub(crate) async fn connect(
    target: &Target,
    addresses: &[IpAddr],
    trust: Arc<ClientConfig>,
    deadline: Instant,
) -> Result<TokioIo<Box<dyn Stream>>, EgressError> {
    let stream = timeout_at(deadline, first_answering(addresses, target.port))
        .await
        .map_err(|_| EgressError::Timeout(Phase::Connecting))??;
    if !target.https {
        return Ok(TokioIo::new(Box::new(stream)));
    }
    let name = match &target.host {
        TargetHost::Name(name) => ServerName::try_from(name.clone()).map_err(|_| EgressError::BadUrl("no TLS name"))?,
        TargetHost::Address(address) => ServerName::from(*address),
    };
    let secured = timeout_at(deadline, TlsConnector::from(trust).connect(name, stream))
        .await
        .map_err(|_| EgressError::Timeout(Phase::Connecting))?
        .map_err(|error| EgressError::Tls(error.to_string()))?;
    Ok(TokioIo::new(Box::new(secured)))
}

#[expect(clippy::disallowed_methods, reason = "this is where connections are made, to addresses that were judged")]
async fn first_answering(addresses: &[IpAddr], port: u16) -> Result<TcpStream, EgressError> {
    let mut last = EgressError::Dns;
    for address in addresses {
        match TcpStream::connect(SocketAddr::new(*address, port)).await {
            Ok(stream) => {
                // Streams of short pieces: waiting to fill a segment would only delay them.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Err(error) => last = EgressError::Connect(error.kind().to_string()),
        }
    }
    Err(last)
}
