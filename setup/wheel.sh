#!/usr/bin/env bash
# make wheel: builds the wheel with the agents inside, in dist/ or in the folder that is the first argument. The same
# sources, Rust and hatchling give the same bytes. The agent of this host is built already (rust.sh).
. "$(dirname "$0")/shell.sh"

out=${1:-dist}
limit=$((20 << 20)) # bytes of a wheel

uv=$(command -v uv || echo "$root/.build/uv/bin/uv")
[ -x "$uv" ] || stop "uv is neither on the PATH nor in .build/: call make wheel, which fetches it"

# agent_of PROCESSOR: the Rust target of the agent for Linux on it that is built
agent_of() {
    local library
    for library in musl gnu; do
        [ -x "target/$1-unknown-linux-$library/release/virtometer-agent" ] && echo "$1-unknown-linux-$library" && return
    done
    return 1
}

arch=$(uname -m)
targets=$(agent_of "$arch") || stop "the agent is not built: call make wheel, which builds it"
if [ "$arch" = x86_64 ]; then
    # One that was built before may be of other sources, so only one of now goes in.
    if has rustup && setup/targets.sh i686-unknown-linux-musl; then
        targets+=" $(agent_of i686)"
    else
        say "the wheel gets no agent for guests of 32 bits"
    fi
fi

# hatchling writes its version into the wheel, and its times are SOURCE_DATE_EPOCH or a day of its own.
built=$(mktemp -d "$root/.build/wheel-XXXXXX")
trap 'rm -rf "$built"' EXIT
if [ -s /etc/ssl/certs/ca-certificates.crt ]; then
    export UV_SYSTEM_CERTS=${UV_SYSTEM_CERTS:-true} UV_NATIVE_TLS=${UV_NATIVE_TLS:-true}
fi
if ! VIRTOMETER_WHEEL_TARGETS=$targets UV_PYTHON_DOWNLOADS=never logged wheel \
    "$uv" build --wheel --build-constraints setup/wheel.txt --out-dir "$built" .; then
    tail -n 12 "$logs/wheel.log" >&2
    offline wheel && stop "hatchling could not be fetched: is this machine online? (uv's words are above)"
    stop "the wheel could not be built (uv's words are above)"
fi

wheel=$(basename "$built"/*.whl)
size=$(stat -c %s "$built/$wheel")
[ "$size" -le "$limit" ] || stop "$wheel has $size bytes, and may have $limit"
mkdir -p "$out"
chmod 644 "$built/$wheel"
mv "$built/$wheel" "$out/$wheel"
say "built $out/$wheel: $size bytes, agents for $targets"
say "SHA-256 $(sha256sum "$out/$wheel" | cut -d ' ' -f 1)"
say "install it with uv tool install or pipx install; docs/INSTALL.md has more"
