//! From spans to token ids: the template's own text with control tokens on, content with them off, each alone
//! (ENGINE-44). And the way back, token by token.

use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;

use crate::native::Span;

/// A prompt in ids, span by span.
pub(crate) struct Encoded {
    opening: Option<LlamaToken>,
    spans: Vec<Vec<LlamaToken>>,
}

impl Encoded {
    /// The ids.
    pub(crate) fn ids(&self) -> Vec<LlamaToken> {
        self.opening.iter().chain(self.spans.iter().flatten()).copied().collect()
    }

    /// The byte of the spans' text at which each id begins; what opens a prompt stands in no span, so it begins nowhere.
    pub(crate) fn starts(&self, model: &LlamaModel, spans: &[Span]) -> Vec<usize> {
        let mut starts: Vec<usize> = self.opening.iter().map(|_| usize::MAX).collect();
        let mut before = 0;
        for (ids, span) in self.spans.iter().zip(spans) {
            let mut inside: usize = 0;
            for id in ids {
                // A tokenizer that adds a blank, or changes letters, gives other bytes; no id leaves its span by that.
                starts.push(before + inside.min(span.text.len().saturating_sub(1)));
                inside += piece(model, *id).len();
            }
            before += span.text.len();
        }
        starts
    }
}

/// A prompt in ids.
pub(crate) fn encode(model: &LlamaModel, spans: &[Span]) -> Encoded {
    let vocab = model.vocab();
    let mut encoded: Vec<Vec<LlamaToken>> = Vec::with_capacity(spans.len());
    for span in spans {
        let is_first = encoded.iter().all(Vec::is_empty);
        encoded.push(if is_first { encode_span(model, span) } else { encode_later_span(model, span) });
    }
    let begins = encoded.iter().flatten().next();
    let opening = (vocab.should_add_bos() && begins != Some(&vocab.bos())).then(|| vocab.bos());
    Encoded { opening, spans: encoded }
}

fn encode_span(model: &LlamaModel, span: &Span) -> Vec<LlamaToken> {
    model.vocab().tokenize(span.text.as_bytes(), false, !span.content)
}

/// Some tokenizers put a blank before a text; inside a prompt there is none. A line break before the span takes it,
/// and its own tokens are dropped again.
fn encode_later_span(model: &LlamaModel, span: &Span) -> Vec<LlamaToken> {
    let vocab = model.vocab();
    if !puts_blank_first(model) {
        return encode_span(model, span);
    }
    let head = vocab.tokenize(b"\n", false, false);
    let whole = vocab.tokenize(format!("\n{}", span.text).as_bytes(), false, !span.content);
    whole.strip_prefix(head.as_slice()).map_or_else(|| encode_span(model, span), <[LlamaToken]>::to_vec)
}

fn puts_blank_first(model: &LlamaModel) -> bool {
    let stated = model.meta_val_str("tokenizer.ggml.add_space_prefix").ok();
    let kind = model.meta_val_str("tokenizer.ggml.model").unwrap_or_default();
    stated.map_or(kind == "llama", |value| value == "true")
}

/// The bytes of one token; control tokens have their spelling.
pub(crate) fn piece(model: &LlamaModel, token: LlamaToken) -> Vec<u8> {
    model.vocab().token_to_piece(token, true, None)
}

/// All control tokens that have a spelling, and their ids.
pub(crate) fn controls(model: &LlamaModel) -> Vec<(String, u32)> {
    let vocab = model.vocab();
    let control = vocab.tokens().filter(|token| vocab.is_control(*token));
    let spelled = control.filter_map(|token| {
        let spelling = String::from_utf8(piece(model, token)).ok().filter(|text| !text.is_empty())?;
        Some((spelling, u32::try_from(token.0).ok()?))
    });
    spelled.collect()
}
