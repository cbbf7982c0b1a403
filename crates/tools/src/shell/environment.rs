//! Variables a command gets beside the usual ones of the sandbox, each with its reason. Nothing is inherited.

/// Settings that keep a repository from starting programs, whatever its own configuration says.
const GIT: &[(&str, &str)] = &[
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.pager", "cat"),
    ("core.editor", "false"),
    ("protocol.ext.allow", "never"),
    ("gpg.program", "false"),
    // The files belong to the same person under another number.
    ("safe.directory", "*"),
];

/// The variables.
pub(super) fn more() -> Vec<(String, String)> {
    let plain = [
        // No configuration beside the repository's own, and no lock files in a home that is read-only.
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        // One processor's share each.
        ("OMP_NUM_THREADS", "2"),
        ("OPENBLAS_NUM_THREADS", "2"),
        // Plots go to files.
        ("MPLBACKEND", "Agg"),
    ];
    let plain = plain.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let count = [("GIT_CONFIG_COUNT".to_owned(), GIT.len().to_string())];
    let git = GIT.iter().enumerate().flat_map(|(number, (key, value))| {
        [
            (format!("GIT_CONFIG_KEY_{number}"), (*key).to_owned()),
            (format!("GIT_CONFIG_VALUE_{number}"), (*value).to_owned()),
        ]
    });
    plain.into_iter().chain(count).chain(git).collect()
}
