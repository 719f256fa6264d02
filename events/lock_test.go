package events_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"countersign/events"
)

// The newest line when the test was written. Each line includes the hash of the previous one, so
// this hash covers all lines up to it. It never has to change, because those lines never change.
const (
	anchorLine = 59
	anchorHash = "a81d55970f7e8750cb00d9298dcd3a254caf3680f10df5ca6af8910933635187"
)

// TestLockedContractsStayCompatible protects the readers of events. It detects a removed line,
// because its contract or field is missing from the lock, and any change up to the anchor. It
// cannot detect that a line after the anchor was removed together with its contract, or that the
// lines after the anchor were rewritten; that is left to the code review.
func TestLockedContractsStayCompatible(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("landed.lock")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := events.ParseLock(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, breach := range events.LockViolations(entries, events.Contracts()) {
		t.Error(breach)
	}
	missing, err := events.MissingFromLock(entries, events.Contracts())
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range missing {
		t.Error(what)
	}
	lines := strings.SplitAfter(string(text), "\n")
	if len(lines) < anchorLine {
		t.Fatalf("landed.lock has fewer than %d lines", anchorLine)
	}
	sum := sha256.Sum256([]byte(strings.TrimSuffix(lines[anchorLine-1], "\n")))
	if hex.EncodeToString(sum[:]) != anchorHash {
		t.Errorf("line %d of landed.lock was changed; lines can only be added at the end",
			anchorLine)
	}
}

const lockedSchema = `{"$schema":"x","$id":"urn:countersign:event:a.b:v1","title":"a.b","description":"d","audience":"all","sentence":"s","type":"object",
"properties":{"one":{"type":"string"},"two":{"type":"object","properties":{"in":{"type":"integer","minimum":0}},"required":["in"]},
"list":{"type":"array","items":{"type":"string","enum":["x","y"]}}},"required":["one"]}`

func contract(t *testing.T, text string) []*events.Contract {
	t.Helper()
	parsed, err := events.ParseContract("a.b.v1.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return []*events.Contract{parsed}
}

func TestOnlyOptionalFieldsMayBeAdded(t *testing.T) {
	t.Parallel()
	lock, err := events.UpdateLock(nil, contract(t, lockedSchema))
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		old, new string
		breach   string // "" = allowed
	}{
		"nothing changed":     {"", "", ""},
		"another description": {`"description":"d"`, `"description":"better"`, ""},
		"an optional field added": {`"one":{"type":"string"}`,
			`"one":{"type":"string"},"three":{"type":"string"}`, ""},
		"an optional object added": {`"one":{"type":"string"}`,
			`"one":{"type":"string"},"o":{"type":"object","properties":{"p":{"type":"string"}},"required":["p"]}`, ""},
		"a required field added": {`"required":["one"]}`, `"required":["one","three"]}`, ""},
		"a field gone":           {`"one":{"type":"string"},`, ``, "field one is missing"},
		"a field now required": {`"required":["one"]}`, `"required":["one","list"]}`,
			"field list was required=false and is required=true"},
		"a field no longer required": {`"required":["in"]`, `"required":[]`,
			"field two.in was required=true and is required=false"},
		"another type": {`"type":"integer"`, `"type":"string"`,
			"field two.in was"},
		"a tighter bound": {`"minimum":0`, `"minimum":1`, "field two.in was"},
		"one value more":  {`["x","y"]`, `["x","y","z"]`, "field list[] was"},
		"a field shown to fewer": {`"one":{"type":"string"}`,
			`"one":{"type":"string","audience":"staff"}`, "field one was"},
		"the event shown to fewer": {`"audience":"all"`, `"audience":"staff"`,
			"audience was all and is staff"},
		"a required member of a landed": {`"in":{"type":"integer","minimum":0}},"required":["in"]`,
			`"in":{"type":"integer","minimum":0},"b":{"type":"string"}},"required":["in","b"]`,
			"field two.b was added and is required"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := strings.Replace(lockedSchema, tc.old, tc.new, 1)
			if name == "a required field added" {
				changed = strings.Replace(changed, `"one":{`,
					`"three":{"type":"string"},"one":{`, 1)
				tc.breach = "field three was added and is required"
			}
			entries, err := events.ParseLock(lock)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(events.LockViolations(entries, contract(t, changed)), "\n")
			if (got == "") != (tc.breach == "") || !strings.Contains(got, tc.breach) {
				t.Fatalf("got %q, want %q", got, tc.breach)
			}
			if _, err := events.UpdateLock(lock,
				contract(t, changed)); (err == nil) != (tc.breach == "") {
				t.Fatalf("UpdateLock returns %v", err)
			}
		})
	}
	entries, _ := events.ParseLock(lock)
	if got := events.LockViolations(entries, nil); len(got) != 1 ||
		!strings.Contains(got[0], "missing") {
		t.Fatalf("a missing contract: %v", got)
	}
}

func TestLockLinesAreNeverAltered(t *testing.T) {
	t.Parallel()
	first, err := events.UpdateLock(nil, contract(t, lockedSchema))
	if err != nil {
		t.Fatal(err)
	}
	same, err := events.UpdateLock(first, contract(t, lockedSchema))
	if err != nil || string(same) != string(first) {
		t.Fatalf("landing again changed the lock (%v)", err)
	}
	grown := strings.Replace(lockedSchema, `"one":{`, `"zero":{"type":"string"},"one":{`, 1)
	second, err := events.UpdateLock(first, contract(t, grown))
	if err != nil || !strings.HasPrefix(string(second), string(first)) ||
		strings.Count(string(second), "\n") != 2 {
		t.Fatalf("adding a field rewrote the lock (%v):\n%s", err, second)
	}
	if entries, _ := events.ParseLock(second); len(
		events.LockViolations(entries, contract(t, lockedSchema))) != 1 {
		t.Fatal("removing a field that landed later was not detected")
	}
	altered := strings.Replace(string(second), `"minimum":0`, `"minimum":1`, 1)
	if _, err := events.ParseLock([]byte(altered)); err == nil {
		t.Fatal("a changed line was not detected")
	}
}

// TestMissingLockLinesAreNamed checks that every missing line is reported with the command that
// adds it.
func TestMissingLockLinesAreNamed(t *testing.T) {
	t.Parallel()
	first, err := events.UpdateLock(nil, contract(t, lockedSchema))
	if err != nil {
		t.Fatal(err)
	}
	grown := contract(t,
		strings.Replace(lockedSchema, `"one":{`,
			`"zero":{"type":"object","properties":{"in":{"type":"string"}}},"one":{`, 1))
	second, err := events.UpdateLock(first, grown)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		lock      string
		contracts []*events.Contract
		want      string
	}{
		"all has landed": {string(second), grown, ""},
		"a description": {string(first),
			contract(t, strings.Replace(lockedSchema, `"description":"d"`, `"description":"better"`,
				1)), ""},
		"an empty lock": {"", grown,
			"a.b version 1: the contract has no line in landed.lock: run `make events-land`"},
		"the last line removed": {string(first), grown,
			"a.b version 1: field zero has no line in landed.lock: run `make events-land`\n" +
				"a.b version 1: field zero.in has no line in landed.lock: run `make events-land`"},
	} {
		entries, err := events.ParseLock([]byte(tc.lock))
		if err != nil {
			t.Fatal(err)
		}
		got, err := events.MissingFromLock(entries, tc.contracts)
		if err != nil || strings.Join(got, "\n") != tc.want {
			t.Errorf("%s: got %q (%v), want %q", name, got, err, tc.want)
		}
	}
}
