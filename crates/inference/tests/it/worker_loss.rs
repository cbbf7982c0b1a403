//! The supervisor under losses: whatever a worker does, each request gets one answer, and the next worker serves the
//! next request.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use domain::model::{SampleFault, Sampled, StopReason};
use harness::ports::{Channel, Model as _};
use inference::local::LocalModel;
use tempfile::TempDir;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::support::{Kept, gguf_file, local_model, prompt};

/// How long the workers of these tests may be silent.
const SHORT: Duration = Duration::from_secs(2);

/// A model whose workers do what the lines say, one line a life.
pub(crate) fn scripted(lives: &[&str]) -> (TempDir, PathBuf, LocalModel) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("script.gguf");
    let mut bytes = gguf_file(&[("general.name", "script"), ("tokenizer.chat_template", "{{ messages }}")]);
    bytes.extend(b"SCRIPT\n");
    bytes.extend(lives.join("\n").bytes());
    fs::write(&file, bytes).unwrap();
    let model = local_model(&file, Path::new(env!("CARGO_BIN_EXE_scripted-worker")), SHORT);
    (folder, file, model)
}

async fn sample(model: &LocalModel) -> (Kept, Result<Sampled, SampleFault>) {
    let kept = Kept::default();
    let never = CancellationToken::new();
    let asked = prompt("Hello", Vec::new());
    let answer = timeout(Duration::from_secs(60), model.sample(&asked, &kept, &never)).await.expect("an answer");
    (kept, answer)
}

fn lives(file: &Path) -> usize {
    fs::read_to_string(format!("{}.lives", file.display())).unwrap_or_default().len()
}

#[tokio::test]
async fn an_answer_streams_and_adds_up() {
    let (_folder, file, model) = scripted(&["answer"]);
    let (kept, answer) = sample(&model).await;
    let answer = answer.unwrap();
    assert_eq!((answer.text.as_str(), answer.stop), ("Hello.", StopReason::Natural));
    assert_eq!(kept.of(Channel::Text), answer.text);
    assert_eq!(model.count(&prompt("Hello", Vec::new())).await, Ok(Some(42)));
    assert_eq!(lives(&file), 1, "one worker serves all");
}

#[tokio::test]
async fn each_way_to_die_is_crashed_and_costs_one_retry() {
    for death in ["abort-midway", "exit-midway", "half-a-frame", "garbage", "wrong-request", "not-utf8"] {
        let (_folder, file, model) = scripted(&[death, "answer"]);
        let (_, lost) = sample(&model).await;
        assert!(matches!(lost, Err(SampleFault::Crashed(_))), "{death}: {lost:?}");
        let (_, answer) = sample(&model).await;
        assert_eq!(answer.expect(death).text, "Hello.");
        assert_eq!(lives(&file), 2, "{death}: one retry on one new worker");
    }
}

#[tokio::test]
async fn the_signal_is_in_the_fault() {
    let (_folder, _file, model) = scripted(&["abort-midway"]);
    let (_, lost) = sample(&model).await;
    assert_eq!(lost, Err(SampleFault::Crashed("the worker died while sampling: signal 6".to_owned())));
}

#[tokio::test]
async fn five_deaths_are_a_rest_without_a_sixth_worker() {
    let (_folder, file, model) = scripted(&["die-loading"]);
    for _ in 0..5 {
        let (_, lost) = sample(&model).await;
        assert!(matches!(lost, Err(SampleFault::Crashed(_))), "{lost:?}");
    }
    let (_, lost) = sample(&model).await;
    assert!(matches!(&lost, Err(SampleFault::Crashed(text)) if text.contains("rests for")), "{lost:?}");
    assert_eq!(lives(&file), 5);
}

#[tokio::test]
async fn a_flood_on_every_stream_blocks_nobody() {
    let (_folder, _file, model) = scripted(&["flood"]);
    let (kept, answer) = sample(&model).await;
    assert_eq!(answer.unwrap().text.len(), 200_000);
    assert_eq!(kept.of(Channel::Text).len(), 200_000);
}

#[tokio::test]
async fn a_cancel_gives_what_was_said_and_keeps_the_worker() {
    let (_folder, file, model) = scripted(&["until-cancelled answer"]);
    let cancel = CancellationToken::new();
    let kept = Kept::default();
    let asked = prompt("Hello", Vec::new());
    let canceller = async {
        while kept.pieces() == 0 {
            sleep(Duration::from_millis(5)).await;
        }
        cancel.cancel();
        Instant::now()
    };
    let (answer, cancelled_at) = tokio::join!(model.sample(&asked, &kept, &cancel), canceller);
    assert!(cancelled_at.elapsed() < Duration::from_millis(500));
    let answer = answer.unwrap();
    assert_eq!((answer.text.as_str(), answer.stop), ("Hel", StopReason::Cancelled));
    assert_eq!(sample(&model).await.1.unwrap().text, "Hello.");
    assert_eq!(lives(&file), 1);
}

