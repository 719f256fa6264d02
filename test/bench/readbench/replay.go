package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"countersign/domain"
	"countersign/reading/extraction"
)

// replayed are the fields whose corrections are counted.
var replayed = []string{domain.FieldVendor, domain.FieldDate, domain.FieldTotal}

// maxLessons is the number of lessons that one document is read with, as in the service.
const maxLessons = 24

// corrections counts documents, the values that a person would have to correct or enter, and the
// vendors that are right to the letter.
type corrections struct {
	documents, vendors int
	byField            map[string]int
}

func (c *corrections) add(fields []domain.Field, known truth) (missed []string) {
	c.documents++
	for _, name := range replayed {
		if len(known[name]) == 0 {
			continue
		}
		at := slices.IndexFunc(fields, func(f domain.Field) bool { return f.Name == name })
		isRight := at >= 0 && right(name, fields[at], known[name])
		if name == domain.FieldVendor && isRight {
			c.vendors++
		}
		if !isRight {
			c.byField[name]++
			missed = append(missed, name)
		}
	}
	return missed
}

func (c *corrections) perDocument() float64 {
	sum := 0
	for _, count := range c.byField {
		sum += count
	}
	return float64(sum) / float64(max(1, c.documents))
}

// replay is what reading a series of documents with and without memory gave: of the first document
// of each vendor and of the later ones.
type replay struct {
	engine                string
	cold, first, later    *corrections
	coldLater             *corrections
	better, worse, hidden int
	remarks               []string
}

// runReplays replays what every engine read.
func runReplays(ctx context.Context, to io.Writer, sets []set, s settings) error {
	for engine := range strings.SplitSeq(s.engine, ",") {
		of := s
		of.from = filepath.Join(s.from, engine)
		if err := runReplay(ctx, to, engine, sets, of); err != nil {
			return err
		}
	}
	return nil
}

// runReplay reads the kept documents of all sets in order, as if each had been corrected to the
// truth and approved before the next.
func runReplay(ctx context.Context, to io.Writer, engine string, sets []set, s settings) error {
	fresh := func() *corrections { return &corrections{byField: map[string]int{}} }
	r := replay{engine: engine, cold: fresh(), first: fresh(), later: fresh(), coldLater: fresh()}
	var lessons []domain.Lesson
	seen := map[string]bool{}
	for _, set := range sets {
		for _, path := range set.files {
			known, err := readTruth(path)
			if err != nil {
				return err
			}
			doc, _, err := obtain(ctx, nil, set.name, path, s)
			if err != nil {
				return err
			}
			if len(known[domain.FieldVendor]) == 0 {
				continue
			}
			vendor := letters(known[domain.FieldVendor][0])
			r.read(path, doc, known, seen[vendor], lessonsFor(doc.Pages, lessons))
			seen[vendor] = true
			if lesson, ok := extraction.Learn(doc.Pages, known.fields()); ok {
				lesson.Case = domain.ID{byte(len(lessons) >> 8), byte(len(lessons)), 1}
				lessons = append(lessons, lesson)
			}
		}
	}
	r.print(to, s.printMisses)
	return nil
}

func (r *replay) read(
	path string, doc saved, known truth, seen bool, lessons []domain.Lesson,
) {
	cold := extraction.Extract(doc.Pages, extraction.Hints{})
	examined := extraction.Examine(doc.Pages, extraction.Hints{Lessons: lessons}, nil)
	before := r.cold.add(cold, known)
	counted := r.first
	if seen {
		counted = r.later
		r.coldLater.add(cold, known)
	}
	after := counted.add(examined.Fields, known)
	for _, name := range replayed {
		was, is := slices.Contains(before, name), slices.Contains(after, name)
		switch {
		case was && !is:
			r.better++
		case !was && is:
			r.worse++
		}
		if is {
			r.remarks = append(r.remarks, fmt.Sprintf("%s %s: cold %q, replay %q, truth %q", path, name,
				valueOf(cold, name), valueOf(examined.Fields, name), known[name]))
		}
	}
	for _, field := range cold {
		same := func(f domain.Field) bool {
			return f.Name == field.Name && f.Normalised == field.Normalised
		}
		if !slices.ContainsFunc(examined.Fields, same) && !slices.ContainsFunc(examined.Unaided, same) {
			r.hidden++
		}
	}
}

func valueOf(fields []domain.Field, name string) string {
	for _, field := range fields {
		if field.Name == name {
			return fmt.Sprintf("%s (%.2f)", field.Normalised, field.Confidence)
		}
	}
	return ""
}

// lessonsFor returns the lessons that share most words with the header of the pages, the oldest
// first, as the service selects them.
func lessonsFor(pages []domain.Page, lessons []domain.Lesson) []domain.Lesson {
	keys := extraction.LookupKeys(pages)
	shared := map[int]int{}
	var order []int
	for i, lesson := range lessons {
		for _, word := range extraction.LessonKeys(lesson) {
			if _, ok := slices.BinarySearch(keys, word); ok {
				shared[i]++
			}
		}
		if shared[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(shared[b], shared[a]), cmp.Compare(b, a))
	})
	order = order[:min(len(order), maxLessons)]
	slices.Sort(order)
	found := make([]domain.Lesson, len(order))
	for i, at := range order {
		found[i] = lessons[at]
	}
	return found
}

// fields returns the known values as fields in force.
func (t truth) fields() []domain.Field {
	var fields []domain.Field
	for _, name := range domain.FieldNames() {
		if len(t[name]) > 0 {
			fields = append(fields, domain.Field{Name: name, Normalised: t[name][0],
				Source: domain.SourceHuman})
		}
	}
	return fields
}

func (r *replay) print(to io.Writer, remarks bool) {
	table := tabwriter.NewWriter(to, 2, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "\n%s\tdocuments\tvendor\tdate\ttotal\tcorrections a document\tvendor strict, %%\t\n",
		r.engine)
	row := func(name string, c *corrections) {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%.2f\t%.1f\t\n", name, c.documents,
			c.byField[domain.FieldVendor], c.byField[domain.FieldDate], c.byField[domain.FieldTotal],
			c.perDocument(), 100*float64(c.vendors)/float64(max(1, c.documents)))
	}
	row("cold", r.cold)
	row("cold, later ones", r.coldLater)
	row("replay, first of a vendor", r.first)
	row("replay, later ones", r.later)
	all := &corrections{documents: r.first.documents + r.later.documents,
		vendors: r.first.vendors + r.later.vendors, byField: map[string]int{}}
	for _, name := range replayed {
		all.byField[name] = r.first.byField[name] + r.later.byField[name]
	}
	row("replay", all)
	_ = table.Flush()
	fmt.Fprintf(to, "later / first: %.2f; right only with memory: %d, only without: %d, readings lost: %d\n",
		r.later.perDocument()/max(0.01, r.first.perDocument()), r.better, r.worse, r.hidden)
	if remarks {
		for _, remark := range r.remarks {
			fmt.Fprintln(to, "   ", remark)
		}
	}
}
