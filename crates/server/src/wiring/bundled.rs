//! The profile and the commands that lie inside the binary: files, read by the same readers as everybody's. The words are
//! data, not code.

use std::sync::Arc;

use domain::profile::{self, Fault, Kind, Known, Profile};
use domain::slash::{self, Command};

/// The profile that answers when no other is chosen.
const ASSISTANT: &str = include_str!("../../assets/agents/assistant/AGENT.md");

/// Commands by the names of their files.
const COMMANDS: &[(&str, &str)] = &[("recap", include_str!("../../assets/commands/recap.md"))];

/// What lies inside the binary.
#[derive(Clone)]
pub(crate) struct Bundled {
    /// Who answers.
    pub(crate) profile: Arc<Profile>,
    /// What people may type.
    pub(crate) commands: Arc<[Command]>,
}

/// Reads all of it. A fault ends the start: the files are those of this version.
pub(super) fn read() -> Result<Bundled, String> {
    let command =
        |&(name, text): &(&str, &str)| slash::read(name, text).map_err(|fault| format!("commands/{name}.md: {fault}"));
    let commands = COMMANDS.iter().map(command).collect::<Result<_, _>>()?;
    Ok(Bundled { profile: Arc::new(profile(ASSISTANT)?), commands })
}

fn profile(text: &str) -> Result<Profile, String> {
    let profile = profile::read(text).map_err(|faults| told(&faults))?;
    match not_built(&profile) {
        None => Ok(profile),
        Some(field) => Err(format!("agents/assistant/AGENT.md: `{field}` has no effect yet; leave it out")),
    }
}

/// Whether the names in a profile exist.
pub(super) fn check_names(profile: &Profile, known: &Known) -> Result<(), String> {
    let faults = profile.unknown(known);
    if faults.is_empty() { Ok(()) } else { Err(told(&faults)) }
}

fn told(faults: &[Fault]) -> String {
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    format!("agents/assistant/AGENT.md: {}", faults.join("; "))
}

/// A field that is read and that nothing acts on yet: a profile that has it would promise what does not hold.
fn not_built(profile: &Profile) -> Option<&'static str> {
    [
        ("kind", profile.kind != Kind::Chat),
        ("model", profile.model != Default::default()),
        ("reasoning", profile.reasoning.is_some()),
        ("sampling", profile.sampling != Default::default()),
        ("skills", profile.skills.is_some()),
        ("delegates", !profile.delegates.is_empty()),
        ("hooks", !profile.hooks.is_empty()),
        ("notes", !profile.notes.is_empty()),
        ("answer_schema", profile.answer_schema.is_some()),
        ("compaction_model", profile.compaction_model.is_some()),
    ]
    .into_iter()
    .find_map(|(field, is_set)| is_set.then_some(field))
}

#[cfg(test)]
mod tests {
    use super::{profile, read};

    #[test]
    fn the_bundled_files_are_read_without_fault() {
        let bundled = read().unwrap();
        let text = &bundled.profile.prompt;
        assert!(text.starts_with("You are") && !text.contains("description:"), "{text}");
        assert_eq!(bundled.commands[0].name, "recap");
    }

    #[test]
    fn a_profile_that_asks_for_what_is_not_built_is_refused() {
        for (head, says) in [
            ("reasoning: low", "`reasoning` has no effect yet"),
            ("model: big", "`model` has no effect yet"),
            ("skills: []", "`skills` has no effect yet"),
            ("tols: []", "line 3, column 1: there is no field `tols`"),
        ] {
            let fault = profile(&format!("---\nname: x\n{head}\n---\nprompt")).unwrap_err();
            assert!(fault.contains(says), "{fault}");
        }
    }
}
