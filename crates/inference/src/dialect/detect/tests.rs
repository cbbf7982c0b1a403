//! What published templates hold, in the parts that tell their dialects apart, and which dialect they are.

use super::*;

/// A part of a template's text, as it is written in Jinja, and what follows from it.
const PARTS: [(&str, Dialect, Source); 20] = [
    (
        // Hermes 2 Pro, Qwen 2.5, Qwen 3
        "{{- '<tool_call>\\n{\"name\": \"' }}{{- tool_call.name }}{{- '\", \"arguments\": ' }}",
        Dialect::Hermes,
        Source::Template,
    ),
    (
        // Qwen 3 Coder, Qwen 3.5
        "{{- '<tool_call>\\n<function=' + tool_call.name + '>\\n' }}{{- '<parameter=' + args_name + '>\\n' }}",
        Dialect::QwenXml,
        Source::Template,
    ),
    (
        // GLM 4.5
        "{{ '\\n<tool_call>' + tc.name }}\\n{% for k, v in _args.items() %}<arg_key>{{ k }}</arg_key>",
        Dialect::Glm,
        Source::Template,
    ),
    ("{{- '<|tool_call>call:' + function['name'] + '{' -}}", Dialect::Gemma, Source::Template),
    ("{{- '<|tool_call>' -}}call:{{ function['name'] }}{{- '<tool_call|>' -}}", Dialect::Gemma, Source::Template),
    ("<start_function_call>call:{{ name }}", Dialect::Gemma, Source::Template),
    (
        "{{- \"<|start|>assistant<|channel|>commentary to=functions.\" + name + \" json<|message|>\" }}",
        Dialect::Harmony,
        Source::Template,
    ),
    ("{{ '<｜DSML｜invoke name=\"' + name }}", Dialect::Dsml, Source::Template),
    ("{{- \"[TOOL_CALLS] [\" }}{%- for tool_call in message.tool_calls %}", Dialect::Mistral, Source::Template),
    ("{{- '[TOOL_CALLS]' + name + '[ARGS]' + arguments }}", Dialect::MistralArgs, Source::Template),
    (
        "{{- '<|start_header_id|>assistant' }}{{- '{\"name\": \"' + tool_call.name + '\", ' }}{{- '\"parameters\": ' }}",
        Dialect::Llama,
        Source::Template,
    ),
    ("{{- \"<|python_tag|>\" + tool_call.name + \".call(\" }}", Dialect::Llama, Source::Template),
    (
        "You can answer with <function=example_function_name>{{\"example_name\": 1}}</function>",
        Dialect::LlamaHeader,
        Source::Template,
    ),
    (
        // Llama 4
        "should be in the format [func_name1(params_name1=params_value1, ...), func_name2(params)]",
        Dialect::Pythonic,
        Source::Template,
    ),
    ("<|tool_list_start|>[<|tool_call_start|>[", Dialect::Pythonic, Source::Template),
    (
        "<|tool_calls_section_begin|>{% for call in message.tool_calls %}<|tool_call_begin|>{{ call.id }}",
        Dialect::Kimi,
        Source::Template,
    ),
    // SmolLM2 and other small models: roles alone.
    (
        "{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>'}}",
        Dialect::Hermes,
        Source::Roles,
    ),
    ("<|start_header_id|>{{ message['role'] }}<|end_header_id|>", Dialect::Llama, Source::Roles),
    ("{{ '[INST] ' + message['content'] + ' [/INST]' }}", Dialect::Json, Source::Fallback),
    ("", Dialect::Json, Source::Fallback),
];

#[test]
fn the_template_tells_the_dialect() {
    for (part, dialect, source) in PARTS {
        assert_eq!(detect(part, "llama"), (dialect, source), "{part}");
    }
}

#[test]
fn an_architecture_tells_it_where_the_template_does_not() {
    assert_eq!(detect("", "gpt-oss"), (Dialect::Harmony, Source::Architecture));
    assert_eq!(detect("<|im_start|>", "lfm2"), (Dialect::Pythonic, Source::Architecture));
    assert_eq!(detect("<tool_call>", "gpt-oss"), (Dialect::Hermes, Source::Template));
}

#[test]
fn what_a_dialect_renders_is_detected_as_that_dialect() {
    use crate::protocol::message::{Call, Tool};
    let tool = Tool { name: "look".to_owned(), description: String::new(), schema: serde_json::json!({}) };
    let call = Call { id: String::new(), name: "look".to_owned(), arguments: r#"{"at": "here"}"#.to_owned() };
    // Bare JSON, lists and bare names look like text of any kind: their templates are told by other words.
    let bare = [Dialect::Llama, Dialect::Json, Dialect::Pythonic];
    for dialect in Dialect::ALL.into_iter().filter(|dialect| !bare.contains(dialect)) {
        let written = dialect.reply("", std::slice::from_ref(&call), std::slice::from_ref(&tool));
        assert_eq!(detect(&written, ""), (dialect, Source::Template), "{written}");
    }
}

#[test]
fn each_name_stands_for_one_dialect() {
    for dialect in Dialect::ALL {
        assert_eq!(Dialect::named(dialect.name()), Some(dialect));
    }
    assert_eq!(Dialect::named("llama.gguf"), None);
}
