#!/usr/bin/env bash
# Builds the agent as a static program, for musl where rustup can provide it, else for the C library of this system.
# Argument `tests`: also build the tests of all crates.
. "$(dirname "$0")/shell.sh"
. "$(dirname "$0")/apt.sh"

minimum=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' agent/agent/Cargo.toml)
arch=$(uname -m)

rust_version() { rustc --version 2>/dev/null | cut -d ' ' -f 2; }
rust_is() { has cargo && has rustc && at_least "$(rust_version)" "$1"; }

# What was once unpacked here may be too old by now.
if [ -x .build/rust/bin/rustc ] && ! rust_is "$minimum"; then
    rm -rf .build/rust
    hash -r
fi

# rustup brings Rust where there is one, unless Debian's was unpacked here because rustup could not fetch any.
from_rustup=
if has rustup && ! [ -x .build/rust/bin/rustc ]; then
    from_rustup=yes
    # rust-toolchain.toml names the toolchain; an old rustup fetches it automatically at the first call
    if ! rustc --version >/dev/null 2>&1; then
        say "installs the Rust toolchain that rust-toolchain.toml names"
        if ! logged rustup rustup toolchain install; then
            say "rustup could not fetch the toolchain (see $logs/rustup.log): Debian's own Rust is tried instead"
            from_rustup=
        fi
    fi
fi
if [ -z "$from_rustup" ] && ! rust_is "$minimum"; then
    if has rustup; then
        found="rustup has no toolchain"
    else
        found=$(has rustc && echo "Rust $(rust_version) is old" || echo "Rust is not installed")
    fi
    say "$found; a Rust of Debian is fetched for this checkout alone"
    # Debian 12 has a current Rust beside its old one, under these names, from its security updates. Unpacked here, it
    # replaces nobody's cargo.
    if setup/debian_rust.sh cargo-web rustc-web; then
        hash -r
    fi
    rust_is "$minimum" ||
        stop "$found, and no newer one could be fetched: install Rust $minimum or later with rustup, or have the Debian packages cargo-web and rustc-web installed, and call make again"
fi
has cc || stop "no C compiler is installed, which Rust needs to link; install gcc and call make again"

# Most of the agent's build keeps one processor busy. setup/test.sh reports errors of the tests.
if [ "${1:-}" = tests ]; then
    logged cargo-test cargo test --no-run --workspace --locked &
fi

target=$arch-unknown-linux-musl
if [ -z "$from_rustup" ]; then
    target=$arch-unknown-linux-gnu
elif ! rustup target list --installed 2>/dev/null | grep -qx "$target"; then
    say "installs the Rust target $target"
    if ! logged rustup rustup target add "$target"; then
        target=$arch-unknown-linux-gnu
        say "the target could not be fetched (see $logs/rustup.log): the agent is built for $target instead, also static"
    fi
fi

agent=target/$target/release/virtometer-agent
[ -x "$agent" ] || say "builds the agent ($target, release)"
flags=${RUSTFLAGS:-}
[ "$target" = "$arch-unknown-linux-musl" ] || flags="$flags -C target-feature=+crt-static"
build=(cargo build --release --locked --package virtometer-agent --target "$target")
[ -z "${flags// /}" ] || export RUSTFLAGS=$flags
if ! logged cargo "${build[@]}"; then
    tail -n 25 "$logs/cargo.log" >&2
    grep -qE 'failed to (download|get|fetch|query)|[Cc]ould not resolve|spurious network' "$logs/cargo.log" &&
        stop "the Rust crates could not be fetched: is this machine online? (cargo's words are above)"
    stop "the agent could not be built (cargo's words are above)"
fi
wait
