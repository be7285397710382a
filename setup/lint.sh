#!/usr/bin/env bash
# Formatting, lints and types of both languages; everything is run, then it fails if anything failed.
. "$(dirname "$0")/shell.sh"

if ! cargo clippy --version >/dev/null 2>&1 || ! cargo fmt --version >/dev/null 2>&1; then
    if [ -x .build/rust/bin/rustc ]; then
        setup/debian_rust.sh rust-web-clippy rustfmt-web || stop "clippy and rustfmt could not be fetched"
    elif has rustup; then
        say "installs the Rust components clippy and rustfmt"
        logged rustup rustup component add clippy rustfmt || stop "clippy and rustfmt could not be fetched: see $logs/rustup.log"
    else
        stop "clippy and rustfmt are not installed; install them as cargo was installed"
    fi
fi

failed=()
lint() {
    printf '== %s\n' "$*"
    "$@" || failed+=("$*")
}
lint .venv/bin/ruff check .
lint .venv/bin/ruff format --check .
lint .venv/bin/mypy
lint cargo fmt --all --check
lint cargo clippy --workspace --all-targets --locked -- -D warnings
if [ ${#failed[@]} -gt 0 ]; then
    printf 'lint: FAILED: %s\n' "${failed[@]}"
    exit 1
fi
echo "lint: passed"
