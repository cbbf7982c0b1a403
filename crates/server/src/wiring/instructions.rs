//! What an assistant is told it is: the text of an agent profile, read from its file. The words are data, not code.

/// The profile that answers when no other is chosen.
const ASSISTANT: &str = include_str!("../../assets/agents/assistant/AGENT.md");

/// The system text of the default profile: the file without its head.
pub(super) fn assistant() -> &'static str {
    let body = ASSISTANT.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    body.map_or(ASSISTANT, |(_, body)| body).trim()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_head_of_the_file_is_no_part_of_the_text() {
        let text = super::assistant();
        assert!(!text.is_empty() && !text.starts_with("---") && !text.contains("description:"), "{text}");
    }
}
