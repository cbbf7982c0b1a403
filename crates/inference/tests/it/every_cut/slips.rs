//! The table of known slips (LOOP-36): each is a call, wherever the stream is cut. And what is not in the table: it is one
//! fault, never prose and never a call. `docs/dialects.md` says the same in words.

use inference::dialect::{Dialect, Ending};

use crate::outcome::{parse_at_cuts, parser};

struct Row {
    slip: &'static str,
    stream: &'static str,
    /// Name and arguments of each call.
    calls: &'static [(&'static str, &'static str)],
}

const fn row(slip: &'static str, stream: &'static str, calls: &'static [(&'static str, &'static str)]) -> Row {
    Row { slip, stream, calls }
}

const COUNT: &[(&str, &str)] = &[("count", r#"{"to": 1}"#)];
const WRITE: &[(&str, &str)] = &[("write_file", r#"{"path": "a"}"#)];
const TWO: &[(&str, &str)] = &[("count", r#"{"to": 1}"#), ("nothing", "{}")];

fn check(dialect: Dialect, rows: &[Row]) {
    for row in rows {
        let outcome = parse_at_cuts(&parser(dialect), row.stream, Ending::Natural, usize::MAX);
        let calls: Vec<(&str, &str)> =
            outcome.calls.iter().map(|(name, arguments)| (name.as_str(), arguments.as_str())).collect();
        assert_eq!((&calls[..], outcome.faults, outcome.text.trim()), (row.calls, 0, ""), "{}", row.slip);
    }
}

#[test]
fn of_qwen_xml() {
    check(
        Dialect::QwenXml,
        &[
            row(
                "values in one line",
                "<tool_call><function=count><parameter=to>1</parameter></function></tool_call>",
                COUNT,
            ),
            row(
                "a doubled closer of an argument",
                "<tool_call><function=write_file><parameter=path>a</parameter></parameter></function></tool_call>",
                WRITE,
            ),
            row(
                "a doubled closer of a function",
                "<tool_call><function=count><parameter=to>1</parameter></function></function></tool_call>",
                COUNT,
            ),
            row(
                "no closer of the function",
                "<tool_call>\n<function=count>\n<parameter=to>\n1\n</parameter>\n</tool_call>",
                COUNT,
            ),
            row("no last closer", "<tool_call><function=count><parameter=to>1</parameter></function>\n", COUNT),
            row("no last closers", "<tool_call><function=count><parameter=to>1</parameter>", COUNT),
            row("no opener", "<function=count><parameter=to>1</parameter></function></tool_call>", COUNT),
            row(
                "a quoted name",
                "<tool_call><function=\"count\"><parameter name=\"to\">1</parameter></function></tool_call>",
                COUNT,
            ),
            row(
                "the name as an attribute",
                "<tool_call><function name=\"count\"><parameter=to>1</parameter></function></tool_call>",
                COUNT,
            ),
            row(
                "an object in place of the tags",
                "<tool_call>{\"name\": \"count\", \"arguments\": {\"to\": 1}}</tool_call>",
                COUNT,
            ),
            row(
                "a closer within a text",
                "<tool_call><function=write_file><parameter=path>a</parameter> b</parameter></function></tool_call>",
                &[("write_file", r#"{"path": "a</parameter> b"}"#)],
            ),
            row(
                "two functions in one frame",
                "<tool_call><function=count><parameter=to>1</parameter></function><function=nothing></function></tool_call>",
                TWO,
            ),
            row(
                "words of Python",
                "<tool_call><function=switch><parameter=on>True</parameter></function></tool_call>",
                &[("switch", r#"{"on": true}"#)],
            ),
        ],
    );
}

#[test]
fn of_glm() {
    check(
        Dialect::Glm,
        &[
            row("all in one line", "<tool_call>count<arg_key>to</arg_key><arg_value>1</arg_value></tool_call>", COUNT),
            row(
                "blanks between tags",
                "<tool_call> count \n\n <arg_key> to </arg_key> \n <arg_value> 1 </arg_value> \n </tool_call>",
                COUNT,
            ),
            row("no last closer", "<tool_call>count\n<arg_key>to</arg_key>\n<arg_value>1</arg_value>", COUNT),
            row(
                "a doubled closer of a value",
                "<tool_call>count\n<arg_key>to</arg_key>\n<arg_value>1</arg_value></arg_value></tool_call>",
                COUNT,
            ),
            row(
                "an object in place of the tags",
                "<tool_call>{\"name\": \"count\", \"arguments\": {\"to\": 1}}</tool_call>",
                COUNT,
            ),
            row("a doubled closer", "<tool_call>nothing</tool_call></tool_call>", &[("nothing", "{}")]),
        ],
    );
}

#[test]
fn of_dsml() {
    check(
        Dialect::Dsml,
        &[
            row(
                "the other name of the block",
                "<｜DSML｜function_calls><｜DSML｜invoke name=\"count\"><｜DSML｜parameter name=\"to\" string=\"false\">1\
             </｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>",
                COUNT,
            ),
            row(
                "no block",
                "<｜DSML｜invoke name=\"count\"><｜DSML｜parameter name=\"to\" string=\"false\">1</｜DSML｜parameter></｜DSML｜invoke>",
                COUNT,
            ),
            row(
                "no last closers",
                "<｜DSML｜tool_calls><｜DSML｜invoke name=\"count\"><｜DSML｜parameter name=\"to\" string=\"false\">1</｜DSML｜parameter>",
                COUNT,
            ),
            row(
                "no closer of the invocation",
                "<｜DSML｜tool_calls><｜DSML｜invoke name=\"count\"><｜DSML｜parameter name=\"to\">1</｜DSML｜parameter>\
             <｜DSML｜invoke name=\"nothing\"></｜DSML｜tool_calls>",
                TWO,
            ),
            row(
                "no word on the type",
                "<｜DSML｜tool_calls><｜DSML｜invoke name=\"write_file\"><｜DSML｜parameter name=\"path\">a</｜DSML｜parameter>\
             </｜DSML｜invoke></｜DSML｜tool_calls>",
                WRITE,
            ),
            row(
                "attributes without quotes",
                "<｜DSML｜tool_calls><｜DSML｜invoke name=count><｜DSML｜parameter name=to string=false>1</｜DSML｜parameter>\
             </｜DSML｜invoke></｜DSML｜tool_calls>",
                COUNT,
            ),
            row(
                "a doubled closer of an argument",
                "<｜DSML｜tool_calls><｜DSML｜invoke name=\"write_file\"><｜DSML｜parameter name=\"path\" string=\"true\">a\
             </｜DSML｜parameter></｜DSML｜parameter></｜DSML｜invoke></｜DSML｜tool_calls>",
                WRITE,
            ),
        ],
    );
}

#[test]
fn of_dsml_in_every_form_of_the_bar() {
    let published = "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"count\">\n<｜DSML｜parameter name=\"to\" string=\"false\">1\
         </｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>";
    for bar in ["｜", "｜｜", "|", "||", "‖", "∥"] {
        let stream = published.replace('｜', bar);
        let outcome = parse_at_cuts(&parser(Dialect::Dsml), &stream, Ending::Natural, usize::MAX);
        assert_eq!(outcome.calls, [("count".to_owned(), r#"{"to": 1}"#.to_owned())], "{bar}");
        assert_eq!((outcome.faults, outcome.text.as_str()), (0, ""), "{bar}");
    }
}

#[test]
fn of_gemma() {
    check(
        Dialect::Gemma,
        &[
            row("blanks", "<|tool_call> call: count { to : 1 } <tool_call|>", COUNT),
            row("no last closer", "<|tool_call>call:count{to:1}", COUNT),
            row("a doubled bracket", "<|tool_call>call:count{to:1}}<tool_call|>", COUNT),
            row("a doubled closer", "<|tool_call>call:count{to:1}<tool_call|><tool_call|>", COUNT),
            row("JSON", "<|tool_call>call:write_file{\"path\": \"a\"}<tool_call|>", WRITE),
            row(
                "the function model",
                "<start_function_call>call:write_file{path:<escape>a<escape>}<end_function_call>",
                WRITE,
            ),
            row("two frames", "<|tool_call>call:count{to:1}<tool_call|>\n<|tool_call>call:nothing{}<tool_call|>", TWO),
        ],
    );
}

#[test]
fn of_python_calls() {
    check(
        Dialect::Pythonic,
        &[
            row("bare", "[count(to=1)]", COUNT),
            row("bare, behind a line", "\n[ count( to = 1 ) ]", COUNT),
            row("the other marks", "<|python_start|>[count(to=1)]<|python_end|>", COUNT),
            row("no last closer", "<|tool_call_start|>[count(to=1)]", COUNT),
            row("trailing commas", "<|tool_call_start|>[count(to=1,), nothing(),]<|tool_call_end|>", TWO),
            row("single quotes", "<|tool_call_start|>[write_file(path='a')]<|tool_call_end|>", WRITE),
            row("tripled quotes", "<|tool_call_start|>[write_file(path=\"\"\"a\"\"\")]<|tool_call_end|>", WRITE),
            row("words of JSON", "[switch(on=true)]", &[("switch", r#"{"on": true}"#)]),
            row("words of Python", "[switch(on=True)]", &[("switch", r#"{"on": true}"#)]),
            row("a dictionary of arguments", "[count(**{'to': 1})]", COUNT),
        ],
    );
}

#[test]
fn of_hermes() {
    check(
        Dialect::Hermes,
        &[
            row("no last closer", "<tool_call>\n{\"name\": \"count\", \"arguments\": {\"to\": 1}}\n", COUNT),
            row(
                "a doubled bracket",
                "<tool_call>{\"name\": \"count\", \"arguments\": {\"to\": 1}}}</tool_call>",
                COUNT,
            ),
            row(
                "a doubled closer",
                "<tool_call>{\"name\": \"count\", \"arguments\": {\"to\": 1}}</tool_call></tool_call>",
                COUNT,
            ),
            row("the other key", "<tool_call>{\"name\": \"count\", \"parameters\": {\"to\": 1}}</tool_call>", COUNT),
            row("arguments first", "<tool_call>{\"arguments\": {\"to\": 1}, \"name\": \"count\"}</tool_call>", COUNT),
            row(
                "no closer before the next opener",
                "<tool_call>{\"name\": \"count\", \"arguments\": {\"to\": 1}}\n<tool_call>{\"name\": \"nothing\", \
                 \"arguments\": {}}</tool_call>",
                TWO,
            ),
        ],
    );
}

#[test]
fn of_mistral() {
    let rows = [
        row("a list", "[TOOL_CALLS] [{\"name\": \"count\", \"arguments\": {\"to\": 1}}]", COUNT),
        row("a list that is not closed", "[TOOL_CALLS][{\"name\": \"count\", \"arguments\": {\"to\": 1}}", COUNT),
        row("a name and arguments", "[TOOL_CALLS]count[ARGS]{\"to\": 1}[TOOL_CALLS]nothing[ARGS]{}", TWO),
        row("an id", "[TOOL_CALLS]count[CALL_ID]abcdefghi[ARGS]{\"to\": 1}", COUNT),
    ];
    check(Dialect::Mistral, &rows);
    check(Dialect::MistralArgs, &rows);
}

#[test]
fn of_llama() {
    let rows = [
        row("bare JSON", "{\"name\": \"count\", \"parameters\": {\"to\": 1}}", COUNT),
        row(
            "a type beside the name",
            "{\"type\": \"function\", \"name\": \"count\", \"parameters\": {\"to\": 1}}",
            COUNT,
        ),
        row("the tag", "<|python_tag|>{\"name\": \"count\", \"parameters\": {\"to\": 1}}", COUNT),
        row("a doubled bracket", "{\"name\": \"count\", \"parameters\": {\"to\": 1}}}", COUNT),
        row("a fence", "```json\n{\"name\": \"count\", \"parameters\": {\"to\": 1}}\n```", COUNT),
        row(
            "a semicolon",
            "{\"name\": \"count\", \"parameters\": {\"to\": 1}}; {\"name\": \"nothing\", \"parameters\": {}}",
            TWO,
        ),
        row("a header", "<function=count>{\"to\": 1}</function>", COUNT),
        row("a header without its closer", "<function=count>{\"to\": 1}", COUNT),
        row(
            "the role once more",
            "<|start_header_id|>assistant<|end_header_id|>\n\n{\"name\": \"count\", \"parameters\": {\"to\": 1}}",
            COUNT,
        ),
    ];
    check(Dialect::Llama, &rows);
    check(Dialect::LlamaHeader, &rows);
}

#[test]
fn of_kimi() {
    check(
        Dialect::Kimi,
        &[
            row(
                "no section",
                "<|tool_call_begin|>functions.count:0<|tool_call_argument_begin|>{\"to\": 1}<|tool_call_end|>",
                COUNT,
            ),
            row(
                "a section that is not closed",
                "<|tool_calls_section_begin|><|tool_call_begin|>functions.count:0<|tool_call_argument_begin|>{\"to\": 1}\
                 <|tool_call_end|>",
                COUNT,
            ),
            row(
                "a call that is not closed",
                "<|tool_calls_section_begin|><|tool_call_begin|>functions.count:0<|tool_call_argument_begin|>{\"to\": 1}\
                 <|tool_call_begin|>functions.nothing:1<|tool_call_argument_begin|>{}<|tool_calls_section_end|>",
                TWO,
            ),
        ],
    );
}

#[test]
fn of_harmony() {
    check(
        Dialect::Harmony,
        &[
            row("no closer", "<|channel|>commentary to=functions.count <|constrain|>json<|message|>{\"to\": 1}", COUNT),
            row("no word on JSON", "<|channel|>commentary to=functions.count<|message|>{\"to\": 1}<|call|>", COUNT),
            row(
                "the recipient with the role",
                "<|start|>assistant to=functions.count<|channel|>commentary json<|message|>{\"to\": 1}<|call|>",
                COUNT,
            ),
            row("a recipient without its group", "<|channel|>commentary to=count<|message|>{\"to\": 1}<|call|>", COUNT),
            row(
                "two calls",
                "<|channel|>commentary to=functions.count<|message|>{\"to\": 1}<|call|>\
                 <|start|>assistant<|channel|>commentary to=functions.nothing<|message|>{}<|call|>",
                TWO,
            ),
        ],
    );
}

#[test]
fn of_plain_json() {
    check(
        Dialect::Json,
        &[
            row("one call", "{\"name\": \"count\", \"arguments\": {\"to\": 1}}", COUNT),
            row("a fence", "```json\n{\"name\": \"count\", \"arguments\": {\"to\": 1}}\n```", COUNT),
            row("a fence without a word", "```\n{\"name\": \"count\", \"arguments\": {\"to\": 1}}\n```", COUNT),
            row(
                "the form of remote APIs",
                "{\"tool_calls\": [{\"type\": \"function\", \"function\": {\"name\": \"count\", \"arguments\": {\"to\": 1}}}]}",
                COUNT,
            ),
            row(
                "a list that is not closed",
                "{\"tool_calls\": [{\"name\": \"count\", \"arguments\": {\"to\": 1}}, {\"name\": \"nothing\", \"arguments\": {}}",
                TWO,
            ),
        ],
    );
}

#[test]
fn what_is_not_in_the_table_is_one_fault_and_the_text_goes_on() {
    let rows = [
        (Dialect::QwenXml, "a<tool_call>count to 1</tool_call>b"),
        (Dialect::QwenXml, "a<tool_call><parameter=to>1</parameter></tool_call>b"),
        (Dialect::QwenXml, "a<tool_call><function=count><parameter=to>1</function></tool_call>b"),
        (Dialect::QwenXml, "a<tool_call></tool_call>b"),
        (Dialect::Glm, "a<tool_call></tool_call>b"),
        (Dialect::Glm, "a<tool_call>count<arg_key>to</arg_key>1</tool_call>b"),
        (Dialect::Glm, "a<tool_call>count<arg_key>to</arg_key><arg_value>1</tool_call>b"),
        (Dialect::Dsml, "a<｜DSML｜tool_calls>count</｜DSML｜tool_calls>b"),
        (Dialect::Dsml, "a<｜DSML｜tool_calls><｜DSML｜invoke>x</｜DSML｜invoke></｜DSML｜tool_calls>b"),
        (Dialect::Gemma, "a<|tool_call>count{to:1}<tool_call|>b"),
        (Dialect::Gemma, "a<|tool_call>call:count<tool_call|>b"),
        (Dialect::Pythonic, "a<|tool_call_start|>count(to=1)<|tool_call_end|>b"),
        (Dialect::Pythonic, "a<|tool_call_start|>[count(1)]<|tool_call_end|>b"),
    ];
    for (dialect, stream) in rows {
        let outcome = parse_at_cuts(&parser(dialect), stream, Ending::Natural, usize::MAX);
        assert_eq!((outcome.calls.len(), outcome.faults, outcome.text.as_str()), (0, 1, "ab"), "{stream}");
    }
}

#[test]
fn what_looks_like_a_bare_call_and_is_none_stays_text() {
    let rows = [
        (Dialect::Pythonic, "[1, 2] are numbers"),
        (Dialect::Pythonic, "[unknown(to=1)]"),
        (Dialect::Pythonic, "Lists: [count(to=1)]"),
        (Dialect::Pythonic, "[count"),
        (Dialect::QwenXml, "<function=unknown> is a tag"),
        (Dialect::QwenXml, "Write <function=count> there"),
        (Dialect::QwenXml, "```\n<function=count>\n```"),
    ];
    for (dialect, stream) in rows {
        let outcome = parse_at_cuts(&parser(dialect), stream, Ending::Natural, usize::MAX);
        assert_eq!((outcome.calls.len(), outcome.faults, outcome.text.as_str()), (0, 0, stream));
    }
}

#[test]
fn an_argument_is_never_read_as_structure() {
    let streams = [
        "<tool_call><function=count><parameter=to>1, \"from\": 2</parameter></function></tool_call>",
        "<tool_call><function=count><parameter=to>1}, {</parameter></function></tool_call>",
    ];
    for stream in streams {
        let outcome = parse_at_cuts(&parser(Dialect::QwenXml), stream, Ending::Natural, usize::MAX);
        let arguments: serde_json::Value = serde_json::from_str(&outcome.calls[0].1).unwrap();
        assert!(arguments["to"].is_string() && arguments.as_object().unwrap().len() == 1, "{arguments}");
    }
}
