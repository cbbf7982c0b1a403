//! Values become typed parts. What depends on the machine (folders, key file, model files) is looked at here once.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use domain::model::Tier;
use inference::protocol::message::Choice;
use inference::providers::Chosen;
use zeroize::Zeroizing;

use super::machine::{models_in, origin_of, read_key};
use super::parse::{Fault, Values};
use super::providers::{DeclaredModel, declared, names_provider, usable};

/// All that a start needs to know.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where to listen.
    pub listen: SocketAddr,
    /// The data folder.
    pub data: PathBuf,
    /// The folder of model files.
    pub models: PathBuf,
    /// The file of declared providers.
    pub providers: PathBuf,
    /// Who answers where nobody chose.
    pub model: ModelChoice,
    /// Who else can be chosen.
    pub others: Vec<Result<ModelChoice, Unusable>>,
    /// The names of those that stand in for the usual model, in order.
    pub fallbacks: Vec<String>,
    /// How far any conversation may travel at most.
    pub farthest: Tier,
    /// The program that runs local models.
    pub worker: PathBuf,
    /// Whether a local model begins every reply to a person with a call.
    pub first_call: Choice,
    /// How boot lines and the log are written.
    pub log_format: LogFormat,
    /// The least level that is logged.
    pub log_level: tracing::Level,
}

/// Text or JSON lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Which model answers.
#[derive(Debug, Clone)]
pub enum ModelChoice {
    /// A GGUF file.
    Local(PathBuf),
    /// A server that speaks the OpenAI-compatible form.
    Remote(RemoteModel),
    /// A model of a declared provider.
    Declared(Box<DeclaredModel>),
    /// None is configured and none was found.
    None,
}

/// A model that is declared and cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unusable {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// A model on another server.
#[derive(Debug, Clone)]
pub struct RemoteModel {
    /// The base address.
    pub url: String,
    /// Its host, without brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The model's name there.
    pub name: String,
    /// The key, if one is sent.
    pub key: Option<Zeroizing<String>>,
    /// Tokens that prompt and reply share.
    pub window: u32,
    /// How far what is said travels.
    pub tier: Tier,
}

/// The folders of the platform.
pub(super) struct Folders {
    pub(super) config: PathBuf,
    pub(super) data: PathBuf,
    pub(super) program: Option<PathBuf>,
}

pub(super) fn resolve(values: &Values, folders: &Folders) -> Result<Config, Fault> {
    let path = |key: &str, default: PathBuf| values.get(key).map_or(default, PathBuf::from);
    let models = path("models.dir", folders.data.join("riad/models"));
    let beside = folders.program.clone().unwrap_or_default().join("riad-llm");
    let data = path("data.dir", folders.data.join("riad"));
    let providers = path("models.providers", data.join("providers.yaml"));
    let model = model(values, &models, &providers)?;
    let config = Config {
        listen: listen(values),
        data,
        others: others(values, &model, &models, &providers)?,
        model,
        fallbacks: names(values.get("models.fallbacks")),
        farthest: farthest(values.get("models.farthest")),
        providers,
        models,
        worker: path("models.worker", beside),
        first_call: first_call(values.get("models.first_call")),
        log_format: if values.get("log.format") == Some("json") { LogFormat::Json } else { LogFormat::Text },
        log_level: log_level(values),
    };
    check_folders(values, &config)?;
    check_listen(values, &config)?;
    Ok(config)
}

