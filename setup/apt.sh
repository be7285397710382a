# Debian packages: installed for everyone (as root), or unpacked for this checkout alone. Sourced after shell.sh.
# shellcheck shell=bash disable=SC2154

apt_updated=
apt_log=apt

# Packages of which programs are needed, and never the services that they start.
without_service="tgt docker.io"
policy=${POLICY_RC_D:-/usr/sbin/policy-rc.d} # what invoke-rc.d(8) and deb-systemd-invoke(1p) ask before they start one

# services_of PACKAGE: what it would start. A containerd that is here already is somebody's.
services_of() {
    case $1 in
        docker.io) echo "docker docker.socket$(has containerd || echo " containerd")" ;;
        *) echo "$1" ;;
    esac
}

# apt_install PACKAGE...: install these packages; false when that did not work
apt_install() {
    local package idle=
    for package in $without_service; do
        case " $* " in *" $package "*) idle+=" $(services_of "$package")" ;; esac
    done
    apt_update
    apt_get_install "$@" || return 1
    for package in $idle; do # nor at the next boot
        case $package in
            *.socket) ! has systemctl || logged "service-$package" systemctl disable "$package" || true ;;
            *) ! has update-rc.d || logged "service-$package" update-rc.d "$package" disable || true ;;
        esac
    done
}

# apt_get_install PACKAGE...: as apt_install. The services in $idle do not start; a policy of the host's own stays.
apt_get_install() (
    export DEBIAN_FRONTEND=noninteractive
    if [ -n "$idle" ] && [ ! -e "$policy" ]; then
        trap 'rm -f "$policy"' EXIT
        trap 'exit 130' INT TERM HUP
        # shellcheck disable=SC2016 # of the script that is written
        printf '#!/bin/sh\ncase "%s " in *" ${1%%.service} "*) exit 101 ;; esac\n' "$idle" >"$policy"
        chmod 755 "$policy"
    fi
    say "installs Debian packages: $*"
    logged apt apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"
)

# apt_update: read the package lists, once
apt_update() {
    if [ -z "$apt_updated" ]; then
        say "reads the package lists (apt-get update)"
        logged apt-update apt-get update -q || say "apt-get update had trouble ($logs/apt-update.log); goes on with the lists that are here"
        apt_updated=yes
    fi
}

# apt_unpack FOLDER PACKAGE...: unpack these packages, and what they need that is not installed, in FOLDER.
# Needs no root, changes nothing on the system, and keeps its own package lists, because those of a system may be missing
# or old. False when that did not work, or where there is no apt.
apt_unpack() {
    local folder=$1 own=$root/$1.apt package list
    shift
    apt_log=apt-${folder##*/} # others may unpack at the same time
    has apt-get && has dpkg-deb || return 1
    mkdir -p "$own/lists/partial" "$own/cache/archives/partial" "$own/download" "$folder"
    local apt=(apt-get -q -o Dir::State::Lists="$own/lists" -o Dir::Cache="$own/cache" -o Debug::NoLocking=1
        -o APT::Sandbox::User=root -o Acquire::Languages=none)
    say "fetches Debian packages for this checkout alone: $*"
    logged "$apt_log-update" "${apt[@]}" update || return 1
    logged "$apt_log" "${apt[@]}" install --simulate --no-install-recommends "$@" || return 1
    list=$(awk '$1 == "Inst" { print $2 }' "$logs/$apt_log.log")
    # shellcheck disable=SC2086 # a list of package names
    (cd "$own/download" && logged "$apt_log" "${apt[@]}" download $list) || return 1
    for package in "$own/download"/*.deb; do
        dpkg-deb -x "$package" "$folder"
    done
    rm -r "$own"
}

# why_apt_failed [FOLDER]: the reason, for a sentence; FOLDER as of apt_unpack, where that ran in a subshell
why_apt_failed() {
    [ -z "${1:-}" ] || apt_log=apt-${1##*/}
    if ! has apt-get; then
        echo "this is not a Debian system"
    elif offline "$apt_log-update" || offline "$apt_log"; then
        echo "the package servers cannot be reached (is this machine online?)"
    else
        grep -h -m 1 '^E: ' "$logs/$apt_log.log" "$logs/$apt_log-update.log" | head -n 1 | sed 's/^E: //' || echo "apt-get failed"
    fi
}
