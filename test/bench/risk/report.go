package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"countersign/domain"
	"countersign/sampling"
)

// figure is one row of the table: how many of n count against a goal.
type figure struct {
	name     string
	n, count int
	goal     float64 // the largest share
	causes   map[string]int
}

// noGoal is for figures that explain others.
const noGoal = -1

func (f *figure) add(counts bool, cause string) {
	f.n++
	if counts {
		f.count++
		f.causes[cause]++
	}
}

func newFigure(name string, goal float64) *figure {
	return &figure{name: name, goal: goal, causes: map[string]int{}}
}

// report prints the table of the goals, then how many documents pass without a person.
func report(all []*document, verbose bool) {
	above := newFigure("sent above the true level", 0.01)
	second := newFigure("second person for a correction", 0.05)
	laundering := newFigure("low-risk orders at anti-money laundering", 0.02)
	duplicates := newFigure("false duplicates", 0.005)
	wrong := newFigure("archived without a person, wrong", 0)
	missed := newFigure("real duplicates without a finding", noGoal)
	open := newFigure("left open by the simulated people", noGoal)
	for _, d := range all {
		o := &d.outcome
		above.add(d.aboveLevel(), fmt.Sprint(d.reader))
		for _, c := range o.corrections {
			second.add(c.needs != "", c.field+": "+string(c.needs))
		}
		if d.ordered && !d.risky() {
			laundering.add(d.toAML(), d.payee.country)
		}
		if d.duplicateOf == nil {
			duplicates.add(len(o.findings) > 0, d.story+": "+strings.Join(o.findings, " "))
		} else {
			missed.add(len(o.findings) == 0, d.story)
		}
		if o.alone {
			wrong.add(len(o.wrong) > 0, strings.Join(o.wrong, " "))
		}
		open.add(o.status != domain.Archived && o.status != domain.Rejected,
			string(o.status)+" "+o.stuck)
		if verbose {
			d.explain()
		}
	}
	printFigures([]*figure{above, second, laundering, duplicates, wrong, missed, open})
	printPassed(all)
}

func printFigures(figures []*figure) {
	table := tabwriter.NewWriter(os.Stdout, 2, 0, 2, ' ', 0)
	fmt.Fprintln(table, "figure\tn\tcount\trate\t95 % bound\tgoal\t")
	for _, f := range figures {
		rate := float64(f.count) / float64(max(1, f.n))
		goal := fmt.Sprintf("%.1f %%: met", 100*f.goal)
		switch {
		case f.goal == noGoal:
			goal = ""
		case rate > f.goal:
			goal = fmt.Sprintf("%.1f %%: missed", 100*f.goal)
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%.2f %%\t%.2f %%\t%s\t\n", f.name, f.n, f.count, 100*rate,
			100*sampling.UpperBound(float64(f.count), float64(f.n)), goal)
	}
	_ = table.Flush()
	for _, f := range figures {
		for _, cause := range slices.Sorted(maps.Keys(f.causes)) {
			fmt.Printf("  %s: %d of %s\n", f.name, f.causes[cause], cause)
		}
	}
}

// printPassed prints how many documents passed without a person, and why the others did not.
func printPassed(all []*document) {
	type group struct {
		n, passed int
		rules     map[string]int
	}
	groups := map[string]*group{}
	for _, d := range all {
		name := d.kind + ", " + string(d.medium)
		if d.kind == "receipt" && d.declared {
			name += ", declared"
		}
		g := groups[name]
		if g == nil {
			g = &group{rules: map[string]int{}}
			groups[name] = g
		}
		g.n++
		if d.outcome.alone {
			g.passed++
			continue
		}
		for _, rule := range d.outcome.rules {
			g.rules[rule]++
		}
	}
	fmt.Println()
	table := tabwriter.NewWriter(os.Stdout, 2, 0, 2, ' ', 0)
	fmt.Fprintln(table, "documents\tn\twithout a person\trate\tfindings of the others\t")
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		g := groups[name]
		fmt.Fprintf(table, "%s\t%d\t%d\t%.0f %%\t%s\t\n", name, g.n, g.passed,
			100*float64(g.passed)/float64(g.n), mostOf(g.rules, 5))
	}
	_ = table.Flush()
}

// mostOf returns the most frequent rules.
func mostOf(rules map[string]int, count int) string {
	names := slices.SortedFunc(maps.Keys(rules), func(a, b string) int {
		if rules[a] != rules[b] {
			return rules[b] - rules[a]
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, name := range names[:min(count, len(names))] {
		parts = append(parts, fmt.Sprintf("%s %d", name, rules[name]))
	}
	return strings.Join(parts, ", ")
}

// explain prints a case that counts against a goal.
func (d *document) explain() {
	o := &d.outcome
	waits := slices.ContainsFunc(o.corrections, func(c correction) bool { return c.needs != "" })
	if d.aboveLevel() || waits || d.duplicateOf == nil && len(o.findings) > 0 || len(o.wrong) > 0 ||
		d.duplicateOf != nil && len(o.findings) == 0 ||
		o.status != domain.Archived && o.status != domain.Rejected {
		fmt.Printf("%s: %s in %v, at risk %d, findings %v %q, corrections %+v, wrong %v, refused %v %s\n",
			d, o.status, o.queues, o.mostAtRisk, o.rules, o.says, o.corrections, o.wrong, o.refusals, o.stuck)
	}
}
