package domain_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

// A cause is for the log; code, message and remedy are those of the outermost Error, however often
// it was wrapped.
func TestErrorsKeepTheirCodeWhenWrapped(t *testing.T) {
	t.Parallel()
	cause := errors.New("connection refused")
	inner := domain.Errorf(domain.Unavailable, "The database is away.").WithCause(cause).
		WithRemedy("Try again in %d s.", 5)
	outer := domain.Errorf(domain.StateMismatch, "The case has ended.").WithCause(inner)
	for name, tc := range map[string]struct {
		err    error
		code   domain.Code
		remedy string
	}{
		"none":        {nil, "", ""},
		"plain":       {cause, domain.Internal, ""},
		"known":       {inner, domain.Unavailable, "Try again in 5 s."},
		"wrapped":     {fmt.Errorf("read: %w", inner), domain.Unavailable, "Try again in 5 s."},
		"joined":      {errors.Join(cause, inner), domain.Unavailable, "Try again in 5 s."},
		"the outer":   {outer, domain.StateMismatch, ""},
		"empty known": {&domain.Error{}, "", ""},
	} {
		if domain.CodeOf(tc.err) != tc.code || domain.RemedyOf(tc.err) != tc.remedy {
			t.Errorf("%s: %q, %q", name, domain.CodeOf(tc.err), domain.RemedyOf(tc.err))
		}
		if tc.err != nil && !domain.HasCode(tc.err, tc.code) ||
			domain.HasCode(nil, tc.code) {
			t.Errorf("%s: HasCode", name)
		}
	}
	if !errors.Is(fmt.Errorf("x: %w", outer), cause) ||
		!errors.Is(outer, &domain.Error{Code: domain.Unavailable}) ||
		errors.Is(outer, &domain.Error{Code: domain.NotFound}) {
		t.Error("a cause is not found by errors.Is")
	}
	inner.Op = "read case"
	if got := inner.Error(); got != "read case: The database is away.: connection refused" {
		t.Errorf("for the log: %q", got)
	}
	if got := (&domain.Error{Code: domain.Busy}).Error(); got != "Busy" {
		t.Errorf("without a message: %q", got)
	}
}

// A client waits for the stated time after a temporary error, at least a second, and never retries
// a permanent one.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		wait time.Duration
		want int
	}{{0, 1}, {-time.Hour, 1}, {time.Nanosecond, 1}, {time.Second, 1}, {time.Second + 1, 2},
		{90 * time.Second, 90}, {24 * time.Hour, 86_400}, {math.MaxInt64, 9_223_372_037}} {
		err := domain.Errorf(domain.RateLimited, "Too many requests.").WithRetryAfter(tc.wait)
		seconds, temporary := domain.RetryAfter(fmt.Errorf("x: %w", err))
		if seconds != tc.want || !temporary {
			t.Errorf("%s: %d s, %t, want %d s", tc.wait, seconds, temporary, tc.want)
		}
	}
	permanent := domain.Errorf(domain.NotPermitted, "No.").WithRetryAfter(time.Minute)
	if seconds, temporary := domain.RetryAfter(permanent); temporary || seconds != 0 {
		t.Errorf("a permanent error: %d s, %t", seconds, temporary)
	}
	for _, stated := range []string{"", "0", "-3", "soon", "99999999999999999999"} {
		err := domain.Errorf(domain.Busy, "Busy.").WithDetail(domain.RetryAfterDetail, stated)
		if seconds, temporary := domain.RetryAfter(err); !temporary || seconds != 2 {
			t.Errorf("%q: %d s", stated, seconds)
		}
	}
	for _, code := range domain.Codes() {
		_, temporary := domain.RetryAfter(domain.Errorf(code, "x"))
		kind := code.Kind()
		if temporary && kind != domain.KindUnavailable && kind != domain.KindUnauthenticated &&
			code != domain.SchemaTooOld {
			t.Errorf("%s is temporary, but its kind is %s", code, kind)
		}
		if kind == domain.KindUnavailable && !temporary {
			t.Errorf("%s is unavailable, but its error has no Retry-After", code)
		}
	}
	if domain.Code("Nonsense").Kind() != domain.KindInternal ||
		!slices.IsSorted(domain.Codes()) {
		t.Error("codes are not a sorted, closed set")
	}
}

