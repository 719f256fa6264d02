#!/bin/sh
# Fails if a Go file is not formatted, and names it.
set -eu
cd "$(dirname "$0")/.."
wrong=$(find . \( -name node_modules -o -name .git -o -name .data -o -name testdata \) -prune -o -name '*.go' -print | xargs gofmt -l)
[ -z "$wrong" ] && exit 0
echo "not formatted (gofmt -w):" >&2
echo "$wrong" >&2
exit 1
