#!/bin/bash
# config/dependencies, with a package manager that only pretends, below a copy of /usr/sbin: what it
# installs, says and leaves behind.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
begin dependencies
dependencies=$top/config/dependencies

# The machine's own state first: nothing missing is silent and quick, whoever asks.
output=$("$dependencies" install build lab test 2>&1)
equal "nothing missing is silent" "$?:$output" "0:"
begun=$(date +%s%N)
"$dependencies" install build lab test
took_ms=$((($(date +%s%N) - begun) / 1000000))
check "nothing missing takes no time ($took_ms ms)" test $took_ms -lt 1000
"$dependencies" install nonsense 2> /dev/null
equal "an unknown group is a usage error" $? 2

# Pretended: the packages of the file "installed" are there; apt-get adds to it those that "available" holds.
mkdir "$scratch/fake"
cat > "$scratch/fake/dpkg-query" << 'END'
#!/bin/bash
case $1 in
-L) exit 0 ;;
esac
if [ $# = 3 ]; then sed 's/^/installed /' "$STATE/installed"; exit; fi
shift 3
for name; do grep -qxF "$name" "$STATE/installed" && printf '%s=installed ' "$name"; done
END
cat > "$scratch/fake/apt-get" << 'END'
#!/bin/bash
echo "apt-get $*" >> "$STATE/calls"
cat /usr/sbin/policy-rc.d >> "$STATE/policy" 2>/dev/null
if [ -e "$STATE/hang" ]; then touch "$STATE/hanging"; while [ -e "$STATE/hang" ]; do read -rt 0.05 < <(:); sleep 0.05; done; exit 1; fi
names=()
for word; do case $word in -*|install|update|*=*) ;; *) names+=("$word") ;; esac; done
for name in "${names[@]}"; do grep -qxF "$name" "$STATE/available" || exit 100; done
printf '%s\n' "${names[@]}" >> "$STATE/installed"
END
printf '#!/bin/sh\nshift\nexec "$@"\n' > "$scratch/fake/sudo"
chmod +x "$scratch/fake/"*
chmod 755 "$scratch"
export STATE=$scratch PATH=$scratch/fake:$PATH

# reset MISSING…: all of `build` is there but these; everything is available
reset() {
    rm -f "$STATE"/{calls,policy,hang,hanging}
    "$dependencies" missing build 2> /dev/null | cat > "$STATE/all"
    : > "$STATE/installed"
    "$dependencies" missing build > "$STATE/all"
    cp "$STATE/all" "$STATE/available"
    local name
    cp "$STATE/all" "$STATE/installed"
    for name; do sed -i "/^$name\$/d" "$STATE/installed"; done
}
quiet_install() { "$dependencies" install build > "$scratch/out" 2>&1; }

reset libaio-dev liburing-dev
equal "what is missing is listed" "$("$dependencies" missing build | tr '\n' ' ')" "libaio-dev liburing-dev "
sed -i '/libcurl4-openssl-dev/d' "$STATE/installed"
echo libcurl4-gnutls-dev >> "$STATE/installed"
equal "an alternative will do" "$("$dependencies" missing build | tr '\n' ' ')" "libaio-dev liburing-dev "

if [ "$(id -u)" != 0 ] || ! unshare -m true 2> /dev/null; then
    skip "installing" "takes root and a mount namespace of its own"
    finish
fi

# Everything below runs in a mount namespace whose /usr/sbin and /run are copies.
in_namespace() { # in_namespace FUNCTION
    mkdir -p "$scratch/sbin" "$scratch/run"
    [ -e "$scratch/sbin/copied" ] || { cp -a /usr/sbin/. "$scratch/sbin" && : > "$scratch/sbin/copied"; }
    rm -f "$scratch/sbin/policy-rc.d"
    (
        export -f "$1" quiet_install
        export dependencies scratch STATE
        # shellcheck disable=SC2016
        timeout 60 unshare -m bash -c 'mount --bind "$scratch/sbin" /usr/sbin && mount --bind "$scratch/run" /run && '"$1"
    )
}

reset libaio-dev liburing-dev
in_namespace quiet_install
equal "missing packages are installed" "$?:$("$dependencies" missing build)" "0:"
equal "in one call" "$(grep -c install "$STATE/calls")" 1
check "services may not start meanwhile" grep -qx 'exit 101' "$STATE/policy"
check "the policy is gone afterwards" test ! -e "$scratch/sbin/policy-rc.d"

reset libaio-dev liburing-dev
sed -i '/liburing-dev/d' "$STATE/available"
in_namespace quiet_install
equal "an optional one that cannot be had fails nothing" "$?:$("$dependencies" missing build)" "0:liburing-dev"
check "and is named" grep -q 'liburing-dev, which is optional, could not be installed' "$scratch/out"

reset libaio-dev libblkid-dev
sed -i '/libaio-dev/d' "$STATE/available"
in_namespace quiet_install
equal "a package that cannot be had is an environment error" $? 3
check "the line to type is shown" grep -q 'apt-get install --no-install-recommends libaio-dev libblkid-dev$' "$scratch/out"
check "the policy is gone after a failure" test ! -e "$scratch/sbin/policy-rc.d"

with_own_policy() {
    printf '#!/bin/sh\nexit 0\n' > /usr/sbin/policy-rc.d
    quiet_install
    cmp -s /usr/sbin/policy-rc.d <(printf '#!/bin/sh\nexit 0\n')
}
reset libaio-dev
check "an administrator's policy stays as it is" in_namespace with_own_policy

interrupted() {
    "$dependencies" install build > "$scratch/out" 2>&1 &
    local pid=$!
    until [ -e "$STATE/hanging" ]; do sleep 0.05; done
    kill -TERM $pid
    rm "$STATE/hang"
    wait $pid
}
reset libaio-dev
touch "$STATE/hang"
in_namespace interrupted
equal "an interrupted installation says so" $? 130
check "and takes its policy away" test ! -e "$scratch/sbin/policy-rc.d"

with_stale_policy() {
    printf '#!/bin/sh\n# placed by Strata'"'"'s config/dependencies for the time of an installation\nexit 101\n' > /usr/sbin/policy-rc.d
    quiet_install && [ ! -e /usr/sbin/policy-rc.d ]
}
reset libaio-dev
check "a killed installation's policy is taken away by the next" in_namespace with_stale_policy

# Not root: through sudo where that works without a question, else a clear list.
chmod -R a+rwX "$scratch"
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
cp "$dependencies" "$scratch/dependencies"
reset libaio-dev
mv "$scratch/fake/sudo" "$scratch/fake/nosudo"
printf '#!/bin/sh\nexit 1\n' > "$scratch/fake/sudo"
chmod 755 "$scratch/fake/sudo"
as_nobody "$scratch/dependencies" install build > "$scratch/out" 2>&1
equal "neither root nor sudo is an environment error" $? 3
check "the missing are listed" grep -qx '    libaio-dev' "$scratch/out"
check "with the line to type" grep -qx '    apt-get install --no-install-recommends libaio-dev' "$scratch/out"
equal "and nothing was tried" "$(cat "$STATE/calls" 2> /dev/null)" ""
printf '#!/bin/sh\n[ "$1" = -n ] || exit 1\nshift\necho "$*" >> "$STATE/sudo"\n' > "$scratch/fake/sudo"
: > "$STATE/sudo"
chmod 666 "$STATE/sudo"
as_nobody "$scratch/dependencies" install build
equal "sudo without a question is used" "$(tail -n 1 "$STATE/sudo")" "$scratch/dependencies install build"
finish
