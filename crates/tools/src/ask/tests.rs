//! Questions that are asked and that are not.

use domain::question::Question;

use super::{AskFault, AskPerson, check};

fn question(text: &str, options: &[&str], other: bool) -> Question {
    Question { text: text.to_owned(), options: options.iter().map(|o| (*o).to_owned()).collect(), many: false, other }
}

fn judged(questions: Vec<Question>) -> Result<(), AskFault> {
    check(&AskPerson { questions })
}

#[test]
fn questions_need_a_way_to_answer_and_no_doubles() {
    assert_eq!(judged(vec![question("Which day?", &["Monday", "Tuesday"], false)]), Ok(()));
    assert_eq!(judged(vec![question("Which day?", &[], true)]), Ok(()));
    assert_eq!(judged(vec![]), Err(AskFault::HowMany));
    assert_eq!(judged(vec![question("a", &[], true); 4]), Err(AskFault::HowMany));
    assert_eq!(judged(vec![question("Which day?", &[], false)]), Err(AskFault::NoAnswer(1)));
    assert_eq!(judged(vec![question("Which?", &["Yes", " yes. "], false)]), Err(AskFault::Double(1)));
    assert_eq!(judged(vec![question("Which?", &[], true), question("which", &[], true)]), Err(AskFault::Double(2)));
    assert_eq!(judged(vec![question(" ", &[], true)]), Err(AskFault::Text(1)));
    assert_eq!(judged(vec![question(&"a".repeat(501), &[], true)]), Err(AskFault::Text(1)));
    assert_eq!(
        judged(vec![question("Which?", &["1", "2", "3", "4", "5", "6", "7"], false)]),
        Err(AskFault::Options(1))
    );
    assert_eq!(judged(vec![question("Which?", &[&"a".repeat(81)], false)]), Err(AskFault::Option(1)));
}

#[test]
fn nobody_is_asked_for_a_secret() {
    for text in [
        "What is your password?",
        "Please give me the PASSWORDS for both accounts",
        "Wie lautet dein Passwort?",
        "Enter the verification code you received",
        "What is the 6-digit code from your phone?",
        "Paste your API key here",
        "Quel est votre mot de passe ?",
        "Your PIN?",
        "ｐａｓｓｗｏｒｄ please",
        "Which OTP did you get?",
    ] {
        assert_eq!(judged(vec![question(text, &[], true)]), Err(AskFault::Secret(1)), "{text}");
    }
    for text in [
        "Which code style do you prefer?",
        "Shall the keys of the table be sorted?",
        "What is the key point of the talk?",
        "Which spinach recipe?",
        "Shall I open the page on passwordless sign-in?",
    ] {
        assert_eq!(judged(vec![question(text, &[], true)]), Ok(()), "{text}");
    }
    assert_eq!(judged(vec![question("Change the password page?", &["Yes", "No"], false)]), Ok(()));
}

#[test]
fn the_description_is_the_doc_comment() {
    let tool = crate::erase::erase(super::Tool);
    let spec = tool.spec();
    assert_eq!((spec.name.as_str(), spec.asks_person), ("ask_person", true));
    assert!(spec.description.starts_with("Ask the person and wait"));
    let call = serde_json::json!({"questions": [{"text": "Which day?"}]});
    assert_eq!(spec.schema.misfit(&call), None);
    assert!(spec.schema.misfit(&serde_json::json!({"questions": [{"text": "x", "more": 1}]})).is_some());
}
