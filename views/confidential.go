package views

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/rules"
	"countersign/workflow"
)

// CaseView is a case as one viewer may see it.
type CaseView struct {
	domain.Case
	Audience domain.Audience
	// HasAmount says that the case's process has an amount. In other processes an amount is not unknown:
	// there is none.
	HasAmount bool
	// Assessed says that the case was judged by rules. Otherwise no risk and no findings mean nothing. Of
	// cases that were read without their marking it says that the process judges documents.
	Assessed bool
	// Redacted says that the viewer must not learn whether the case is or was in a confidential
	// review. The case then looks the same whichever review it is in, and the viewer sees only the
	// reviews that are their own work.
	Redacted bool

	// Of a redacted case: its process and its whole marking.
	process    *workflow.Definition
	unredacted domain.Marking
}

// CaseViewer shows cases to one user.
type CaseViewer struct {
	views     *Views
	user      domain.User
	queues    []string // those of the user and of the users for whom they may act
	clearance bool     // may see confidential reviews, except on their own documents
}

// CaseViewer returns the user as a viewer of cases.
func (v *Views) CaseViewer(ctx context.Context, actor domain.Actor) (*CaseViewer, error) {
	viewer, err := v.loadViewer(ctx, actor)
	return v.caseViewer(viewer), err
}

// User returns the user to whom cases are shown.
func (viewer *CaseViewer) User() domain.User { return viewer.user }

func (v *Views) caseViewer(viewer viewer) *CaseViewer {
	one := &CaseViewer{views: v, user: viewer.user, queues: slices.Clone(viewer.user.Queues),
		clearance: viewer.user.SeesConfidential()}
	for _, delegator := range viewer.delegators {
		one.queues = append(one.queues, delegator.Queues...)
		one.clearance = one.clearance || delegator.SeesConfidential()
	}
	return one
}

// seesConfidential reports whether the user may see confidential reviews of the case.
func (viewer *CaseViewer) seesConfidential(c domain.Case) bool {
	return viewer.clearance && c.Submitter != viewer.user.ID
}

// hiddenQueues returns the queues whose reviews are not counted for the viewer.
func (viewer *CaseViewer) hiddenQueues() []string {
	if viewer.clearance {
		return nil
	}
	return domain.ConfidentialQueues()
}

// CountsOpenReviews reports whether the viewer may see the number of open reviews of a person. A person who
// works on confidential queues only has none for viewers without clearance, busy or not, so no number is
// shown: it would be read as an idle person.
func (viewer *CaseViewer) CountsOpenReviews(person domain.User) bool {
	return viewer.clearance || len(person.Queues) == 0 ||
		slices.ContainsFunc(person.Queues, func(queue string) bool { return !domain.ConfidentialQueue(queue) })
}

// OpenReviewCounts counts the undecided reviews of people that the viewer may see.
func (viewer *CaseViewer) OpenReviewCounts(ctx context.Context, people []domain.ID) (
	map[domain.ID]int, error) {
	return viewer.views.reader.OpenReviewCounts(ctx, people, viewer.hiddenQueues()...)
}

// Case returns the case as the viewer may see it. The caller has checked that they may read it.
func (viewer *CaseViewer) Case(ctx context.Context, c domain.Case) (CaseView, error) {
	def, err := viewer.views.definition(ctx, c)
	if err != nil {
		return CaseView{}, err
	}
	seen := CaseView{Case: c, Audience: AudienceOn(viewer.user, c), HasAmount: def.HasAmount,
		Assessed: def.Assesses() && (len(c.Marking.Visits) == 0 || def.Assessed(c.Marking) || c.Risk > 0)}
	if viewer.seesConfidential(c) || !def.Confidential() {
		return seen, nil
	}
	seen.Redacted, seen.process, seen.unredacted = true, def, c.Marking
	seen.OtherCountries, seen.OutcomeReason = nil, ""
	seen.DifferingFields = slices.DeleteFunc(slices.Clone(c.DifferingFields),
		domain.ConfidentialField)
	// These change with every hidden step; what is visible is computed from the visible events.
	seen.LastSeq, seen.HeadHash, seen.Version = 0, nil, 0
	seen.Marking = visibleMarking(def, c.Marking)
	return seen, nil
}

