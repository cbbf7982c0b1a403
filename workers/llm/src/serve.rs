//! Answers requests one after the other: load, count, sample, probe. One model and one load a process.

use std::cell::RefCell;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::sync::mpsc::Receiver;

use inference::protocol::message::{Beat, Failure, Hello, Load, Progress, Sample, Stop, read};
use inference::protocol::{Fault, Kind, Message, PROTOCOL};
use llama_cpp_2::list_llama_ggml_backend_devices;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;

use crate::channel::{Cancels, Inlet, Outlet};
use crate::model::Opened;
use crate::reply::{ReplyError, sample};
use crate::walls;

/// Why the worker ends.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServeError {
    /// The channel is gone or broken.
    #[error("the channel failed: {0}")]
    Channel(#[from] io::Error),
    /// A message that cannot stand where it does.
    #[error(transparent)]
    Protocol(#[from] Fault),
    /// A wall that this system has could not be raised.
    #[error("the worker could not be walled in: {0}")]
    Walls(String),
    /// The engine did not start.
    #[error("the engine did not start: {0}")]
    Engine(String),
}

/// Says hello, waits for a load, gives up all that it does not need and serves that model until the channel ends.
pub(crate) fn serve(mut inlet: Inlet, mut outlet: Outlet) -> Result<(), ServeError> {
    let backend = LlamaBackend::init().map_err(|error| ServeError::Engine(error.to_string()))?;
    outlet.send_json(Kind::Hello, 0, &hello())?;
    let first = inlet.first()?;
    if first.kind != Kind::Load {
        return Err(Fault::OutOfOrder(first.kind).into());
    }
    let (request, load): (u64, Load) = (first.request, read(&first)?);
    let missing_walls = walls::raise(Path::new(&load.path)).map_err(ServeError::Walls)?;
    let (asked, cancels) = inlet.listen()?;
    let (model, mut outlet) = match open_weights(&backend, &load, request, &cancels, outlet) {
        Ok(opened) => opened,
        Err((failure, mut outlet)) => return Ok(outlet.send_json(Kind::Failed, request, &failure)?),
    };
    match Opened::new(&backend, &model, &load) {
        Ok(mut opened) => {
            outlet.send_json(Kind::Done, request, &opened.describe("cpu", missing_walls))?;
            answer_all(&mut opened, &asked, &cancels, &mut outlet)
        }
        Err(failure) => Ok(outlet.send_json(Kind::Failed, request, &failure)?),
    }
}

fn hello() -> Hello {
    let devices = list_llama_ggml_backend_devices();
    Hello {
        protocol: PROTOCOL,
        build: env!("CARGO_PKG_VERSION").to_owned(),
        engine: "llama.cpp by llama-cpp-2 0.1.160".to_owned(),
        devices: devices.into_iter().map(|device| format!("{}: {}", device.name, device.description)).collect(),
    }
}

/// Reads the weights. The engine calls back while it does; the outlet goes into that call and comes out again.
fn open_weights(
    backend: &LlamaBackend,
    load: &Load,
    request: u64,
    cancels: &Cancels,
    outlet: Outlet,
) -> Result<(LlamaModel, Outlet), (Failure, Outlet)> {
    let shared = Rc::new(RefCell::new(outlet));
    let loaded = {
        let (sender, cancels) = (Rc::clone(&shared), cancels.clone());
        let mut told = 0;
        let params = LlamaModelParams::default().with_progress_callback(move |part| {
            let done = (part * 1000.0) as u32;
            let tell = done >= told + 50 || done == 1000;
            if tell {
                told = done;
            }
            let sent = !tell || sender.borrow_mut().send_json(Kind::Progress, request, &Progress { done }).is_ok();
            sent && !cancels.wants(request)
        });
        LlamaModel::load_from_file(backend, Path::new(&load.path), &params)
    };
    let outlet = Rc::into_inner(shared).expect("the engine's callback is dropped with its parameters").into_inner();
    match loaded {
        Ok(model) => Ok((model, outlet)),
        Err(error) => {
            let reason = format!("the engine cannot open the file ({error})");
            Err((Failure::BadModel { reason }, outlet))
        }
    }
}

fn answer_all(
    opened: &mut Opened<'_>,
    asked: &Receiver<Message>,
    cancels: &Cancels,
    outlet: &mut Outlet,
) -> Result<(), ServeError> {
    while let Ok(message) = asked.recv() {
        let request = message.request;
        match answer(opened, &message, cancels, outlet) {
            Ok(()) => {}
            Err(AnswerError::Reply(ReplyError::Failed(failure))) => {
                outlet.send_json(Kind::Failed, request, &failure)?;
            }
            Err(AnswerError::Reply(ReplyError::Channel(error))) => return Err(error.into()),
            Err(AnswerError::Protocol(fault)) => return Err(fault.into()),
        }
        cancels.forget(request);
    }
    Ok(())
}

#[derive(Debug, thiserror::Error)]
enum AnswerError {
    #[error(transparent)]
    Reply(#[from] ReplyError),
    #[error(transparent)]
    Protocol(#[from] Fault),
}

fn answer(
    opened: &mut Opened<'_>,
    message: &Message,
    cancels: &Cancels,
    outlet: &mut Outlet,
) -> Result<(), AnswerError> {
    let request = message.request;
    match message.kind {
        Kind::Count => {
            let counted = opened.count(&read(message)?)?;
            outlet.send_json(Kind::Done, request, &counted).map_err(ReplyError::from)?;
        }
        Kind::Sample => {
            let asked: Sample = read(message)?;
            let sampled = sample(opened, request, &asked, cancels, outlet)?;
            let kind = if sampled.stop == Stop::Cancelled { Kind::Cancelled } else { Kind::Done };
            outlet.send_json(kind, request, &sampled).map_err(ReplyError::from)?;
        }
        Kind::Probe => {
            let mut beats: u32 = 0;
            let probed = opened.probe(read(message)?, || {
                beats += 1;
                // A channel that is gone shows at the answer.
                let _ = outlet.send_json(Kind::Beat, request, &Beat { prompt: beats, decoded: 0 });
            })?;
            outlet.send_json(Kind::Done, request, &probed).map_err(ReplyError::from)?;
        }
        other => return Err(Fault::OutOfOrder(other).into()),
    }
    Ok(())
}
