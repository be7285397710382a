#!/usr/bin/env bash
# Makes .venv as uv.lock says, with uv from the PATH or one of our own under .build/. Argument: `all` (the default),
# `tests` for the same, or `product` for what virtometer itself needs, without the packages of tests and lints; more than
# that is left alone.
. "$(dirname "$0")/shell.sh"
. "$(dirname "$0")/apt.sh"

# The place is part of the stamp: an environment that was copied along with its folder still points to the old one.
want=$({ cat pyproject.toml uv.lock && echo "$root"; } | sha256sum)
extent=${1:-all}
[ "$extent" != tests ] || extent=all
have=$(cat "$stamps/python" 2>/dev/null || true)
if [ -x .venv/bin/virtometer ] && .venv/bin/python -c '' 2>/dev/null; then
    # nobody loses the packages of tests because of a demo
    case $have in *" all") extent=all ;; esac
    [ "$have" != "$want $extent" ] || exit 0
fi

has python3 || stop "python3 is not installed; install Python 3.11 or later and call make again"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    stop "$(python3 --version) is too old; install Python 3.11 or later and call make again"

uv=$(command -v uv || true)
if [ -z "$uv" ]; then
    uv=$root/.build/uv/bin/uv
    if ! [ -x "$uv" ]; then
        say "installs uv in .build/uv (only for this checkout)"
        rm -rf .build/uv
        if python3 -c 'import ensurepip, venv' 2>/dev/null; then
            logged uv python3 -m venv .build/uv || stop "a virtual environment could not be made: see $logs/uv.log"
            pip=(.build/uv/bin/python -m pip install)
        else
            # Debian keeps pip in packages that are not always there; one of them holds it as a wheel, which runs as it is.
            apt_unpack .build/pip python3-pip-whl ||
                stop "python3 has no venv module and no pip, and pip could not be fetched: $(why_apt_failed); have the package python3-venv installed, or put uv on your PATH, and call make again"
            wheels=(.build/pip/usr/share/python-wheels/pip-*.whl)
            pip=(env "PYTHONPATH=${wheels[0]}" python3 -m pip install --target .build/uv)
        fi
        if ! logged uv "${pip[@]}" --disable-pip-version-check 'uv>=0.8,<1'; then
            offline uv && stop "uv could not be fetched: is this machine online? (pip's words are in $logs/uv.log)"
            stop "pip could not install uv: see $logs/uv.log"
        fi
    fi
fi

say "installs the Python packages of uv.lock in .venv"
export UV_PYTHON_DOWNLOADS=never UV_PROJECT_ENVIRONMENT=$root/.venv
# Behind a company's proxy only the system's own certificates know the proxy's; newer and older uv name this differently.
if [ -s /etc/ssl/certs/ca-certificates.crt ]; then
    export UV_SYSTEM_CERTS=${UV_SYSTEM_CERTS:-true} UV_NATIVE_TLS=${UV_NATIVE_TLS:-true}
fi
groups=()
[ "$extent" = all ] || groups=(--no-dev)
if ! logged python "$uv" sync --frozen --no-progress --compile-bytecode "${groups[@]}"; then
    tail -n 12 "$logs/python.log" >&2
    offline python && stop "the Python packages could not be fetched: is this machine online? (uv's words are above)"
    stop "uv could not make .venv (its words are above)"
fi
echo "$want $extent" >"$stamps/python"
