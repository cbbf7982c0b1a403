//! What a person chose for a conversation, or for all of which nothing else is chosen. Whether such a model or profile is
//! there, and what follows from a choice, is not known here.

use domain::id::ConversationId;
use domain::model::Tier;
use domain::profile::Choice;
use domain::time::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::vault::Vault;

impl Vault {
    /// What was chosen for a conversation, or, for none, what holds where nothing was.
    pub async fn choice(&self, conversation: Option<ConversationId>) -> Result<Choice, StoreError> {
        self.read(move |db| read(db, name(conversation.as_ref()))).await
    }

    /// Replaces it.
    pub async fn choose(
        &self,
        conversation: Option<ConversationId>,
        choice: Choice,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(move |db| {
            let Choice { model, profile, tier } = choice;
            db.execute(
                "INSERT INTO choices (conversation, model, profile, tier, changed_at) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (conversation) DO UPDATE SET model = excluded.model, profile = excluded.profile,
                     tier = excluded.tier, changed_at = excluded.changed_at",
                params![name(conversation.as_ref()), model, profile, tier.map(word), now.0],
            )?;
            Ok(())
        })
        .await
    }
}

fn name(conversation: Option<&ConversationId>) -> &str {
    conversation.map_or("", ConversationId::as_str)
}

fn read(db: &Connection, name: &str) -> Result<Choice, StoreError> {
    let mut statement = db.prepare_cached("SELECT model, profile, tier FROM choices WHERE conversation = ?1")?;
    let row = statement.query_row([name], |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, Option<String>>(2)?)));
    let Some((model, profile, tier)) = row.optional()? else { return Ok(Choice::default()) };
    let tier = tier.map(|word| tier_of(&word).ok_or(StoreError::Corrupt("choice"))).transpose()?;
    Ok(Choice { model, profile, tier })
}

fn word(tier: Tier) -> &'static str {
    match tier {
        Tier::Device => "device",
        Tier::Trusted => "trusted",
        Tier::Any => "any",
    }
}

fn tier_of(word: &str) -> Option<Tier> {
    [Tier::Device, Tier::Trusted, Tier::Any].into_iter().find(|tier| self::word(*tier) == word)
}
