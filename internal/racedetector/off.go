//go:build !race

package racedetector

// Enabled is true in programs built with -race.
const Enabled = false

// Slowdown is the factor by which tests multiply a time limit on computing.
const Slowdown = 1
