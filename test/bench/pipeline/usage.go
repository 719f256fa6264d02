package main

import (
	"fmt"
	"os"
	"runtime/pprof"
	"syscall"
	"time"

	"countersign/authz"
	"countersign/internal/cputime"
)

type authority = *authz.Authority

// usage is CPU time spent.
type usage struct{ own, postgres, redis time.Duration }

func (u usage) minus(other usage) usage {
	return usage{u.own - other.own, u.postgres - other.postgres, u.redis - other.redis}
}

func (u usage) total() time.Duration { return u.own + u.postgres + u.redis }

// measurement is what documents took.
type measurement struct {
	docs int
	took time.Duration
	used usage
}

// measure does them.
func (b *bench) measure(docs int, do func() (time.Duration, error)) (measurement, error) {
	before := b.cpu()
	took, err := do()
	return measurement{docs, took, b.cpu().minus(before)}, err
}

func (s measurement) plus(other measurement) measurement {
	used := usage{s.used.own + other.used.own, s.used.postgres + other.used.postgres,
		s.used.redis + other.used.redis}
	return measurement{s.docs + other.docs, s.took + other.took, used}
}

// rate is documents a second.
func (s measurement) rate() float64 { return float64(s.docs) / s.took.Seconds() }

func (s measurement) cpu() string {
	return fmt.Sprintf("%.2f (ours %.2f, Postgres %.2f, Redis %.2f)", ms(s.used.total(), s.docs),
		ms(s.used.own, s.docs), ms(s.used.postgres, s.docs),
		ms(s.used.redis, s.docs))
}

func ms(d time.Duration, docs int) float64 { return d.Seconds() * 1000 / float64(docs) }

// cpu reads what we and our two servers have used so far.
func (b *bench) cpu() usage {
	var self syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &self)
	own := time.Duration(self.Utime.Nano() + self.Stime.Nano())
	return usage{own, cputime.Family(cputime.Child("postgres")),
		cputime.Family(cputime.Child("redis-server"))}
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
