//! What is read, what is refused, and in which line.

use super::{Value, parse};

fn check(text: &str, expected: Option<(usize, &str)>) {
    let found = match parse(text) {
        Ok(node) => node.first_fault(),
        Err(fault) => Some(fault),
    };
    let found = found.as_ref().map(|fault| (fault.line, fault.says.as_str()));
    match (found, expected) {
        (Some((line, says)), Some((wanted, part))) => {
            assert!(line == wanted && says.contains(part), "{text:?}: line {line}: {says}");
        }
        (found, expected) => assert_eq!(found, expected, "{text:?}"),
    }
}

#[test]
fn faults_have_their_line() {
    check("a: 1\nb: [x, 'y']\n", None);
    check("", None);
    check("\u{FEFF}a: 1\r\nb: 2\r\n", None);
    check("a: 1\nb: 2\na: 3\n", Some((3, "the key `a` stands twice; it stands first in line 1")));
    check("a:\n  b: &x 1\n", Some((2, "an anchor is not taken")));
    check("a: &x 1\nb:\n  c: *x\n", Some((1, "an anchor is not taken")));
    check("a: !!binary abcd\n", Some((1, "tag")));
    check("a:\n  - !own {b: 1}\n", Some((2, "tag")));
    check("a: 1\n---\nb: 2\n", Some((2, "second document")));
    check("a: [1, 2\n", Some((2, "")));
    check("? [x]\n: 1\n", Some((1, "a key is a text")));
    check(&"[".repeat(5000), Some((1, "")));
}

#[test]
fn values_are_taken_as_written() {
    let node =
        parse("a: no\nb: 'true'\nc: true\nd: 0.30\ne: ~\nf: |\n  two\n  lines\ng: \"\"\nh: 1e3\n").expect("it is YAML");
    let get = |key: &str| node.get(key).expect("the key stands there");
    assert_eq!((get("a").text(), get("a").truth()), (Some("no"), None));
    assert_eq!((get("b").text(), get("b").truth(), get("c").truth()), (Some("true"), None, Some(true)));
    assert_eq!((get("d").number::<f64>(), get("d").number::<u32>()), (Some(0.3), None));
    assert!(get("e").is_nothing() && get("e").text().is_none() && !get("g").is_nothing());
    assert_eq!(get("f").value, Value::Quoted("two\nlines\n".to_owned()));
    assert_eq!((get("f").line, get("h").line), (7, 10), "a text of several lines begins below its key");
}
