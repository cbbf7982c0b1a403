//! Errors as people and programs read them: `application/problem+json` (RFC 9457) with a closed list of codes.
//! A [`Problem`] holds words only; the request's id is put in where all answers pass (`headers`).

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::state::NoRoom;
use crate::wire::entry::Answered;
use crate::wire::problem::{More, ProblemBody};

macro_rules! codes {
    ($($name:ident = $text:literal, $status:ident, $title:literal;)*) => {
        /// All codes there are. A code never changes its meaning.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
        #[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ProblemCode"))]
        #[serde(rename_all = "snake_case")]
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
    TurnRunning = "turn_running", CONFLICT, "A turn is still running.";
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
    more: More,
}

/// One bad field.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ProblemField"))]
pub struct Field {
    /// Its JSON pointer.
    pub pointer: String,
    /// What is wrong with it.
    pub detail: String,
}

impl Problem {
    /// A problem with this sentence.
    pub fn new(code: Code, detail: impl ToString) -> Self {
        let (detail, more) = (detail.to_string(), More::default());
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

    /// The same, said of a command: what is wrong stands in its text.
    #[must_use]
    pub fn in_text(mut self) -> Self {
        self.0.fields.iter_mut().for_each(|field| "/text".clone_into(&mut field.pointer));
        self
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

    /// With what was answered before, and when.
    #[must_use]
    pub fn answered(mut self, what: Answered, when: String) -> Self {
        self.0.more = More { who: Some("you"), what: Some(what), when: Some(when), ..self.0.more };
        self
    }

    /// The vault's file is older than the one last seen, and can be opened all the same.
    #[must_use]
    pub fn older(mut self) -> Self {
        self.0.more.older = Some(true);
        self
    }

    /// Its code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The body.
    pub fn body(&self, request_id: &str) -> ProblemBody {
        let Parts { code, detail, next_step, fields, retry_after, more, .. } = &*self.0;
        ProblemBody {
            about: format!("urn:riad:problem:{}", code.text()),
            title: code.title(),
            status: code.status().as_u16(),
            detail: detail.clone(),
            code: *code,
            request_id: request_id.to_owned(),
            fields: fields.clone(),
            retry_after: *retry_after,
            next_step: *next_step,
            more: more.clone(),
        }
    }

    /// The whole answer, once the request's id is known.
    pub fn render(&self, request_id: &str) -> Response {
        let body = serde_json::to_string(&self.body(request_id)).expect("a problem is plain data with text keys");
        let mut response = (self.0.code.status(), body).into_response();
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
