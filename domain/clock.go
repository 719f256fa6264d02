package domain

import "time"

// Clock is the one source of wall-clock time. Rows take their times from Postgres; a Clock serves the rest
// (tokens in memory, rate counters, log lines), and tests replace it.
type Clock interface {
	Now() time.Time
}

// SystemClock reads the machine's clock in UTC.
type SystemClock struct{}

// Now returns the present time in UTC.
func (SystemClock) Now() time.Time { return time.Now().UTC() }
