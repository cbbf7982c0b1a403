//! Names that no tool touches, in any root: keys and secrets at all, files that change how programs start for writing.

use crate::letters::fold;

/// How a place is kept from tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guarded {
    /// Never read, written or listed: keys and stored passwords.
    Hidden,
    /// Never written by a tool: it decides what other programs start or load.
    Unwritable,
}

/// Files and folders that hold keys or passwords.
const HIDDEN: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".pgpass",
    ".my.cnf",
    ".vault-token",
    ".password-store",
    ".gnome2_keyrings",
    ".pki",
    ".mozilla",
    ".thunderbird",
    ".keychain",
    ".terraform.d",
    ".boto",
    ".s3cfg",
    ".htpasswd",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_ecdsa_sk",
    "id_ed25519_sk",
];

/// Endings of files that are key stores.
const HIDDEN_ENDINGS: &[&str] =
    &[".kdbx", ".kdb", ".keystore", ".jks", ".p12", ".pfx", ".ppk", ".keychain", ".keychain-db"];

/// Key stores that lie deeper: the names of successive folders.
const HIDDEN_WAYS: &[&[&str]] = &[
    &[".config", "gcloud"],
    &[".config", "gh"],
    &[".config", "rclone"],
    &[".config", "git", "credentials"],
    &[".config", "google-chrome"],
    &[".config", "chromium"],
    &[".config", "containers"],
    &[".config", "op"],
    &[".config", "sops"],
    &[".local", "share", "keyrings"],
    &[".local", "share", "kwalletd"],
    &[".cargo", "credentials.toml"],
    &[".cargo", "credentials"],
];

/// Files and folders that decide what programs start or load.
const UNWRITABLE: &[&str] = &[
    ".git",
    ".gitconfig",
    ".gitmodules",
    ".hgrc",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pypirc",
    ".mcp.json",
    ".vscode",
    ".idea",
    ".envrc",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".login",
    ".logout",
    ".cshrc",
    ".tcshrc",
    ".kshrc",
    ".mkshrc",
    ".shrc",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".inputrc",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".xsessionrc",
    ".pam_environment",
];

const UNWRITABLE_WAYS: &[&[&str]] = &[
    &[".config", "fish"],
    &[".config", "git"],
    &[".config", "autostart"],
    &[".config", "systemd"],
    &[".config", "environment.d"],
];

/// A folder of skills at the top of a root.
const SKILLS: &str = "skills";

/// How the way below a root is guarded, if it is. The strictest counts. `parts` are real names, dots resolved.
pub fn guarded(parts: &[String]) -> Option<Guarded> {
    let folded: Vec<String> = parts.iter().map(|part| fold(part).trim_end_matches(['.', ' ']).to_owned()).collect();
    let names = |list: &[&str]| folded.iter().any(|name| list.contains(&name.as_str()));
    let ways = |list: &[&[&str]]| {
        list.iter().any(|way| folded.windows(way.len()).any(|window| window.iter().zip(*way).all(|(a, b)| a == b)))
    };
    let ending = || folded.iter().any(|name| HIDDEN_ENDINGS.iter().any(|ending| name.ends_with(ending)));
    if names(HIDDEN) || ways(HIDDEN_WAYS) || ending() {
        return Some(Guarded::Hidden);
    }
    let skills = folded.first().is_some_and(|name| name == SKILLS);
    (skills || names(UNWRITABLE) || ways(UNWRITABLE_WAYS)).then_some(Guarded::Unwritable)
}
