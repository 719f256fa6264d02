#!/bin/sh
# Proves on a bare Debian 12 what a newcomer does: git clone, make demo, make test; once as root and once as an ordinary
# user with sudo. The machine is made by debootstrap and holds Go, Node and npm besides git, make and sudo.
#
#   scripts/fresh-machine.sh [--only demo|test] [--keep] [root] [user]
#
# It needs root, debootstrap, network and about 4 GB. Everything runs in a mount and a process namespace of its own:
# when the script ends, however it ends, its mounts and processes are gone. Transcripts: .data/fresh-machine/*.log.
set -eu
cd "$(dirname "$0")/.."
checkout=$PWD
suite=bookworm
mirror=${MIRROR:-http://deb.debian.org/debian}

steps="demo test" people="" keep=no
while [ $# -gt 0 ]; do
	case "$1" in
	--only) steps=$2; shift ;;
	--keep) keep=yes ;;
	root | user) people="$people $1" ;;
	*) echo "usage: scripts/fresh-machine.sh [--only demo|test] [--keep] [root] [user]" >&2; exit 64 ;;
	esac
	shift
done
people=${people:-root user}

fail() { echo "fresh-machine: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || fail "it must run as root: sudo make fresh-machine"
for program in debootstrap unshare pivot_root git go node npm; do
	command -v "$program" >/dev/null || fail "$program is missing; on Debian: apt-get install debootstrap util-linux git"
done

room=$(mktemp -d /var/tmp/countersign-fresh.XXXXXX)
logs=$checkout/.data/fresh-machine
mkdir -p "$logs"
clean() { [ "$keep" = yes ] && echo "kept: $room" || rm -rf "$room"; }
trap clean EXIT
trap 'exit 130' INT TERM

# --- the bare machine ------------------------------------------------------------------------------------------------
base=$room/base
echo "== debootstrap $suite"
begin=$(date +%s)
debootstrap --variant=minbase --include=ca-certificates,git,make,sudo "$suite" "$base" "$mirror" >"$logs/debootstrap.log" 2>&1 ||
	fail "debootstrap failed, see $logs/debootstrap.log"
echo "   $(($(date +%s) - begin)) s"
cp /etc/resolv.conf /etc/hosts "$base/etc/"
# A site may reach the network through a certificate of its own.
cp /etc/ssl/certs/ca-certificates.crt "$base/etc/ssl/certs/ca-certificates.crt"
cp -a "$(go env GOROOT)" "$base/usr/local/go"
cp "$(node -p process.execPath)" "$base/usr/local/bin/node"
mkdir -p "$base/usr/local/lib/node_modules"
cp -a "$(npm root -g 2>/dev/null)/npm" "$base/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$base/usr/local/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$base/usr/local/bin/npx"
ln -s ../go/bin/go "$base/usr/local/bin/go"
ln -s ../go/bin/gofmt "$base/usr/local/bin/gofmt"
git -C "$checkout" bundle create --quiet "$base/opt/countersign.bundle" HEAD
chmod 0644 "$base/opt/countersign.bundle"
cp scripts/fresh-machine-inside.sh "$base/opt/inside.sh"

# --- one run for each person -----------------------------------------------------------------------------------------
worst=0
for person in $people; do
	machine=$room/$person
	cp -a "$base" "$machine"
	log=$logs/$person.log
	echo "== as $person, transcript in ${log#"$checkout"/}"
	status=0
	# The inner shell is the first process of its namespace: when it ends the kernel ends all others in it.
	# shellcheck disable=SC2016 # expanded inside
	unshare --mount --propagation private --pid --fork --kill-child sh -euc '
		machine=$1 person=$2 steps=$3
		mount --bind "$machine" "$machine"
		cd "$machine"
		mkdir -p outside
		mount -t proc proc proc
		mount -t sysfs sys sys
		mount --rbind /dev dev
		pivot_root . outside
		exec chroot / sh -euc "cd /; umount -l /outside; exec sh /opt/inside.sh \"\$@\"" sh "$person" "$steps"
	' sh "$machine" "$person" "$steps" </dev/null >"$log" 2>&1 || status=$?
	grep '^##' "$log" | sed 's/^## /   /' || true
	if [ "$status" != 0 ]; then
		worst=1
		echo "   failed with exit code $status; the end of the transcript:"
		tail -n 25 "$log" | sed 's/^/   | /'
	fi
	[ "$keep" = yes ] || rm -rf "$machine"
done
exit "$worst"
