//! Answering what waits: bound to the digest that was shown, the first answer wins.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::approval::{Approval, Decision};
use domain::conversation::QuestionState;
use domain::digest::Digest;
use domain::id::ApprovalId;
use harness::act;
use harness::ports::Journal as _;
use serde::Deserialize;
use serde_json::json;

use super::conversations::journal_problem;
use super::messages::act_problem;
use super::once::{Done, once};
use crate::extract::{Body, Key, Unlocked};
use crate::problem::Problem;
use crate::room::Room;
use crate::state::App;
use crate::wire::approval::{QuestionPart, parts};

/// Characters of a person's words beside an answer.
const LONGEST_WORDS: usize = 8_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AnswerForm {
    digest: String,
    decision: Option<DecisionWord>,
    words: Option<String>,
    #[serde(default)]
    options: Vec<usize>,
    #[serde(default)]
    answers: Vec<PartAnswer>,
    #[serde(default)]
    surface: Option<Surface>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum DecisionWord {
    Approve,
    Refuse,
    RefuseAndStop,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Surface {
    Web,
    Cli,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PartAnswer {
    #[serde(default)]
    options: Vec<usize>,
    words: Option<String>,
}

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
        let room = room.clone();
        async move { settle(&room, &id, digest, form).await }
    };
    once(&app, &room, key, route, request, work).await
}

async fn settle(room: &Room, id: &ApprovalId, digest: Digest, form: AnswerForm) -> Result<Done, Problem> {
    let surface = match form.surface {
        Some(Surface::Cli) => "cli",
        Some(Surface::Web) | None => "web",
    };
    let decision = decision(room, id, form).await?;
    let answered = act::answer(room.desk(), id, digest, decision, surface).await;
    let (conversation, entry) = answered.map_err(act_problem)?;
    room.sessions.wake(&conversation);
    Ok(Done::new(StatusCode::OK, &json!({ "entry": entry.0, "conversation": conversation })))
}

async fn decision(room: &Room, id: &ApprovalId, form: AnswerForm) -> Result<Decision, Problem> {
    let words = form.words.as_deref().map(words).transpose()?.filter(|words| !words.is_empty());
    match form.decision {
        Some(DecisionWord::Approve) => Ok(Decision::Approve),
        Some(DecisionWord::Refuse) => Ok(Decision::Refuse(words)),
        Some(DecisionWord::RefuseAndStop) => Ok(Decision::RefuseAndStop),
        None => {
            let parts = pending_parts(room, id).await?;
            let answers =
                if form.answers.is_empty() { vec![PartAnswer { options: form.options, words }] } else { form.answers };
            told(&parts, &answers).map(Decision::Told)
        }
    }
}

fn words(text: &str) -> Result<String, Problem> {
    if text.chars().count() > LONGEST_WORDS || text.contains('\0') {
        return Err(Problem::field(
            "/words",
            "At most 8000 characters fit beside an answer. Write less, or send a message.",
        ));
    }
    Ok(text.trim().to_owned())
}

/// What was asked; nothing if it is not a question that waits, which `act::answer` then says.
async fn pending_parts(room: &Room, id: &ApprovalId) -> Result<Vec<QuestionPart>, Problem> {
    let Some(conversation) = room.vault.asked_in(id).await.map_err(journal_problem)? else {
        return Err(Problem::not_found());
    };
    let conversation = room.fold(&conversation).await.map_err(journal_problem)?;
    let asked: Option<&Approval> = match conversation.question(id) {
        Some(QuestionState::Pending(approval)) => Some(approval),
        Some(QuestionState::Answered(_) | QuestionState::Gone(_)) | None => None,
    };
    Ok(asked.map(parts).unwrap_or_default())
}

/// The answer as the model reads it: one line a part, the chosen options by their text.
fn told(parts: &[QuestionPart], answers: &[PartAnswer]) -> Result<String, Problem> {
    let mut lines = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let given = answers.get(index);
        let line = given.map(|given| one(part, given)).transpose()?.filter(|line| !line.is_empty());
        let line = line.ok_or_else(|| Problem::field("/options", "Choose an option or write an answer."))?;
        lines.push(if parts.len() > 1 { format!("{}: {line}", part.text) } else { line });
    }
    Ok(lines.join("\n"))
}

fn one(part: &QuestionPart, given: &PartAnswer) -> Result<String, Problem> {
    if given.options.len() > 1 && !part.many {
        return Err(Problem::field("/options", "Choose one option."));
    }
    let mut said = Vec::new();
    for option in &given.options {
        let text = part.options.get(*option).ok_or_else(|| Problem::field("/options", "There is no such option."))?;
        said.push(text.clone());
    }
    let own = given.words.as_deref().map(words).transpose()?.filter(|own| !own.is_empty());
    said.extend(own);
    Ok(said.join(", "))
}
