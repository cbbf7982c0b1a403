//! The table of command lines, row by row.

use domain::{argv, program};

use crate::cases::{allows, rows, text};

const COLUMNS: [&str; 5] = ["command_json", "verdict", "reason", "layer", "argv_json"];

#[test]
fn every_row_has_its_verdict() {
    let rows = rows("argv-cases.tsv", COLUMNS);
    assert!(rows.len() > 90, "the table is whole");
    let failing: Vec<String> = rows.iter().filter_map(failure).collect();
    assert!(failing.is_empty(), "{} of {} rows:\n{}", failing.len(), rows.len(), failing.join("\n"));
}

fn failure([command, verdict, reason, layer, expected]: &[String; 5]) -> Option<String> {
    let line = text(command);
    let split = argv::split(&line);
    let says = match layer.as_str() {
        "syntax" => match (&split, allows(verdict)) {
            (Ok(words), true) => {
                let expected: Vec<String> = serde_json::from_str(expected).unwrap();
                // A row that the splitter lets through is let through by the rules about programs as well.
                match program::judge_argv(words) {
                    Ok(()) => (*words != expected).then(|| format!("gave {words:?}")),
                    Err(fault) => Some(fault.to_string()),
                }
            }
            (Err(fault), true) => Some(fault.to_string()),
            (Ok(words), false) => Some(format!("gave {words:?}")),
            (Err(_), false) => None,
        },
        "policy" => {
            let judged = split.map_err(|fault| fault.to_string());
            let judged = judged.and_then(|words| program::judge_argv(&words).map_err(|fault| fault.to_string()));
            (judged.is_ok() != allows(verdict)).then(|| format!("{judged:?}"))
        }
        other => panic!("{other:?} is no layer"),
    };
    says.map(|says| format!("{command} ({reason}): {says}"))
}
