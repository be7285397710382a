#!/usr/bin/env bash
# Installs the Debian packages of packages.txt whose programs are missing, or says what they would add.
. "$(dirname "$0")/shell.sh"
. "$(dirname "$0")/apt.sh"

packages=()
declare -A adds=()
while read -r package program what; do
    case $package in "" | \#*) continue ;; esac
    has "$program" && continue
    packages+=("$package")
    adds[$package]=$what
done <setup/packages.txt
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
    say "these Debian packages would add environments, if an administrator installed them: $(words)"
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
