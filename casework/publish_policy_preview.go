package casework

import (
	"context"
	"slices"

	"countersign/authz"
	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// PolicyPreview is what a text of the policy would change if it were in force now.
type PolicyPreview struct {
	// Problems are the faults of the text. If its rules cannot be evaluated, there is nothing else.
	Problems []workflow.Problem
	// Warnings are names that do not exist; publishing the text needs a confirmation.
	Warnings []workflow.Problem
	// Evaluated says that the effect was computed.
	Evaluated bool
	// People are the first of the active people whose rights change, by name; Changed counts all.
	People          []PersonEffect
	Changed, Active int
	// Limits are the limits that the text changes.
	Limits []LimitEffect
	// Together are the first of the people for whom more or less changes if the other open proposals of
	// limits and accounts are confirmed too.
	Together []PersonEffect
	// Digest identifies whose rights and amounts change in which way. EndProposal.ExpectedEffect is one.
	Digest     string
	Actions    []ActionEffect
	Conditions []authz.FixedCondition
	// Blocked are the first reviews that someone could decide and no one could any more.
	Blocked                []BlockedReview
	BlockedCount, Examined int
	Understaffed           []ProcessShortage
	// Complete says that everything was compared within the bounds.
	Complete bool
}

// RightChange is an action that a person could do on more objects, or on fewer.
type RightChange = authz.RightChange

// AmountChange is another amount up to which a person decides.
type AmountChange = authz.AmountChange

// Bound is the largest amount that a person decides.
type Bound = authz.Bound

// LimitEffect is a limit that a text changes. Lowers says that one administrator may make the change alone.
type LimitEffect struct {
	Before, After domain.Limit
	Known, Exists bool
	Lowers        bool
}

// PersonEffect is what one person could do and could no longer do.
type PersonEffect struct {
	Person       domain.ID
	NewAccount   string // the name of an account that is only proposed
	Gains, Loses []RightChange
	// Amounts are the amounts up to which the person decides, by document type.
	Amounts []AmountChange
	// Duties are the pairs of separate duties that the person would newly have.
	Duties [][2]domain.Action
}

// ActionEffect says how many active people may do an action before and after, if no more than two remain
// or if everyone gains it. Holders are those who remain.
type ActionEffect struct {
	Action        domain.Action
	Before, After int
	Everyone      bool
	Holders       []domain.ID
}

// BlockedReview is an undecided review that no one could decide any more.
type BlockedReview struct {
	ReviewID  domain.ID
	Reference string
	Queue     string
}

// ProcessShortage lists the paths through a process for which there would no longer be enough people.
type ProcessShortage struct {
	Process  string
	Problems []workflow.Problem
}

const (
	maxPreviewPeople  = 200
	maxBlockedReviews = 50
	// maxStaffingChecks bounds the people who are asked about reviews.
	maxStaffingChecks = 100_000
	fewHolders        = 2
)

// separateDuties are actions that different people should have.
var separateDuties = [][2]domain.Action{
	{domain.ActSubmit, domain.ActDecide}, {domain.ActPublish, domain.ActDecide},
	{domain.ActManagePeople, domain.ActDecide}, {domain.ActManagePeople, domain.ActSubmit},
}

// PreviewPolicy returns what the text would change for whom, without storing it. Reviews that the
// actor may not read are left out.
func (svc *Service) PreviewPolicy(
	ctx context.Context, actor domain.Actor, document string,
) (PolicyPreview, error) {
	preview := PolicyPreview{}
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return preview, err
	}
	if _, parsed := (policyPublishable{svc: svc}).parseKey(document); parsed.Refusal != nil {
		preview.Problems = parsed.Report.Problems
		return preview, nil
	}
	r := svc.db.Reader()
	validated, err := policyPublishable{svc: svc}.validate(ctx, r, document)
	preview.Problems, preview.Warnings = validated.Report.Problems, validated.Report.Warnings
	if err != nil {
		return preview, err
	}
	parsed, _ := authz.ParseDocument([]byte(document))
	after, invalid := authz.New(parsed.Policy())
	if invalid != nil { // its problems say why
		return preview, nil
	}
	preview.Evaluated, preview.Complete = true, true
	before, err := svc.Authorizer(ctx)
	if err != nil {
		return preview, err
	}
	p := policyPreview{svc: svc, r: r, before: before, after: after, changes: parsed.Limits,
		found: &preview}
	return preview, p.compute(ctx, actor)
}

// policyPreview computes a PolicyPreview.
type policyPreview struct {
	svc           *Service
	r             store.Reader
	before, after *authz.Authority
	changes       []authz.LimitChange
	people, later []domain.User // active, as they are and as they would be
	// accounts are those that a proposal changes, with all limits; text is an open text of the policy, with
	// which the proposal is compared together.
	accounts      map[domain.ID]PersonDocument
	limits        []domain.Limit
	text          *openText
	definitions   []*workflow.Definition
	queues, types []string
	found         *PolicyPreview
}

