#!/bin/sh
# Puts the screenshots of the stories into the pictures of docs/recording.md.
# usage: recording.sh FOLDER-OF-SCREENSHOTS FOLDER-OF-PICTURES
set -eu
pages=$1
pictures=$2
sheet() { # name columns width[ -end] screenshot...
	name=$1 columns=$2 width=$3
	shift 3
	for page; do
		set -- "$@" "$pages/$page.png"
		shift
	done
	go run ./internal/contactsheet -columns "$columns" -width $width -out "$pictures/$name.jpg" "$@"
}
sheet recording-keyboard 2 560 keyboard-1 keyboard-2 keyboard-3 keyboard-4 keyboard-5 keyboard-6 keyboard-7 keyboard-8 keyboard-9 keyboard-10
sheet recording-search 2 560 search-list search-case
sheet recording-board 2 560 statistics-months-desktop-en-GB-light forecast-changed
sheet recording-expenses 3 420 design-start design-expenses design-expenses-running
sheet recording-loan 3 420 design-loan-unsound design-loan design-loan-running
sheet recording-rehearsal 1 "900 -end" definition-rehearsal
