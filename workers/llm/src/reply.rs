//! One sample: from a prompt to a reply, token by token. Here meet template, sequence, dialect, grammar and draw; each
//! of them knows nothing of the others.

use std::io;
use std::time::{Duration, Instant};

use inference::dialect::{Ending, Parser, Piece};
use inference::protocol::Kind;
use inference::protocol::message::{Beat, CallBegan, Choice, Failure, Sample, Sampled, Stop, Times, Tool, Usage};
use inference::repetition::repeats_until;
use inference::utf8::TextJoiner;
use llama_cpp_2::token::LlamaToken;

use crate::channel::{Cancels, Outlet};
use crate::draw::{Dice, PENALTY_WINDOW, draw};
use crate::grammar::{Begun, CallGrammar};
use crate::lane::LaneError;
use crate::model::Opened;
use crate::tokens;

/// Calls of one reply; the reply ends after them.
const MOST_CALLS: usize = 16;
/// How often a token may be drawn again because a grammar or a choice refuses it.
const MOST_REDRAWS: usize = 32;
const BEAT: Duration = Duration::from_millis(1000);
/// How much new text comes between two looks for a repetition.
const REPETITION_STRIDE: usize = 256;

/// Why a sample gave nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReplyError {
    /// It is told to the server.
    #[error("{0:?}")]
    Failed(Failure),
    /// The channel is gone.
    #[error(transparent)]
    Channel(#[from] io::Error),
}

impl From<LaneError> for ReplyError {
    fn from(error: LaneError) -> ReplyError {
        ReplyError::Failed(Failure::Engine { reason: error.to_string() })
    }
}

/// Samples a reply, sending pieces as they come. The answer says whether it was cancelled.
pub(crate) fn sample(
    opened: &mut Opened<'_>,
    request: u64,
    asked: &Sample,
    cancels: &Cancels,
    outlet: &mut Outlet,
) -> Result<Sampled, ReplyError> {
    let started = Instant::now();
    let mut prompt = opened.encode(&asked.prompt)?;
    let forced = matches!(asked.choice, Choice::Forced | Choice::ForcedTool(_));
    if forced {
        prompt.extend(opened.opening());
    }
    let render = micros(started);
    let mut reply = Reply::new(opened, request, asked, started);
    reply.times.render = render;
    reply.usage.prompt = count(prompt.len());
    if !reply.prefill(&prompt, cancels, outlet)? {
        return Ok(reply.finish(Stop::Cancelled, outlet)?);
    }
    if forced {
        reply.hear_opening(outlet)?;
    }
    let stop = reply.decode(cancels, outlet)?;
    Ok(reply.finish(stop, outlet)?)
}

struct Reply<'a, 'model> {
    opened: &'a mut Opened<'model>,
    request: u64,
    asked: &'a Sample,
    tools: Vec<Tool>,
    started: Instant,
    last_beat: Instant,
    first_token: Option<Instant>,
    dice: Dice,
    joiner: TextJoiner,
    parser: Parser,
    grammar: Option<CallGrammar>,
    /// What was said, thought and written into calls, for finding repetitions.
    said: String,
    looked_at: usize,
    usage: Usage,
    times: Times,
}

impl<'a, 'model> Reply<'a, 'model> {
    fn new(opened: &'a mut Opened<'model>, request: u64, asked: &'a Sample, started: Instant) -> Self {
        let tools = opened.expressible(&asked.prompt.tools);
        let parser = Parser::new(opened.dialect, &asked.prompt.tools, opened.thinking());
        Reply {
            opened,
            request,
            asked,
            tools,
            started,
            last_beat: started,
            first_token: None,
            dice: Dice::new(asked.sampling.seed),
            joiner: TextJoiner::new(),
            parser,
            grammar: None,
            said: String::new(),
            looked_at: 0,
            usage: Usage::default(),
            times: Times::default(),
        }
    }

    /// Brings the prompt into memory; false if it was cancelled.
    fn prefill(&mut self, prompt: &[LlamaToken], cancels: &Cancels, outlet: &mut Outlet) -> Result<bool, ReplyError> {
        let started = Instant::now();
        let reused = self.opened.lane.reuse(prompt)?;
        self.usage.reused = count(reused);
        let mut sent = Ok(());
        let (request, last_beat) = (self.request, &mut self.last_beat);
        let done = self.opened.lane.prefill(&prompt[reused..], |in_memory| {
            if last_beat.elapsed() >= BEAT {
                *last_beat = Instant::now();
                sent = outlet.send_json(Kind::Beat, request, &Beat { prompt: count(in_memory), decoded: 0 });
            }
            sent.is_ok() && !cancels.wants(request)
        });
        sent?;
        self.usage.prefilled = count(self.opened.lane.len() - reused);
        self.times.prefill = micros(started);
        match done {
            Ok(()) => Ok(true),
            Err(LaneError::Cancelled) => Ok(false),
            Err(error @ LaneError::Engine(_)) => Err(error.into()),
        }
    }

