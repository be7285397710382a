#!/usr/bin/env bash
# Installs the Debian packages of a table whose programs or files are missing, or says what they would add.
# Arguments: the table (default packages.txt), and what its packages add.
. "$(dirname "$0")/shell.sh"
. "$(dirname "$0")/apt.sh"

table=${1:-setup/packages.txt}
kind=${2:-environments and workloads}

# here NAME: whether there is such a program, or a file that matches such a pattern
here() {
    case $1 in
        */*) compgen -G "$1" >/dev/null ;;
        *) has "$1" ;;
    esac
}

packages=()
declare -A adds=()
while read -r package program what; do
    case $package in "" | \#*) continue ;; esac
    here "$program" && continue
    packages+=("$package")
    adds[$package]=$what
done <"$table"
[ ${#packages[@]} -gt 0 ] || exit 0

words() {
    local package line=
    for package in "${packages[@]}"; do
        line+="${line:+, }$package (${adds[$package]})"
    done
    echo "$line"
}

if ! has apt-get; then
    say "not found, and not installed because this is no Debian system: $(words)"
elif ! is_root; then
    say "these Debian packages would add $kind, if an administrator installed them: $(words)"
else
    apt_install "${packages[@]}" && exit 0
    if ! offline apt; then
        # One package that this release lacks must not keep the others away.
        failed=()
        for package in "${packages[@]}"; do
            apt_install "$package" || failed+=("$package")
        done
        [ ${#failed[@]} -gt 0 ] || exit 0
        packages=("${failed[@]}")
    fi
    say "$(why_apt_failed); goes on without: $(words)"
fi
