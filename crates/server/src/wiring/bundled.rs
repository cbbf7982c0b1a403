//! The profiles and the commands that lie inside the binary: files, read by the same readers as everybody's. The words are
//! data, not code.

use std::sync::Arc;

use domain::profile::{self, Fault, Profile};
use domain::slash::{self, Command};

/// Profiles by the names of their folders. The first one answers where no other is chosen.
const AGENTS: &[(&str, &str)] = &[
    ("assistant", include_str!("../../assets/agents/assistant/AGENT.md")),
    ("researcher", include_str!("../../assets/agents/researcher/AGENT.md")),
];

/// Commands by the names of their files.
const COMMANDS: &[(&str, &str)] = &[("recap", include_str!("../../assets/commands/recap.md"))];

/// What lies inside the binary.
#[derive(Clone)]
pub(crate) struct Bundled {
    /// Who can answer.
    pub(crate) agents: Arc<[BundledAgent]>,
    /// What people may type.
    pub(crate) commands: Arc<[BundledCommand]>,
}

/// One profile and its file.
pub(crate) struct BundledAgent {
    /// Its name, without the scope.
    pub(crate) name: &'static str,
    /// Its file.
    pub(crate) text: &'static str,
    /// What that says.
    pub(crate) profile: Arc<Profile>,
}

/// One command and its file.
pub(crate) struct BundledCommand {
    /// Its file.
    pub(crate) text: &'static str,
    /// What that says.
    pub(crate) command: Command,
}

/// Reads all of it. A fault ends the start: the files are those of this version.
pub(super) fn read() -> Result<Bundled, String> {
    let agents = AGENTS.iter().map(|&(name, text)| {
        let profile = Arc::new(agent(name, text)?);
        Ok::<_, String>(BundledAgent { name, text, profile })
    });
    let commands = COMMANDS.iter().map(|&(name, text)| {
        let command = slash::read(name, text).map_err(|fault| format!("commands/{name}.md: {fault}"))?;
        Ok::<_, String>(BundledCommand { text, command })
    });
    Ok(Bundled { agents: agents.collect::<Result<_, _>>()?, commands: commands.collect::<Result<_, _>>()? })
}

fn agent(name: &str, text: &str) -> Result<Profile, String> {
    let profile = profile::read(text).map_err(|faults| format!("agents/{name}/AGENT.md: {}", told(&faults)))?;
    match not_built(&profile) {
        None => Ok(profile),
        Some(field) => Err(format!("agents/{name}/AGENT.md: {}", no_effect(field))),
    }
}

/// All faults on one line.
pub(super) fn told(faults: &[Fault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Why a field is refused that nothing acts on.
pub(super) fn no_effect(field: &str) -> String {
    format!("`{field}` has no effect yet; leave it out")
}

/// A field that is read and that nothing acts on yet: a profile that has it would promise what does not hold.
pub(super) fn not_built(profile: &Profile) -> Option<&'static str> {
    [
        ("reasoning", profile.reasoning.is_some()),
        ("sampling", profile.sampling != Default::default()),
        ("skills", profile.skills.is_some()),
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
    use domain::profile::Kind;

    use super::{agent, read};

    #[test]
    fn the_bundled_files_are_read_without_fault() {
        let bundled = read().unwrap();
        let text = &bundled.agents[0].profile.prompt;
        assert!(text.starts_with("You are") && !text.contains("description:"), "{text}");
        assert_eq!((bundled.agents[1].name, bundled.agents[1].profile.kind), ("researcher", Kind::Task));
        assert_eq!(bundled.commands[0].command.name, "recap");
    }

    #[test]
    fn a_profile_that_asks_for_what_is_not_built_is_refused() {
        for (head, says) in [
            ("reasoning: low", "`reasoning` has no effect yet"),
            ("skills: []", "`skills` has no effect yet"),
            ("tols: []", "line 3, column 1: there is no field `tols`"),
        ] {
            let fault = agent("x", &format!("---\nname: x\n{head}\n---\nprompt")).unwrap_err();
            assert!(fault.contains(says), "{fault}");
        }
    }
}
