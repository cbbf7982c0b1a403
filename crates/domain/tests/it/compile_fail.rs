//! B1: a call that may run is made by the gate of this crate alone; whoever tries it elsewhere does not compile.

#[test]
fn a_cleared_call_is_made_nowhere_else() {
    trybuild::TestCases::new().compile_fail("tests/compile/*.rs");
}
