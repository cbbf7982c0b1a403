//! Tokens: what they show, and when the setup token ends.

use domain::time::Timestamp;

use super::{SessionToken, SetupToken, SetupTokenFault};

#[test]
fn a_token_reads_back_and_does_not_print() {
    let token = SessionToken::random().unwrap();
    assert_eq!(SessionToken::parse(&token.expose()).unwrap().hash(), token.hash());
    assert_eq!(format!("{token:?}"), "[secret]");
    assert!(SessionToken::parse("12").is_none());
    assert!(token.csrf_matches(&token.csrf()) && !token.csrf_matches("") && !token.csrf_matches(&token.expose()));
}

#[test]
fn a_setup_token_ends_after_five_wrong_tries() {
    let token = SetupToken::new(Timestamp(0)).unwrap();
    assert_eq!(token.check(&token.expose(), Timestamp(1)), Ok(()));
    for _ in 0..5 {
        assert_eq!(token.check("00000000000000000000000000000000", Timestamp(1)), Err(SetupTokenFault::Wrong));
    }
    assert_eq!(token.check(&token.expose(), Timestamp(1)), Err(SetupTokenFault::Void));
}

#[test]
fn a_setup_token_ends_after_an_hour() {
    let token = SetupToken::new(Timestamp(0)).unwrap();
    assert_eq!(token.check(&token.expose(), Timestamp(3_599_999)), Ok(()));
    assert_eq!(token.check(&token.expose(), Timestamp(3_600_000)), Err(SetupTokenFault::Void));
}
