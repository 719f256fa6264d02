package main

import (
	"fmt"
	"io"
)

// floor is the least share of a set's fields that must come out right. It lies well below what was
// measured when it was laid, so that it catches what breaks reading and not a document more or
// less.
type floor struct {
	set, field string // no field means every field whose truth is known
	xml        bool   // of the values from the file's XML instead of those from its pages
	percent    int
}

var floors = []floor{
	{set: "sroie", field: "total", percent: 60},
	{set: "sroie", field: "date", percent: 60},
	{set: "invoice2data", field: "total", percent: 80}, // four of five, all with a text layer
	{set: "zugferd", xml: true, percent: 100},
}

// checkFloors says of each floor of the set whether it holds, and counts those that do not.
func checkFloors(to io.Writer, o *outcome) (missed int) {
	for _, f := range floors {
		if f.set != o.name {
			continue
		}
		right, wanted := o.share(f)
		says := "holds"
		if wanted == 0 || 100*right < f.percent*wanted {
			says = "MISSED"
			missed++
		}
		fmt.Fprintf(to, "  floor %s: %d of %d right, at least %d %%: %s\n", f, right, wanted,
			f.percent, says)
	}
	return missed
}

func (f floor) String() string {
	field, from := f.field, "pages"
	if field == "" {
		field = "every field"
	}
	if f.xml {
		from = "xml"
	}
	return fmt.Sprintf("%s %s from %s", f.set, field, from)
}

// share counts the values that are right, and those expected. Values of the pages are expected from
// the XML too, and a document that was refused counts as wrong: neither may make the share better
// by being absent.
func (o *outcome) share(f floor) (right, wanted int) {
	scores := o.fields
	if f.xml {
		scores = o.byXML
	}
	for name, known := range o.fields {
		if f.field != "" && f.field != name {
			continue
		}
		wanted += known.known
		if s := scores[name]; s != nil {
			right += s.right
		}
	}
	return right, wanted + o.files - o.read
}
