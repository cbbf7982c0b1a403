//! `riad serve`: starts the server, prints where it is, and ends it on TERM or INT.

use std::io::{self, Write};
use std::sync::Arc;

use store::KdfPolicy;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

use crate::boot::Boot;
use crate::clock::SystemClock;
use crate::config::{Config, LogFormat};
use crate::exit::{Ended, Exit};
use crate::serve::{Parts, start};

/// Serves until a signal.
pub(super) async fn serve(config: Config) -> Result<(), Ended> {
    log(&config);
    let (mut terminate, mut interrupt) = (watch(SignalKind::terminate())?, watch(SignalKind::interrupt())?);
    let server = {
        let mut out = io::stdout();
        let mut boot = Boot::new(&mut out, config.log_format);
        boot.done("config", config.data.display().to_string());
        let parts = Parts {
            config,
            listener: None,
            policy: KdfPolicy::STANDARD,
            models: Vec::new(),
            clock: Arc::new(SystemClock),
        };
        start(parts, &mut boot).await?
    };
    print_address(server.address(), server.setup_token()).map_err(|error| Ended::new(Exit::Io, error))?;

    let (stop, stopped) = oneshot::channel::<()>();
    let running = server.run(async move { drop(stopped.await) });
    tokio::pin!(running);
    tokio::select! {
        ended = &mut running => return ended,
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    let _ = stop.send(());
    tokio::select! {
        ended = &mut running => ended,
        _ = terminate.recv() => Err(hurried()),
        _ = interrupt.recv() => Err(hurried()),
    }
}

fn hurried() -> Ended {
    Ended::new(Exit::Interrupted, "Ended at once by a second signal; what was acknowledged is kept.")
}

fn watch(kind: SignalKind) -> Result<Signal, Ended> {
    signal(kind).map_err(|error| Ended::new(Exit::Io, format!("Signals cannot be received: {error}.")))
}

/// The last lines of a start; scripts read them.
fn print_address(address: std::net::SocketAddr, token: Option<&str>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "address http://{address}")?;
    if let Some(token) = token {
        writeln!(out, "setup token {token}")?;
    }
    out.flush()
}

/// The log goes to standard error and holds ids and counts, no content.
fn log(config: &Config) {
    let builder = tracing_subscriber::fmt().with_writer(io::stderr).with_max_level(config.log_level).with_ansi(false);
    let set = match config.log_format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().try_init(),
    };
    if let Err(error) = set {
        tracing::debug!(%error, "a log is set up already");
    }
}
