//! Errors as people and programs read them: `application/problem+json` (RFC 9457) with a closed list of codes.
//! A [`Problem`] holds words only; the request's id is put in where all answers pass (`headers`).

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::state::NoRoom;

macro_rules! codes {
    ($($name:ident = $text:literal, $status:ident, $title:literal;)*) => {
        /// All codes there are. A code never changes its meaning.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Code {
            $(#[doc = $title] $name,)*
        }

        impl Code {
            /// The list, for tests and documentation.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The word in `code` and in the type's address.
            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The status it comes with.
            pub fn status(self) -> StatusCode {
                match self { $(Self::$name => StatusCode::$status,)* }
            }

            fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }
        }
    };
}

codes! {
    BadJson = "bad_json", BAD_REQUEST, "The body is not JSON.";
    WrongProtocol = "wrong_protocol", BAD_REQUEST, "The stream speaks another protocol.";
    NotSignedIn = "not_signed_in", UNAUTHORIZED, "You are not signed in.";
    SignInWrong = "sign_in_wrong", UNAUTHORIZED, "Handle or password is wrong.";
    PasswordWrong = "password_wrong", FORBIDDEN, "The password is wrong.";
    NotAllowed = "not_allowed", FORBIDDEN, "You may not do this.";
    ForeignOrigin = "foreign_origin", FORBIDDEN, "The request comes from another site.";
    CsrfWrong = "csrf_wrong", FORBIDDEN, "The request does not belong to this session.";
    NotJson = "not_json", FORBIDDEN, "The request does not declare JSON.";
    SetupTokenWrong = "setup_token_wrong", FORBIDDEN, "The setup token is wrong.";
    SetupTokenVoid = "setup_token_void", FORBIDDEN, "The setup token is used up.";
    NotFound = "not_found", NOT_FOUND, "There is nothing here.";
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED, "This cannot be done here.";
    AlreadySetUp = "already_set_up", CONFLICT, "This instance is set up already.";
    DigestDiffers = "digest_differs", CONFLICT, "The call is another one by now.";
    AlreadyAnswered = "already_answered", CONFLICT, "This was answered already.";
    AlreadyRead = "already_read", CONFLICT, "The message was read already.";
    StillWorking = "still_working", CONFLICT, "The same request is being worked on.";
    ReadOnly = "read_only", CONFLICT, "A newer version has written here.";
    TooManyWaiting = "too_many_waiting", CONFLICT, "Too many messages wait.";
    VaultFault = "vault_fault", CONFLICT, "The vault stays shut.";
    Expired = "expired", GONE, "This is over.";
    Stale = "stale", PRECONDITION_FAILED, "It has changed since.";
    TooLarge = "too_large", PAYLOAD_TOO_LARGE, "The request is too large.";
    WrongHost = "wrong_host", MISDIRECTED_REQUEST, "This server does not answer to that name.";
    Invalid = "invalid", UNPROCESSABLE_ENTITY, "Something in the request is wrong.";
    KeyMissing = "key_missing", UNPROCESSABLE_ENTITY, "The request has no key.";
    KeyReused = "key_reused", UNPROCESSABLE_ENTITY, "The key belongs to another request.";
    VaultLocked = "vault_locked", LOCKED, "Your vault is locked.";
    PreconditionRequired = "precondition_required", PRECONDITION_REQUIRED, "Say which version you mean.";
    Throttled = "throttled", TOO_MANY_REQUESTS, "Too many tries.";
    TooManyRequests = "too_many_requests", TOO_MANY_REQUESTS, "Too many requests.";
    Internal = "internal", INTERNAL_SERVER_ERROR, "The server failed.";
    Busy = "busy", SERVICE_UNAVAILABLE, "The server is busy.";
    NotReady = "not_ready", SERVICE_UNAVAILABLE, "The server is not ready.";
    NoSpace = "no_space", INSUFFICIENT_STORAGE, "There is no room left.";
}

/// One refusal: nothing changed, one code, one plain sentence with the next step.
#[derive(Debug, Clone)]
pub struct Problem(Box<Parts>);

