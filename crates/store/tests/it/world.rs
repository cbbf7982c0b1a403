//! An instance in a temporary folder, and the shortest words for what tests do with it.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use domain::account::{DisplayName, Handle, Locale, Password, TypedPassword, Zone};
use domain::entry::{Body, Draft};
use domain::id::{ConversationId, FrameId, MessageId, TurnId};
use domain::message::Message;
use domain::time::Timestamp;
use store::{Instance, KdfPolicy, Options, Preset, Probe, SetupInput, SignIn, SignInError, SignedIn, Vault, VaultKind};
use tempfile::TempDir;

pub(crate) const NOW: Timestamp = Timestamp(1_700_000_000_000);
pub(crate) const PASSWORD: &str = "a quiet green kettle";
pub(crate) const HERE: &str = "192.0.2.1";

/// A data folder that goes away with the value.
pub(crate) struct World {
    _folder: TempDir,
    pub(crate) root: PathBuf,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("data");
        Self { _folder: folder, root }
    }

    /// A copy of the folder as a kill at this moment leaves it.
    pub(crate) fn again(&self) -> Self {
        let copy = Self::new();
        crate::disk::copy_tree(&self.root, &copy.root);
        copy
    }

    pub(crate) async fn open(&self) -> Instance {
        Instance::open(options(&self.root), NOW).await.unwrap()
    }

    /// An instance with one admin, `mara`.
    pub(crate) async fn set_up(&self) -> Instance {
        let instance = self.open().await;
        instance.set_up(input("mara", VaultKind::Private), address(HERE), NOW).await.unwrap();
        instance
    }

    /// The one vault file there is.
    pub(crate) fn vault_file(&self) -> PathBuf {
        let names = names_in(&self.root.join("vaults"));
        let [name] = names.as_slice() else { panic!("one vault file expected: {names:?}") };
        self.root.join("vaults").join(name)
    }
}

pub(crate) fn options(root: &Path) -> Options {
    Options { policy: KdfPolicy::CHEAPEST, ..Options::new(root) }
}

pub(crate) fn probed(root: &Path, probe: Probe) -> Options {
    Options { probe, ..options(root) }
}

pub(crate) fn input(handle: &str, vault: VaultKind) -> SetupInput {
    let handle = Handle::parse(handle).unwrap();
    let password = Password::judge(TypedPassword::new(PASSWORD.to_owned()), &handle).unwrap();
    SetupInput {
        preset: Preset::Team,
        handle,
        name: DisplayName::parse("Mara").unwrap(),
        locale: Locale::parse("en").unwrap(),
        zone: Zone::parse("Europe/Vienna").unwrap(),
        vault,
        password,
    }
}

pub(crate) fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

pub(crate) fn form(handle: &str, password: &str) -> SignIn {
    SignIn {
        handle: handle.to_owned(),
        password: TypedPassword::new(password.to_owned()),
        address: address(HERE),
        device: None,
        device_name: "browser".to_owned(),
        lasting: true,
        replaces: None,
    }
}

pub(crate) async fn sign_in(instance: &Instance) -> SignedIn {
    instance.sign_in(form("mara", PASSWORD), NOW).await.unwrap()
}

pub(crate) async fn open_vault(instance: &Instance) -> Vault {
    sign_in(instance).await.vault.unwrap()
}

pub(crate) fn is_wrong<T>(result: &Result<T, SignInError>) -> bool {
    matches!(result, Err(SignInError::Wrong))
}

pub(crate) fn conversation(id: &str) -> ConversationId {
    ConversationId::new(id)
}

/// A message as a draft; its id opens a turn.
pub(crate) fn said(id: &str, text: &str) -> Draft {
    let id = MessageId::new(id);
    Draft {
        at: NOW,
        turn: TurnId::opened_by(&id),
        frame: FrameId::outer(),
        body: Body::Said(Message::new(id, text.to_owned(), None).unwrap()),
    }
}

pub(crate) async fn conversation_in(vault: &Vault, id: &str) -> ConversationId {
    vault.create_conversation(conversation(id), String::new(), NOW).await.unwrap().id
}

pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
