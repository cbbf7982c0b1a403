//! The model of a declared provider, and its key. What an entry means is judged in `inference`; the file and the
//! variable are read in `machine`.

use std::path::Path;

use inference::providers::{Chosen, KeyNeed, KeySource, Provider, Providers};
use zeroize::Zeroizing;

use super::machine::{read_if_there, read_key, read_variable};
use super::resolve::Unusable;

/// A model of a declared provider.
#[derive(Debug, Clone)]
pub struct DeclaredModel {
    /// The provider and its model.
    pub chosen: Chosen,
    /// The key, if one is sent.
    pub key: Option<Zeroizing<String>>,
}

/// Whether a value of `models.default` names a model of a provider rather than a file.
pub(super) fn names_provider(name: &str) -> bool {
    let is_file = Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gguf"));
    !is_file && !name.starts_with('/') && name.contains('/')
}

/// The bundled providers and those of a file, which may be absent. One that cannot be read is told among what was left
/// out.
pub fn providers(file: &Path) -> Result<Providers, String> {
    match read_if_there(file) {
        Ok(text) => Ok(Providers::read(&text.unwrap_or_default())),
        Err(error) => Err(format!("{} cannot be read: {error}", file.display())),
    }
}

/// Chooses the model and finds its key.
pub(super) fn declared(name: &str, file: &Path, key_file: Option<&str>) -> Result<DeclaredModel, String> {
    let chosen = providers(file)?.choose(name)?;
    let key = key(&chosen.provider, key_file)?.filter(|key| !key.is_empty());
    if key.is_none() && chosen.provider.key == KeyNeed::Required {
        return Err(format!("the provider `{}` wants a key: {}", chosen.provider.id, how(&chosen.provider)));
    }
    Ok(DeclaredModel { chosen, key })
}

/// The named models of all providers whose key is found, or which need none. Whose variable is not set was not meant to be
/// used; whose key file cannot be read was, and says so.
/// `usual` has a key already, which serves for its provider.
pub(super) fn usable(file: &Path, usual: Option<&DeclaredModel>) -> Vec<Result<DeclaredModel, Unusable>> {
    let read = providers(file).unwrap_or_else(|_| Providers::read(""));
    read.entries.iter().flat_map(|provider| models_of(provider, usual)).collect()
}

fn models_of(provider: &Provider, usual: Option<&DeclaredModel>) -> Vec<Result<DeclaredModel, Unusable>> {
    let named = provider.named_models();
    let known = usual.filter(|usual| usual.chosen.provider.id == provider.id).map(|usual| Ok(usual.key.clone()));
    match known.unwrap_or_else(|| key(provider, None)).map(|key| key.filter(|key| !key.is_empty())) {
        Ok(None) if provider.key == KeyNeed::Required => Vec::new(),
        Ok(key) => named.map(|chosen| Ok(DeclaredModel { chosen, key: key.clone() })).collect(),
        Err(reason) => named.map(|chosen| Err(Unusable { name: chosen.name(), reason: reason.clone() })).collect(),
    }
}

/// The key from the file of the configuration, else from where the entry says.
fn key(provider: &Provider, key_file: Option<&str>) -> Result<Option<Zeroizing<String>>, String> {
    let from_file = |path: &Path| read_key(path).map(|key| Some(Zeroizing::new(key)));
    match (key_file, &provider.key_source) {
        (Some(path), _) => from_file(Path::new(path)),
        (None, Some(KeySource::File(path))) => from_file(path),
        (None, Some(KeySource::Environment(name))) => Ok(read_variable(name).map(Zeroizing::new)),
        (None, None) => Ok(None),
    }
}

fn how(provider: &Provider) -> String {
    let setting = "name a file that holds it, mode 0600, with models.key_file";
    match &provider.key_source {
        Some(KeySource::Environment(variable)) => format!("{setting}, or set the variable {variable}"),
        Some(KeySource::File(_)) | None => setting.to_owned(),
    }
}
