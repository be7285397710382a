# Installing Debian packages. Sourced after shell.sh.
# shellcheck shell=bash disable=SC2154

apt_updated=

# apt_install PACKAGE...: install these packages; false when that did not work (the log is apt.log)
apt_install() {
    export DEBIAN_FRONTEND=noninteractive
    if [ -z "$apt_updated" ]; then
        say "reads the package lists (apt-get update)"
        logged apt-update apt-get update -q || say "apt-get update had trouble ($logs/apt-update.log); goes on with the lists that are here"
        apt_updated=yes
    fi
    say "installs Debian packages: $*"
    logged apt apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"
}

# why_apt_failed: the reason, for a sentence
why_apt_failed() {
    if offline apt || offline apt-update; then
        echo "the package servers cannot be reached (is this machine online?)"
    else
        grep -m 1 '^E: ' "$logs/apt.log" | sed 's/^E: //' || echo "apt-get failed"
    fi
}
