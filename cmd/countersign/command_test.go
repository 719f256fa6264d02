package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"countersign/domain"
)

// runCommand runs a command without a server and without a database.
func runCommand(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	code := run(t.Context(), args, &console{out: &out, errs: &out, clock: domain.SystemClock{}})
	return code, out.String()
}

func TestWrongUseIsExitCode64(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"nonsense"}, {"submit"}, {"submit", "no-such-file"},
		{"watch", "CS-2026-000001", "--until", "nowhere"}, {"review", "decide", "x", "perhaps"},
		{"submit", "command_test.go", "--amount", "3"},
		{"submit", "command_test.go", "main.go", "--key", "k"}, {"incident", "abandon", "x"},
		{"incident", "abandon", "x", "--reason", " "}, {"limit", "set", "nobody", "3"},
		{"limit", "set", "manager", "-3"}, {"limit", "set", "manager", "much"},
		{"rate", "set", "XYZ", "1"}, {"rate", "set", "EUR", "0"}, {"conflict", "end", "x"},
		{"token", "revoke", "x"},
	} {
		if code, output := runCommand(t, args...); code != exitUsage || output == "" {
			t.Errorf("%v: exit code %d, want %d: %s", args, code, exitUsage, output)
		}
	}
}

func TestHelpSucceeds(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"help"}, {"--help"}, {"help", "submit"},
		{"review", "claim", "--help"}, {"help", "review", "claim"}} {
		if code, output := runCommand(t, args...); code != 0 ||
			!strings.Contains(output, "Usage: countersign") || strings.Contains(output, "Try:") {
			t.Errorf("%v: exit code %d: %s", args, code, output)
		}
	}
}

// A file that cannot be read is reported in a sentence, not with the error of the operating system.
func TestUnreadableFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(folder, "none.pdf"): "countersign: The file " + filepath.Join(folder,
			"none.pdf") + " does not exist.",
		folder: `countersign: "` + folder + `" is a folder, not a file.`,
	} {
		if code, output := runCommand(t, "submit", path); code != exitUsage ||
			!strings.HasPrefix(output, want+"\n") {
			t.Errorf("exit code %d, want %q:\n%s", code, want, output)
		}
	}
}

// Keys are in camel case as in the API; values stay unchanged.
func TestKeysOfJSON(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := &console{out: &out}
	err := c.printJSON(map[string]any{"CaseID": `"Reference": "x"`,
		"list":   []any{domain.Limit{Role: domain.RoleL1, BaseMinor: 3}},
		"SHA256": "A\\", "Nested": struct {
			ID, WayOut string
			Inner      struct{ URLPath string }
		}{ID: "ID:"}})
	want := `{"caseId":"\"Reference\": \"x\"","nested":{"id":"ID:","wayOut":"","inner":{"urlPath":""}},"sha256":"A\\",` +
		`"list":[{"role":"reviewer_l1","documentType":"","action":"","unlimited":false,"baseMinor":3}]}` + "\n"
	if err != nil || out.String() != want {
		t.Errorf("got  %swant %s(%v)", out.String(), want, err)
	}
}

