package domain_test

import (
	"testing"
	"time"

	"countersign/domain"
)

func TestDaysFollowTheClockOfTheZone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		zone, day string
		hours     float64
		begins    string // in UTC
	}{
		{"UTC", "2026-03-29", 24, "2026-03-29T00:00:00Z"},
		{"Europe/Berlin", "2026-03-29", 23, "2026-03-28T23:00:00Z"},
		{"Europe/Berlin", "2026-10-25", 25, "2026-10-24T22:00:00Z"},
		{"Asia/Shanghai", "2026-03-29", 24, "2026-03-28T16:00:00Z"},
		// midnight does not exist on this day
		{"America/Sao_Paulo", "2018-11-04", 23, "2018-11-04T03:00:00Z"},
	} {
		days, err := domain.NewDays(c.day, c.day, c.zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := days.To().Sub(days.From()).Hours(); got != c.hours ||
			days.From().Format(time.RFC3339) != c.begins || days.Len() != 1 ||
			days.Name(0) != c.day {
			t.Errorf("%s %s: %v hours from %s", c.zone, c.day, got, days.From())
		}
	}
}

func TestDaysAreBounded(t *testing.T) {
	t.Parallel()
	if days, err := domain.NewDays("2026-01-01", "2027-01-01", "UTC"); err != nil ||
		days.Len() != 366 {
		t.Errorf("366 days: %d, %v", days.Len(), err)
	}
	for _, c := range [][3]string{
		{"2026-01-01", "2027-01-02", "UTC"}, // 367 days
		{"2026-01-02", "2026-01-01", "UTC"},
		{"2026-02-30", "2026-03-01", "UTC"},
		{"2026-01-01", "today", "UTC"},
		{"1000-01-01", "1000-01-02", "UTC"},
		{"2026-01-01", "2026-01-02", ""},
		{"2026-01-01", "2026-01-02", "Local"},
		{"2026-01-01", "2026-01-02", "../../etc/passwd"},
		{"2026-01-01", "2026-01-02", "Europe/Nowhere"},
	} {
		if _, err := domain.NewDays(c[0], c[1], c[2]); !domain.HasCode(err, domain.InvalidInput) {
			t.Errorf("%v: %v", c, err)
		}
	}
}
