package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"countersign/domain"
	"countersign/reading/parsing"
)

// modelOutcome is what the model did with a set.
type modelOutcome struct {
	with     *outcome // the extraction, with what the model filled
	outcomes map[string]int
	grounded map[string]*said // by field
	suggests map[string]*said
	filled   said
	beside   beside
	sent     int
	images   int
	calls    int
	retries  int // calls after the first of a document, repair turns included
	input    int64
	output   int64
	took     time.Duration // of all documents
	longest  time.Duration
}

// beside counts grounded values of fields that have an extracted one. Of those that differ, the rest
// counts which is right, if the truth is known.
type beside struct{ same, other, model, extraction, neither int }

func (b *beside) add(name string, stated, extracted domain.Field, wanted []string) {
	if stated.Normalised == extracted.Normalised {
		b.same++
		return
	}
	b.other++
	switch {
	case len(wanted) == 0:
	case right(name, stated, wanted):
		b.model++
	case right(name, extracted, wanted):
		b.extraction++
	default:
		b.neither++
	}
}

// said counts values of the model; known are those whose truth is known.
type said struct{ count, known, wrong int }

func (s *said) add(name string, field domain.Field, wanted []string) {
	s.count++
	if len(wanted) > 0 {
		s.known++
		if !right(name, field, wanted) {
			s.wrong++
		}
	}
}

// addModel adds what the model did with a document, of which fields were extracted.
func (o *outcome) addModel(path string, doc saved, known truth, answer *asked) {
	if o.model == nil {
		o.model = &modelOutcome{with: newOutcome(o.name, o.calibrate), outcomes: map[string]int{},
			grounded: map[string]*said{}, suggests: map[string]*said{}}
	}
	m := o.model
	m.outcomes[answer.outcome]++
	if calls := len(answer.answer.Calls); calls > 0 {
		m.sent++
		m.calls += calls
		m.retries += calls - 1
	}
	m.images += answer.images
	m.input += answer.answer.InputTokens
	m.output += answer.answer.OutputTokens
	m.took += answer.took
	m.longest = max(m.longest, answer.took)
	fields := o.extracted(doc, known)
	for _, a := range answer.assertions {
		list := m.suggests
		if a.Grounded {
			list = m.grounded
			if at := indexOf(fields, a.Field); at >= 0 {
				m.beside.add(a.Field, domain.Field{Normalised: a.Value}, fields[at], known[a.Field])
			}
		}
		if list[a.Field] == nil {
			list[a.Field] = &said{}
		}
		list[a.Field].add(a.Field, domain.Field{Normalised: a.Value}, known[a.Field])
	}
	filled := parsing.Fill(answer.assertions, func(field string) bool {
		return slices.ContainsFunc(fields, func(f domain.Field) bool { return f.Name == field })
	})
	for _, field := range filled {
		m.filled.add(field.Name, field, known[field.Name])
	}
	fields = slices.Concat(fields, filled)
	m.with.files++
	m.with.read++
	m.with.addScores(m.with.fields, path, fields, known)
	m.with.addJudgements(fields, known)
}

// sumOf adds all fields.
func sumOf(list map[string]*said) said {
	var sum said
	for _, one := range list {
		sum.count, sum.known, sum.wrong = sum.count+one.count, sum.known+one.known, sum.wrong+one.wrong
	}
	return sum
}

// printModel prints the table of the extraction again, with the values of the model beside it.
func (o *outcome) printModel(to io.Writer, model *languageModel) {
	m := o.model
	if m == nil {
		return
	}
	fmt.Fprintf(to, "\n%s with the language model %s\n", o.name, model.Client.Name())
	table := tabwriter.NewWriter(to, 2, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "  from pages\tknown\tfound\tright\t%\twith model: found\tright\t%\tgrounded"+
		"\twrong of known\tsuggestions\twrong of known\t")
	for _, name := range domain.FieldNames() {
		without, with := o.fields[name], m.with.fields[name]
		if without == nil && with == nil && m.grounded[name] == nil && m.suggests[name] == nil {
			continue
		}
		a, b := cmp.Or(without, &score{}), cmp.Or(with, &score{})
		g, s := cmp.Or(m.grounded[name], &said{}), cmp.Or(m.suggests[name], &said{})
		fmt.Fprintf(table, "  %s\t%d\t%d\t%d\t%.0f\t%d\t%d\t%.0f\t%d\t%d of %d\t%d\t%d of %d\t\n", name, a.known,
			a.found, a.right, percent(a.right, a.known), b.found, b.right, percent(b.right, b.known), g.count,
			g.wrong, g.known, s.count, s.wrong, s.known)
	}
	_ = table.Flush()
	fmt.Fprintf(to, "  all fields %.1f %%, with the model %.1f %%\n", o.allRight(), m.with.allRight())
	fmt.Fprintf(to, "  %s\n  with the model: %s\n", &o.task3, &m.with.task3)
	fmt.Fprintf(to, "  sure, all fields: %s\n", o.values.describeSure())
	fmt.Fprintf(to, "  sure, with the model: %s\n", m.with.values.describeSure())
	m.printAsked(to, model)
}

// printAsked prints what the calls did and cost.
func (m *modelOutcome) printAsked(to io.Writer, model *languageModel) {
	g, s := sumOf(m.grounded), sumOf(m.suggests)
	fmt.Fprintf(to, "  values of the model: %d grounded (wrong %d of %d whose truth is known), %d suggestions "+
		"(wrong %d of %d), %d filled a field (wrong %d of %d)\n", g.count, g.wrong, g.known, s.count, s.wrong,
		s.known, m.filled.count, m.filled.wrong, m.filled.known)
	fmt.Fprintf(to, "  grounded beside an extracted value: %d the same, %d another one (right: model %d, extraction %d, "+
		"neither %d)\n", m.beside.same, m.beside.other, m.beside.model, m.beside.extraction, m.beside.neither)
	var outcomes []string
	for _, name := range slices.Sorted(maps.Keys(m.outcomes)) {
		outcomes = append(outcomes, fmt.Sprintf("%s %d", name, m.outcomes[name]))
	}
	cost := model.Settings.Cost(m.input, m.output)
	documents := float64(max(1, m.sent))
	fmt.Fprintf(to, "  documents: %s; %d calls, %d of them retries; %d images of pages\n",
		strings.Join(outcomes, ", "), m.calls, m.retries, m.images)
	fmt.Fprintf(to, "  tokens: %d in, %d out; %s %.6f, %.6f a document; %.3f s a document, at most %.3f s\n",
		m.input, m.output, model.Settings.Currency, float64(cost)/1e6, float64(cost)/1e6/documents,
		m.took.Seconds()/documents, m.longest.Seconds())
}
