//! Compiles the helper that runs inside (`inside/main.rs`) to one static program, which the library carries in itself.
//! A static one, because the tool image inside may have another C library than the host, or none.
#![allow(clippy::disallowed_methods, reason = "a build script reads cargo's environment and starts the compiler")]

use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=inside");
    println!("cargo::rerun-if-changed=build.rs");
    let value = |name: &str| std::env::var(name).unwrap_or_default();
    if value("CARGO_CFG_TARGET_OS") != "linux" || std::env::var_os("CARGO_FEATURE_RUN").is_none() {
        return;
    }
    let out = PathBuf::from(value("OUT_DIR")).join("riad-inside");
    let mut compiler = Command::new(value("RUSTC"));
    compiler.args(["inside/main.rs", "--crate-name", "riad_inside", "--crate-type", "bin", "--edition", "2024"]);
    compiler.args([
        "-O",
        "-Cpanic=abort",
        "-Cstrip=symbols",
        "-Ctarget-feature=+crt-static",
        "-Crelocation-model=static",
    ]);
    compiler.args(["--target", &value("TARGET"), "-o"]).arg(&out);
    let linker = value("RUSTC_LINKER");
    if !linker.is_empty() {
        compiler.arg(format!("-Clinker={linker}"));
    }
    let status = compiler.status().expect("cargo names the compiler in RUSTC");
    assert!(
        status.success(),
        "the helper that runs inside the sandbox did not compile; is a static C library there (libc6-dev)?"
    );
}
