package bounds_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/internal/clientaddr"
	"countersign/live"
)

// limited counts as cmd/server does, with small numbers.
func limited(signIns, requests int64, trusted ...string) func(*settings) {
	return func(s *settings) {
		proxies, err := clientaddr.ParseProxies(trusted)
		if err != nil {
			panic(err)
		}
		rates := live.NewRateLimiter(nil, domain.SystemClock{})
		refuse := func(key string, most int64) error {
			answer := rates.Allow(context.Background(), key, most, time.Hour)
			if answer.Allowed {
				return nil
			}
			return domain.Errorf(domain.RateLimited, "Too many.").WithRetryAfter(answer.RetryAfter)
		}
		s.web.Proxies, s.graph.Proxies = proxies, proxies
		s.web.AdmitSignIn = func(_ context.Context, key string) error {
			return refuse("signin:"+key,
				signIns)
		}
		s.web.Admit = func(_ context.Context, actor domain.Actor, client string) error {
			if actor.UserID != domain.NoID {
				return nil
			}
			return refuse("web:"+client, requests)
		}
		s.graph.Bounds.AddressRequests = requests
	}
}

const samSignsIn = `{"email":"sam@example.com","password":"` + password + `"}`

func (w *world) signIn(body string, headers ...string) reply {
	w.t.Helper()
	return w.send(http.MethodPost, w.addr+"/auth/sign-in", body,
		append([]string{"Content-Type", "application/json"}, headers...)...)
}

// Behind a trusted proxy each client has their own allowance; what a client writes into the headers
// changes nothing.
func TestPeopleBehindAProxyHaveTheirOwnAllowance(t *testing.T) {
	t.Parallel()
	w := newWorld(t, limited(3, 3, "127.0.0.1"))
	const attacker = "203.0.113.9"
	for i := range 6 {
		spoofed := fmt.Sprintf("198.51.100.%d, %s", i, attacker) // the proxy appends the true one
		want := http.StatusUnauthorized
		if i >= 3 {
			want = http.StatusTooManyRequests
		}
		if got := w.signIn(`{"email":"x@example.com","password":"wrong"}`, "X-Forwarded-For",
			spoofed); got.status != want {
			t.Errorf("guess %d: %d, want %d", i, got.status, want)
		}
		if got := w.send(http.MethodGet, w.addr+"/auth/me", "", "Forwarded",
			"for=unknown, for="+attacker); (got.status == 429) != (i >= 3) {
			t.Errorf("request %d: %d", i, got.status)
		}
		if got := w.send(http.MethodPost, w.addr+"/graphql",
			`{"query":"{ viewer { person { id } } }"}`, "Content-Type", "application/json",
			"X-Forwarded-For", spoofed); (got.status == 429) != (i >= 3) {
			t.Errorf("operation %d: %d %s", i, got.status, got.body)
		}
	}
	if got := w.signIn(samSignsIn, "X-Forwarded-For", "203.0.113.10"); got.status != http.StatusOK {
		t.Errorf("another client: %d %s", got.status, got.body)
	}
	for i := range 4 { // one subscriber's many addresses
		got := w.signIn(samSignsIn, "X-Forwarded-For", fmt.Sprintf("[2001:db8:1:2::%d]:80", i+1))
		if (got.status == http.StatusTooManyRequests) != (i >= 3) {
			t.Errorf("IPv6 %d: %d", i, got.status)
		}
	}
	if got := w.signIn(samSignsIn, "X-Forwarded-For",
		"2001:db8:1:3::1"); got.status != http.StatusOK {
		t.Errorf("a neighbouring network: %d", got.status)
	}
}

func TestWithoutATrustedProxyHeadersBuyNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, limited(3, 3))
	for i := range 5 {
		got := w.signIn(`{"email":"x@example.com","password":"wrong"}`, "X-Forwarded-For",
			fmt.Sprintf("198.51.100.%d", i), "Forwarded", fmt.Sprintf("for=198.51.100.%d", i))
		if (got.status == http.StatusTooManyRequests) != (i >= 3) {
			t.Errorf("guess %d: %d", i, got.status)
		}
	}
}

