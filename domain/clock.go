package domain

import "time"

// Clock is the source of wall-clock time. Rows use the time of Postgres; a Clock is used for
// everything else (tokens in memory, rate counters, log lines). Tests replace it.
type Clock interface {
	Now() time.Time
}

// SystemClock is the clock of the machine.
type SystemClock struct{}

// Now returns the current time in UTC.
func (SystemClock) Now() time.Time { return time.Now().UTC() }
