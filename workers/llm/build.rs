//! Compiles the C++ shim against the llama.cpp sources that `llama-cpp-sys-2` was built from. Nothing else is built here.

#![expect(clippy::disallowed_methods, reason = "a build script reads what the build of the engine left")]

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=shim/template.cpp");
    println!("cargo:rerun-if-changed=shim/template.h");
    let engine = engine_source();
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .file("shim/template.cpp")
        .include(engine.join("common"))
        .include(engine.join("include"))
        .include(engine.join("ggml/include"))
        .warnings(false)
        .compile("riad_template_shim");
    // The shim calls into this archive, so the linker must see it after the shim.
    println!("cargo:rustc-link-lib=static=llama-common");
}

/// The binding tells where it installed ggml's CMake files; the build beside it remembers where its sources are.
fn engine_source() -> PathBuf {
    let installed = env::var("DEP_LLAMA_GGML_CMAKE_DIR").expect("llama-cpp-sys-2 tells where it installed ggml");
    let out = Path::new(&installed).ancestors().nth(2).expect("it is OUT_DIR/lib/cmake").to_path_buf();
    let cache = fs::read_to_string(out.join("build/CMakeCache.txt")).expect("the engine was built by CMake");
    let home = cache.lines().find_map(|line| line.strip_prefix("CMAKE_HOME_DIRECTORY:INTERNAL="));
    PathBuf::from(home.expect("CMake writes its home into its cache"))
}
