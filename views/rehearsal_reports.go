package views

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/rules"
)

// RehearsalReport is a recorded rehearsal as its reader sees it.
type RehearsalReport struct {
	domain.RehearsalReport
	domain.RehearsedText
	// OfText says that the text that was rehearsed is the one of the proposal.
	OfText bool
	rules  map[string]*rules.Rule // of the proposed set
}

// RuleTitle returns the short name of a rule of the report in a language.
func (r *RehearsalReport) RuleTitle(rule, language string) string {
	if known := r.rules[rule]; known != nil {
		return known.Title(language)
	}
	return rules.TitleOf(rule, language)
}

// RehearsalReports reads the recorded rehearsals of a proposal that the viewer may see, newest first, with
// those of earlier texts for the same version. They have sums and no case. Who may not see the list of
// people does not see the sums of people.
func (v *Views) RehearsalReports(ctx context.Context, actor domain.Actor, id domain.ID) (
	[]RehearsalReport, error) {
	proposal, err := v.Proposal(ctx, actor, id)
	if err != nil {
		return nil, err
	}
	viewer, err := v.loadViewer(ctx, actor, domain.ActRead, domain.ActPublish)
	if err != nil {
		return nil, err
	}
	recorded, err := v.reader.RehearsalReports(ctx, proposal)
	if err != nil {
		return nil, err
	}
	text, named := proposal.TextSHA256(), proposedRules(proposal)
	reports := make([]RehearsalReport, 0, len(recorded))
	for _, report := range recorded {
		shown := RehearsalReport{RehearsalReport: report, OfText: report.TextSHA256 == text,
			rules: named}
		if err := json.Unmarshal([]byte(report.Report), &shown.RehearsedText); err != nil {
			return nil, domain.Errorf(domain.Internal, "The report of a rehearsal cannot be read.").WithCause(err)
		}
		if !viewer.maySeePeople() {
			shown.People, shown.Since, shown.PeopleChanged, shown.PermissionsChanged = nil, nil, nil, nil
		}
		reports = append(reports, shown)
	}
	slices.Reverse(reports)
	return reports, nil
}

// proposedRules returns the rules of a proposed set by their names; nil for other proposals.
func proposedRules(p domain.Proposal) map[string]*rules.Rule {
	if p.Kind != domain.ProposeRuleSet {
		return nil
	}
	set, problems := rules.CheckPublished([]byte(p.Document))
	if len(problems) > 0 {
		return nil
	}
	named := map[string]*rules.Rule{}
	for _, rule := range set.Rules {
		named[rule.ID] = rule
	}
	return named
}

// RehearseProposal rehearses the text of a proposal, so that its sums can be recorded.
func (v *Views) RehearseProposal(ctx context.Context, actor domain.Actor, p domain.Proposal,
	query RehearsalQuery) (*Rehearsal, error) {
	query.Recorded, query.Base = true, p.Base
	switch p.Kind {
	case domain.ProposeProcess:
		query.Change.Process = p.Document
	case domain.ProposeRuleSet:
		query.Change.Rules = p.Document
	case domain.ProposePolicy:
		query.Change.Policy = p.Document
	}
	return v.Rehearse(ctx, actor, query)
}

// Sums returns what a report of the rehearsal contains.
func (r *Rehearsal) Sums(query RehearsalQuery) domain.RehearsalSums {
	sums := domain.RehearsalSums{ClosedAsked: query.Closed, OpenAsked: query.Open, Closed: r.Closed,
		Open: r.Open, Hidden: r.Hidden, Erased: r.Erased, Simplified: r.Simplified,
		HiddenVotes: r.HiddenVotes, Complete: r.Complete, OtherVersions: r.OtherVersions,
		RehearsalCounts: r.RehearsalCounts, OtherReviews: &r.OtherReviews,
		UnassignedBefore: &r.UnassignedBefore, UnassignedAfter: &r.UnassignedAfter,
		Stops: r.stops(), People: r.People}
	for i := range r.Rules {
		rule := &r.Rules[i]
		sums.Rules = append(sums.Rules, domain.RehearsedRule{Rule: rule.Rule, Before: rule.Before,
			After: rule.After, Appears: rule.Appears, Disappears: rule.Disappears, Unknown: rule.Unknown})
	}
	if r.Changed != nil {
		sums.Since, sums.PeopleChanged, sums.PermissionsChanged = &r.Changed.Since, &r.Changed.People,
			&r.Changed.Permissions
	}
	return sums
}

// stops adds up the missing facts without their sentences.
func (r *Rehearsal) stops() (stops []domain.RehearsedStop) {
	for _, missing := range r.Missing {
		stop := domain.RehearsedStop{Node: missing.Node, Lacks: []string{}, Cases: missing.Cases}
		if missing.Lacks != "" {
			stop.Lacks = strings.Split(missing.Lacks, ", ")
		}
		at := slices.IndexFunc(stops, func(known domain.RehearsedStop) bool {
			return known.Node == stop.Node && slices.Equal(known.Lacks, stop.Lacks)
		})
		if at < 0 {
			stops = append(stops, stop)
			continue
		}
		stops[at].Cases += stop.Cases
	}
	return stops
}
