package domain_test

import (
	"testing"
	"time"

	"countersign/domain"
)

// E-mails wait for working time. A digest is sent at the first working time of another day.
func TestMailAt(t *testing.T) {
	t.Parallel()
	var hours [7][]domain.TimeRange
	for day := time.Monday; day <= time.Friday; day++ {
		hours[day] = []domain.TimeRange{{From: 9 * 60, To: 17 * 60}}
	}
	office, err := domain.NewCalendar("office", "Europe/Berlin", hours, []string{"2026-11-30"})
	if err != nil {
		t.Fatal(err)
	}
	parse := func(text string) time.Time {
		at, err := time.Parse("Mon 2006-01-02 15:04", text)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for _, tc := range []struct {
		choice   domain.NoticeMail
		calendar *domain.Calendar
		at, want string // UTC
	}{
		{domain.MailImmediately, nil, "Fri 2026-11-27 22:00", "Fri 2026-11-27 22:00"},
		{domain.MailImmediately, office, "Fri 2026-11-27 10:00", "Fri 2026-11-27 10:00"},
		{domain.MailImmediately, office, "Fri 2026-11-27 05:00", "Fri 2026-11-27 08:00"},
		{domain.MailImmediately, office, "Fri 2026-11-27 22:00", "Tue 2026-12-01 08:00"},
		{domain.MailDigest, nil, "Fri 2026-11-27 06:59", "Fri 2026-11-27 07:00"},
		{domain.MailDigest, nil, "Fri 2026-11-27 07:00", "Sat 2026-11-28 07:00"},
		{domain.MailDigest, office, "Thu 2026-11-26 10:00", "Fri 2026-11-27 08:00"},
		{domain.MailDigest, office, "Fri 2026-11-27 10:00", "Tue 2026-12-01 08:00"},
	} {
		if got := domain.MailAt(tc.choice, tc.calendar, parse(tc.at)); !got.Equal(parse(tc.want)) {
			t.Errorf("%s at %s: %s, want %s", tc.choice, tc.at, got.UTC(), tc.want)
		}
	}
	if got := domain.MailAt(domain.MailOff, office, time.Now()); !got.IsZero() {
		t.Errorf("an e-mail that is off is due at %s", got)
	}
}
