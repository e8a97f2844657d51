#!/bin/sh
# Installs what is missing on a Debian machine that has a Rust toolchain:
#   sh tools/setup.sh         what the build of the program needs: a C compiler for the linker
#   sh tools/setup.sh tests   also what `cargo xtask check` needs: bash, git, python3
#   sh tools/setup.sh work    also the programs that `cargo xtask check --work` runs in the sandbox
# Asks apt only for what is missing, says nothing when nothing is, and may be run any number of
# times.
set -eu

say() { printf 'setup: %s\n' "$*" >&2; }
has() { command -v "$1" >/dev/null 2>&1; }

# Runs a command silently; shows what it said only when it fails.
quietly() {
    if ! said=$("$@" 2>&1); then
        printf '%s\n' "$said" >&2
        return 1
    fi
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

apt() {
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -q -y -o DPkg::Lock::Timeout=120 "$@"
}

tier=${1:-program}
case $tier in
program | tests | work) ;;
*)
    say "usage: sh tools/setup.sh [tests|work]"
    exit 2
    ;;
esac

if ! has cargo; then
    say "there is no cargo; install a Rust toolchain first (rust-version in Cargo.toml)"
    exit 1
fi

# Without these the tier does not work.
needed=
{ has cc && [ -e /usr/include/stdlib.h ]; } || needed="gcc libc6-dev"
if [ "$tier" != program ]; then
    for program in bash git python3; do
        has "$program" || needed="$needed $program"
    done
fi

# Programs that agents use, which must work in the sandbox as they do outside (cases/work). The
# official Python client of MCP is installed into an environment of its own.
wanted=
if [ "$tier" = work ]; then
    for pair in zsh:zsh ps:procps make:make cmake:cmake rg:ripgrep jq:jq sqlite3:sqlite3 vim:vim \
        curl:curl patch:patch zip:zip unzip:unzip xz:xz-utils zstd:zstd rsync:rsync perl:perl \
        ed:ed bc:bc tree:tree file:file less:less openssl:openssl ssh-keygen:openssh-client \
        flock:util-linux pip3:python3-pip pytest-3:python3-pytest node:nodejs npm:npm \
        go:golang-go gdb:gdb strace:strace tmux:tmux; do
        has "${pair%%:*}" || wanted="$wanted ${pair##*:}"
    done
    python3 -c 'import ensurepip' 2>/dev/null || wanted="$wanted python3-venv"
    python3 -c 'import jsonschema' 2>/dev/null || wanted="$wanted python3-jsonschema"
fi

# Can this machine install packages for us? The answer is empty, or the reason why not.
refusal=
if [ -n "$needed$wanted" ]; then
    if ! has apt-get; then
        refusal="there is no apt-get"
    elif [ "$(id -u)" != 0 ] && ! has sudo; then
        refusal="this is not root and there is no sudo"
    elif ! quietly apt update; then
        refusal="apt-get update failed"
    fi
fi

# Installs packages, or says on standard error why not.
install() {
    if [ -n "$refusal" ]; then
        say "$refusal"
        return 1
    fi
    say "installing $*"
    quietly apt install --no-install-recommends "$@"
}

if [ -n "$needed" ] && ! install $needed; then
    say "install by hand what is missing (Debian: ${needed# }), then start again"
    exit 1
fi

# All at once is fast; one after the other finds out which one there is not.
[ -z "$wanted" ] || install $wanted || for package in $wanted; do
    install "$package" || say "without $package the tests that need it are skipped, and say so"
done

# A minimal toolchain comes without these two, and only `cargo xtask check` needs them.
if [ "$tier" != program ]; then
    for component in clippy rustfmt; do
        if ! cargo "${component#rust}" --version >/dev/null 2>&1; then
            say "adding $component to the toolchain"
            { has rustup && quietly rustup component add "$component"; } ||
                say "cannot add $component; install it by hand, cargo xtask check needs it"
        fi
    done
fi

# The client of containers is refused in the sandbox, which a test shows. No daemon is installed for
# that: the client alone is taken out of its package, docker-cli where there is one of that name.
client() {
    has apt-get && has dpkg-deb || return 1
    place=$(mktemp -d) || return 1
    (
        cd "$place"
        quietly apt-get -q download docker-cli || quietly apt-get -q download docker.io ||
            { quietly apt update && quietly apt-get -q download docker.io; }
        dpkg-deb --fsys-tarfile ./docker*.deb | tar -x ./usr/bin/docker
    ) >/dev/null 2>&1 && mkdir -p "$1" && mv "$place/usr/bin/docker" "$1/docker"
    code=$?
    rm -rf "$place"
    return $code
}
if [ "$tier" = work ] && ! has docker; then
    tools=${CARGO_TARGET_DIR:-$(dirname "$0")/../target}/tools
    if [ ! -x "$tools/docker" ]; then
        say "unpacking the client of docker"
        client "$tools" ||
            say "without the client of docker the test that needs it is skipped, and says so"
    fi
fi
