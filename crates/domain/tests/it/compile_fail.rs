//! B1: a call that may run is made by the gate of this crate alone; whoever tries it elsewhere does not compile.
//!
//! Each file of `tests/compile` says what the compiler must say to it. It is compiled alone against the library that
//! cargo has just built, which takes a moment and builds nothing anew.

#![expect(clippy::disallowed_methods, reason = "the compiler is started, and files are its cases")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a case says it is: the error it fails with, or none.
fn expected(case: &Path) -> Option<String> {
    let text = std::fs::read_to_string(case).expect("a case can be read");
    let second = text.lines().nth(1).expect("a case has a second line").trim_start_matches("//! ");
    match second.strip_prefix("Fails with ") {
        Some(code) => Some(code.trim_end_matches('.').to_owned()),
        None if second == "Compiles." => None,
        None => panic!("{}: the second line says `Fails with CODE.` or `Compiles.`", case.display()),
    }
}

/// Compiles one file against that build of this crate; the error is what the compiler says.
fn compile(case: &Path, library: &Path) -> Result<(), String> {
    let folder = library.parent().expect("a library lies in a folder");
    let out = tempfile::tempdir().expect("a folder can be made");
    let mut compiler = Command::new("rustc");
    compiler.args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "--crate-name=case"]);
    compiler.arg("--extern").arg(format!("domain={}", library.display()));
    compiler.arg("-L").arg(format!("dependency={}", folder.display()));
    let output = compiler.arg("--out-dir").arg(out.path()).arg(case).output().expect("the compiler can be started");
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// The builds of this crate beside this test, newest first: there may be older ones.
fn builds(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).expect("the folder of this test can be read");
    let paths = files.filter_map(|file| Some(file.ok()?.path()));
    let fits = |path: &PathBuf| {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        file.starts_with("libdomain-") && file.ends_with(".rlib")
    };
    let mut found: Vec<PathBuf> = paths.filter(fits).collect();
    found.sort_by_key(|path| std::cmp::Reverse(path.metadata().and_then(|about| about.modified()).ok()));
    found
}

#[test]
fn a_cleared_call_is_made_nowhere_else() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compile");
    let mut cases: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the cases are there").flatten().map(|f| f.path()).collect();
    cases.sort();
    let (good, bad): (Vec<_>, Vec<_>) = cases.into_iter().partition(|case| expected(case).is_none());
    assert!(good.len() == 1 && bad.len() >= 4, "one case compiles, the others do not");

    let this = std::env::current_exe().expect("this test is a file");
    let builds = builds(this.parent().expect("it lies in a folder"));
    let works = |build: &&PathBuf| compile(&good[0], build).is_ok();
    let library = builds.iter().find(works).unwrap_or_else(|| {
        let why = builds
            .first()
            .map_or_else(|| "there is no library".to_owned(), |build| compile(&good[0], build).unwrap_err());
        panic!("what may compile does not: {why}")
    });
    for case in bad {
        let code = expected(&case).expect("it was told apart");
        let said = compile(&case, library).expect_err("it must not compile");
        assert!(said.contains(&format!("error[{code}]")), "{}: {said}", case.display());
        assert_eq!(said.matches("error[").count(), 1, "{}: it fails for another reason too: {said}", case.display());
    }
}
