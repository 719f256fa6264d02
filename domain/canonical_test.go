package domain_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"countersign/domain"
)

func TestCanonicalise(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ in, want string }{
		"members sorted at every level": {
			`{"b":1,"a":{"d":[3,{"z":0,"y":0}],"c":2}}`,
			`{"a":{"c":2,"d":[3,{"y":0,"z":0}]},"b":1}`,
		},
		"a name that begins another": {`{"ab":1,"a":2,"a!":3}`, `{"a":2,"a!":3,"ab":1}`},
		"white space dropped": {
			" { \"a\" : [ 1 , 2 ] , \"b\" : { } } ", `{"a":[1,2],"b":{}}`,
		},
		"nothing escaped needlessly": {`"\u003ca\u003e \u2028 \/ \u00e9"`, "\"<a> \u2028 / é\""},
		"control characters": {
			`"\u0000\u001f\b\t\n\f\r\"\\"`, `"\u0000\u001f\b\t\n\f\r\"\\"`,
		},
		"whole numbers keep all digits": {
			`[9007199254740993,-0,12345678901234567890]`,
			`[9007199254740993,0,12345678901234567890]`,
		},
		"fractions have one spelling": {
			`[1.0,1.50,1e3,1E-7,0.000001,-0.0,1e21]`, `[1,1.5,1000,1e-7,0.000001,0,1e+21]`,
		},
		"literals": {`[true,false,null]`, `[true,false,null]`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := domain.Canonicalise([]byte(tc.in))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tc.want {
				t.Fatalf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestCanonicaliseRefuses(t *testing.T) {
	t.Parallel()
	for _, in := range []string{``, `{`, `{} {}`, `{"a":1,"a":2}`, `{"b":1,"a":1,"b":2}`, `1e400`,
		`nul`,
		string(bytes.Repeat([]byte("["), 300)) + string(bytes.Repeat([]byte("]"), 300))} {
		if got, err := domain.Canonicalise([]byte(in)); err == nil {
			t.Errorf("%.40q was accepted as %s", in, got)
		}
	}
}

func FuzzCanonicalise(f *testing.F) {
	for _, seed := range []string{`{"b":[1,2.50],"a":"x\u2028"}`, `[{"":-0.0}]`, `"\ud800"`,
		` 1e-9 `, `{"a":{"a":{}}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		once, err := domain.Canonicalise(text)
		if err != nil {
			return
		}
		if !json.Valid(once) {
			t.Fatalf("%q became %q, which is no JSON", text, once)
		}
		twice, err := domain.Canonicalise(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("not stable: %q, then %q (%v)", once, twice, err)
		}
	})
}

func TestMarkingIsWrittenAsCanonicalJSON(t *testing.T) {
	t.Parallel()
	markings := []domain.Marking{
		{},
		{Tokens: []domain.Token{}, Visits: map[string]int{}},
		{
			Tokens: []domain.Token{{Node: "read", Visit: 1}, {Node: "a\"<b>\n", Visit: 2}},
			Visits: map[string]int{"z": 1, "read": 2, "a": 3},
		},
		{
			Tokens: []domain.Token{{Node: "review", Visit: 1}},
			Notes: map[string]json.RawMessage{
				"review": []byte(` {"b":1.0, "a":[]}`), "join": []byte(`1`),
			},
		},
	}
	for _, marking := range markings {
		got, err := marking.Canonical()
		if err != nil {
			t.Fatal(err)
		}
		if marking.Tokens == nil {
			marking.Tokens = []domain.Token{}
		}
		want, err := domain.CanonicalJSON(marking)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("got %s, want %s (%v)", got, want, err)
		}
	}
	if _, err := (domain.Marking{Notes: map[string]json.RawMessage{"a": []byte("{")}}).Canonical(); err == nil {
		t.Error("a note that is not JSON was written")
	}
	if none, err := (domain.Marking{}).Canonical(); err != nil ||
		string(none) != domain.EmptyMarking {
		t.Errorf("no marking is %s (%v)", none, err)
	}
}
