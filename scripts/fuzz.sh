#!/bin/sh
# Runs every fuzz target of the tree for a while: scripts/fuzz.sh [30s]. A found input is written to the target's
# testdata and fails every later test run, until the code is right.
set -eu
cd "$(dirname "$0")/.."
length=${1:-30s}
passed=0 failed=0
for package in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		echo "== $package $target for $length"
		if go test -run '^$' -fuzz "^$target\$" -fuzztime "$length" "$package"; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
		fi
	done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
