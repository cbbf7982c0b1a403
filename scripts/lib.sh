# Pieces that scripts/up and scripts/test share. Sourced from the root of the checkout, never run.
# shellcheck shell=bash

readonly CACHE="${RIAD_CACHE:-$HOME/.cache/riad}"

say() { printf '%s\n' "$*"; }
complain() { printf '%s\n' "$*" >&2; }
die() { complain "$*"; exit 1; }
# What goes well is told only where somebody looks for it; faults go to standard error anyway.
quietly() { if [ "${QUIET:-}" = 1 ]; then "$@" >/dev/null; else "$@"; fi; }
have() { command -v "$1" >/dev/null 2>&1; }

# Where things are built. CI works in a clone that is thrown away, so what took long is kept outside it.
place_builds() {
  if [ "${CI:-}" = true ]; then
    export CARGO_TARGET_DIR="$CACHE/target"
    export npm_config_cache="$CACHE/npm"
  fi
  # shellcheck disable=SC2034 # for the scripts that source this
  TARGET="${CARGO_TARGET_DIR:-$PWD/target}"
  # A stray variable of a script is no setting of the server (see docs/limits.md).
  unset RIAD_CACHE
}

is_debian() { have apt-get && [ -e /etc/debian_version ]; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif have sudo; then sudo "$@"; else return 127; fi
}

missing_packages() {
  local package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null)" = 'install ok installed' ] || printf '%s ' "$package"
  done
}

# need_packages NAME...: installs the Debian packages that are missing, saying so first. Elsewhere it names what is
# needed, and goes on: the build says what it could not find. With OFFLINE=1 it only names them.
need_packages() {
  local missing
  if ! is_debian; then
    need_programs
    return 0
  fi
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  if [ "${OFFLINE:-}" = 1 ]; then
    complain "Missing packages (not installed, because of --offline): $missing"
    return 0
  fi
  say "Installing Debian packages: $missing"
  # shellcheck disable=SC2086 # a list of package names
  apt_install $missing || die "Could not install them. As root: apt-get install $missing"
}

apt_install() {
  local get=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
  as_root "${get[@]}" install -y --no-install-recommends "$@" >/dev/null 2>&1 && return 0
  as_root "${get[@]}" update >/dev/null || return 1
  as_root "${get[@]}" install -y --no-install-recommends "$@" >/dev/null
}

# On a system without apt-get: one line for each thing that is missing, with a command that brings it.
need_programs() {
  local brew="brew install" ; have brew || brew="your package manager's install command for"
  have pkg-config || complain "Missing: pkg-config. Try: $brew pkg-config"
  have cc || complain "Missing: a C compiler. Try: $brew gcc"
  pkg-config --exists openssl 2>/dev/null || complain "Missing: OpenSSL's development files. Try: $brew openssl"
  if [ "$(uname -s)" = Linux ]; then
    have bwrap || complain "Missing: bubblewrap, so commands and Python are off. Try: $brew bubblewrap"
  else
    complain "Not Linux: the sandbox has no backend here, so commands are off (docs/limits.md)."
  fi
}

need_cargo() {
  have cargo || die "Missing: cargo. Install rustup (https://rustup.rs); it reads rust-toolchain.toml and brings the right version."
}

# Vite 7 needs Node 20.19 or newer.
need_node() {
  if ! have node || ! have npm; then
    is_debian && need_packages nodejs npm
  fi
  if ! have node || ! have npm; then
    die "Missing: Node.js 20.19 or newer with npm. Install it (https://nodejs.org) and run this again."
  fi
  node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
    die "Node.js $(node --version) is too old for the web build: 20.19 or newer is needed."
}

# The packages of the web client, from its lock file. Does nothing when they are there.
web_packages() {
  local offline=()
  [ "${OFFLINE:-}" = 1 ] && offline=(--offline)
  if [ web/node_modules/.package-lock.json -nt web/package-lock.json ]; then return 0; fi
  say "Fetching the packages of the web client"
  (cd web && quietly npm ci --no-audit --no-fund --loglevel=error "${offline[@]}")
  touch web/node_modules/.package-lock.json
}

# Builds the web client when something it is made of is newer than it.
web_build() {
  local built=web/dist/index.html
  if [ -e "$built" ] && [ -z "$(find web -path web/node_modules -prune -o -path web/dist -prune -o -path web/tests -prune -o -type f -newer "$built" -print -quit)" ]; then
    return 0
  fi
  say "Building the web client"
  (cd web && quietly npm run --silent build)
  # Vite keeps the time of a copied page; the next look compares with now.
  touch "$built"
}
