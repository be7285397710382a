#!/usr/bin/env bash
# Unpacks Rust packages of Debian in .build/rust, with a starter for each program that finds their libraries there.
. "$(dirname "$0")/shell.sh"
. "$(dirname "$0")/apt.sh"

if ! apt_unpack .build/rust/tree "$@"; then
    say "the packages could not be fetched: $(why_apt_failed)"
    exit 1
fi
mkdir -p .build/rust/bin
libraries=$(cd .build/rust/tree/usr/lib && find "$PWD" -maxdepth 1 -type d -name '*-linux-gnu*')
for program in .build/rust/tree/usr/bin/*; do
    name=${program##*/}
    cat >".build/rust/bin/$name" <<EOF
#!/bin/sh
export LD_LIBRARY_PATH="$libraries"
exec "$root/$program" "\$@"
EOF
    chmod +x ".build/rust/bin/$name"
done
