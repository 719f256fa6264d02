package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"time"

	"countersign/authz"
)

type judge = *authz.Authority

// usage is CPU time spent.
type usage struct{ own, postgres, redis time.Duration }

func (u usage) minus(other usage) usage {
	return usage{u.own - other.own, u.postgres - other.postgres, u.redis - other.redis}
}

func (u usage) total() time.Duration { return u.own + u.postgres + u.redis }

// spent is what documents took.
type spent struct {
	docs int
	took time.Duration
	used usage
}

// measure does them.
func (b *bench) measure(docs int, do func() (time.Duration, error)) (spent, error) {
	before := b.cpu()
	took, err := do()
	return spent{docs, took, b.cpu().minus(before)}, err
}

func (s spent) plus(other spent) spent {
	used := usage{s.used.own + other.used.own, s.used.postgres + other.used.postgres, s.used.redis + other.used.redis}
	return spent{s.docs + other.docs, s.took + other.took, used}
}

// rate is documents a second.
func (s spent) rate() float64 { return float64(s.docs) / s.took.Seconds() }

func (s spent) cpu() string {
	return fmt.Sprintf("%.2f (ours %.2f, Postgres %.2f, Redis %.2f)", ms(s.used.total(), s.docs), ms(s.used.own, s.docs), ms(s.used.postgres, s.docs),
		ms(s.used.redis, s.docs))
}

func ms(d time.Duration, docs int) float64 { return d.Seconds() * 1000 / float64(docs) }

// cpu reads what we and our two servers have used so far.
func (b *bench) cpu() usage {
	var self syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &self)
	own := time.Duration(self.Utime.Nano() + self.Stime.Nano())
	return usage{own, familyTime(childNamed("postgres")), familyTime(childNamed("redis-server"))}
}

// childNamed finds our child process of the name; 0 if there is none.
func childNamed(name string) int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		text, _ := os.ReadFile(stat)
		fields := statFields(stat)
		if len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) && strings.Contains(string(text), "("+name+")") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
			return pid
		}
	}
	return 0
}

// familyTime adds up the CPU time of a process, its living children, and the children it has waited for.
func familyTime(pid int) time.Duration {
	total := procTime(pid, true)
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		fields := statFields(stat)
		if len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
			total += procTime(child, false)
		}
	}
	return total
}

// statFields are the fields of /proc/PID/stat after the name: state, parent, …
func statFields(path string) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	_, after, _ := strings.Cut(string(text), ") ")
	return strings.Fields(after)
}

const ticksPerSecond = 100

func procTime(pid int, waited bool) time.Duration {
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

func startProfile(path string) func() {
	if path == "" {
		return func() {}
	}
	file, err := os.Create(path)
	if err != nil {
		return func() {}
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return func() {}
	}
	return func() {
		pprof.StopCPUProfile()
		_ = file.Close()
	}
}
