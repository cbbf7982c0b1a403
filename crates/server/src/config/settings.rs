//! All keys there are. Parser, help and manual are made from this list; what is not in it cannot be configured.

/// One key.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Its name, dots between the parts.
    pub key: &'static str,
    /// What its values look like.
    pub kind: Kind,
    /// What holds when nobody says anything, in words.
    pub default: &'static str,
    /// What it does, for people.
    pub description: &'static str,
    /// A value as it would be written.
    pub example: &'static str,
}

/// What values of a key look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An address with port.
    Address,
    /// A path.
    Path,
    /// An `http` or `https` address.
    Url,
    /// Free text of one line.
    Text,
    /// A whole number between two ends, both included.
    Whole(u64, u64),
    /// One of these words.
    Choice(&'static [&'static str]),
}

impl Setting {
    /// The variable of this key: `models.dir` is `RIAD_MODELS_DIR`.
    pub fn variable(&self) -> String {
        format!("RIAD_{}", self.key.replace('.', "_").to_uppercase())
    }
}

/// The keys, in order of their names.
pub const SETTINGS: &[Setting] = &[
    Setting {
        key: "data.dir",
        kind: Kind::Path,
        default: "`riad` in the data folder of the platform",
        description: "The folder that holds all databases, homes and work folders. It must be closed to others.",
        example: "/srv/riad",
    },
    Setting {
        key: "listen",
        kind: Kind::Address,
        default: "127.0.0.1:7423",
        description: "Where the server listens. Beyond this machine it needs TLS, which is not built yet.",
        example: "127.0.0.1:8080",
    },
    Setting {
        key: "log.format",
        kind: Kind::Choice(&["text", "json"]),
        default: "text",
        description: "How boot lines and the log are written.",
        example: "json",
    },
    Setting {
        key: "log.level",
        kind: Kind::Choice(&["error", "warn", "info", "debug"]),
        default: "warn",
        description: "What the log holds at least. It never holds content.",
        example: "info",
    },
    Setting {
        key: "models.default",
        kind: Kind::Text,
        default: "the remote model if one is set, else the first GGUF file of the models folder",
        description: "The model that answers: a provider with its model such as `anthropic/claude-sonnet-4-5`, `remote`, a file name in the models folder, or the path of a GGUF file.",
        example: "small-instruct.gguf",
    },
    Setting {
        key: "models.dir",
        kind: Kind::Path,
        default: "`riad/models` in the data folder of the platform",
        description: "The folder of model files.",
        example: "/srv/models",
    },
    Setting {
        key: "models.fallbacks",
        kind: Kind::Text,
        default: "none",
        description: "The models that answer when the usual one cannot, at most three, with commas between them. A conversation is never answered from further away than it may travel.",
        example: "own/large-instruct, small-instruct",
    },
    Setting {
        key: "models.farthest",
        kind: Kind::Choice(&["device", "trusted", "any"]),
        default: "any",
        description: "How far any conversation may travel at most: this machine, machines that are trusted, anywhere. Where nobody chooses, a conversation travels no further than the usual model is.",
        example: "trusted",
    },
    Setting {
        key: "models.first_call",
        kind: Kind::Text,
        default: "free",
        description: "Whether a model on this machine decides if it calls a tool. With forced, every reply to a person begins with a call; with the name of a tool, of that tool: for trying Riad with a model too small to choose.",
        example: "ask_person",
    },
    Setting {
        key: "models.key_file",
        kind: Kind::Path,
        default: "what the provider's entry says",
        description: "A file with the key for the model that `models.default` names, mode 0600. Other models need the key that their provider's entry names.",
        example: "/etc/riad/provider.key",
    },
    Setting {
        key: "models.providers",
        kind: Kind::Path,
        default: "`providers.yaml` in the data folder",
        description: "The file of declared providers, beside those that come with Riad. It may be absent.",
        example: "/etc/riad/providers.yaml",
    },
    Setting {
        key: "models.remote.key_file",
        kind: Kind::Path,
        default: "none: no key is sent",
        description: "A file with the key for the remote model, mode 0600.",
        example: "/etc/riad/remote.key",
    },
    Setting {
        key: "models.remote.name",
        kind: Kind::Text,
        default: "none",
        description: "The name by which the remote server knows its model. Needed together with the address.",
        example: "large-instruct",
    },
    Setting {
        key: "models.remote.tier",
        kind: Kind::Choice(&["device", "trusted", "any"]),
        default: "device on a loopback address, else any",
        description: "How far what is said to the remote model travels.",
        example: "trusted",
    },
    Setting {
        key: "models.remote.url",
        kind: Kind::Url,
        default: "none",
        description: "The base address of an OpenAI-compatible server, for example ending in /v1.",
        example: "http://127.0.0.1:8000/v1",
    },
    Setting {
        key: "models.remote.window",
        kind: Kind::Whole(2048, 4_194_304),
        default: "32768",
        description: "Tokens that prompt and reply of the remote model share.",
        example: "131072",
    },
    Setting {
        key: "models.worker",
        kind: Kind::Path,
        default: "`riad-llm` beside the program",
        description: "The program that runs models on this machine.",
        example: "/usr/lib/riad/riad-llm",
    },
];
