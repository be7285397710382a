#!/usr/bin/env bash
# make targets: builds the agent for every system that it can be put into. Names of Rust targets as arguments: only these.
. "$(dirname "$0")/shell.sh"
. "$(dirname "$0")/apt.sh"

targets=("$@")
[ $# -gt 0 ] || targets=(x86_64-unknown-linux-musl i686-unknown-linux-musl aarch64-unknown-linux-musl
    x86_64-pc-windows-gnu i686-pc-windows-gnu)

has rustup || stop "other targets need their part of Rust's library, which only rustup has: install rustup (https://rustup.rs) and call make targets again"

missing=()
for target in "${targets[@]}"; do
    rustup target list --installed 2>/dev/null | grep -qx "$target" || missing+=("$target")
done
if [ ${#missing[@]} -gt 0 ]; then
    say "installs the Rust targets ${missing[*]}"
    if ! logged rustup rustup target add "${missing[@]}"; then
        offline rustup && stop "the Rust targets could not be fetched: is this machine online? (rustup's words are in $logs/rustup.log)"
        stop "rustup could not install the targets: see $logs/rustup.log"
    fi
fi

# mingw_linker PROCESSOR: print the linker for Windows on this processor, which is fetched where it is missing
mingw_linker() {
    local linker=$1-w64-mingw32-gcc own=$root/.build/mingw/usr/bin/$1-w64-mingw32-gcc-win32 package=gcc-mingw-w64-${1//_/-}
    has "$linker" && echo "$linker" && return
    if ! [ -x "$own" ]; then
        if is_root && has apt-get; then
            apt_install "$package" >&2 && echo "$linker" && return
        else
            apt_unpack .build/mingw "$package-win32" >&2
        fi
    fi
    [ -x "$own" ] && echo "$own"
}

failed=()
for target in "${targets[@]}"; do
    linker=CARGO_TARGET_${target//-/_}_LINKER
    linker=${linker^^}
    case $target in
    "$(uname -m)-unknown-linux-musl") unset "$linker" ;; # as make setup builds it
    *-linux-musl) export "$linker=rust-lld" ;;           # comes with Rust, as does the C library for musl
    *-windows-gnu)
        if ! found=$(mingw_linker "${target%%-*}"); then
            say "no linker for $target: $(why_apt_failed .build/mingw); have the package gcc-mingw-w64 installed and call make targets again"
            failed+=("$target")
            continue
        fi
        # Its own part of the C compiler is inside the program: nothing but what every Windows has is asked for.
        export "$linker=$found" "${linker%_LINKER}_RUSTFLAGS=-C target-feature=+crt-static"
        ;;
    esac
    say "builds the agent for $target"
    if ! logged "cargo-$target" cargo build --release --locked --package virtometer-agent --target "$target"; then
        tail -n 12 "$logs/cargo-$target.log" >&2
        failed+=("$target")
    fi
done
[ ${#failed[@]} = 0 ] || stop "no agent for ${failed[*]} (the reasons are above)"
say "built; virtometer agent path TARGET says where each is"
