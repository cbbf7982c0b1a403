//! Parsing of the configuration: origins, order, and all faults at once.

use super::{Given, Origin, SETTINGS, parse};

fn given(text: &str) -> Given {
    Given { file: Some(("riad.toml".to_owned(), text.to_owned())), ..Given::default() }
}

fn faults(given: &Given) -> Vec<String> {
    parse(given).expect_err("this configuration is wrong").iter().map(ToString::to_string).collect()
}

#[test]
fn the_later_source_wins() {
    let mut given = given("listen = \"127.0.0.1:1\"\n[models.remote]\nwindow = 4096\n");
    let values = parse(&given).unwrap();
    assert_eq!(values.get("listen"), Some("127.0.0.1:1"));
    assert_eq!(values.get("models.remote.window"), Some("4096"));
    assert_eq!(values.origin("models.remote.window"), Some(&Origin::File("riad.toml".to_owned(), 3, 1)));
    given.variables = vec![("RIAD_LISTEN".to_owned(), "127.0.0.1:2".to_owned())];
    assert_eq!(parse(&given).unwrap().get("listen"), Some("127.0.0.1:2"));
    given.sets = vec!["listen=127.0.0.1:3".to_owned()];
    assert_eq!(parse(&given).unwrap().get("listen"), Some("127.0.0.1:3"));
}

#[test]
fn all_faults_are_told_at_once_with_place_and_nearest_key() {
    let mut given = given("lisen = \"127.0.0.1:1\"\n[models]\nremot = 1\ndir = 5\n");
    given.variables = vec![("RIAD_DATA_DIRR".to_owned(), "/x".to_owned())];
    given.sets = vec!["log.level=loud".to_owned(), "nonsense".to_owned()];
    assert_eq!(
        faults(&given),
        [
            "riad.toml:1:1: there is no key `lisen`; the nearest is `listen`",
            "riad.toml:4:1: `models.dir` is a text; write models.dir = \"/srv/models\"",
            "riad.toml:3:1: there is no key `models.remot`; the nearest is `models.remote.url`",
            "RIAD_DATA_DIRR: no setting has this variable; the nearest is RIAD_DATA_DIR",
            "--set: `log.level` is one of error, warn, info, debug, for example info",
            "--set: `nonsense` is not of the form key=value",
        ]
    );
}

#[test]
fn a_key_that_is_like_none_is_answered_with_no_guess() {
    let given = Given { sets: vec!["foo=bar".to_owned()], ..Given::default() };
    assert_eq!(faults(&given), ["--set: there is no key `foo`; `riad config keys` lists them"]);
}

#[test]
fn text_that_is_not_toml_is_told_with_its_place() {
    let told = faults(&given("listen = \n"));
    assert!(told[0].starts_with("riad.toml:1:") && told[0].contains("not TOML"), "{told:?}");
}

#[test]
fn no_two_keys_share_a_variable_and_every_example_fits() {
    let mut variables: Vec<_> = SETTINGS.iter().map(super::Setting::variable).collect();
    variables.sort();
    variables.dedup();
    assert_eq!(variables.len(), SETTINGS.len());
    for setting in SETTINGS {
        let given = Given { sets: vec![format!("{}={}", setting.key, setting.example)], ..Given::default() };
        assert_eq!(parse(&given).unwrap().get(setting.key), Some(setting.example));
    }
}
