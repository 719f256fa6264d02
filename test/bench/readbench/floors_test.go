package main

import (
	"strings"
	"testing"
)

func TestFloors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		measured outcome
		missed   int
		says     string
	}{
		"at the floor": {outcome{name: "sroie", files: 10, read: 10,
			fields: map[string]*score{"total": {10, 10, 6}, "date": {10, 10, 7},
				"vendor": {10, 0, 0}}}, 0,
			"floor sroie total from pages: 6 of 10 right, at least 60 %: holds"},
		"below one": {outcome{name: "sroie", files: 10, read: 10,
			fields: map[string]*score{"total": {10, 10, 5}, "date": {10, 10, 7}}}, 1,
			"floor sroie total from pages: 5 of 10 right, at least 60 %: MISSED"},
		"refused documents are wrong": {outcome{name: "sroie", files: 10, read: 7,
			fields: map[string]*score{"total": {7, 7, 7}, "date": {7, 6, 5}}}, 1,
			"floor sroie date from pages: 5 of 10 right, at least 60 %: MISSED"},
		"nothing was read": {outcome{name: "sroie", files: 10}, 2, "0 of 10 right"},
		"no truth": {outcome{name: "sroie", files: 10, read: 10}, 2,
			"0 of 0 right, at least 60 %: MISSED"},
		"four of five": {outcome{name: "invoice2data", files: 5, read: 5,
			fields: map[string]*score{"total": {5, 5, 4}, "date": {5, 5, 0}}}, 0,
			"4 of 5 right, at least 80 %: holds"},
		"three of five": {outcome{name: "invoice2data", files: 5, read: 5,
			fields: map[string]*score{"total": {5, 5, 3}}}, 1, "MISSED"},
		"all from XML": {outcome{name: "zugferd", files: 2, read: 2,
			fields: map[string]*score{"total": {2, 2, 0}, "date": {2, 1, 1}},
			byXML:  map[string]*score{"total": {2, 2, 2}, "date": {2, 2, 2}}}, 0,
			"floor zugferd every field from xml: 4 of 4 right"},
		"one wrong from XML": {outcome{name: "zugferd", files: 2, read: 2,
			fields: map[string]*score{"total": {2, 2, 2}},
			byXML:  map[string]*score{"total": {2, 2, 1}}}, 1,
			"1 of 2 right, at least 100 %: MISSED"},
		"one without XML": {outcome{name: "zugferd", files: 2, read: 2,
			fields: map[string]*score{"total": {2, 2, 2}},
			byXML:  map[string]*score{"total": {1, 1, 1}}}, 1, "1 of 2 right"},
		"no XML at all": {outcome{name: "zugferd", files: 2, read: 2,
			fields: map[string]*score{"total": {2, 2, 2}}}, 1, "0 of 2 right"},
		"set without floor": {outcome{name: "cn_vat", files: 2}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var said strings.Builder
			if missed := checkFloors(&said, &c.measured); missed != c.missed ||
				!strings.Contains(said.String(), c.says) {
				t.Errorf("%d missed, want %d; said:\n%s", missed, c.missed, said.String())
			}
		})
	}
}