    fn decode(&mut self, cancels: &Cancels, outlet: &mut Outlet) -> Result<Stop, ReplyError> {
        loop {
            if cancels.wants(self.request) {
                return Ok(Stop::Cancelled);
            }
            let Some(token) = self.next_token()? else { return Ok(Stop::Cut) };
            self.first_token.get_or_insert_with(Instant::now);
            let bytes = tokens::piece(self.opened.model, token);
            if let Some(stop) = self.opened.stop_of(token, &bytes) {
                return Ok(if stop == Stop::Natural && self.parser.calls() > 0 { Stop::Calls } else { stop });
            }
            self.usage.decoded += 1;
            self.usage.constrained += u32::from(self.grammar.is_some());
            self.advance_grammar(token)?;
            let text = self.joiner.push(&bytes);
            self.hear(&text, outlet)?;
            self.usage.reasoning += u32::from(self.parser.in_reasoning());
            if let Some(stop) = self.stop_of_reply() {
                return Ok(stop);
            }
            self.beat(outlet)?;
            self.opened.lane.prefill(&[token], |_| true)?;
        }
    }

    /// Draws the next token. A token that the choice or the call's grammar refuses is drawn again.
    fn next_token(&mut self) -> Result<Option<LlamaToken>, ReplyError> {
        let mask = self.grammar.as_mut().map(CallGrammar::allowed).transpose().map_err(engine)?;
        let recent = self.opened.lane.recent(PENALTY_WINDOW);
        let mut refused: Vec<usize> = Vec::new();
        while refused.len() <= MOST_REDRAWS {
            let logits = self.opened.lane.logits().ok_or_else(|| engine("no logits".to_owned()))?;
            let allowed = |token: usize| {
                let masked = mask.as_ref().is_none_or(|mask| u32::try_from(token).is_ok_and(|id| mask.is_allowed(id)));
                masked && !refused.contains(&token)
            };
            let penalty = if mask.is_some() { &[][..] } else { &recent };
            let Some(drawn) = draw(logits, penalty, &self.asked.sampling, &mut self.dice, allowed) else {
                return Ok(None);
            };
            let token = LlamaToken(i32::try_from(drawn).map_err(|error| engine(error.to_string()))?);
            if mask.is_some() || self.accepts(token)? {
                return Ok(Some(token));
            }
            refused.push(drawn);
        }
        Ok(None)
    }

    /// Outside a call: may this token come? If a call has begun with it, that call must be able to go on.
    fn accepts(&mut self, token: LlamaToken) -> Result<bool, ReplyError> {
        if self.asked.prompt.tools.is_empty() || self.parser.in_call() {
            return Ok(true);
        }
        let bytes = tokens::piece(self.opened.model, token);
        let ahead = self.parser.ahead(&String::from_utf8_lossy(&bytes));
        if !ahead.in_call() && ahead.calls() == 0 {
            return Ok(true);
        }
        if self.asked.choice == Choice::Forbidden || self.tools.is_empty() {
            return Ok(false);
        }
        // Calls that no marker announces have more than one form; those that the grammar has not are checked later.
        Ok(!ahead.is_certain() || self.grammar_of(&ahead)?.is_some())
    }

    /// The grammar of the call that has begun.
    fn grammar_of(&self, parser: &Parser) -> Result<Option<CallGrammar>, ReplyError> {
        let only = match &self.asked.choice {
            Choice::ForcedTool(name) => Some(name.as_str()),
            Choice::Free | Choice::Forced | Choice::Forbidden => None,
        };
        let begun = Begun { first: parser.at_first_call(), body: parser.call_body() };
        self.opened.grammars.call(&self.tools, only, begun).map_err(engine)
    }

    fn advance_grammar(&mut self, token: LlamaToken) -> Result<(), ReplyError> {
        let Some(grammar) = &mut self.grammar else { return Ok(()) };
        let id = usize::try_from(token.0).map_err(|error| engine(error.to_string()))?;
        grammar.take(id).map_err(engine)?;
        if grammar.is_done() {
            self.grammar = None;
        }
        Ok(())
    }

