//! Closed programs and options in many spellings, and everyday calls that must stay open.

use domain::argv;
use domain::program::judge_argv;

/// Lines that no spelling opens.
const CLOSED: &str = include_str!("programs/closed.txt");
/// Lines that people need.
const OPEN: &str = include_str!("programs/open.txt");

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with("## "))
}

fn verdict(line: &str) -> Result<(), String> {
    let words = argv::split(line).map_err(|fault| fault.to_string())?;
    judge_argv(&words).map_err(|fault| fault.to_string())
}

#[test]
fn closed_in_every_spelling() {
    let open: Vec<&str> = lines(CLOSED).filter(|line| verdict(line).is_ok()).collect();
    assert!(lines(CLOSED).count() >= 300);
    assert!(open.is_empty(), "these run:\n{}", open.join("\n"));
}

#[test]
fn everyday_calls_stay_open() {
    let closed: Vec<String> =
        lines(OPEN).filter_map(|line| verdict(line).err().map(|fault| format!("{line}: {fault}"))).collect();
    assert!(lines(OPEN).count() >= 100);
    assert!(closed.is_empty(), "these are closed:\n{}", closed.join("\n"));
}

#[test]
fn a_list_of_words_is_judged_like_a_line() {
    let list = |words: &[&str]| judge_argv(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
    assert!(list(&["ls", "a;b", "$x"]).is_ok());
    let work = domain::place::MOUNTED_WORK;
    assert!(list(&["rm", &format!("{work}/x")]).is_ok());
    assert!(list(&["rm", &format!("{work}/../x")]).is_err());
    assert!(list(&["rm", &format!("{work}er/x")]).is_err());
    for bad in
        [&["/bin/sh", "-c", "id"][..], &["./run.sh"], &["sh"], &["LS"], &["-la"], &["", "x"], &["find", ".", "-delete"]]
    {
        assert!(list(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn the_answer_says_what_to_do() {
    assert_eq!(
        verdict("cd /tmp").unwrap_err(),
        "`cd` is closed here: a folder changed by one call is forgotten by the next. Give the folder as `dir`."
    );
    assert!(verdict("sort --compress-prog=id f").unwrap_err().contains("start another program"));
}