// Only keys change, and no key begins with a capital.
func FuzzKeysOfJSON(f *testing.F) {
	for _, seed := range []string{`{"A":1}`, `{"CaseID":"\":"}`, `[{"a":{"B":["C",{"D":null}]}}]`,
		`"x"`, `{"":0}`, `{"\u0041b":1}`, `{"É":1}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		var value any
		if json.Unmarshal([]byte(input), &value) != nil {
			return
		}
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		var rewritten any
		if err := json.Unmarshal(camelKeys(text), &rewritten); err != nil {
			t.Fatalf("%s became %s: %v", text, camelKeys(text), err)
		}
		var check func(any)
		check = func(v any) {
			switch v := v.(type) {
			case []any:
				for _, one := range v {
					check(one)
				}
			case map[string]any:
				for key, one := range v {
					if first, _ := utf8.DecodeRuneInString(key); unicode.IsUpper(first) &&
						unicode.ToLower(first) != first {
						t.Fatalf("%s keeps the key %q", text, key)
					}
					check(one)
				}
			}
		}
		check(rewritten)
	})
}

func TestSettingsAreListed(t *testing.T) {
	t.Parallel()
	if code, output := runCommand(t, "settings"); code != 0 ||
		!strings.Contains(output, "DATABASE_URL") {
		t.Errorf("exit code %d: %s", code, output)
	}
}

func TestOutcomesBecomeExitCodes(t *testing.T) {
	t.Parallel()
	want := map[domain.Status]int{domain.Rejected: 2, domain.Incident: 3, domain.InReview: 4,
		domain.Returned: 4, domain.Abandoned: 5}
	for _, status := range domain.Statuses() {
		var c console
		if got := c.printError(exitStatusOf(status)); got != want[status] {
			t.Errorf("%s: exit code %d, want %d", status, got, want[status])
		}
	}
}

func TestTheWorstOutcomeWins(t *testing.T) {
	t.Parallel()
	order := []error{nil, exitStatus(exitAbandoned), exitStatus(exitRejected),
		exitStatus(exitWaiting), exitStatus(exitIncident), errors.New("failed")}
	for i, one := range order {
		for j, other := range order {
			if got := worseOutcome(one, other); !errors.Is(got, order[max(i, j)]) {
				t.Errorf("worse(%v, %v) = %v", one, other, got)
			}
		}
	}
}

func TestFollowingEndsAtTheRequestedStatus(t *testing.T) {
	t.Parallel()
	byItself := following{}
	for _, status := range domain.Statuses() {
		waits := status == domain.InReview || status == domain.Returned || status == domain.Incident
		if got := byItself.ends(status); got != (status.Final() || waits) {
			t.Errorf("by itself, %s: %t", status, got)
		}
		until := following{Until: strings.ToUpper(string(status))}
		if until.Validate() != nil || !until.ends(status) {
			t.Errorf("until %s does not end there", status)
		}
		if status != domain.InReview && until.ends(domain.InReview) {
			t.Errorf("until %s ends in review", status)
		}
	}
}

func TestRatesPerMinorUnit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		currency, rate string
		want           int64
	}{{"USD", "1", 1_000_000}, {"EUR", "1.08", 1_080_000}, {"JPY", "0.0067", 670_000},
		{"KWD", "3.25", 325_000}, {"VND", "0.00004", 4_000}, {"IDR", "0.000063", 63}} {
		if got, err := domain.RateMicros(c.currency, c.rate); err != nil || got != c.want {
			t.Errorf("%s at %s: %d (%v), want %d", c.currency, c.rate, got, err, c.want)
		}
	}
	for _, rate := range []string{"", ".", "0", "-1", "1e3", "1,08", "NaN", "99999999999",
		"1.0000000001"} {
		if got, err := domain.RateMicros("EUR", rate); err == nil {
			t.Errorf("the rate %q was accepted as %d", rate, got)
		}
	}
}

// A converted amount is never below the exact one, so that rounding cannot bypass a limit.
func TestRatesRoundUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		currency := rapid.SampledFrom([]string{"USD", "EUR", "JPY", "KWD", "ISK", "BHD"}).Draw(t,
			"currency")
		whole, nanos := rapid.Int64Range(0, 99_999).Draw(t, "whole"),
			rapid.Int64Range(1, 999_999_999).Draw(t, "nanos")
		micros, err := domain.RateMicros(currency, fmt.Sprintf("%d.%09d", whole, nanos))
		if err != nil {
			t.Fatal(err)
		}
		digits, _ := domain.Exponent(currency)
		unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil) // minor units in one
		exact := new(big.Rat).Mul(big.NewRat(whole*1_000_000_000+nanos, 1_000_000_000),
			big.NewRat(100, unit.Int64()))
		if new(big.Rat).SetFrac64(micros, 1_000_000).Cmp(exact) < 0 {
			t.Fatalf("%d.%09d %s: %d micros is below the exact rate", whole, nanos, currency,
				micros)
		}
	})
}

// A rate is listed as it was set, apart from rounding up to a millionth.
func TestRatesAreListedAsTheyWereSet(t *testing.T) {
	t.Parallel()
	for currency, rate := range demoRates {
		micros, err := domain.RateMicros(currency, rate)
		if got := domain.RateText(currency, micros); err != nil || got != rate {
			t.Errorf("%s at %s is listed as %s (%v)", currency, rate, got, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		currency := rapid.SampledFrom([]string{"USD", "JPY", "KWD", "ISK"}).Draw(t, "currency")
		micros := rapid.Int64Range(1, 1<<50).Draw(t, "micros")
		digits, _ := domain.Exponent(currency)
		want := new(big.Rat).Mul(big.NewRat(micros, 100_000_000),
			new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)))
		if got, ok := new(big.Rat).SetString(domain.RateText(currency, micros)); !ok ||
			got.Cmp(want) != 0 {
			t.Fatalf("%d micros of %s are listed as %s", micros, currency,
				domain.RateText(currency, micros))
		}
	})
}

func TestEveryDemoRateIsValid(t *testing.T) {
	t.Parallel()
	for currency, rate := range demoRates {
		if micros, err := domain.RateMicros(currency, rate); err != nil || micros <= 0 {
			t.Errorf("%s at %s: %d (%v)", currency, rate, micros, err)
		}
	}
}

// Text from documents cannot control the terminal.
func FuzzPrintable(f *testing.F) {
	for _, seed := range []string{"Kiefer & Söhne", "\x1b[2J\x1b[1;1H", "a\x00b", "\u202egpj.exe",
		"line\nbreak", "\u009b31m"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range printable(text) {
			if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) || (r >= 0x202a && r <= 0x202e) ||
				(r >= 0x2066 && r <= 0x2069) {
				t.Fatalf("%q keeps %U", text, r)
			}
		}
	})
}

func TestFieldsAreSplitAtTheFirstSign(t *testing.T) {
	t.Parallel()
	fields, err := fieldInputs([]string{"total=12.50", "vendor=A = B"})
	if err != nil || fields[0].Value != "12.50" || fields[1].Value != "A = B" {
		t.Errorf("%v (%v)", fields, err)
	}
	if _, err := fieldInputs([]string{"total"}); err == nil {
		t.Error("a field without a value was accepted")
	}
}
