//! The web client's types, made from the wire's: `web/src/wire/generated.ts`. Only tests carry this; `cargo xtask wire`
//! runs it to write the file, and as a test it says when the file is not what the server says.
#![expect(clippy::disallowed_methods, reason = "writes and reads a file of the checkout")]

use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use ts_rs::{Config, TS, TypeVisitor};

use super::{answer, approval, choice, conversation, entry, file, form, frame, line, problem, search, session, usage};

/// What the file begins with.
const HEAD: &str = "// Made from crates/server/src/wire by `cargo xtask wire`. Do not edit.\n";
/// Set by `cargo xtask wire`; transcripts are rewritten by the same word.
const WRITE: &str = "UPDATE_EXPECT";

/// Everything that is sent or received as a whole. What stands inside of these is found by itself.
fn roots(found: &mut Found) {
    found.add::<form::SetupForm>();
    found.add::<form::SignInForm>();
    found.add::<form::UnlockForm>();
    found.add::<form::CreateForm>();
    found.add::<form::ChangeForm>();
    found.add::<choice::ChoiceForm>();
    found.add::<choice::TextForm>();
    found.add::<choice::RemoveForm>();
    found.add::<form::SayForm>();
    found.add::<form::BranchForm>();
    found.add::<form::SwitchForm>();
    found.add::<form::StopForm>();
    found.add::<form::AnswerForm>();
    found.add::<answer::SetupNeeded>();
    found.add::<answer::SetupDone>();
    found.add::<answer::MessageTaken>();
    found.add::<answer::CommandAnswer>();
    found.add::<answer::AnswerTaken>();
    found.add::<answer::EntryPage>();
    found.add::<approval::Inbox>();
    found.add::<choice::ModelList>();
    found.add::<choice::ChoiceView>();
    found.add::<choice::AgentList>();
    found.add::<choice::CommandList>();
    found.add::<choice::OwnTextView>();
    found.add::<conversation::ConversationPage>();
    found.add::<search::HitPage>();
    found.add::<entry::EntryView>();
    found.add::<file::Listing>();
    found.add::<frame::Frame>();
    found.add::<frame::ClientFrame>();
    found.add::<line::LinesView>();
    found.add::<line::LinePreview>();
    found.add::<line::LineTaken>();
    found.add::<problem::ProblemBody>();
    found.add::<session::SessionView>();
    found.add::<usage::ConversationUsage>();
    found.add::<usage::DraftForm>();
}

#[test]
fn the_web_clients_types_are_what_the_server_says() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../web/src/wire/generated.ts");
    let (says, stands) = (text(), std::fs::read_to_string(&path).unwrap_or_default());
    if says == stands {
        return;
    }
    assert!(std::env::var_os(WRITE).is_some(), "{} is out of date. Run: cargo xtask wire", path.display());
    std::fs::write(&path, says).unwrap();
}

/// `ts(optional_fields)` promises that `None` is left out; serde has to be told so for each field.
#[test]
fn what_may_be_absent_is_left_out_and_never_null() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/wire");
    let mut fields = 0;
    for file in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if file.ends_with("typescript.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        for item in text.split("\n}\n").filter(|item| item.contains("optional_fields") && item.contains("Serialize)]"))
        {
            let lines: Vec<&str> = item.lines().collect();
            for pair in lines.windows(2).filter(|pair| pair[1].contains(": Option<")) {
                assert!(pair[0].contains("skip_serializing_if"), "{}: {}", file.display(), pair[1].trim());
                fields += 1;
            }
        }
    }
    assert!(fields > 20, "{fields} fields were found");
}

fn text() -> String {
    let mut found =
        Found { config: Config::new().with_large_int("number"), seen: HashSet::new(), types: BTreeMap::new() };
    roots(&mut found);
    found.types.values().fold(HEAD.to_owned(), |text, one| format!("{text}\n{one}"))
}

/// The declarations so far, by name.
struct Found {
    config: Config,
    seen: HashSet<TypeId>,
    types: BTreeMap<String, String>,
}

impl Found {
    fn add<T: TS + 'static + ?Sized>(&mut self) {
        self.visit::<T>();
    }
}

impl TypeVisitor for Found {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        // Only what is derived has a file of its own; numbers, texts and lists have none.
        if T::output_path().is_some() {
            let name = T::ident(&self.config);
            let declared = declaration::<T>(&self.config);
            assert!(self.types.insert(name.clone(), declared).is_none(), "two wire types are called {name}");
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}

fn declaration<T: TS + 'static + ?Sized>(config: &Config) -> String {
    let docs = T::docs().unwrap_or_default().replace("/**\n * ", "/** ").replace("\n */\n", " */\n");
    format!("{docs}export {}\n", laid_out(&T::decl(config)))
}

/// One variant a line, and the comment of a field on a line with its field.
fn laid_out(declaration: &str) -> String {
    let variants = declaration.replace(" | { ", "\n  | { ");
    variants.replace("\n/**\n * ", "\n  /** ").replace("\n */\n", " */\n  ").replace(" \n", "\n")
}
