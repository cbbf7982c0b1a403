//! Says which dialect a model writes, by what its chat template holds (LOOP-31). File names and the names that people gave
//! a model are not asked: they are not the model's.

use super::Dialect;

/// Where a choice of dialect comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The template writes calls in it.
    Template,
    /// The template knows no calls; its role markers are those of models that use this dialect.
    Roles,
    /// The architecture in the metadata has one dialect only.
    Architecture,
    /// Nothing is known: plain JSON.
    Fallback,
    /// A person chose it.
    Pinned,
}

impl Source {
    /// Its name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Source::Template => "template",
            Source::Roles => "roles",
            Source::Architecture => "architecture",
            Source::Fallback => "fallback",
            Source::Pinned => "pinned",
        }
    }
}

/// What a template must hold, all of it, and the dialect that it then is. The first row that fits counts, so that a row stands
/// before those whose words it shares.
const TEMPLATES: [(&[&str], Dialect); 19] = [
    (&["<|tool_calls_section_begin|>"], Dialect::Kimi),
    (&["<|channel|>", "<|message|>"], Dialect::Harmony),
    (&["DSML"], Dialect::Dsml),
    (&["<|tool_call>call:"], Dialect::Gemma),
    (&["<|tool_call>", "<tool_call|>"], Dialect::Gemma),
    (&["<start_function_call>"], Dialect::Gemma),
    (&["[TOOL_CALLS]", "[ARGS]"], Dialect::MistralArgs),
    (&["[TOOL_CALLS]"], Dialect::Mistral),
    (&["<arg_key>"], Dialect::Glm),
    (&["<function=", "<parameter="], Dialect::QwenXml),
    (&["<|tool_call_start|>"], Dialect::Pythonic),
    (&["<|python_start|>"], Dialect::Pythonic),
    (&["[func_name1(params_name1="], Dialect::Pythonic),
    (&["<function=", "</function>"], Dialect::LlamaHeader),
    (&["<tool_call>"], Dialect::Hermes),
    (&["<|python_tag|>"], Dialect::Llama),
    (&["<|start_header_id|>", "\"parameters\":"], Dialect::Llama),
    (&["<|start_header_id|>", "Environment: ipython"], Dialect::Llama),
    (&["\"tool_calls\": ["], Dialect::Json),
];

/// Role markers of templates that know no calls, and the dialect that models with them were taught or follow best.
const ROLES: [(&[&str], Dialect); 2] =
    [(&["<|im_start|>"], Dialect::Hermes), (&["<|start_header_id|>"], Dialect::Llama)];

/// Architectures, as weights name them, whose models all write one dialect.
const ARCHITECTURES: [(&str, Dialect); 5] = [
    ("gpt-oss", Dialect::Harmony),
    ("lfm2", Dialect::Pythonic),
    ("lfm2moe", Dialect::Pythonic),
    ("glm4moe", Dialect::Glm),
    ("gemma4", Dialect::Gemma),
];

/// The dialect of a model, and how it is known. `template` is the text of its chat template, empty if it has none;
/// `architecture` as its metadata names it.
#[must_use]
pub fn detect(template: &str, architecture: &str) -> (Dialect, Source) {
    if let Some(dialect) = row_of(&TEMPLATES, template) {
        return (dialect, Source::Template);
    }
    if let Some((_, dialect)) = ARCHITECTURES.iter().find(|(name, _)| *name == architecture) {
        return (*dialect, Source::Architecture);
    }
    match row_of(&ROLES, template) {
        Some(dialect) => (dialect, Source::Roles),
        None => (Dialect::Json, Source::Fallback),
    }
}

fn row_of(rows: &[(&[&str], Dialect)], template: &str) -> Option<Dialect> {
    let fits = |words: &&[&str]| words.iter().all(|word| template.contains(word));
    rows.iter().find(|(words, _)| fits(words)).map(|(_, dialect)| *dialect)
}

#[cfg(test)]
mod tests;
