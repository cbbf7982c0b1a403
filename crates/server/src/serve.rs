//! One server from its parts to its end. It gets its listener and its shutdown; it prints nothing itself.

use std::future::Future;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use harness::ports::{Clock, Model};
use sandbox::{Bubblewrap, Sandbox};
use store::{Instance, KdfPolicy, OpenError, OpenErrorKind, Options, SetupToken};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::boot::Boot;
use crate::config::{self, Config};
use crate::confinement::Probing;
use crate::exit::{Ended, Exit};
use crate::ledger::FileLedger;
use crate::routes;
use crate::state::{App, Stages};
use crate::wiring::{Answering, Models, Wiring};
use crate::{assets, files};

/// The file in the data folder that says where the running server listens.
pub const ADDRESS_FILE: &str = "address";

/// How long what runs may take to its end once the server is told to go (OPS-31).
const LAST_WORDS: Duration = Duration::from_secs(5);

/// How long connections may then take; all in all a shutdown is over within 20 seconds (OPS-31).
const LONGEST_END: Duration = Duration::from_secs(12);

/// What a start needs.
pub struct Parts {
    /// The resolved configuration.
    pub config: Config,
    /// The listener, where somebody else bound it; otherwise the configured address is bound.
    pub listener: Option<TcpListener>,
    /// What a password costs.
    pub policy: KdfPolicy,
    /// The models, where they are not the configured ones; the usual one first.
    pub models: Vec<Arc<dyn Model>>,
    /// What time it is, for everything in this server.
    pub clock: Arc<dyn Clock>,
}

/// A server that is ready to run.
pub struct Server {
    app: Arc<App>,
    listener: TcpListener,
    setup_token: Option<String>,
    /// Looks at the walls of the sandbox; ends with the server.
    looking: Option<JoinHandle<()>>,
}

/// Starts everything in order. Only config, instance and listener end the start; what else fails is degraded.
pub async fn start(parts: Parts, boot: &mut Boot<'_>) -> Result<Server, Ended> {
    let Parts { config, listener, policy, models, clock } = parts;
    let now = clock.now();
    let options = Options { policy, ..Options::new(&config.data) };
    let instance = Instance::open(options, now).await.map_err(|error| open_fault(error, &config.data))?;
    let people = instance.people().await.map_err(store_fault)?.len();
    boot.done("instance", if people == 1 { "1 person".to_owned() } else { format!("{people} people") });

    let listener = bind(&config, listener).await?;
    let address = listener.local_addr().map_err(listener_fault)?;
    boot.done("listener", address.to_string());

    let sandbox = open_sandbox(&config, boot);
    let models = if models.is_empty() {
        Models::open(&config)
    } else {
        Models::of(models.into_iter().map(Answering::with), &config)
    };
    if let Some(says) = left_out(&config) {
        boot.degraded("providers", says);
    }
    tell_of_models(&models, boot);
    let looked = sandbox.clone().ok();
    let sandbox = sandbox.map(|backend| Sandbox::with(backend));
    let wiring = Wiring::new(&config, models, sandbox, clock).map_err(|fault| Ended::new(Exit::BadData, fault))?;
    let setup_token = if people == 0 { Some(SetupToken::new(now).map_err(store_fault)?) } else { None };
    let printed = setup_token.as_ref().map(|token| token.expose().to_string());
    let app = Arc::new(App::new(instance, config, address, wiring));
    *app.setup.lock().unwrap_or_else(PoisonError::into_inner) = setup_token;

    open_vaults(&app, boot).await;
    if !assets::are_built() {
        boot.degraded("pages", "the web files were not built in".to_owned());
    }
    app.set_stages(Stages { ready: true, degraded: boot.degraded_names() });
    let looking = looked.map(|sandbox| tokio::spawn(look_at_walls(app.clone(), sandbox)));
    let file = app.config.data.join(ADDRESS_FILE);
    files::write_private(&file, &format!("http://{address}\n")).map_err(listener_fault)?;
    boot.done("ready", String::new());
    Ok(Server { app, listener, setup_token: printed, looking })
}

fn tell_of_models(models: &Models, boot: &mut Boot<'_>) {
    let (usual, others) = (models.usual(), models.offers().len() - 1);
    match &usual.trouble {
        Some(trouble) => boot.degraded("inference", trouble.clone()),
        None if others == 0 => boot.done("inference", usual.name.clone()),
        None => boot.done("inference", format!("{} and {others} to choose from", usual.name)),
    }
    let missing = models.missing_fallbacks();
    if !missing.is_empty() {
        boot.degraded("fallbacks", format!("models.fallbacks names what is not there: {}", missing.join(", ")));
    }
}

