//! `riad rounds CONVERSATION`: the figures of its rounds as one JSON document, without any text of a message.

use clap::Args;

use super::api::Api;
use super::prompt::say;
use crate::config::Config;
use crate::exit::{Ended, Exit};

/// Which conversation.
#[derive(Debug, Args)]
pub(super) struct RoundsArgs {
    /// Its id, as `riad ask --json` and the address of its page show it.
    conversation: String,
    /// Prints JSON. There is no other form yet.
    #[arg(long, required = true)]
    json: bool,
}

/// Prints the document.
pub(super) async fn rounds(config: Config, args: RoundsArgs) -> Result<(), Ended> {
    let RoundsArgs { conversation, json: _ } = args;
    if !conversation.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(Ended::new(Exit::NotFound, "There is no such conversation. Look at its address in the page."));
    }
    let mut api = Api::open(config).await?;
    let document = api.get(&format!("/api/v1/conversations/{conversation}/rounds")).await?;
    let text = serde_json::to_string_pretty(&document).map_err(|error| Ended::new(Exit::Failed, error))?;
    say(&text)
}