fn listen(values: &Values) -> SocketAddr {
    let usual = SocketAddr::from((Ipv4Addr::LOCALHOST, 7423));
    values.get("listen").and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn first_call(value: Option<&str>) -> Choice {
    match value {
        None | Some("free") => Choice::Free,
        Some("forced") => Choice::Forced,
        Some(tool) => Choice::ForcedTool(tool.to_owned()),
    }
}

/// Names with commas between them.
fn names(value: Option<&str>) -> Vec<String> {
    let names = value.into_iter().flat_map(|names| names.split(','));
    names.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

fn farthest(value: Option<&str>) -> Tier {
    match value {
        Some("device") => Tier::Device,
        Some("trusted") => Tier::Trusted,
        Some(_) | None => Tier::Any,
    }
}

fn log_level(values: &Values) -> tracing::Level {
    values.get("log.level").and_then(|text| text.parse().ok()).unwrap_or(tracing::Level::WARN)
}

/// Paths are absolute, since nothing is resolved against the working folder.
fn check_folders(values: &Values, config: &Config) -> Result<(), Fault> {
    for (key, path) in [
        ("data.dir", &config.data),
        ("models.dir", &config.models),
        ("models.providers", &config.providers),
        ("models.worker", &config.worker),
    ] {
        if values.get(key).is_some() && !path.is_absolute() {
            let says = format!("`{key}` is a whole path that begins with /");
            return Err(Fault { origin: origin_of(values, key), says });
        }
    }
    if config.data.starts_with(&config.models) {
        let says = "the data folder must not lie in the models folder; name another with data.dir".to_owned();
        return Err(Fault { origin: origin_of(values, "data.dir"), says });
    }
    Ok(())
}

fn check_listen(values: &Values, config: &Config) -> Result<(), Fault> {
    if config.listen.ip().is_loopback() {
        return Ok(());
    }
    let says = "listening beyond this machine needs TLS, which is not built yet; use 127.0.0.1 or ::1".to_owned();
    Err(Fault { origin: origin_of(values, "listen"), says })
}

fn model(values: &Values, models: &Path, providers: &Path) -> Result<ModelChoice, Fault> {
    let remote = remote(values)?;
    match (values.get("models.default"), remote) {
        (Some("remote"), Some(remote)) | (None, Some(remote)) => Ok(ModelChoice::Remote(remote)),
        (Some("remote"), None) => {
            let says = "`models.default` is remote, but models.remote.url is not set".to_owned();
            Err(Fault { origin: origin_of(values, "models.default"), says })
        }
        (Some(name), _) if names_provider(name) => {
            let declared = declared(name, providers, values.get("models.key_file"));
            let declared = declared.map_err(|says| Fault { origin: origin_of(values, "models.default"), says })?;
            Ok(ModelChoice::Declared(Box::new(declared)))
        }
        (Some(file), _) => Ok(ModelChoice::Local(models.join(file))),
        (None, None) => Ok(models_in(models).into_iter().next().map_or(ModelChoice::None, ModelChoice::Local)),
    }
}

/// What else there is to choose from: files beside the usual one, the remote model, models of declared providers.
fn others(
    values: &Values,
    usual: &ModelChoice,
    models: &Path,
    providers: &Path,
) -> Result<Vec<Result<ModelChoice, Unusable>>, Fault> {
    let is_usual = |file: &PathBuf| matches!(usual, ModelChoice::Local(usual) if usual == file);
    let files = models_in(models).into_iter().filter(|file| !is_usual(file)).map(ModelChoice::Local);
    let remote = remote(values)?.filter(|_| !matches!(usual, ModelChoice::Remote(_))).map(ModelChoice::Remote);
    let taken = match usual {
        ModelChoice::Declared(declared) => Some(declared.as_ref()),
        ModelChoice::Local(_) | ModelChoice::Remote(_) | ModelChoice::None => None,
    };
    let is_taken = |chosen: &Chosen| taken.is_some_and(|taken| taken.chosen.name() == chosen.name());
    let declared = usable(providers, taken).into_iter();
    let declared = declared.filter(|each| each.as_ref().map_or(true, |declared| !is_taken(&declared.chosen)));
    let declared = declared.map(|each| each.map(|declared| ModelChoice::Declared(Box::new(declared))));
    Ok(files.chain(remote).map(Ok).chain(declared).collect())
}

fn remote(values: &Values) -> Result<Option<RemoteModel>, Fault> {
    let Some(url) = values.get("models.remote.url") else { return Ok(None) };
    let Some(name) = values.get("models.remote.name") else {
        let says = "`models.remote.url` is set, so models.remote.name is needed too".to_owned();
        return Err(Fault { origin: origin_of(values, "models.remote.url"), says });
    };
    let key = values.get("models.remote.key_file").map(|path| read_key(Path::new(path)).map(Zeroizing::new));
    let key = key.transpose().map_err(|says| Fault { origin: origin_of(values, "models.remote.key_file"), says })?;
    let window = values.get("models.remote.window").and_then(|text| text.parse().ok()).unwrap_or(32_768);
    let Some((host, port)) = authority(url) else {
        let says = "`models.remote.url` is an address such as http://127.0.0.1:8000/v1".to_owned();
        return Err(Fault { origin: origin_of(values, "models.remote.url"), says });
    };
    let tier = tier(values, &host);
    Ok(Some(RemoteModel { url: url.to_owned(), host, port, name: name.to_owned(), key, window, tier }))
}

fn tier(values: &Values, host: &str) -> Tier {
    let is_loopback = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    match values.get("models.remote.tier") {
        Some("device") => Tier::Device,
        Some("trusted") => Tier::Trusted,
        Some(_) => Tier::Any,
        None if is_loopback => Tier::Device,
        None => Tier::Any,
    }
}

/// Host and port of an address; an address with a name or password in it is none.
fn authority(url: &str) -> Option<(String, u16)> {
    let (scheme, rest) = url.split_once("://")?;
    let usual = if scheme == "https" { 443 } else { 80 };
    let authority = rest.split(['/', '?', '#']).next()?;
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map(|(host, port)| (host, port.strip_prefix(':')))?,
        None => authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port))),
    };
    let port = port.map_or(Some(usual), |port| port.parse().ok())?;
    (!host.is_empty() && !host.contains('@')).then(|| (host.to_owned(), port))
}
