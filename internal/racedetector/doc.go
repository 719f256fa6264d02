// Package racedetector reports whether the program was built with the race detector, because it
// makes computing several times slower and reserves far more address space. Tests scale time limits
// by it; the OCR sandbox scales memory limits. Nothing else may enter: a program never takes
// another decision because of it.
package racedetector