// Text that Postgres refuses is refused first, with the field and the reason.
func TestTextThatCannotBeStored(t *testing.T) {
	t.Parallel()
	for text, reason := range map[string]string{"": "", "Kiefer & Söhne 🌲": "", "a\nb\tc": "",
		"\ufffd": "", "a\x00b": "nul", "\x00": "nul", "a\xffb": "encoding",
		"\xed\xa0\x80": "encoding", "\xff\x00": "encoding"} {
		err := domain.CheckText("reason", text)
		var known *domain.Error
		if errors.As(err, &known); known == nil {
			if reason != "" {
				t.Errorf("%q was accepted", text)
			}
			continue
		}
		if known.Code != domain.InvalidInput || known.Field != "reason" || known.Remedy == "" ||
			known.Detail["reason"] != reason || !strings.HasPrefix(known.Message, "reason ") {
			t.Errorf("%q: %+v", text, known)
		}
	}
	if err := domain.CheckText("", "\x00"); !strings.Contains(err.Error(), "The text ") {
		t.Errorf("without a field: %v", err)
	}
}

// Bounds count characters, not bytes, so that they are the same in every script.
func TestLengthsCountCharacters(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		most int
		want bool
	}{{"", 0, false}, {"a", 0, true}, {"äöü", 3, false}, {"äöüx", 3, true}, {"発注書", 3, false},
		{"発注書類", 3, true}, {"🌲🌲", 2, false}, {"\xff\xff", 1, true}} {
		if got := domain.Longer(tc.text, tc.most); got != tc.want {
			t.Errorf("%q is longer than %d: %t", tc.text, tc.most, got)
		}
	}
}

// The key of a call of a saga is equal for every attempt and differs for every other step, so that
// no payment is made twice and none is taken for another.
func TestSagaKeys(t *testing.T) {
	t.Parallel()
	one, two := person(1), person(2)
	seen := map[string]string{}
	for _, id := range []domain.ID{one, two} {
		for _, node := range []string{"pay", "pay_1", "pay_11", "book"} {
			for visit := 1; visit <= 12; visit++ {
				for step := 1; step <= 12; step++ {
					for _, undo := range []bool{false, true} {
						name := fmt.Sprint(id, "/", node, "/", visit, "/", step, "/", undo)
						key := domain.SagaKey(id, node, visit, step, undo)
						if other, twice := seen[key]; twice || len(key) != 32 {
							t.Fatalf("%s has the key %q of %s", name, key, other)
						}
						seen[key] = name
					}
				}
			}
		}
	}
	// Keys are stored, so an update of the program must not change them.
	const stored = "9c989b53c2708b47aa3ab6c775531ee9"
	if got := domain.SagaKey(one, "pay", 1, 1, false); got != stored {
		t.Errorf("the key changed to %s", got)
	}
}

// Streams of definitions and rule sets differ from each other and from the system's, and their ids
// sort below those of cases, because they are in the partition of streams.
func TestStreamsOfKeys(t *testing.T) {
	t.Parallel()
	seen := map[domain.ID]string{domain.PolicyStream.ID: "policy", domain.PeopleStream.ID: "people"}
	for _, key := range []string{"", "a", "b", "document_approval", "a:b"} {
		for _, stream := range []domain.SystemStream{domain.DefinitionStream(key),
			domain.RuleSetStream(key)} {
			if other, twice := seen[stream.ID]; twice {
				t.Errorf("%s has the id of %s", stream.Name, other)
			}
			seen[stream.ID] = stream.Name
			if first := domain.NewID(); slices.Compare(stream.ID[:], first[:]) >= 0 ||
				stream.ID[0] != 0 || stream.ID[3] != 0 {
				t.Errorf("%s sorts above the case %s", stream.ID, first)
			}
		}
	}
}

// Ids of text are refused with a code that every adapter knows.
func TestParsedIDs(t *testing.T) {
	t.Parallel()
	id := domain.NewID()
	for _, text := range []string{id.String(), strings.ToUpper(id.String())} {
		if got, err := domain.ParseID(text); err != nil || got != id {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "x", id.String() + "0", id.String()[1:], " " + id.String(),
		strings.ReplaceAll(id.String(), "-", "_"), "' OR 1=1", "CS-2026-000001"} {
		if got, err := domain.ParseID(text); !domain.HasCode(err, domain.InvalidInput) ||
			got != domain.NoID {
			t.Errorf("%q: %s, %v", text, got, err)
		}
	}
}
