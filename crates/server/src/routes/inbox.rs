//! All that waits for the person, folded from the entries of unfinished turns, oldest first.

use axum::Json;
use domain::approval::Approval;
use domain::conversation::Conversation;
use domain::entry::{Body, Entry};
use domain::id::EntryNumber;
use domain::time::Timestamp;
use harness::ports::Journal as _;

use super::conversations::{find, journal_problem};
use crate::extract::Unlocked;
use crate::problem::Problem;
use crate::wire::approval::{Inbox, InboxItem, card};

/// What waits.
pub(super) async fn list(Unlocked(room): Unlocked) -> Result<Json<Inbox>, Problem> {
    let mut items = Vec::new();
    for id in room.vault.unfinished().await.map_err(journal_problem)? {
        let entries = room.vault.load(&id, EntryNumber::default()).await.map_err(journal_problem)?;
        let conversation = Conversation::fold(id.clone(), &entries);
        let title = find(&room, id.as_str()).await?.title;
        let asked = conversation.pending().into_iter().map(|approval| (asked_at(&entries, approval), approval));
        items.extend(asked.map(|(at, approval)| (at, item(&conversation, &title, at, approval))));
    }
    items.sort_by_key(|(at, _)| *at);
    Ok(Json(Inbox { items: items.into_iter().map(|(_, item)| item).collect() }))
}

fn asked_at(entries: &[Entry], approval: &Approval) -> Timestamp {
    let asks = |entry: &&Entry| matches!(&entry.body, Body::Asked(asked) if asked.id == approval.id);
    entries.iter().find(asks).map_or(Timestamp::default(), |entry| entry.at)
}

fn item(conversation: &Conversation, title: &str, at: Timestamp, approval: &Approval) -> InboxItem {
    InboxItem {
        id: approval.id.to_string(),
        conversation: conversation.id().to_string(),
        conversation_title: title.to_owned(),
        asked_at: at.rfc3339(),
        card: card(approval),
    }
}
