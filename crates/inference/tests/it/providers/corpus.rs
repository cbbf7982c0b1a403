//! 120 entries, good and bad in turn. A bad one marks the line that is wrong by a comment with the reason.

/// The file, and what is to be made of it.
pub(super) struct Corpus {
    pub(super) text: String,
    pub(super) good: Vec<String>,
    /// Line and part of the reason, in the order of the file.
    pub(super) bad: Vec<(usize, String)>,
}

/// Puts good and bad entries together.
pub(super) fn corpus() -> Corpus {
    let mut corpus = Corpus { text: "# A corpus.\nproviders:\n".to_owned(), good: Vec::new(), bad: Vec::new() };
    assert_eq!(BAD.len(), 60);
    for (index, bad) in BAD.iter().enumerate() {
        let id = format!("good-{index}");
        corpus.put(&good(&id, index));
        corpus.good.push(id);
        let bad = bad
            .replace("$B", "base_url: https://bad.example.com/v1")
            .replace("$M", "models: [{ id: m, window: 32768 }]");
        let before = corpus.text.lines().count();
        let at = bad.lines().position(|line| line.contains("#!")).expect("a bad entry marks its line");
        let says = bad.split("#!").nth(1).and_then(|rest| rest.lines().next()).expect("it says why").trim();
        corpus.bad.push((before + at + 1, says.to_owned()));
        // A map that brings no id of its own gets one at its end, so that the lines before stay as they are.
        let is_map = !bad.starts_with("just");
        let has_id = bad.lines().any(|line| line.starts_with("id:"));
        let id = if is_map && !has_id { format!("id: bad-{index}\n") } else { String::new() };
        corpus.put(&format!("{bad}\n{id}"));
    }
    corpus
}

impl Corpus {
    fn put(&mut self, entry: &str) {
        for (index, line) in entry.lines().enumerate() {
            let lead = if index == 0 { "  - " } else { "    " };
            self.text += &format!("{lead}{line}\n");
        }
    }
}

fn good(id: &str, index: usize) -> String {
    let more = [
        "base_url: https://api.example.com/v1\nname: \"Name: with a colon\"\n",
        "base_url: http://127.0.0.1:8000/v1\nkey: none\ntier: device\nwire: ollama\n",
        "base_url: http://192.168.1.5:8000\nlan: true\ntier: trusted\nkey_file: /etc/riad/own.key\n",
        "base_url: http://box.local:8000/v1/\nlan: true\nkey: optional\nkey_env: OWN_KEY\nkey_header: X-Key\n",
        "base_url: https://[2606:4700::1]/v1\nwire: anthropic\nprompt_cache: none\nlisted: 2026-11-30\n",
        "base_url: https://api.example.com\nwire: openai-responses\nothers: { window: 65536 }\n",
    ];
    let reasoning = [
        "",
        "reasoning: { style: effort, field: reasoning_effort, modes: [{ ids: \"*-large\", allowed: [low, high], default: high }, { allowed: [low, medium], default: low }] }\n",
        "reasoning: { style: budget, field: thinking.budget_tokens, modes: [{ range: { least: 1024, most: 32000, step: 512 }, default: 2048 }] }\n",
        "reasoning: { style: switch, field: think, modes: [{ default: off }] }\n",
        "reasoning: { style: effort, field: think, values: { none: false, deep: high }, modes: [{ allowed: [none, deep], default: none }] }\n",
    ];
    let (more, reasoning) = (more[index % more.len()], reasoning[index % reasoning.len()]);
    let price = "price: { input: 0.30, cached: 0.03, output: 1.20 }";
    format!(
        "id: {id}\n{more}{reasoning}models:\n  - id: model-{index}\n    window: 32768\n    output_cap: 4096\n    {price}\n  \
         - {{ id: \"vendor/model-{index}-large\", name: Large, window: 1000000, lineage: models, temperature: 0.7, dialect: native }}\n"
    )
}

