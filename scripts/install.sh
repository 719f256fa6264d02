#!/bin/sh
# Installs what a machine lacks, and nothing it has: system packages by apt or Homebrew, npm packages by the lock file.
# It asks for root only when something is missing. Go, Node and npm are the one thing it expects to find.
#
#   scripts/install.sh            what make demo needs
#   scripts/install.sh --tests    and what make test needs besides: a C compiler, the system's own Postgres, headless Chromium,
#                                 Firefox
#
# The engine PP-OCR is installed into .data/ocrengine, or the folder that COUNTERSIGN_OCR_MODELS names, where that works:
# without it documents are read by tesseract.
set -eu
cd "$(dirname "$0")/.."

tests=no
case "${1:-}" in
"") ;;
--tests) tests=yes ;;
*) echo "usage: scripts/install.sh [--tests]" >&2; exit 64 ;;
esac

fail() { echo "install: $*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# --- Go, Node, npm ---------------------------------------------------------------------------------------------------
have go || fail "Go 1.26 or newer is needed: https://go.dev/dl"
have node && have npm || fail "Node 20 or newer with npm is needed: https://nodejs.org"
go_minor=$(go env GOVERSION | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
[ "${go_minor:-0}" -ge 26 ] || fail "Go 1.26 or newer is needed, this is $(go env GOVERSION): https://go.dev/dl"
node_major=$(node -p 'process.versions.node.split(".")[0]')
[ "$node_major" -ge 20 ] || fail "Node 20 or newer is needed, this is $(node -v): https://nodejs.org"

# --- room ------------------------------------------------------------------------------------------------------------
# A full disk makes npm, apt and Go fail with words that name another cause. npm's packages take 450 MB and Go's modules
# 270 MB; the rest is for what is built and for the demo's data.
room_mb=2048
[ -f frontend/node_modules/.installed ] && room_mb=256
free_kb=$(df -Pk . 2>/dev/null | awk 'NR == 2 { for (i = 2; i <= NF; i++) if ($i ~ /^[0-9]+%$/) { print $(i - 1); exit } }') || true
case "$free_kb" in
"" | *[!0-9]*) ;; # this system does not say
*) [ "$free_kb" -ge $((room_mb * 1024)) ] ||
	fail "the disk that holds $(pwd) has $((free_kb / 1024)) MB free, and $room_mb MB are needed. Free some room there and start again." ;;
esac

# --- system packages -------------------------------------------------------------------------------------------------
# need PROGRAM APT-PACKAGE BREW-PACKAGE adds the packages when the program is missing.
apt_missing="" brew_missing="" cheaper_browser=no
need() {
	have "$1" && return
	apt_missing="$apt_missing $2"
	brew_missing="$brew_missing $3"
}
has_language() { tesseract --list-langs 2>/dev/null | grep -qx "$1"; }

need redis-server redis-server redis
need pdftoppm poppler-utils poppler
need tesseract tesseract-ocr tesseract
for language in eng deu fra chi_sim; do
	has_language "$language" && continue
	apt_missing="$apt_missing tesseract-ocr-$(echo "$language" | tr _ -)"
	brew_missing="$brew_missing tesseract-lang"
done
[ "$(uname -s)" = Linux ] && need bwrap bubblewrap ""
if [ "$tests" = yes ]; then
	need qpdf qpdf qpdf
	have firefox || need firefox-esr firefox-esr firefox
	have cc || have gcc || need gcc "gcc libc6-dev" ""
	if ! have chromium-headless-shell; then
		if have chromium || have chromium-browser || have google-chrome; then
			cheaper_browser=yes # the stories run in what is here, for three times the CPU of each window
		else
			need chromium-headless-shell chromium-headless-shell ""
		fi
	fi
	if [ "$(uname -s)" = Linux ]; then
		ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || apt_missing="$apt_missing postgresql"
	else
		ls /opt/homebrew/opt/postgresql@*/bin/postgres /usr/local/opt/postgresql@*/bin/postgres >/dev/null 2>&1 ||
			brew_missing="$brew_missing postgresql@17"
	fi
fi

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif ! have sudo; then
		fail "these packages are missing and there is no sudo to install them:$apt_missing. Run as root: apt-get install$apt_missing"
	elif [ -t 0 ] || sudo -n true 2>/dev/null; then
		sudo "$@"
	else
		fail "sudo asks for a password and there is no terminal to type it in. Run first: sudo apt-get install$apt_missing"
	fi
}

has_package() { [ -n "$(apt-cache --quiet=0 policy "$1" 2>/dev/null | sed -n 's/^  Candidate: [^(]/&/p')" ]; }

if [ "$(uname -s)" = Darwin ]; then
	brew_missing=$(echo "$brew_missing" | tr ' ' '\n' | sort -u | tr '\n' ' ' | sed 's/^ *//; s/ *$//')
	if [ -n "$brew_missing" ]; then
		have brew || fail "Homebrew is needed to install $brew_missing: https://brew.sh"
		echo "install: brew install $brew_missing"
		# shellcheck disable=SC2086 # a list of words
		brew install $brew_missing
	fi
elif [ -n "$apt_missing" ]; then
	have apt-get || fail "these programs are missing and this system has no apt-get or Homebrew to install them:$apt_missing (the names are Debian's)."
	echo "install: apt-get install$apt_missing"
	as_root true || exit 1 # says what is wrong, if root cannot be had
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update </dev/null ||
		fail "the package lists could not be fetched; is there a network? (apt-get update)"
	# Where apt does not know the headless shell, the whole browser does.
	has_package chromium-headless-shell ||
		apt_missing=$(echo "$apt_missing" | sed 's/chromium-headless-shell/chromium/')
	# shellcheck disable=SC2086 # a list of words
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install $apt_missing </dev/null >/dev/null ||
		fail "these packages could not be installed:$apt_missing"
fi

# A machine with another browser gets the headless shell too, where that needs no password; a failure changes nothing.
if [ "$cheaper_browser" = yes ] && have apt-get && has_package chromium-headless-shell &&
	{ [ "$(id -u)" = 0 ] || { have sudo && sudo -n true 2>/dev/null; }; }; then
	echo "install: apt-get install chromium-headless-shell"
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install chromium-headless-shell \
		</dev/null >/dev/null 2>&1 || true
fi

# --- npm packages ----------------------------------------------------------------------------------------------------
# The Postgres binaries come this way too. Scripts of packages are not run: the library links that one of them would
# make are remade when the server starts.
lock=$(cksum <frontend/package-lock.json)
stamp=frontend/node_modules/.installed
if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$lock" ]; then
	echo "install: npm ci"
	(cd frontend && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error </dev/null) ||
		fail "npm ci failed; is there a network, and is frontend/ yours to write?"
	mkdir -p frontend/node_modules
	echo "$lock" >"$stamp"
fi

# --- the engine PP-OCR -----------------------------------------------------------------------------------------------
models=${COUNTERSIGN_OCR_MODELS:-.data/ocrengine}
case "$models" in
/*) ;;
*) models=$(pwd)/$models ;;
esac
if ! scripts/ocrengine/install.sh "$models"; then
	[ "$tests" = no ] || [ "$(uname -s)" != Linux ] || fail "the tests of the engine PP-OCR need it"
fi
