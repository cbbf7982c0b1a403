//! Arguments of calls: any text has an outcome, what was mended is JSON, and mending it again changes nothing.
#![no_main]

use std::sync::LazyLock;

use domain::model::StopReason;
use domain::repair::{Outcome, Shape, repair, repair_value};
use domain::tool::Schema;
use libfuzzer_sys::fuzz_target;
use serde_json::json;

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "limit": {"type": ["integer", "null"]},
            "ratio": {"type": "number"},
            "mode": {"enum": ["fast", "slow"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "more": {"anyOf": [{"type": "object"}, {"type": "boolean"}]}
        }
    });
    Schema::new(schema).expect("the schema is one")
});

fuzz_target!(|text: &str| {
    let shape = Shape { schema: &SCHEMA, tool: "read" };
    repair(text, shape, StopReason::Length);
    repair_value(text, &SCHEMA);
    if let Outcome::Repaired(mended) = repair(text, shape, StopReason::Natural) {
        assert!(serde_json::from_str::<serde_json::Value>(&mended.text).is_ok(), "what was mended is no JSON");
        let again = repair(&mended.text, shape, StopReason::Natural);
        assert!(!matches!(again, Outcome::Repaired(_)), "what was mended is mended again");
    }
});
