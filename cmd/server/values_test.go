package main

import (
	"encoding/hex"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/internal/config"
	"countersign/live"
)

func TestLinesOfTheDemoTable(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		want []string // e-mail, name and password of each person
	}{
		"nothing":           {"", nil},
		"the heading alone": {"E-MAIL  NAME  ROLE  QUEUES  PASSWORD  API TOKEN\n", nil},
		"a person":          {"a@x.test  Ann  submitter  -  pw-1  cs_1\n", []string{"a@x.test|Ann|pw-1"}},
		"no token":          {"a@x.test  Ann  submitter  -  pw-1\n", []string{"a@x.test|Ann|pw-1"}},
		"no password":       {"a@x.test  Ann  submitter  -\n", nil},
		"no line end":       {"a@x.test  Ann  submitter  -  pw-1", []string{"a@x.test|Ann|pw-1"}},
		"a name of two":     {"a@x.test  Ann_Lee  submitter  -  pw\n", []string{"a@x.test|Ann Lee|pw"}},
		"wide columns":      {"a@x.test     Ann      submitter     -     pw\n", []string{"a@x.test|Ann|pw"}},
		"lines of Windows":  {"a@x.test  Ann  submitter  -  pw\r\n", []string{"a@x.test|Ann|pw"}},
		"a password of two": {"a@x.test  Ann  submitter  -  two words  cs\n", []string{"a@x.test|Ann|two words"}},
		"an empty line":     {"\n\na@x.test  Ann  submitter  -  pw\n\n", []string{"a@x.test|Ann|pw"}},
		"a comment":         {"the people  of  the  demo  are\na@x.test  Ann  submitter  -  pw\n", []string{"a@x.test|Ann|pw"}},
		"two, in their order": {"b@x.test  Bo  manager  L1  p2\na@x.test  Ann  auditor  -  p1\n",
			[]string{"b@x.test|Bo|p2", "a@x.test|Ann|p1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, person := range parsePeople(tc.text) {
				got = append(got, person.Email+"|"+person.Name+"|"+person.Password)
				if len(person.Roles) != 1 {
					t.Errorf("%s has the roles %q", person.Email, person.Roles)
				}
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// A browser may open a WebSocket from the page that people see, and from no page of another host.
func TestOriginsAreThePublicAddress(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		addr, public string
		want         []string
	}{
		"the listen address":     {"127.0.0.1:8080", "", []string{"127.0.0.1:8080"}},
		"behind a proxy":         {"127.0.0.1:8080", "https://review.example", []string{"review.example"}},
		"with a port":            {":8080", "https://review.example:8443/", []string{"review.example:8443"}},
		"with a path":            {":8080", "https://example.com/review", []string{"example.com"}},
		"an address without one": {":8080", "review.example", nil},
		"no address at all":      {":8080", "https://%zz", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &components{settings: config.Config{HTTP: config.HTTP{Addr: tc.addr,
				PublicURL: tc.public}}}
			if got := p.origins(); !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// The server executes only documents that the page was built with under their hash; a hash that is
// none of SHA-256 could never be asked for.
func TestDocumentsOfThePageAreKnownByTheirHash(t *testing.T) {
	t.Parallel()
	documents, err := pageDocuments()
	if err != nil || len(documents) < 20 {
		t.Fatalf("%d documents, %v", len(documents), err)
	}
	for hash, text := range documents {
		if decoded, err := hex.DecodeString(hash); err != nil || len(decoded) != 32 {
			t.Errorf("%q is not a hash", hash)
		}
		if !strings.Contains(text, "{") {
			t.Errorf("%s is no document: %q", hash, text)
		}
	}
}

func TestTooManyRequestsAreRefusedWithTheTimeToWait(t *testing.T) {
	t.Parallel()
	var c counters
	if err := c.refuse(live.Allowance{Allowed: true, Remaining: 1}, "Too many."); err != nil {
		t.Errorf("an allowed request is refused: %v", err)
	}
	for wait, seconds := range map[time.Duration]string{30 * time.Second: "30",
		1500 * time.Millisecond: "2", time.Millisecond: "1"} {
		err := c.refuse(live.Allowance{RetryAfter: wait}, "Too many uploads.")
		var refusal *domain.Error
		if !domain.HasCode(err, domain.RateLimited) || err.Error() != "Too many uploads." {
			t.Fatalf("%s: %v", wait, err)
		}
		refusal = err.(*domain.Error)
		if refusal.Detail[domain.RetryAfterDetail] != seconds ||
			refusal.Remedy != "Wait "+seconds+" seconds." {
			t.Errorf("%s: %v %q", wait, refusal.Detail, refusal.Remedy)
		}
	}
}

// counting counts in the process itself, as a server does while Redis is unreachable.
func counting(bounds config.Bounds) counters {
	return counters{rates: live.NewRateLimiter(nil, domain.SystemClock{}), bounds: bounds}
}

func TestBoundsHoldForEachPersonAlone(t *testing.T) {
	t.Parallel()
	bounds := config.Bounds{Requests: 3, AddressRequests: 2, SignIns: 1, Uploads: 1}
	ann, bo := domain.Actor{UserID: domain.NewID()}, domain.Actor{UserID: domain.NewID()}
	for name, tc := range map[string]struct {
		most  int
		first func(counters) error
		other func(counters) error
	}{
		"requests of a person": {3,
			func(c counters) error { return c.request(t.Context(), ann, "192.0.2.1") },
			func(c counters) error { return c.request(t.Context(), bo, "192.0.2.1") }},
		"requests of an address": {2,
			func(c counters) error { return c.request(t.Context(), domain.Actor{}, "192.0.2.1") },
			func(c counters) error { return c.request(t.Context(), domain.Actor{}, "192.0.2.2") }},
		"attempts to sign in": {1,
			func(c counters) error { return c.signIn(t.Context(), "192.0.2.1") },
			func(c counters) error { return c.signIn(t.Context(), "192.0.2.2") }},
		"uploads": {1, func(c counters) error { return c.upload(t.Context(), ann) },
			func(c counters) error { return c.upload(t.Context(), bo) }},
		"parts of uploads": {piecesPerUpload,
			func(c counters) error { return c.piece(t.Context(), ann) },
			func(c counters) error { return c.piece(t.Context(), bo) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := counting(bounds)
			for i := range tc.most {
				if err := tc.first(c); err != nil {
					t.Fatalf("request %d of %d: %v", i+1, tc.most, err)
				}
			}
			if err := tc.first(c); !domain.HasCode(err, domain.RateLimited) {
				t.Errorf("one more than %d: %v", tc.most, err)
			}
			if err := tc.other(c); err != nil {
				t.Errorf("another one is refused: %v", err)
			}
		})
	}
}

// A token of a program can have a bound of its own, which does not count against the person's.
func TestATokenHasItsOwnBound(t *testing.T) {
	t.Parallel()
	c := counting(config.Bounds{Requests: 1})
	person := domain.Actor{UserID: domain.NewID()}
	token := person
	token.TokenID, token.RequestsPerMinute = domain.NewID(), 2
	for i, want := range []bool{true, true, false} {
		if err := c.request(t.Context(), token, "192.0.2.1"); (err == nil) != want {
			t.Errorf("request %d of the token: %v", i+1, err)
		}
	}
	if err := c.request(t.Context(), person, "192.0.2.1"); err != nil {
		t.Errorf("the first request of the person: %v", err)
	}
	if err := c.request(t.Context(), person, "192.0.2.1"); err == nil {
		t.Error("the second request of the person is allowed")
	}
}

func TestAServerNeedsADatabase(t *testing.T) {
	t.Parallel()
	p, err := assemble(t.Context(), config.Config{}, slog.New(slog.DiscardHandler))
	if p != nil || !domain.HasCode(err, domain.InvalidInput) ||
		!strings.Contains(err.Error(), "No database is configured") {
		t.Errorf("got %v %v", p, err)
	}
}
