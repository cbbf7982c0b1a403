//! The body of an answer, piece by piece, counted and timed. When it is dropped the connection closes.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::{EgressError, Phase};

/// The rest of an answer.
#[derive(Debug)]
pub struct Body {
    incoming: Incoming,
    left: u64,
    cap: u64,
    idle: Duration,
    cancel: CancellationToken,
    /// Ends the task that drives the connection.
    _connection: DropGuard,
}

impl Body {
    pub(crate) fn new(
        incoming: Incoming,
        cap: u64,
        idle: Duration,
        cancel: CancellationToken,
        connection: DropGuard,
    ) -> Body {
        Body { incoming, left: cap, cap, idle, cancel, _connection: connection }
    }

    /// The next piece; none at the end.
    ///
    /// # Errors
    /// If it is cancelled, too slow, too large or broken off.
    pub async fn next(&mut self) -> Result<Option<Bytes>, EgressError> {
        loop {
            let frame = tokio::select! {
                biased;
                () = self.cancel.cancelled() => return Err(EgressError::Cancelled),
                frame = timeout(self.idle, self.incoming.frame()) => frame.map_err(|_| EgressError::Timeout(Phase::Reading))?,
            };
            let Some(frame) = frame else { return Ok(None) };
            let frame = frame.map_err(|error| EgressError::Broken(error.to_string()))?;
            // Trailers carry nothing that is used.
            let Ok(bytes) = frame.into_data() else { continue };
            self.left = self.left.checked_sub(bytes.len() as u64).ok_or(EgressError::TooLarge(self.cap))?;
            return Ok(Some(bytes));
        }
    }

    /// All that is left, up to `limit` bytes; what is beyond is not read.
    ///
    /// # Errors
    /// As `next`.
    pub async fn up_to(&mut self, limit: usize) -> Result<Vec<u8>, EgressError> {
        let mut all = Vec::new();
        while all.len() < limit {
            let Some(bytes) = self.next().await? else { break };
            all.extend_from_slice(&bytes);
        }
        all.truncate(limit);
        Ok(all)
    }
}
