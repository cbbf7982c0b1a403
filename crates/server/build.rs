//! Puts the built web files into the program: writes a table of `include_bytes!` over `web/dist`. Without them (no
//! node on this machine) the table is empty and the server shows a plain page instead.
#![allow(clippy::disallowed_methods, reason = "a build script reads files and variables")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?);
    let web = here.join("../../web");
    let dist = web.join("dist");
    let watched = if dist.is_dir() { &dist } else { &web };
    println!("cargo::rerun-if-changed={}", watched.display());
    println!("cargo::rerun-if-changed=build.rs");

    let mut files = Vec::new();
    if dist.join("index.html").is_file() {
        collect(&dist, &mut files)?;
        files.sort();
    }
    let mut table = String::from("&[\n");
    for file in &files {
        let name = file.strip_prefix(&dist).map_err(io::Error::other)?;
        writeln!(table, "    ({:?}, include_bytes!({:?})),", name.to_string_lossy(), file.display().to_string())
            .map_err(io::Error::other)?;
    }
    table.push_str("]\n");
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    fs::write(out.join("assets.rs"), table)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