#[derive(Debug, Clone)]
struct Parts {
    code: Code,
    detail: String,
    next_step: Option<&'static str>,
    fields: Vec<Field>,
    retry_after: Option<u64>,
    etag: Option<String>,
    more: Map<String, Value>,
}

/// One bad field.
#[derive(Debug, Clone, Serialize)]
pub struct Field {
    /// Its JSON pointer.
    pub pointer: String,
    /// What is wrong with it.
    pub detail: String,
}

impl Problem {
    /// A problem with this sentence.
    pub fn new(code: Code, detail: impl ToString) -> Self {
        let (detail, more) = (detail.to_string(), Map::new());
        Self(Box::new(Parts { code, detail, next_step: None, fields: Vec::new(), retry_after: None, etag: None, more }))
    }

    /// There is nothing of that name, or it belongs to somebody else: the same words for both.
    pub fn not_found() -> Self {
        Self::new(Code::NotFound, "Nothing of that name is here. Look at the list.")
    }

    /// The server failed; the cause is in the log under the request's id, without content.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        tracing::error!(%cause, "a request failed");
        Self::new(Code::Internal, "The server could not do that. Try again; if it fails again, look at the log.")
    }

    /// One bad field.
    pub fn field(pointer: impl Into<String>, detail: impl ToString) -> Self {
        let field = Field { pointer: pointer.into(), detail: detail.to_string() };
        Self::new(Code::Invalid, detail).fields(vec![field])
    }

    /// With these bad fields.
    #[must_use]
    pub fn fields(mut self, fields: Vec<Field>) -> Self {
        self.0.fields = fields;
        self
    }

    /// With the next step.
    #[must_use]
    pub fn next(mut self, step: &'static str) -> Self {
        self.0.next_step = Some(step);
        self
    }

    /// With seconds to wait.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.0.retry_after = Some(seconds);
        self
    }

    /// With the tag of what is there now.
    #[must_use]
    pub fn etag(mut self, tag: String) -> Self {
        self.0.etag = Some(tag);
        self
    }

    /// With a further member.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.more.insert(name.to_owned(), value.into());
        self
    }

    /// Its code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The JSON body.
    pub fn body(&self, request_id: &str) -> Value {
        let mut body = json!({
            "type": format!("urn:riad:problem:{}", self.0.code.text()),
            "title": self.0.code.title(),
            "status": self.0.code.status().as_u16(),
            "detail": self.0.detail,
            "code": self.0.code.text(),
            "request_id": request_id,
        });
        let members = body.as_object_mut().expect("an object was just made");
        if !self.0.fields.is_empty() {
            members.insert("fields".to_owned(), json!(self.0.fields));
        }
        if let Some(seconds) = self.0.retry_after {
            members.insert("retry_after".to_owned(), seconds.into());
        }
        if let Some(step) = self.0.next_step {
            members.insert("next_step".to_owned(), step.into());
        }
        members.extend(self.0.more.clone());
        body
    }

    /// The whole answer, once the request's id is known.
    pub fn render(&self, request_id: &str) -> Response {
        let mut response = (self.0.code.status(), self.body(request_id).to_string()).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.0.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(tag) = self.0.etag.as_ref().and_then(|tag| HeaderValue::from_str(tag).ok()) {
            headers.insert(header::ETAG, tag);
        }
        response
    }
}

/// The answer carries the problem along; `headers` writes it down with the request's id.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.0.code.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<store::StoreError> for Problem {
    fn from(error: store::StoreError) -> Self {
        if matches!(error, store::StoreError::Closed) { vault_locked() } else { Self::internal(error) }
    }
}

impl From<NoRoom> for Problem {
    fn from(error: NoRoom) -> Self {
        match error {
            NoRoom::Closed => vault_locked(),
            NoRoom::Folders(words) => Self::internal(words),
        }
    }
}

/// The vault is closed: the unlock form is next.
pub fn vault_locked() -> Problem {
    Problem::new(Code::VaultLocked, "Your vault is locked. Unlock it with your password.")
}

/// Nobody is signed in: the sign-in form is next.
pub fn not_signed_in() -> Problem {
    Problem::new(Code::NotSignedIn, "You are not signed in. Sign in and try again.")
}