/// What of the declared providers cannot be used.
fn left_out(config: &Config) -> Option<String> {
    match config::providers(&config.providers) {
        Err(says) => Some(says),
        Ok(read) if read.skipped.is_empty() => None,
        Ok(read) => Some(read.skipped.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")),
    }
}

async fn bind(config: &Config, given: Option<TcpListener>) -> Result<TcpListener, Ended> {
    match given {
        Some(listener) => Ok(listener),
        None => TcpListener::bind(config.listen).await.map_err(|error| {
            let says = format!("{} cannot be listened on ({error}). Stop what uses it, or set listen.", config.listen);
            Ended::new(Exit::Config, says)
        }),
    }
}

/// Ends what an earlier server left and makes the sandbox ready. Whether its walls hold is found out beside the rest of
/// the start; without them there are no commands, and all else works.
fn open_sandbox(config: &Config, boot: &mut Boot<'_>) -> Result<Arc<Probing>, String> {
    let state = config.data.join("sandbox");
    let ledger = FileLedger::open(&state.join("processes")).and_then(|ledger| Ok((ledger.sweep()?, ledger)));
    let opened = match ledger {
        Err(error) => Err(format!("its folder cannot be used: {error}")),
        Ok((swept, ledger)) => {
            let settings = sandbox::Settings { state: state.join("files"), ledger: Arc::new(ledger), groups: true };
            Bubblewrap::new(settings).map(|backend| (swept, backend)).map_err(|refusal| refusal.to_string())
        }
    };
    match opened {
        Ok((swept, backend)) => {
            let left =
                if swept > 0 { format!("ended {swept} left processes") } else { "walls are tried now".to_owned() };
            boot.done("sandbox", left);
            Ok(Probing::new(backend))
        }
        Err(reason) => {
            boot.degraded("sandbox", reason.clone());
            Err(reason)
        }
    }
}

/// Looks at the walls from inside; when one is missing the server says so wherever it says what is off.
async fn look_at_walls(app: Arc<App>, sandbox: Arc<Probing>) {
    if let Err(refusal) = sandbox.verdict().await {
        tracing::warn!(%refusal, "commands are off");
        app.degrade("sandbox");
    }
}

/// Vaults that the instance may open by itself are opened, and their turns go on.
async fn open_vaults(app: &Arc<App>, boot: &mut Boot<'_>) {
    let faults = match app.instance.open_instance_vaults(app.now()).await {
        Ok(faults) => faults.len(),
        Err(error) => return boot.degraded("vaults", error.to_string()),
    };
    let people = app.instance.people().await.unwrap_or_default();
    for person in &people {
        if let Some(vault) = app.instance.open_vault(person.id)
            && let Err(fault) = app.room(person, vault).await
        {
            boot.degraded("vaults", fault.to_string());
        }
    }
    if faults > 0 {
        boot.degraded("vaults", format!("{faults} could not be opened"));
    }
    boot.done(
        "vaults",
        format!("{} open, {} locked", app.open_count(), people.len() - app.open_count().min(people.len())),
    );
}

/// Why an instance did not open, as the end of a command. On a full disk nothing else would help.
pub(crate) fn open_fault(error: OpenError, data: &Path) -> Ended {
    if matches!(error, OpenError::Store(_)) && files::is_full(data) {
        let says = "The disk of the data folder is full. Nothing was changed; make room on it and start again.";
        return Ended::new(Exit::Io, says);
    }
    let exit = match error.kind() {
        OpenErrorKind::Busy => Exit::Busy,
        OpenErrorKind::Folder => Exit::Config,
        OpenErrorKind::Data => Exit::BadData,
        OpenErrorKind::Io => Exit::Io,
    };
    Ended::new(exit, error)
}

fn store_fault(error: store::StoreError) -> Ended {
    Ended::new(Exit::Io, error)
}

fn listener_fault(error: std::io::Error) -> Ended {
    Ended::new(Exit::Io, format!("The address of the server cannot be noted ({error}). Check the data folder."))
}

impl Server {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.app.address
    }

    /// While nobody exists: the token of the first setup.
    pub fn setup_token(&self) -> Option<&str> {
        self.setup_token.as_deref()
    }

    /// What requests share, for tests.
    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// Serves until `shutdown` resolves, then ends everything: streams are told, turns rest, databases close.
    pub async fn run(self, shutdown: impl Future<Output = ()> + Send + 'static) -> Result<(), Ended> {
        let Self { app, listener, looking, .. } = self;
        let closing = app.closing.clone();
        let ends = {
            let app = app.clone();
            async move {
                shutdown.await;
                app.set_stages(Stages { ready: false, ..app.stages() });
                app.closing.cancel();
            }
        };
        let service = routes::router(app.clone()).into_make_service_with_connect_info::<SocketAddr>();
        let serving = axum::serve(listener, service).with_graceful_shutdown(async move { closing.cancelled().await });
        let watching = tokio::spawn(ends);
        let locking = tokio::spawn(lock_idle_vaults(app.clone()));
        let served = tokio::select! {
            served = async { serving.await } => served,
            () = overdue(&app) => Ok(()),
        };
        for task in looking.into_iter().chain([watching, locking]) {
            task.abort();
            let _ = task.await;
        }
        app.rest(LAST_WORDS).await;
        app.shut().await;
        let _ = files::remove(&app.config.data.join(ADDRESS_FILE));
        app.instance.clone().close().await;
        served
            .map_err(|error| Ended::new(Exit::Failed, format!("The listener failed: {error}. Start the server again.")))
    }
}

/// Looks every minute for vaults that nobody uses any more.
async fn lock_idle_vaults(app: Arc<App>) {
    loop {
        tokio::time::sleep(Duration::from_secs(60)).await;
        app.lock_idle(app.now()).await;
    }
}

/// Turns and streams end first, so that connections can; what hangs on is cut.
async fn overdue(app: &App) {
    app.closing.cancelled().await;
    app.rest(LAST_WORDS).await;
    app.shut().await;
    tokio::time::sleep(LONGEST_END).await;
}