// cookies are what a browser would send back.
func cookies(got reply) string {
	var pairs []string
	for _, line := range got.header.Values("Set-Cookie") {
		pair, _, _ := strings.Cut(line, ";")
		pairs = append(pairs, pair)
	}
	return strings.Join(pairs, "; ")
}

// An attacker behind the owner's own address, with every bound of that address used up, does not
// keep a known device out.
func TestAKnownDeviceGetsInWhateverItsAddressDoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, limited(20, 1000, "127.0.0.1"))
	office := []string{"X-Forwarded-For", "203.0.113.9"}
	first := w.signIn(samSignsIn, office...)
	if first.status != http.StatusOK {
		t.Fatal(first.body)
	}
	device := cookies(first)
	if !strings.Contains(device, "countersign-device=") ||
		!strings.Contains(strings.Join(first.header.Values("Set-Cookie"), "\n"),
			"HttpOnly; SameSite=Strict") {
		t.Fatalf("cookies %q", first.header.Values("Set-Cookie"))
	}
	var locked, limited int
	for range 30 {
		got := w.signIn(`{"email":"sam@example.com","password":"wrong"}`, office...)
		if got.header.Get("Set-Cookie") != "" {
			t.Error("a refusal set a cookie")
		}
		locked, limited = locked+strings.Count(got.body, "LockedOut"),
			limited+strings.Count(got.body, "RateLimited")
	}
	if locked == 0 || limited == 0 {
		t.Fatalf("the flood met no bound: %d locked, %d limited", locked, limited)
	}
	second := w.signIn(samSignsIn, append([]string{"Cookie", device}, office...)...)
	if second.status != http.StatusOK {
		t.Errorf("the owner from the known device: %d %s", second.status, second.body)
	}
	if got := w.signIn(samSignsIn, office...); got.status != http.StatusTooManyRequests {
		t.Errorf("an unknown device behind the same address: %d", got.status)
	}
	if got := w.signIn(samSignsIn, "X-Forwarded-For", "203.0.113.77"); got.status != http.StatusOK {
		t.Errorf("the owner from a new device elsewhere: %d %s", got.status, got.body)
	}
}

// The metrics are read at their own address, or with the token; to a proxy on this machine that
// adds no header there is nothing.
func TestMetricsAreNotAtThePublicAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for name, tc := range map[string]struct {
		addr    string
		headers []string
		status  int
	}{
		"this machine":  {w.addr, nil, 404},
		"a wrong token": {w.addr, []string{"Authorization", "Bearer wrong"}, 404},
		"the token":     {w.addr, []string{"Authorization", "Bearer secret"}, 200},
		"the token by a proxy": {w.addr, []string{"Authorization", "Bearer secret",
			"X-Forwarded-For", "203.0.113.9"}, 200},
		"not a bearer token":           {w.addr, []string{"Authorization", "secret"}, 404},
		"their own address":            {w.metricsAddr, nil, 200},
		"a proxy on this very machine": {w.addr, []string{"Host", "review.example"}, 404},
	} {
		got := w.send(http.MethodGet, tc.addr+"/metrics", "", tc.headers...)
		if got.status != tc.status || strings.Contains(got.body,
			"go_goroutines") != (tc.status == 200) {
			t.Errorf("%s: %d %.80s", name, got.status, got.body)
		}
	}
	if got := w.send(http.MethodGet, w.metricsAddr+"/auth/options", ""); got.status != 404 {
		t.Errorf("more than metrics at their address: %d", got.status)
	}
	none := newWorld(t, func(s *settings) { s.web.MetricsToken = "" })
	for _, headers := range [][]string{nil, {"Authorization", "Bearer "},
		{"Authorization", "Bearer"}} {
		if got := none.send(http.MethodGet, none.addr+"/metrics", "",
			headers...); got.status != 404 {
			t.Errorf("without a token, %q: %d", headers, got.status)
		}
	}
}