#[tokio::test]
async fn a_caller_who_leaves_cancels_and_the_worker_serves_on() {
    let (_folder, file, model) = scripted(&["until-cancelled answer"]);
    let kept = Kept::default();
    let never = CancellationToken::new();
    let asked = prompt("Hello", Vec::new());
    assert!(timeout(Duration::from_millis(500), model.sample(&asked, &kept, &never)).await.is_err());
    assert_eq!(sample(&model).await.1.unwrap().text, "Hello.");
    assert_eq!(lives(&file), 1);
}

#[tokio::test]
async fn a_cancel_before_the_sample_starts_no_worker() {
    let (_folder, file, model) = scripted(&["answer"]);
    let cancel = CancellationToken::new();
    cancel.cancel();
    let answer = model.sample(&prompt("Hello", Vec::new()), &Kept::default(), &cancel).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.stop), ("", StopReason::Cancelled));
    assert_eq!(lives(&file), 0);
}

#[tokio::test]
async fn a_hanging_worker_is_ended_after_its_silence() {
    for hang in ["hang", "hang-beating"] {
        let (_folder, _file, model) = scripted(&[hang, "answer"]);
        let started = Instant::now();
        let (_, lost) = sample(&model).await;
        assert_eq!(
            lost,
            Err(SampleFault::Crashed("the worker hung while sampling and was ended".to_owned())),
            "{hang}"
        );
        assert!((2..5).contains(&started.elapsed().as_secs()), "{hang}: {:?}", started.elapsed());
        assert_eq!(sample(&model).await.1.unwrap().text, "Hello.", "{hang}");
    }
}

#[tokio::test]
async fn a_failure_is_typed_and_the_worker_lives_on() {
    let (_folder, file, model) = scripted(&["too-long call"]);
    assert_eq!(sample(&model).await.1, Err(SampleFault::TooLong { needed: 9, window: 8 }));
    let calls = sample(&model).await.1.unwrap().calls;
    assert_eq!((calls.len(), calls[0].id.as_str(), calls[0].tool.as_str()), (1, "call_1_0", "read_file"));
    assert_eq!(lives(&file), 1);
}

#[tokio::test]
async fn a_worker_that_is_no_program_is_a_crash_not_a_hang() {
    let (folder, file, _model) = scripted(&["answer"]);
    let program = folder.path().join("worker");
    fs::write(&program, "not a program").unwrap();
    let model = local_model(&file, &program, SHORT);
    let (_, lost) = sample(&model).await;
    assert!(matches!(&lost, Err(SampleFault::Crashed(text)) if text.contains("did not start")), "{lost:?}");
}

#[tokio::test]
async fn no_worker_is_left_when_the_model_is_dropped() {
    let (_folder, file, model) = scripted(&["answer"]);
    sample(&model).await.1.unwrap();
    let worker = fs::read_to_string(format!("{}.pid", file.display())).unwrap();
    let process = PathBuf::from(format!("/proc/{worker}"));
    assert!(process.exists());
    drop(model);
    sleep(Duration::from_millis(300)).await;
    assert!(!process.exists());
}

#[tokio::test]
async fn reading_ahead_ends_as_soon_as_somebody_asks_and_keeps_the_worker() {
    let (_folder, file, model) = scripted(&["until-cancelled answer"]);
    let never = CancellationToken::new();
    let prefix = prompt("Hello", Vec::new()).prefix;
    // With the worker there already, the first poll of the one brings its request to the worker before the other asks.
    model.preload().await.unwrap();
    let ((), (_, answer)) = tokio::join!(model.warm(prefix, &never), sample(&model));
    assert_eq!(answer.unwrap().text, "Hello.");
    assert_eq!(lives(&file), 1);
}

#[tokio::test]
async fn reading_ahead_that_fails_costs_the_next_request_nothing() {
    for death in ["die-loading", "abort-midway"] {
        let (_folder, _file, model) = scripted(&[death, "answer"]);
        let prefix = prompt("Hello", Vec::new()).prefix;
        model.warm(prefix, &CancellationToken::new()).await;
        assert_eq!(sample(&model).await.1.unwrap().text, "Hello.", "{death}");
    }
}
