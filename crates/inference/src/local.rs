//! Local models: a supervised worker process per model. The supervisor starts and watches it, the model behind the port
//! speaks with it, and nothing here is native code. Files and processes are touched by `supervisor` and `file` alone.

mod file;
mod health;
mod model;
mod options;
mod ring;
mod session;
mod supervisor;

pub use file::OpenError;
pub use model::LocalModel;
pub use options::{LocalOptions, SILENCE, SamplingDefaults};
pub use supervisor::worker_beside_executable;