const BAD: [&str; 60] = [
    "$B\nid: Bad_Id #! `id` is of small letters\n$M",
    "id: remote #! `remote` means the model of models.remote.url\n$B\n$M",
    "id: anthropic #! its id is taken\n$B\n$M",
    "id: good-0 #! its id is taken\n$B\n$M",
    "id: -x #! `id` is of small letters\n$B\n$M",
    "id: [a] #! `id` is a text\n$B\n$M",
    "just a text #! this is a map",
    "$M #! `base_url` is missing",
    "base_url: http://public.example.com/v1 #! `base_url` is https\n$M",
    "base_url: ftp://example.com #! begins with https:// or http://\n$M",
    "base_url: not an address #! is an address such as\n$M",
    "base_url: https://name:word@example.com/v1 #! holds no name, password\n$M",
    "base_url: https://example.com/v1?key=1 #! holds no name, password, query\n$M",
    "base_url: https://example.com/v1#x #! holds no name, password, query or fragment\n$M",
    "base_url: http://192.168.1.5:8000/v1 #! add `lan: true`\n$M",
    "base_url: http://box.local/v1 #! add `lan: true`\n$M",
    "$B\nlan: yes #! `lan` is true or false\n$M",
    "base_url: https://example.com/v1 #! `lan` is for private addresses\nlan: true\n$M",
    "$B\napi_key: sk-1234 #! keys do not stand in this file\n$M",
    "$B\ntoken: abc #! keys do not stand in this file\n$M",
    "$B\n$M\nsurprise: 1 #! there is no key `surprise` here",
    "$B\nName: X #! there is no key `Name` here\n$M",
    "$B\nwire: grpc #! `wire` is one of openai-chat, openai-responses, anthropic, ollama\n$M",
    "$B\nwire: [anthropic] #! `wire` is one of\n$M",
    "$B\nkey: maybe #! `key` is one of required, optional, none\n$M",
    "$B\nkey_file: own/key #! a whole path that begins with /\n$M",
    "$B\nkey_env: sk-abcdef #! the name of a variable, in capitals\n$M",
    "$B\nkey_env: RIAD_KEY #! does not begin with RIAD_\n$M",
    "$B\nkey_file: /etc/key\nkey_env: OWN_KEY #! not in both\n$M",
    "$B\nkey: none\nkey_file: /etc/key #! it says that it takes no key\n$M",
    "$B\nkey: none\nkey_env: OWN_KEY #! it says that it takes no key\n$M",
    "$B\nkey_header: Host #! the name of a header\n$M",
    "$B\nkey_header: two words #! the name of a header\n$M",
    "$B\ntier: moon #! `tier` is one of device, trusted, any\n$M",
    "$B\ntier: device #! only what is on this machine\n$M",
    "$B\nprompt_cache: sometimes #! `prompt_cache` is one of\n$M",
    "$B\nwire: ollama\nprompt_cache: marked #! this wire has no marks\n$M",
    "$B\nlisted: yesterday #! a day such as\n$M",
    "$B\nlisted: 2026-13-01 #! a day such as\n$M",
    "$B #! `models` names no model",
    "$B\nmodels:\n  endpoint: { path: /models } #! not built yet",
    "$B\nmodels: all #! `models` is a list",
    "$B\nmodels:\n  - window: 32768 #! `id` is missing",
    "$B\nmodels:\n  - id: m #! `window` is missing",
    "$B\nmodels:\n  - id: m\n    window: 100 #! a whole number from 2048",
    "$B\nmodels:\n  - id: m\n    window: \"32768\" #! a whole number from 2048",
    "$B\nmodels:\n  - id: m\n    window: 32768\n    output_cap: 40000 #! a whole number from 256 to 32768",
    "$B\nmodels:\n  - { id: m, window: 32768 }\n  - { id: m, window: 65536 } #! the model `m` stands twice",
    "$B\nmodels:\n  - id: m\n    window: 32768\n    media: [image] #! there is no key `media` here",
    "$B\nmodels:\n  - id: m\n    window: 32768\n    dialect: hermes #! `dialect` is native",
    "$B\nmodels:\n  - id: m\n    window: 32768\n    price: { input: 1 } #! `output` is missing",
    "$B\nmodels:\n  - id: m\n    window: 32768\n    temperature: 9 #! a number from 0 to 2",
    "$B\nothers: { id: x, window: 32768 } #! `others` has no id",
    "$B\n$M\nreasoning:\n  style: loud #! `style` is one of effort, budget, switch",
    "$B\n$M\nreasoning:\n  style: effort\n  field: messages #! one that Riad itself writes",
    "$B\n$M\nreasoning:\n  style: effort\n  field: e\n  modes:\n    - allowed: [low]\n      default: high #! none of the values that the mode allows",
    "$B\n$M\nreasoning:\n  style: budget\n  field: e\n  modes:\n    - allowed: [low] #! a mode of this style has a `range`\n      default: low",
    "$B\nname: &x Name #! an anchor is not taken\n$M",
    "$B\nname: !!str Name #! is not taken\n$M",
    "$B\nname: One\nname: Two #! the key `name` stands twice\n$M",
];
