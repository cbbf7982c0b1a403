//! What counts as code.

use super::*;

fn check_code(text: &str, expected: &str) {
    assert_eq!(code_of(text), expected);
}

#[test]
fn comments_are_no_code() {
    check_code("a // b\nc", "a \nc");
    check_code("a /* b /* c */ d\n */ e", "a \n e");
    check_code("//! head\n/// doc\nfn f() {}", "\n\nfn f() {}");
}

#[test]
fn what_stands_inside_strings_is_no_code() {
    check_code(r#"f("a // \" b", x)"#, "f(, x)");
    check_code(r##"f(r#"un"safe"#, b"x", br"y")"##, "f(, , )");
    check_code("f(\"one\ntwo\")", "f(\n)");
}

#[test]
fn lifetimes_are_code_and_characters_are_not() {
    check_code(
        "fn f<'a>(c: &'a str) { c == 'x' || c == '\\'' || c == '\"' }",
        "fn f<'a>(c: &'a str) { c ==  || c ==  || c ==  }",
    );
}

#[test]
fn names_that_end_like_a_string_prefix_are_code() {
    check_code("for r in bar { cr }", "for r in bar { cr }");
}

#[test]
fn a_test_module_is_marked_to_its_closing_brace() {
    let lines = lines(
        "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() { c() }\n}\nfn d() {}\n#[cfg(test)]\nmod tests;\nfn e() {}",
    );
    let marked: Vec<bool> = lines.iter().map(|line| line.test).collect();
    assert_eq!(marked, [false, true, true, true, true, false, true, true, false]);
}
