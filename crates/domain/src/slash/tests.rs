//! What is a command and what are words, what an unknown name is answered, and how a file becomes a message.

use proptest::prelude::*;

use super::{BuiltIn, Command, CommandFault, Meaning, meaning, read};

fn command(body: &str) -> Command {
    read("sum-up", &format!("---\ndescription: Sums up: briefly\n---\n{body}\n")).unwrap()
}

fn words(text: &str) -> Meaning<'_> {
    Meaning::Words(text.into())
}

#[test]
fn a_command_stands_first_and_a_second_slash_makes_words() {
    let commands = [command("Sum up.")];
    let of = |text| meaning(text, &commands);
    assert_eq!(of("/help"), Meaning::BuiltIn(BuiltIn::Help, ""));
    assert_eq!(of("/model  qwen 4b \n"), Meaning::BuiltIn(BuiltIn::Model, "qwen 4b"));
    assert_eq!(of("/sum-up\nthis\nand that"), Meaning::Command(&commands[0], "this\nand that"));
    assert_eq!(of(" /help"), words(" /help"));
    assert_eq!(of("look at /etc/hosts"), words("look at /etc/hosts"));
    assert_eq!(of("//help me "), words("/help me "));
    assert_eq!(of("///"), words("//"));
    assert_eq!(of(""), words(""));
}

#[test]
fn an_unknown_name_gets_the_three_nearest() {
    let commands = [command("Sum up.")];
    for (text, name, near) in [
        ("/halp", "halp", ["help", "model", "agent"]),
        ("/sumup now", "sumup", ["sum-up", "stop", "help"]),
        ("/Help", "Help", ["help", "new", "agent"]),
        ("/retri", "retri", ["retry", "agent", "new"]),
    ] {
        let Meaning::Unknown { name: found, nearest } = meaning(text, &commands) else { panic!("{text} is known") };
        assert_eq!((found.as_str(), nearest.len(), nearest[0].as_str()), (name, 3, near[0]), "{nearest:?}");
    }
    let Meaning::Unknown { name, nearest } = meaning("/ hello", &[]) else { panic!("no name is no command") };
    assert_eq!((name.as_str(), nearest.len()), ("", 3));
    let long = format!("/{}", "x".repeat(100_000));
    assert!(matches!(meaning(&long, &[]), Meaning::Unknown { name, .. } if name.len() == 40));
}

#[test]
fn every_name_is_known_by_itself() {
    for built_in in BuiltIn::ALL {
        let text = format!("/{} x", built_in.name());
        assert_eq!(meaning(&text, &[]), Meaning::BuiltIn(built_in, "x"));
    }
}

#[test]
fn what_stands_behind_a_name_is_put_in_once() {
    for (body, args, expected) in [
        ("About {{args}}.", "the river", "About the river."),
        ("About {{ args }}, {{args}}.", "it", "About it, it."),
        ("{{1}} and {{2}}{{3}}", "salt pepper", "salt and pepper"),
        ("{{args}}", "{{args}} {{1}}", "{{args}} {{1}}"),
        ("No place.", "the river", "No place.\n\nthe river"),
        ("No place.", "", "No place."),
        ("{{other}} {{0}} {{ {{args}}", "x", "{{other}} {{0}} {{ x"),
        ("open {{", "", "open {{"),
    ] {
        assert_eq!(command(body).expand(args), expected, "{body:?} with {args:?}");
    }
}

#[test]
fn a_file_takes_no_name_of_riad_and_tells_its_faults() {
    let good = "---\ndescription: x\n---\nbody";
    assert_eq!(read("help", good), Err(CommandFault::BuiltIn("help")));
    for name in ["", "Sum", "a b", "../x", &"x".repeat(33)] {
        assert_eq!(read(name, good), Err(CommandFault::Name), "{name:?}");
    }
    for (text, says) in [
        ("body", "line 1, column 1: the file begins"),
        ("---\ndescription: x\n", "line 1, column 1: the head has no end"),
        ("---\nargument_hint: a\n---\nbody", "line 1, column 1: the field `description` is missing"),
        ("---\ndescription: x\ntools: [a]\n---\nbody", "line 3, column 1: there is no field `tools`"),
        ("---\ndescription: x\n---\n \n", "line 5, column 1: the text below the head"),
    ] {
        let fault = read("mine", text).unwrap_err().to_string();
        assert!(fault.contains(says), "{text:?}: {fault}");
    }
}

proptest! {
    #[test]
    fn any_text_means_something(text in "/{0,2}\\PC{0,40}", body in "\\PC{0,80}", args in "\\PC{0,40}") {
        match meaning(&text, &[]) {
            Meaning::Words(words) => prop_assert!(!text.starts_with('/') || text.strip_prefix('/') == Some(&*words)),
            Meaning::Unknown { nearest, .. } => prop_assert_eq!(nearest.len(), 3),
            Meaning::BuiltIn(..) | Meaning::Command(..) => {}
        }
        if let Ok(command) = read("mine", &format!("---\ndescription: x\n---\n{body}\n")) {
            let message = command.expand(&args);
            prop_assert!(body.contains("{{") || message == body.trim() || message.ends_with(&args));
        }
    }
}

#[test]
fn a_body_of_many_places_does_not_multiply_a_long_message() {
    let command = command(&"{{args}}".repeat(1_000));
    let long = "x".repeat(200_000);
    let message = command.expand(&long);
    assert!(message.len() > crate::limits::MESSAGE_BYTES && message.len() < 1_000_000, "{} bytes", message.len());
    assert_eq!(command.expand("ab").len(), 2_000);
}
