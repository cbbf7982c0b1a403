//! What cargo says about packages, cut down to what the checks need.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

/// One package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// As its manifest writes it, an SPDX expression as a rule.
    pub(crate) licence: Option<String>,
    /// Path of the manifest from the root; foreign packages have an absolute one.
    pub(crate) manifest: String,
    pub(crate) dependencies: Vec<Dependency>,
}

/// One line of a package's dependency tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// Only for tests, examples and benches.
    pub(crate) only_dev: bool,
    /// A package of this workspace.
    pub(crate) internal: bool,
}

/// The packages of the workspace, without asking for anything outside it.
pub(crate) fn workspace_packages(root: &Path) -> Result<Vec<Package>> {
    Ok(packages(root, &cargo_metadata(root, &["--no-deps", "--offline"])?))
}

/// The packages that end up in what is linked for this platform, the workers' included.
pub(crate) fn linked_packages(root: &Path) -> Result<Vec<Package>> {
    let host = host_triple()?;
    let metadata = cargo_metadata(root, &["--locked", "--filter-platform", &host])?;
    let linked = linked_ids(&metadata);
    let wanted = array(&metadata, "packages").iter().filter(|package| linked.contains(&text(package, "id")));
    Ok(wanted.map(|package| read_package(root, package)).collect())
}

/// The names in a lock file, each with the names that it depends on.
pub(crate) fn locked(lock: &str) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for block in lock.split("[[package]]").skip(1) {
        let Some(name) = block.lines().find_map(|line| line.strip_prefix("name = ")) else { continue };
        let inner = block
            .split_once("dependencies = [")
            .and_then(|(_, rest)| rest.split_once(']'))
            .map_or("", |(list, _)| list);
        let names = inner.lines().filter_map(|line| line.trim().trim_matches(['"', ',']).split(' ').next());
        let names = names.filter(|name| !name.is_empty()).map(str::to_owned);
        found.entry(name.trim_matches('"').to_owned()).or_default().extend(names);
    }
    found
}

fn cargo_metadata(root: &Path, arguments: &[&str]) -> Result<Value> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output =
        Command::new(cargo).args(["metadata", "--format-version", "1"]).args(arguments).current_dir(root).output();
    let output = output.context("cannot start cargo")?;
    ensure!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn host_triple() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("cannot start rustc")?;
    let said = String::from_utf8(output.stdout)?;
    Ok(said.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?.to_owned())
}

fn packages(root: &Path, metadata: &Value) -> Vec<Package> {
    array(metadata, "packages").iter().map(|package| read_package(root, package)).collect()
}

fn read_package(root: &Path, package: &Value) -> Package {
    let manifest = text(package, "manifest_path");
    let within = Path::new(&manifest).strip_prefix(root).map(|path| path.to_string_lossy().into_owned());
    Package {
        name: text(package, "name"),
        version: text(package, "version"),
        licence: package.get("license").and_then(Value::as_str).map(str::to_owned),
        manifest: within.unwrap_or(manifest),
        dependencies: array(package, "dependencies").iter().map(read_dependency).collect(),
    }
}

fn read_dependency(dependency: &Value) -> Dependency {
    Dependency {
        name: text(dependency, "name"),
        only_dev: dependency.get("kind").and_then(Value::as_str) == Some("dev"),
        internal: dependency.get("path").is_some_and(|path| !path.is_null()),
    }
}

/// Follows normal edges from the members; what only builds or tests is not linked.
fn linked_ids(metadata: &Value) -> Vec<String> {
    let nodes = metadata.get("resolve").map_or(&[][..], |resolve| array(resolve, "nodes"));
    let mut found: Vec<String> =
        array(metadata, "workspace_members").iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let mut next = 0;
    while next < found.len() {
        let here = nodes.iter().find(|node| text(node, "id") == found[next]);
        next += 1;
        for edge in here.map_or(&[][..], |node| array(node, "deps")) {
            let normal = array(edge, "dep_kinds").iter().any(|kind| kind.get("kind").is_none_or(Value::is_null));
            let id = text(edge, "pkg");
            if normal && !found.contains(&id) {
                found.push(id);
            }
        }
    }
    found
}

fn array<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
