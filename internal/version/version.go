// Package version is the version of the programs: one for all of them, the same for every build of
// the same source.
//
// What may enter: the number and how it is printed. What never happens here: a commit, a date or a
// path of the machine that built the program, because two builds of one source must be the same
// file.
package version

import "runtime"

// Number is the version by semver.org. CHANGELOG.md has a section for each; a test holds the two
// together.
const Number = "0.1.0"

// Line is what `countersign version` prints of a program: its name, its version, the Go release
// that built it, the platform.
func Line(program string) string {
	return program + " " + Number + " (" + runtime.Version() + ", " + runtime.GOOS + "/" +
		runtime.GOARCH + ")"
}
