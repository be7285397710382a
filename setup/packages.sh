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

if ! has apt-get; then
    say "not found, and this is not a Debian system, so nothing is installed:"
elif ! is_root; then
    say "these Debian packages would add environments (an administrator installs them with apt-get install):"
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
    say "could not be installed: $(why_apt_failed). Missing now:"
fi
for package in "${packages[@]}"; do
    say "    $package: ${adds[$package]}"
done
say "goes on without them"
