//! Somebody with a vault, in a folder that is thrown away.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;

use domain::account::{DisplayName, Handle, Locale, Password, TypedPassword, Zone};
use harness::ports::Clock as _;
use store::{Instance, KdfPolicy, Options, Preset, SetupInput, SignIn, Vault, VaultKind};

use crate::clock::SystemClock;

/// An instance in the folder, with the cheapest passwords there are.
pub(super) async fn instance(folder: &Path) -> Result<Instance, String> {
    let options = Options { policy: KdfPolicy::CHEAPEST, ..Options::new(folder) };
    Instance::open(options, SystemClock.now()).await.map_err(said)
}

/// The first person of the instance, and their vault, open.
pub(super) async fn somebody(instance: &Instance, vault: VaultKind) -> Result<Vault, String> {
    let typed = || TypedPassword::new("a scratch folder only, 42".to_owned());
    let handle = Handle::parse("bench").map_err(said)?;
    let input = SetupInput {
        preset: Preset::Team,
        password: Password::judge(typed(), &handle).map_err(said)?,
        handle,
        name: DisplayName::parse("Bench").map_err(said)?,
        locale: Locale::parse("en").map_err(said)?,
        zone: Zone::parse("Etc/UTC").map_err(said)?,
        vault,
    };
    let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
    instance.set_up(input, here, SystemClock.now()).await.map_err(said)?;
    let form = SignIn {
        handle: "bench".to_owned(),
        password: typed(),
        address: here,
        device: None,
        device_name: "bench".to_owned(),
        lasting: false,
        replaces: None,
    };
    instance.sign_in(form, SystemClock.now()).await.map_err(said)?.vault.map_err(said)
}

fn said(fault: impl std::fmt::Display) -> String {
    fault.to_string()
}