func (p *policyPreview) compute(ctx context.Context, actor domain.Actor) error {
	if err := p.load(ctx); err != nil {
		return err
	}
	comparison := p.comparison(p.laterUser)
	if err := p.comparePeople(comparison); err != nil {
		return err
	}
	p.found.Conditions = comparison.FixedConditions(p.people)
	p.found.Complete = comparison.Complete()
	if err := p.compareTogether(ctx, comparison); err != nil || p.found.Changed == 0 {
		return err
	}
	for _, def := range p.definitions {
		p.compareStaffing(def)
	}
	return p.compareReviews(ctx, actor)
}

// load reads the active people, and the queues and document types that there are.
func (p *policyPreview) load(ctx context.Context) error {
	users, err := p.r.Users(ctx, nil)
	if err != nil {
		return err
	}
	p.people = slices.DeleteFunc(users, func(user domain.User) bool { return user.Disabled })
	if p.definitions, err = p.svc.newestDefinitions(ctx, p.r); err != nil {
		return err
	}
	for _, def := range p.definitions {
		p.types = append(p.types, def.DocumentTypes...)
		for _, node := range def.Reviews() {
			p.queues = append(p.queues, node.Queue)
		}
	}
	for _, person := range p.people {
		p.queues = append(p.queues, person.Queues...)
	}
	p.found.Active = len(p.people)
	p.addAccounts()
	for _, person := range p.people {
		p.later = append(p.later, p.laterUser(person))
	}
	slices.Sort(p.queues)
	slices.Sort(p.types)
	p.queues, p.types = slices.Compact(p.queues), slices.Compact(p.types)
	for _, change := range p.changes {
		if err := p.addLimit(ctx, change); err != nil {
			return err
		}
	}
	return nil
}

// compareStaffing adds the paths of a process that have enough people now and would not.
func (p *policyPreview) compareStaffing(def *workflow.Definition) {
	before := findUnderstaffed(def, p.before, p.people)
	after := findUnderstaffed(def, p.after, p.later)
	known := slices.Concat(before.short, before.second, before.large)
	added := slices.DeleteFunc(slices.Concat(after.short, after.second, after.large),
		func(problem workflow.Problem) bool {
			return slices.ContainsFunc(known, func(old workflow.Problem) bool {
				return old.Node == problem.Node && old.Rule == problem.Rule
			})
		})
	if len(added) > 0 {
		p.found.Understaffed = append(p.found.Understaffed,
			ProcessShortage{Process: def.Key, Problems: added})
	}
}

// compareReviews finds the undecided reviews that someone could decide and no one could any more, of
// those that the actor may read, the earliest deadline first.
func (p *policyPreview) compareReviews(ctx context.Context, actor domain.Actor) error {
	viewer, err := p.r.User(ctx, actor.UserID)
	if err != nil {
		return err
	}
	filter, err := p.before.ReviewReadFilter(viewer)
	if err != nil {
		return err
	}
	reviews, err := p.r.QueuePage(ctx, filter, store.DueAny, nil, maxRecheckedReviews+1)
	if err != nil || len(reviews) == 0 {
		return err
	}
	if len(reviews) > maxRecheckedReviews {
		reviews, p.found.Complete = reviews[:maxRecheckedReviews], false
	}
	ids := make([]domain.ID, len(reviews))
	for i := range reviews {
		ids[i] = reviews[i].CaseID
	}
	slices.SortFunc(ids, func(a, b domain.ID) int { return slices.Compare(a[:], b[:]) })
	rows, err := p.r.Cases(ctx, slices.Compact(ids))
	if err != nil {
		return err
	}
	exclusions, err := p.r.ExclusionsOfCases(ctx, rows)
	if err != nil {
		return err
	}
	cases := map[domain.ID]domain.Case{}
	for _, row := range rows {
		cases[row.ID] = row
	}
	checks := 0
	for _, review := range reviews {
		c := cases[review.CaseID]
		def, err := p.svc.definitions.get(ctx, p.r, c.ProcessKey, c.ProcessVersion)
		if err != nil {
			return err
		}
		facts := store.NewReviewFacts(c, review, exclusions[c.ID], def.HasAmount, c.UpdatedAt)
		if checks += p.compareReview(review, c.Reference, facts); checks > maxStaffingChecks {
			p.found.Complete = false
			break
		}
	}
	return nil
}

// compareReview returns how many people were asked.
func (p *policyPreview) compareReview(
	review domain.Review, reference string, facts domain.ReviewFacts,
) int {
	p.found.Examined++
	staffed, checks := p.after.CanStaff(p.later, facts)
	if staffed {
		return checks
	}
	staffed, more := p.before.CanStaff(p.people, facts)
	if staffed {
		if p.found.BlockedCount++; p.found.BlockedCount <= maxBlockedReviews {
			p.found.Blocked = append(p.found.Blocked,
				BlockedReview{ReviewID: review.ID, Reference: reference, Queue: review.Queue})
		}
	}
	return checks + more
}
