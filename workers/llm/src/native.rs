//! The one file with `unsafe`: the border to the shim over the engine's chat templates. It passes texts in and spans
//! out and decides nothing. All else of the engine is used through `llama-cpp-2`'s own safe calls.
#![expect(unsafe_code, reason = "the border to C++")]

use std::ffi::{CString, c_char, c_int, c_void};
use std::marker::{PhantomData, PhantomPinned};
use std::ptr::NonNull;

/// A piece of a rendered prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    /// It comes from a message: no control token may come of it.
    pub(crate) content: bool,
    /// Its text.
    pub(crate) text: String,
}

/// What the template engine said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct TemplateError(String);

#[repr(C)]
struct RawTemplate {
    _opaque: [u8; 0],
    _not_send: PhantomData<(*mut u8, PhantomPinned)>,
}

type SpanCall = extern "C" fn(*mut c_void, c_int, *const c_char, usize);
type ErrorCall = extern "C" fn(*mut c_void, *const c_char, usize);

unsafe extern "C" {
    fn riad_template_new(
        source: *const c_char,
        bos: *const c_char,
        eos: *const c_char,
        error: ErrorCall,
        user: *mut c_void,
    ) -> *mut RawTemplate;
    fn riad_template_free(compiled: *mut RawTemplate);
    fn riad_template_render(
        compiled: *const RawTemplate,
        variables: *const c_char,
        span: SpanCall,
        error: ErrorCall,
        user: *mut c_void,
    ) -> c_int;
}

/// A compiled chat template.
#[derive(Debug)]
pub(crate) struct Template(NonNull<RawTemplate>);

#[derive(Default)]
struct Received {
    spans: Vec<Span>,
    error: String,
}

impl Template {
    /// Compiles a template's source.
    pub(crate) fn new(source: &str, bos: &str, eos: &str) -> Result<Template, TemplateError> {
        let (source, bos, eos) = (c_text(source)?, c_text(bos)?, c_text(eos)?);
        let mut received = Received::default();
        let user = (&raw mut received).cast();
        // SAFETY: the three texts end with NUL and outlive the call; `user` is only used by `on_error` in the call.
        let compiled = unsafe { riad_template_new(source.as_ptr(), bos.as_ptr(), eos.as_ptr(), on_error, user) };
        NonNull::new(compiled).map(Template).ok_or(TemplateError(received.error))
    }

    /// Renders a JSON object of variables.
    pub(crate) fn render(&self, variables: &str) -> Result<Vec<Span>, TemplateError> {
        let variables = c_text(variables)?;
        let mut received = Received::default();
        let user = (&raw mut received).cast();
        // SAFETY: the pointer came from `riad_template_new` and is not freed before `drop`; the text ends with NUL and
        // outlives the call; `user` is only used by the two callbacks, one at a time, in the call.
        let done = unsafe { riad_template_render(self.0.as_ptr(), variables.as_ptr(), on_span, on_error, user) };
        if done == 1 { Ok(received.spans) } else { Err(TemplateError(received.error)) }
    }
}

impl Drop for Template {
    fn drop(&mut self) {
        // SAFETY: the pointer came from `riad_template_new` and is freed only here.
        unsafe { riad_template_free(self.0.as_ptr()) }
    }
}

extern "C" fn on_span(user: *mut c_void, content: c_int, text: *const c_char, length: usize) {
    // SAFETY: `user` is the `Received` of the running call, which nothing else refers to now.
    let received = unsafe { &mut *user.cast::<Received>() };
    // SAFETY: the shim passes a text of this length that lives until this returns.
    let text = unsafe { c_bytes(text, length) };
    received.spans.push(Span { content: content == 1, text: String::from_utf8_lossy(text).into_owned() });
}

extern "C" fn on_error(user: *mut c_void, text: *const c_char, length: usize) {
    // SAFETY: as in `on_span`.
    let received = unsafe { &mut *user.cast::<Received>() };
    // SAFETY: as in `on_span`.
    let text = unsafe { c_bytes(text, length) };
    received.error = String::from_utf8_lossy(text).into_owned();
}

unsafe fn c_bytes<'a>(text: *const c_char, length: usize) -> &'a [u8] {
    if length == 0 {
        return &[];
    }
    // SAFETY: the caller promises that `text` points at `length` bytes that live for the callback.
    unsafe { std::slice::from_raw_parts(text.cast(), length) }
}

fn c_text(text: &str) -> Result<CString, TemplateError> {
    CString::new(text).map_err(|_| TemplateError("a text holds a NUL".to_owned()))
}
