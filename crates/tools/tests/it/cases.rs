//! Reads the tables of cases in `testdata/cases`. A column that is missing or new is an error.

use std::path::PathBuf;

/// The rows of a table whose columns must be exactly these.
pub(crate) fn rows<const N: usize>(file: &str, columns: [&str; N]) -> Vec<[String; N]> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cases").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut lines = text.lines();
    assert_eq!(lines.next().unwrap().split('\t').collect::<Vec<_>>(), columns, "{file}");
    let row = |line: &str| {
        let cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
        cells.try_into().unwrap_or_else(|cells| panic!("{file}: {cells:?} has another number of columns"))
    };
    lines.map(row).collect()
}

/// The text in a cell that holds a JSON string.
pub(crate) fn text(cell: &str) -> String {
    serde_json::from_str(cell).unwrap_or_else(|error| panic!("{cell}: {error}"))
}

/// Whether a verdict cell says `allow`; another word than `block` is an error.
pub(crate) fn allows(cell: &str) -> bool {
    match cell {
        "allow" => true,
        "block" => false,
        other => panic!("{other:?} is no verdict"),
    }
}