// visibleMarking keeps the stages of a marking. The other nodes show which reviews the case needs.
func visibleMarking(def *workflow.Definition, marking domain.Marking) domain.Marking {
	hidden := func(id string) bool {
		node, ok := def.Node(id)
		return !ok || node.Kind == workflow.KindReview || node.Kind == workflow.KindExclusive ||
			node.Kind == workflow.KindFork || node.Kind == workflow.KindJoin
	}
	visible := domain.Marking{Visits: map[string]int{}}
	for _, token := range marking.Tokens {
		if !hidden(token.Node) {
			visible.Tokens = append(visible.Tokens, token)
		}
	}
	for node, visits := range marking.Visits {
		if !hidden(node) {
			visible.Visits[node] = visits
		}
	}
	return visible
}

// Reviews returns the reviews of a redacted case that the viewer may see: those that are their own
// work, and none on their own documents.
func (viewer *CaseViewer) Reviews(seen CaseView, reviews []domain.Review) []domain.Review {
	visible := []domain.Review{}
	for _, review := range reviews {
		if seen.Audience == domain.AudienceStaff && viewer.ownWork(review) {
			visible = append(visible, review)
		}
	}
	return visible
}

func (viewer *CaseViewer) ownWork(review domain.Review) bool {
	return !domain.ConfidentialQueue(review.Queue) && (review.Assignee == viewer.user.ID ||
		undecided(review) && slices.Contains(viewer.queues, review.Queue))
}

// Findings returns the findings of a case that the viewer may see.
func (seen CaseView) Findings(findings []domain.Finding) []domain.Finding {
	visible := []domain.Finding{}
	for _, finding := range findings {
		if !seen.Redacted {
			visible = append(visible, finding)
		} else if shown, ok := seen.withoutConfidential(finding); ok {
			visible = append(visible, shown)
		}
	}
	return visible
}

// withoutConfidential returns the finding without confidential fields, and false if it is
// confidential itself.
func (seen CaseView) withoutConfidential(finding domain.Finding) (domain.Finding, bool) {
	switch {
	case seen.confidentialRule(finding.Rule):
		return finding, false
	case finding.Rule == rules.DifferingFieldsRule:
		return rules.WithoutFields(finding, domain.ConfidentialField)
	}
	return finding, true
}

// confidentialRule reports whether findings of the rule say why the case needs a confidential
// review.
func (seen CaseView) confidentialRule(rule string) bool {
	return seen.process.ConfidentialFinding(rule)
}

// VisibleRisk returns the risk that the viewer may see, given the findings that they may see.
func (seen CaseView) VisibleRisk(findings []domain.Finding) int {
	if !seen.Redacted {
		return seen.Risk
	}
	risk := 0
	for _, finding := range findings {
		risk += finding.Score
	}
	return min(max(risk, 0), MaxRisk)
}

// MaxRisk is the highest risk score.
const MaxRisk = 100

// Evidence returns the evidence of a decision that the viewer may see, given the findings of the
// case that they may see.
func (seen CaseView) Evidence(evidence domain.Evidence, findings []domain.Finding) domain.Evidence {
	if !seen.Redacted {
		return evidence
	}
	known := map[string]int{}
	for _, finding := range findings {
		known[finding.Rule] += finding.Score
	}
	visible := []string{}
	evidence.Risk = 0
	for _, rule := range evidence.Findings {
		if _, shown := known[rule]; shown || !seen.confidentialRule(rule) &&
			rule != rules.DifferingFieldsRule {
			visible = append(visible, rule)
			evidence.Risk += known[rule]
		}
	}
	evidence.Findings, evidence.Risk = visible, min(evidence.Risk, MaxRisk)
	evidence.RiskBasis, evidence.Assertions, evidence.Differences = nil, nil, nil
	evidence.Unchecked = nil // a field that a confidential review confirmed is not among them
	return evidence
}
