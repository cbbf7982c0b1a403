//! Rights and bodies as typed values. The guard puts rights into the request; a handler that asks for one its row does
//! not name fails closed.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use domain::digest::Digest;
use serde::de::DeserializeOwned;
use store::{Person, Session, SessionToken};

use crate::problem::{Code, Problem};
use crate::room::Room;

/// Where the request comes from.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub SocketAddr);

/// Somebody is signed in.
#[derive(Clone)]
pub struct Authenticated {
    /// The session.
    pub session: Session,
    /// Its token.
    pub token: Arc<SessionToken>,
}

/// Somebody is signed in whose vault is open for this session.
#[derive(Clone)]
pub struct Unlocked(pub Arc<Room>);

/// Somebody is signed in who holds every capability.
#[derive(Debug, Clone)]
pub struct Admin(pub Person);

macro_rules! from_extensions {
    ($($right:ident),*) => {$(
        impl<S: Send + Sync> FromRequestParts<S> for $right {
            type Rejection = Problem;

            fn from_request_parts(parts: &mut Parts, _: &S) -> impl Future<Output = Result<Self, Problem>> + Send {
                let found = parts.extensions.get::<Self>().cloned();
                let missing = concat!("the route's row does not grant ", stringify!($right));
                std::future::ready(found.ok_or_else(|| Problem::internal(missing)))
            }
        }
    )*};
}
from_extensions!(Peer, Authenticated, Unlocked, Admin);

/// The key of a request that acts, as the guard has checked it.
#[derive(Debug, Clone)]
pub struct Key(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Key {
    type Rejection = Problem;

    fn from_request_parts(parts: &mut Parts, _: &S) -> impl Future<Output = Result<Self, Problem>> + Send {
        let key = parts.headers.get("idempotency-key").and_then(|value| value.to_str().ok());
        let key = key.map(|key| Self(key.to_owned()));
        std::future::ready(key.ok_or_else(|| Problem::new(Code::KeyMissing, "Send an Idempotency-Key.")))
    }
}

/// A JSON body and the digest of its bytes. An unknown or ill-formed field is named by its pointer.
pub struct Body<T> {
    /// The value.
    pub value: T,
    /// Of the bytes as they came.
    pub digest: Digest,
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let bytes = Bytes::from_request(request, state).await.map_err(|_| {
            Problem::new(Code::TooLarge, "The body is too large or was cut off. Send it again, or less of it.")
        })?;
        let digest = Digest::of_bytes(&bytes);
        let mut reader = serde_json::Deserializer::from_slice(&bytes);
        let value = serde_path_to_error::deserialize(&mut reader).map_err(|fault| misfit(&fault))?;
        reader.end().map_err(|_| Problem::new(Code::BadJson, "Something follows the JSON value. Send one value."))?;
        Ok(Self { value, digest })
    }
}

fn misfit(fault: &serde_path_to_error::Error<serde_json::Error>) -> Problem {
    let inner = fault.inner();
    if inner.is_syntax() || inner.is_eof() {
        return Problem::new(Code::BadJson, "The body is not well-formed JSON. Check it and send it again.");
    }
    let path = fault.path().to_string();
    let pointer =
        if path == "." { String::new() } else { format!("/{}", path.replace(['.', '['], "/").replace(']', "")) };
    // serde's words name fields and expected types, never more than the value's kind.
    let says = inner.to_string();
    let says = says.split(" at line ").next().unwrap_or_default();
    Problem::field(pointer, format!("{says}."))
}
