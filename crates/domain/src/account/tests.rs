//! The rules of PEOPLE-4, PEOPLE-5 and PEOPLE-94, case by case.

use super::{DisplayName, Handle, HandleFault, Locale, Password, PasswordFault, TypedPassword, Zone};

fn judge(typed: &str) -> Result<(), PasswordFault> {
    let handle = Handle::parse("mara").unwrap();
    Password::judge(TypedPassword::new(typed.to_owned()), &handle).map(|_| ())
}

#[test]
fn handles() {
    for good in ["ab", "mara", "m4ra-x", "a-", &"a".repeat(31)] {
        assert_eq!(Handle::parse(good).unwrap().as_str(), good);
    }
    for bad in ["", "a", "1ab", "-ab", "Mara", "ma ra", "mára", "a_b", "a/b", &"a".repeat(32)] {
        assert_eq!(Handle::parse(bad), Err(HandleFault::Form), "{bad}");
    }
    for word in ["shared", "user-memory", "admin", "riad"] {
        assert_eq!(Handle::parse(word), Err(HandleFault::Reserved));
    }
}

#[test]
fn passwords() {
    assert_eq!(judge("a quiet green kettle"), Ok(()));
    assert_eq!(judge("elevenchars"), Err(PasswordFault::TooShort));
    assert_eq!(judge("twelve chars"), Ok(()));
    assert_eq!(judge(&"ab3-x".repeat(26)), Err(PasswordFault::TooLong));
    assert_eq!(judge("tamarack kettle"), Err(PasswordFault::HoldsHandle));
    assert_eq!(judge("quiet MARA kettle"), Err(PasswordFault::HoldsHandle));
    assert_eq!(judge("password1234"), Err(PasswordFault::Common));
    assert_eq!(judge("Password1234"), Err(PasswordFault::Common));
    assert_eq!(judge("qwertyuiop12"), Err(PasswordFault::Common));
    assert_eq!(judge("xyxyxyxyxyxy"), Err(PasswordFault::Common));
}

#[test]
fn length_counts_characters_after_nfc_and_nothing_is_cut() {
    assert_eq!(judge(&"e\u{301}".repeat(6)), Err(PasswordFault::TooShort));
    let composed = TypedPassword::new("caf\u{e9} kettle tray".to_owned());
    let decomposed = TypedPassword::new("cafe\u{301} kettle tray".to_owned());
    assert_eq!(composed.bytes(), decomposed.bytes());
    let long = format!("{}z", "ab3-x".repeat(25));
    assert_eq!(TypedPassword::new(long.clone()).bytes(), long.as_bytes());
}

#[test]
fn a_password_does_not_print() {
    let typed = TypedPassword::new("a quiet green kettle".to_owned());
    assert_eq!(format!("{typed:?}"), "[secret]");
}

#[test]
fn the_list_is_long_and_each_line_could_be_a_password() {
    let lines: std::collections::BTreeSet<&str> = super::COMMON.lines().collect();
    assert!(lines.len() >= 10_000, "{} lines", lines.len());
    for line in lines {
        assert!(line.chars().count() >= Password::MIN && line == line.to_lowercase(), "{line}");
    }
}

#[test]
fn names_locales_zones() {
    assert_eq!(DisplayName::parse("  Mara Ø ").unwrap().as_str(), "Mara Ø");
    assert!(DisplayName::parse(" ").is_err() && DisplayName::parse("a\u{202e}b").is_err());
    assert!(DisplayName::parse(&"a".repeat(81)).is_err());
    for good in ["en", "de-AT", "zh-Hant-TW"] {
        assert!(Locale::parse(good).is_ok(), "{good}");
    }
    for bad in ["", "e", "en_US", "en-", "english"] {
        assert!(Locale::parse(bad).is_err(), "{bad}");
    }
    for good in ["UTC", "Europe/Vienna", "America/Argentina/Buenos_Aires", "Etc/GMT+3"] {
        assert!(Zone::parse(good).is_ok(), "{good}");
    }
    for bad in ["", "Europe/", "../etc", "Europe Vienna", "/UTC"] {
        assert!(Zone::parse(bad).is_err(), "{bad}");
    }
}
