//! The grammar of calls, made from the tools' schemas, on llguidance: which tokens may come next inside a call. Text
//! outside a call is never constrained.

use inference::dialect::{Dialect, Part};
use inference::protocol::message::Tool;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::sampling::LlamaSampler;
use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::{SimpleVob, TokenId};
use llguidance::{Matcher, ParserFactory};

use crate::lark::{self, Piece};
use crate::tokens;

/// Makes grammars for one model's vocabulary.
pub(crate) struct Grammars {
    factory: ParserFactory,
    dialect: Dialect,
    controls: Vec<(String, TokenId)>,
}

/// Where in its frame a call stands that a grammar is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Begun<'a> {
    /// It is the first of its frame.
    pub(crate) first: bool,
    /// What has already come of it.
    pub(crate) body: &'a str,
}

/// Where one call stands in its grammar.
pub(crate) struct CallGrammar {
    matcher: Matcher,
}

impl Grammars {
    /// Reads the vocabulary once.
    pub(crate) fn new(model: &LlamaModel, dialect: Dialect) -> Result<Grammars, String> {
        let tokens = LlamaSampler::llguidance_tok_env(model);
        let mut factory = ParserFactory::new_simple(&tokens).map_err(|error| error.to_string())?;
        factory.quiet();
        Ok(Grammars { factory, dialect, controls: tokens::controls(model) })
    }

    /// The grammar of one call, from behind the opener of its frame, or the call before, to its end. None if what has come
    /// of it fits no call.
    pub(crate) fn call(
        &self,
        tools: &[Tool],
        only: Option<&str>,
        begun: Begun<'_>,
    ) -> Result<Option<CallGrammar>, String> {
        let offered = tools.iter().filter(|tool| only.is_none_or(|name| name == tool.name));
        let mut matcher = self.matcher(&self.dialect.rows(offered, begun.first))?;
        let given = self.tokens(begun.body);
        let taken = matcher.try_consume_tokens(&given).map_err(|error| error.to_string())?;
        Ok((taken == given.len()).then_some(CallGrammar { matcher }))
    }

    fn matcher(&self, rows: &[Vec<Part>]) -> Result<Matcher, String> {
        let grammar = TopLevelGrammar::from_lark(lark::grammar(rows, &self.controls));
        let matcher = Matcher::new(self.factory.create_parser(grammar));
        matcher.get_error().map_or(Ok(matcher), Err)
    }

    fn tokens(&self, text: &str) -> Vec<TokenId> {
        let pieces = lark::split(text, &self.controls).into_iter();
        let tokens = pieces.flat_map(|piece| match piece {
            Piece::Letters(text) => self.factory.tok_env().tokenize(text),
            Piece::Control(id) => vec![id],
        });
        tokens.collect()
    }

    /// Why a tool cannot be expressed, if it cannot; the others stay (LOOP-18).
    pub(crate) fn refusal(&self, tool: &Tool) -> Option<String> {
        self.matcher(&self.dialect.rows(std::iter::once(tool), true)).err()
    }
}

impl CallGrammar {
    /// The tokens that may come next.
    pub(crate) fn allowed(&mut self) -> Result<SimpleVob, String> {
        self.matcher.compute_mask().map_err(|error| error.to_string())
    }

    /// Goes on over a token that was drawn among the allowed ones.
    pub(crate) fn take(&mut self, token: usize) -> Result<(), String> {
        let token = u32::try_from(token).map_err(|error| error.to_string())?;
        self.matcher.consume_token(token).map_err(|error| error.to_string())
    }

    /// The call is whole.
    pub(crate) fn is_done(&self) -> bool {
        self.matcher.is_stopped()
    }
}
