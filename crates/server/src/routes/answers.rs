//! Answering what waits: bound to the digest that was shown, the first answer wins.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::approval::{Decision, Kind};
use domain::conversation::QuestionState;
use domain::digest::Digest;
use domain::id::ApprovalId;
use domain::question::{AnswerFault, Answers, Choice, Question, own_words};
use harness::act;
use harness::ports::Journal as _;

use super::conversations::journal_problem;
use super::messages::act_problem;
use super::once::{Done, once};
use crate::extract::{Body, Key, Unlocked};
use crate::problem::Problem;
use crate::room::Room;
use crate::state::App;
use crate::wire::answer::AnswerTaken;
use crate::wire::form::{AnswerForm, Decision as DecisionWord, PartAnswer, Surface};

/// Answers an approval or a question.
pub(super) async fn answer(
    State(app): State<Arc<App>>,
    Unlocked(room): Unlocked,
    Path(id): Path<String>,
    Key(key): Key,
    Body { value: form, digest: request }: Body<AnswerForm>,
) -> Result<Response, Problem> {
    let id = ApprovalId::new(id);
    let digest = Digest::from_hex(&form.digest);
    let digest = digest.ok_or_else(|| Problem::field("/digest", "A digest has 64 hexadecimal digits."))?;
    // The item is part of the route: the same key for another item is another request.
    let route = format!("answer {id}");
    let work = {
        let (room, key) = (room.clone(), key.clone());
        async move { settle(&room, &id, digest, form, &key).await }
    };
    once(&app, &room, key, route, request, work).await
}

async fn settle(room: &Room, id: &ApprovalId, digest: Digest, form: AnswerForm, key: &str) -> Result<Done, Problem> {
    let surface = match form.surface {
        Some(Surface::Cli) => "cli",
        Some(Surface::Web) | None => "web",
    };
    let decision = decision(room, id, form).await?;
    let answered = act::answer(room.desk(), id, digest, decision, surface, Some(key)).await;
    let (conversation, entry) = answered.map_err(act_problem)?;
    room.sessions.wake(&conversation);
    Ok(Done::new(StatusCode::OK, &AnswerTaken { entry: entry.0, conversation: conversation.to_string() }))
}

async fn decision(room: &Room, id: &ApprovalId, form: AnswerForm) -> Result<Decision, Problem> {
    let words = form.words.as_deref().map(own_words).transpose().map_err(answer_problem)?.flatten();
    match form.decision {
        Some(DecisionWord::Approve) => Ok(Decision::Approve),
        Some(DecisionWord::Refuse) => Ok(Decision::Refuse(words)),
        Some(DecisionWord::RefuseAndStop) => Ok(Decision::RefuseAndStop),
        None if form.answers.is_empty() => told(room, id, vec![Choice { options: form.options, words }]).await,
        None => {
            let given = |part: PartAnswer| Choice { options: part.options, words: part.words };
            told(room, id, form.answers.into_iter().map(given).collect()).await
        }
    }
}

async fn told(room: &Room, id: &ApprovalId, given: Vec<Choice>) -> Result<Decision, Problem> {
    match pending(room, id).await? {
        Some(questions) => Answers(given).told(&questions).map_err(answer_problem),
        // Whatever is said to it, `act::answer` tells why it is not taken.
        None => Ok(Decision::Told(String::new())),
    }
}

/// What was asked, if it is a question for words that waits.
async fn pending(room: &Room, id: &ApprovalId) -> Result<Option<Vec<Question>>, Problem> {
    let Some(conversation) = room.vault.asked_in(id).await.map_err(journal_problem)? else {
        return Err(Problem::not_found());
    };
    let conversation = room.fold(&conversation).await.map_err(journal_problem)?;
    let asked = match conversation.question(id) {
        Some(QuestionState::Pending(approval)) => Some(approval),
        Some(QuestionState::Answered(_) | QuestionState::Gone(_)) | None => None,
    };
    Ok(asked.filter(|approval| approval.kind == Kind::Question).map(Question::asked))
}

fn answer_problem(fault: AnswerFault) -> Problem {
    let field = match fault {
        AnswerFault::Words | AnswerFault::NoWords => "/words",
        AnswerFault::Surplus => "/answers",
        AnswerFault::Missing | AnswerFault::OnlyOne | AnswerFault::NoSuchOption | AnswerFault::Twice => "/options",
    };
    Problem::field(field, fault)
}
