//! B1, the part that needs a port: a tool cannot be run with a call that nothing has cleared.

#[test]
fn an_uncleared_call_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/compile/*.rs");
}
