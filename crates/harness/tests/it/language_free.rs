//! A21, first form: what people and the model write is never acted on by its words. Every transcript, retold in four
//! languages, is recorded alike but for the texts.

use domain::approval::Decision;
use domain::entry::{Body, Entry};
use testkit::model::Line;
use testkit::transcript::{Script, Stage, Step};

use crate::transcripts;

/// The same three sentences; each tempts a reader of words to act.
const TONGUES: [(&str, [&str; 3]); 4] = [
    ("English", ["Yes, go on and search the web.", "I will now write the file.", "Stop, no, delete it."]),
    ("Italian", ["Sì, vai avanti e cerca sul web.", "Ora scrivo il file.", "Fermati, no, cancellalo."]),
    ("Arabic", ["نعم، تابع وابحث في الشبكة.", "سأكتب الملف الآن.", "توقف، لا، احذفه."]),
    ("Japanese", ["はい、続けてウェブを検索して。", "今からファイルを書きます。", "やめて、いいえ、削除して。"]),
];

#[tokio::test(start_paused = true)]
async fn scripts_in_four_languages_are_recorded_alike() {
    for transcript in transcripts::all() {
        let script = transcript.script();
        let plain = shape(&Stage::play(&script, None).await.entries);
        for (tongue, sentences) in TONGUES {
            let told = Stage::play(&retold(&script, &sentences), None).await;
            assert_eq!(shape(&told.entries), plain, "{} in {tongue}", transcript.name);
        }
    }
}

fn retold(script: &Script, sentences: &[&str; 3]) -> Script {
    let mut script = script.clone();
    for (line, step) in &mut script.steps {
        let say = |text: &mut String| *text = as_long(text, sentences[*line % sentences.len()]);
        match step {
            Step::Says { text, .. } => say(text),
            Step::Model(Line::Says(reply)) => say(&mut reply.text),
            Step::Model(Line::Streams(text) | Line::Breaks(text, _)) => say(text),
            Step::Answers { decision: Decision::Refuse(Some(words)) | Decision::Told(words), .. } => say(words),
            _ => {}
        }
    }
    script
}

/// The sentence, as often as the text it stands for is long; nothing stays nothing.
fn as_long(text: &str, sentence: &str) -> String {
    if text.trim().is_empty() { text.to_owned() } else { sentence.repeat(text.len().div_ceil(sentence.len())) }
}

/// Entries without their texts.
fn shape(entries: &[Entry]) -> Vec<String> {
    let shape = |entry: &Entry| match &entry.body {
        Body::Said(message) => format!("said {}", message.id),
        Body::Withdrawn(message) => format!("withdrawn {message}"),
        Body::Replied(reply) => {
            let calls: Vec<_> =
                reply.sampled.calls.iter().map(|call| (&call.id, &call.tool, &call.arguments)).collect();
            format!("replied {:?} {} {calls:?}", reply.sampled.stop, reply.forbidden)
        }
        Body::Faltered(one) => format!("faltered {} {:?}", one.model, std::mem::discriminant(&one.fault)),
        Body::Held(held) => format!("held {:?} {:?}", held.failed, held.barred),
        Body::Rejected { call, reason } => format!("rejected {call} {reason:?}"),
        Body::Screened(screened) => format!("screened {} {} {:?}", screened.call, screened.digest, screened.blocked),
        Body::Asked(approval) => format!("asked {} {} {:?}", approval.call, approval.digest, approval.kind),
        Body::Answered(answer) => format!("answered {} {:?}", answer.digest, std::mem::discriminant(&answer.decision)),
        Body::Started { call, digest, clearance, key } => format!("started {call} {digest} {clearance:?} {key}"),
        Body::Returned(result) => format!("returned {} {:?} {:?}", result.call, result.status, result.made),
        Body::Resumed => "resumed".to_owned(),
        Body::Stopped => "stopped".to_owned(),
        Body::Ended { outcome, footer } => format!("ended {:?} {footer:?}", std::mem::discriminant(outcome)),
        Body::Compacted(one) => format!("compacted {:?} {:?}", one.why, std::mem::discriminant(&one.fold)),
        Body::CompactionAsked => "compaction asked".to_owned(),
        Body::Forked { after } => format!("forked {}", after.0),
        Body::Switched { line } => format!("switched {}", line.0.0),
        Body::Opened(opened) => format!("opened {} {:?}", opened.call, opened.path),
        Body::Newer(_) => "newer".to_owned(),
    };
    entries.iter().map(|entry| format!("{} {} {}", entry.number.0, entry.turn, shape(entry))).collect()
}
