// Package cputime reads from /proc how much processor time processes have used, for benches on
// Linux.
//
// What may enter: reading /proc. What never happens here: a decision of a program by what it reads.
package cputime

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ticksPerSecond is the unit of /proc, which is the same on every Linux that Go supports.
const ticksPerSecond = 100

// Process returns the time used by the process itself; 0 if there is none.
func Process(pid int) time.Duration { return used(pid, false) }

// Family returns the time used by the process, its living children, and the children it has waited
// for.
func Family(pid int) time.Duration {
	total := used(pid, true)
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		fields := statFields(stat)
		if len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
			total += used(child, false)
		}
	}
	return total
}

// Child finds the child process of this one that has the name; 0 if there is none.
func Child(name string) int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		text, _ := os.ReadFile(stat)
		fields := statFields(stat)
		if len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) &&
			strings.Contains(string(text), "("+name+")") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
			return pid
		}
	}
	return 0
}

// statFields are the fields of /proc/PID/stat after the name: state, parent, …
func statFields(path string) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return fieldsAfterName(string(text))
}

// fieldsAfterName splits a line of stat behind the name, which is in parentheses and may itself
// contain them, and blanks.
func fieldsAfterName(line string) []string {
	return strings.Fields(line[strings.LastIndexByte(line, ')')+1:])
}

func used(pid int, waited bool) time.Duration {
	fields := statFields(fmt.Sprintf("/proc/%d/stat", pid))
	if len(fields) < 16 {
		return 0
	}
	last := 12
	if waited {
		last = 14
	}
	var ticks int64
	for _, field := range fields[11 : last+1] {
		n, _ := strconv.ParseInt(field, 10, 64)
		ticks += n
	}
	return time.Duration(ticks) * time.Second / ticksPerSecond
}
