package bpmn

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// isoPattern is an ISO 8601 duration of parts that always have the same length; years and months have
// not.
var isoPattern = regexp.MustCompile(
	`^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,9}))?S)?)?$`)

// isoDuration writes a duration of Go ("1h30m") as one of ISO 8601 ("PT1H30M").
func isoDuration(text string) string {
	length, err := time.ParseDuration(text)
	if err != nil {
		return text
	}
	var out strings.Builder
	out.WriteString("PT")
	if hours := length / time.Hour; hours > 0 {
		fmt.Fprintf(&out, "%dH", hours)
	}
	if minutes := length % time.Hour / time.Minute; minutes > 0 {
		fmt.Fprintf(&out, "%dM", minutes)
	}
	seconds, rest := length%time.Minute/time.Second, length%time.Second
	switch {
	case rest > 0:
		fmt.Fprintf(&out, "%d.%sS", seconds, strings.TrimRight(fmt.Sprintf("%09d", rest), "0"))
	case seconds > 0 || length == 0:
		fmt.Fprintf(&out, "%dS", seconds)
	}
	return out.String()
}

// parseISO reads a duration of ISO 8601 in weeks, days, hours, minutes and seconds.
func parseISO(text string) (length time.Duration, ok bool) {
	parts := isoPattern.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil || strings.Join(parts[1:], "") == "" {
		return 0, false
	}
	units := []time.Duration{7 * 24 * time.Hour, 24 * time.Hour, time.Hour, time.Minute,
		time.Second}
	for i, unit := range units {
		if parts[i+1] == "" {
			continue
		}
		count, err := strconv.ParseInt(parts[i+1], 10, 32)
		if err != nil || count > int64(10*366*24*time.Hour/unit) {
			return 0, false
		}
		length += time.Duration(count) * unit
	}
	if fraction := parts[6]; fraction != "" {
		count, _ := strconv.ParseInt((fraction + "000000000")[:9], 10, 64)
		length += time.Duration(count)
	}
	return length, true
}
