package clientaddr

import (
	"net/http"
	"net/netip"
	"testing"

	"countersign/domain"
)

func proxies(t testing.TB, entries ...string) Proxies {
	t.Helper()
	parsed, err := ParseProxies(entries)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func request(peer string, headers ...string) *http.Request {
	r := &http.Request{RemoteAddr: peer, Header: http.Header{}}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

const (
	standard = "Forwarded"
	common   = "X-Forwarded-For"
)

func TestTheClientBehindProxies(t *testing.T) {
	t.Parallel()
	trusted := proxies(t, "127.0.0.1", "10.0.0.0/8", "fd00::/8")
	for _, tc := range []struct {
		name    string
		peer    string
		headers []string
		want    string
	}{
		{"no proxy", "198.51.100.7:4000", nil, "198.51.100.7"},
		{"an untrusted peer says anything", "198.51.100.7:4000",
			[]string{common, "203.0.113.9", standard, "for=203.0.113.9"}, "198.51.100.7"},
		{"a proxy that adds nothing", "10.0.0.2:1", nil, "10.0.0.2"},
		{"one proxy", "10.0.0.2:1", []string{common, "203.0.113.9"}, "203.0.113.9"},
		{"a proxy mapped into IPv6", "[::ffff:10.0.0.2]:1", []string{common, "::ffff:203.0.113.9"},
			"203.0.113.9"},
		{"a spoofed entry before the true one", "10.0.0.2:1",
			[]string{common, "1.1.1.1, 127.0.0.1, 203.0.113.9"}, "203.0.113.9"},
		{"a spoofed line before the true one", "10.0.0.2:1",
			[]string{common, "1.1.1.1", common, "203.0.113.9"}, "203.0.113.9"},
		{"two proxies", "10.0.0.2:1", []string{common, "1.1.1.1, 203.0.113.9, 10.0.0.1"},
			"203.0.113.9"},
		{"two proxies on two lines", "10.0.0.2:1", []string{common, "203.0.113.9", common,
			"10.0.0.1"}, "203.0.113.9"},
		{"all trusted", "10.0.0.2:1", []string{common, "10.0.0.9, 10.0.0.1"}, "10.0.0.9"},
		{"a port", "10.0.0.2:1", []string{common, "203.0.113.9:52311"}, "203.0.113.9"},
		{"IPv6", "10.0.0.2:1", []string{common, "2001:db8::7"}, "2001:db8::7"},
		{"IPv6 in brackets", "10.0.0.2:1", []string{common, "[2001:db8::7]"}, "2001:db8::7"},
		{"IPv6 with a port", "10.0.0.2:1", []string{common, "[2001:db8::7]:443"}, "2001:db8::7"},
		{"an IPv6 proxy", "[fd00::2]:1", []string{common, "2001:db8::7%eth0"}, "2001:db8::7"},
		{"malformed where the proxy stands", "10.0.0.2:1",
			[]string{common, "203.0.113.9, nonsense"}, "10.0.0.2"},
		{"malformed before the client", "10.0.0.2:1", []string{common, "nonsense, 203.0.113.9"},
			"203.0.113.9"},
		{"malformed behind a trusted hop", "10.0.0.2:1", []string{common, "nonsense, 10.0.0.1"},
			"10.0.0.1"},
		{"an empty entry", "10.0.0.2:1", []string{common, "203.0.113.9,"}, "10.0.0.2"},
		{"an empty line", "10.0.0.2:1", []string{common, ""}, "10.0.0.2"},
		{"a bad port", "10.0.0.2:1", []string{common, "203.0.113.9:99999999"}, "10.0.0.2"},
		{"IPv4 in brackets", "10.0.0.2:1", []string{common, "[203.0.113.9]:1"}, "10.0.0.2"},
		{"an open bracket", "10.0.0.2:1", []string{common, "[2001:db8::7"}, "10.0.0.2"},

		{"the standard's header", "10.0.0.2:1", []string{standard,
			`for=203.0.113.9;proto=https;by=10.0.0.2`}, "203.0.113.9"},
		{"its IPv6 with a port", "10.0.0.2:1", []string{standard, `For="[2001:db8::7]:4711"`},
			"2001:db8::7"},
		{"its IPv6 without quotes", "10.0.0.2:1", []string{standard, `for=[2001:db8::7]:4711`},
			"2001:db8::7"},
		{"an obfuscated port", "10.0.0.2:1", []string{standard, `for="203.0.113.9:_p"`},
			"203.0.113.9"},
		{"an escaped letter", "10.0.0.2:1", []string{standard, `for="203.0.113\.9"`},
			"203.0.113.9"},
		{"several elements", "10.0.0.2:1", []string{standard,
			`for=1.1.1.1, for=203.0.113.9 ; proto=http , for=10.0.0.1`}, "203.0.113.9"},
		{"an obfuscated identifier", "10.0.0.2:1", []string{standard,
			`for=203.0.113.9, for=_hidden`}, "10.0.0.2"},
		{"unknown", "10.0.0.2:1", []string{standard, `for=203.0.113.9, for=unknown, for=10.0.0.1`},
			"10.0.0.1"},
		{"an element without for", "10.0.0.2:1", []string{standard, `for=203.0.113.9, proto=https`},
			"10.0.0.2"},
		{"a quote left open swallows nothing", "10.0.0.2:1",
			[]string{standard, `for="1.1.1.1, for=203.0.113.9`}, "10.0.0.2"},
		{"a quote that ends in the proxy's", "10.0.0.2:1",
			[]string{standard, `for=1.1.1.1;host=", for="[2001:db8::7]"`}, "10.0.0.2"},
		{"a quote left open on a line of its own", "10.0.0.2:1",
			[]string{standard, `for="1.1.1.1`, standard, `for=203.0.113.9`}, "203.0.113.9"},
		{"a name twice", "10.0.0.2:1", []string{standard, `for=1.1.1.1;for=203.0.113.9`},
			"10.0.0.2"},

		{"both headers agree", "10.0.0.2:1", []string{standard, `for=203.0.113.9`, common,
			"203.0.113.9"}, "203.0.113.9"},
		{"the client wrote the one that the proxy does not maintain", "10.0.0.2:1",
			[]string{standard, `for=1.1.1.1`, common, "203.0.113.9"}, "10.0.0.2"},
		{"the other way round", "10.0.0.2:1", []string{standard, `for=203.0.113.9`, common,
			"1.1.1.1"}, "10.0.0.2"},
		{"one of the two malformed", "10.0.0.2:1", []string{standard, `;;`, common, "203.0.113.9"},
			"10.0.0.2"},

		{"a unix socket", "@", []string{common, "203.0.113.9"}, "invalid IP"},
		{"no peer", "", []string{common, "203.0.113.9"}, "invalid IP"},
		{"a peer without a port", "10.0.0.2", []string{common, "203.0.113.9"}, "203.0.113.9"},
		{"a peer with a zone", "[fe80::1%eth0]:80", nil, "fe80::1"},
	} {
		if got := trusted.Of(request(tc.peer, tc.headers...)).String(); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestWithoutTrustedProxiesHeadersSayNothing(t *testing.T) {
	t.Parallel()
	for _, peer := range []string{"127.0.0.1:1", "[::1]:1", "10.0.0.1:1"} {
		with := Proxies(nil).Of(request(peer, common, "203.0.113.9", standard, "for=203.0.113.9"))
		if without := Proxies(nil).Of(request(peer)); with != without || !with.IsValid() {
			t.Errorf("%s: %s and %s", peer, with, without)
		}
	}
}

func TestTheListOfProxiesIsChecked(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"localhost", "10.0.0.0/33", "10.0.0.1:80", "fe80::1%eth0", "", "*",
		"::ffff:10.0.0.0/104"} {
		if _, err := ParseProxies([]string{"127.0.0.1", bad}); !domain.HasCode(err,
			domain.InvalidInput) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if got := proxies(t, "10.1.2.3/8", "::ffff:192.0.2.1"); got[0].String() != "10.0.0.0/8" ||
		got[1].String() != "192.0.2.1/32" {
		t.Errorf("proxies %v", got)
	}
}

func TestIPv6IsCountedByItsNetwork(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
		"2001:db8:1:2:ffff::": "2001:db8:1:2::/64",
		"2001:db8:1:3::1":     "2001:db8:1:3::/64", "::ffff:192.0.2.1": "192.0.2.1",
		"192.0.2.1": "192.0.2.1"} {
		if got := Key(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got := Key(netip.Addr{}); got != "unknown" {
		t.Errorf("no address: %s", got)
	}
}

// FuzzHeaders: headers that a client sends before those that its proxy appends never make it look
// like another client; from an untrusted peer the result is the peer.
func FuzzHeaders(f *testing.F) {
	for _, seed := range []string{"", "1.1.1.1", `for=1.1.1.1`,
		`for="[2001:db8::1]:80";proto=https`, `for="1.1.1.1`, `";,=\`, "[::1", "a,b;c=d",
		`for=1.1.1.1;x="`} {
		f.Add(seed, seed, true)
		f.Add(seed, "", false)
	}
	trusted := Proxies{netip.MustParsePrefix("10.0.0.0/8")}
	client, proxy := netip.MustParseAddr("203.0.113.9"), netip.MustParseAddr("10.0.0.2")
	f.Fuzz(func(t *testing.T, written, other string, joined bool) {
		if got := trusted.Of(request(client.String()+":1", standard, written, common,
			other)); got != client {
			t.Fatalf("untrusted: %s", got)
		}
		appended := request(proxy.String()+":1", standard, written, common, other)
		if joined {
			appended.Header.Set(standard, written+`, for=203.0.113.9`)
			appended.Header.Set(common, other+", 203.0.113.9")
		} else {
			appended.Header.Add(standard, `for=203.0.113.9`)
			appended.Header.Add(common, "203.0.113.9")
		}
		if got := trusted.Of(appended); got != client && got != proxy {
			t.Fatalf("%q %q: taken for %s", written, other, got)
		}
		alone := request(proxy.String()+":1", common, other+",203.0.113.9")
		if got := trusted.Of(alone); got != client {
			t.Fatalf("%q: %s", other, got)
		}
		_ = Key(trusted.Of(request(written, common, other)))
	})
}
