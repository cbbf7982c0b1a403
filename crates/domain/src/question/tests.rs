//! Answers that are taken, as the model reads them, and answers that are not.

use serde_json::json;

use super::{AnswerFault, Answers, Choice, Question, own_words};
use crate::approval::Decision;
use crate::limits::ANSWER_CHARS;

fn question(text: &str, options: &[&str], many: bool, other: bool) -> Question {
    let options = options.iter().map(|option| (*option).to_owned()).collect();
    Question { text: text.to_owned(), options, many, other }
}

fn given(options: &[usize], words: &str) -> Choice {
    Choice { options: options.to_vec(), words: (!words.is_empty()).then(|| words.to_owned()) }
}

fn check(questions: &[Question], answers: &[Choice], wanted: Result<&str, AnswerFault>) {
    let told = Answers(answers.to_vec()).told(questions);
    assert_eq!(told, wanted.map(|text| Decision::Told(text.to_owned())), "{questions:?} {answers:?}");
}

#[test]
fn a_question_that_says_nothing_of_other_words_takes_them() {
    let asked: Question = serde_json::from_value(json!({ "text": "Which?", "options": ["green", "black"] })).unwrap();
    assert_eq!(asked, question("Which?", &["green", "black"], false, true));
    check(&[asked], &[given(&[], "white")], Ok("white"));
}

#[test]
fn one_question_is_answered_by_an_option_or_words() {
    let one = || [question("Which?", &["green", "black"], false, true)];
    check(&one(), &[given(&[1], "")], Ok("black"));
    check(&one(), &[given(&[1], " with milk ")], Ok("black, with milk"));
    check(&one(), &[given(&[0, 1], "")], Err(AnswerFault::OnlyOne));
    check(&one(), &[given(&[2], "")], Err(AnswerFault::NoSuchOption));
    check(&one(), &[given(&[], "  ")], Err(AnswerFault::Missing));
    check(&one(), &[], Err(AnswerFault::Missing));
    check(&one(), &[given(&[0], ""), given(&[1], "")], Err(AnswerFault::Surplus));
}

#[test]
fn several_options_are_each_chosen_once() {
    let many = || [question("Which?", &["green", "black", "white"], true, false)];
    check(&many(), &[given(&[2, 0], "")], Ok("white, green"));
    check(&many(), &[given(&[1, 0, 1], "")], Err(AnswerFault::Twice));
}

#[test]
fn words_are_taken_where_they_are_offered_or_nothing_else_is() {
    check(&[question("Which?", &["green"], false, false)], &[given(&[], "white")], Err(AnswerFault::NoWords));
    check(&[question("Which?", &["green"], false, false)], &[given(&[0], "white")], Err(AnswerFault::NoWords));
    check(&[question("Which?", &["green"], false, false)], &[given(&[0], " ")], Ok("green"));
    check(&[question("Why?", &[], false, false)], &[given(&[], "so it is")], Ok("so it is"));
}

#[test]
fn each_of_several_answers_stands_behind_its_question() {
    let two = [question("Which?", &["green"], false, false), question("Why?", &[], false, true)];
    check(&two, &[given(&[0], ""), given(&[], "I like it")], Ok("Which?: green\nWhy?: I like it"));
    check(&two, &[given(&[0], "")], Err(AnswerFault::Missing));
}

#[test]
fn words_have_an_end_and_no_null() {
    assert_eq!(own_words(&"a".repeat(ANSWER_CHARS)), Ok(Some("a".repeat(ANSWER_CHARS))));
    assert_eq!(own_words(&"a".repeat(ANSWER_CHARS + 1)), Err(AnswerFault::Words));
    assert_eq!(own_words("a\0b"), Err(AnswerFault::Words));
    assert_eq!(own_words(" \n "), Ok(None));
}