    /// Gives text to the parser, sends what it makes of it, and opens the grammar of a call that began.
    fn hear(&mut self, text: &str, outlet: &mut Outlet) -> Result<(), ReplyError> {
        let before = (self.parser.in_call(), self.parser.calls());
        let pieces = self.parser.push(text);
        self.send(&pieces, outlet)?;
        let after = (self.parser.in_call(), self.parser.calls());
        let begins = !before.0 || (after.1 > before.1 && !self.parser.at_first_call() && self.grammar.is_none());
        if !after.0 {
            self.grammar = None;
        } else if begins && !self.tools.is_empty() {
            self.grammar = self.grammar_of(&self.parser)?;
        }
        Ok(())
    }

    /// Hears the opening of a call that was forced: its grammar holds from there.
    fn hear_opening(&mut self, outlet: &mut Outlet) -> Result<(), ReplyError> {
        let opening = self.opened.dialect.opening(self.opened.thinking());
        self.hear(&opening, outlet)?;
        if self.grammar.is_none() && !self.tools.is_empty() {
            self.grammar = self.grammar_of(&self.parser)?;
        }
        Ok(())
    }

    fn send(&mut self, pieces: &[Piece], outlet: &mut Outlet) -> io::Result<()> {
        for piece in pieces {
            match piece {
                Piece::Text(text) => {
                    self.said.push_str(text);
                    outlet.send_text(Kind::Text, self.request, text)?;
                }
                Piece::Reasoning(text) => {
                    self.said.push_str(text);
                    outlet.send_text(Kind::Reasoning, self.request, text)?;
                }
                Piece::CallBegan(name) => {
                    outlet.send_json(Kind::Call, self.request, &CallBegan { name: name.clone() })?;
                }
                Piece::Arguments(text) => {
                    self.said.push_str(text);
                    outlet.send_text(Kind::Arguments, self.request, text)?;
                }
            }
        }
        Ok(())
    }

    fn stop_of_reply(&mut self) -> Option<Stop> {
        let forced = matches!(self.asked.choice, Choice::Forced | Choice::ForcedTool(_));
        if self.parser.calls() >= if forced { 1 } else { MOST_CALLS } {
            return Some(Stop::Calls);
        }
        if self.parser.ended() {
            return Some(Stop::Marker);
        }
        if self.usage.decoded >= self.asked.sampling.max_tokens {
            return Some(Stop::Length);
        }
        if self.opened.lane.len() + 1 >= self.opened.lane.window() {
            return Some(Stop::ContextFull);
        }
        self.repeats().then_some(Stop::Cut)
    }

    fn repeats(&mut self) -> bool {
        if self.said.len() < self.looked_at + REPETITION_STRIDE {
            return false;
        }
        self.looked_at = self.said.len();
        repeats_until(&self.said).is_some()
    }

    fn beat(&mut self, outlet: &mut Outlet) -> io::Result<()> {
        if self.last_beat.elapsed() < BEAT {
            return Ok(());
        }
        self.last_beat = Instant::now();
        let beat = Beat { prompt: self.usage.prompt, decoded: self.usage.decoded };
        outlet.send_json(Kind::Beat, self.request, &beat)
    }

    fn finish(mut self, stop: Stop, outlet: &mut Outlet) -> io::Result<Sampled> {
        let rest = self.joiner.finish();
        let pieces = self.parser.push(&rest);
        self.send(&pieces, outlet)?;
        let is_natural = matches!(stop, Stop::Natural | Stop::Calls | Stop::Marker);
        let next = Parser::new(self.opened.dialect, &[], false);
        let parser = std::mem::replace(&mut self.parser, next);
        let (pieces, parsed) = parser.finish(if is_natural { Ending::Natural } else { Ending::Cut });
        self.send(&pieces, outlet)?;
        self.times.first_token = self.first_token.map_or(0, |at| (at - self.started).as_micros() as u64);
        self.times.decode = self.first_token.map_or(0, micros);
        let stop = if is_natural && !parsed.calls.is_empty() { Stop::Calls } else { stop };
        Ok(Sampled {
            stop,
            text: trimmed(parsed.text),
            reasoning: trimmed(parsed.reasoning),
            calls: parsed.calls,
            foreign: parsed.foreign.map(|dialect| dialect.name().to_owned()),
            usage: self.usage,
            times: self.times,
        })
    }
}

/// A text that repeats itself is cut to one of the blocks (LOOP-27).
fn trimmed(mut text: String) -> String {
    if let Some(end) = repeats_until(&text) {
        text.truncate(end);
    }
    text
}

fn engine(reason: String) -> ReplyError {
    ReplyError::Failed(Failure::Engine { reason })
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}
