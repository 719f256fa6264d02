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
	Actions         []ActionEffect
	Conditions      []authz.FixedCondition
	// Blocked are the first reviews that someone could decide and no one could any more.
	Blocked                []BlockedReview
	BlockedCount, Examined int
	Understaffed           []ProcessShortage
	// Complete says that everything was compared within the bounds.
	Complete bool
}

// RightChange is an action that a person could do on more objects, or on fewer.
type RightChange = authz.RightChange

// PersonEffect is what one person could do and could no longer do.
type PersonEffect struct {
	Person       domain.ID
	Gains, Loses []RightChange
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
	p := policyPreview{svc: svc, r: r, before: before, after: after, found: &preview}
	return preview, p.compute(ctx, actor)
}

// policyPreview computes a PolicyPreview.
type policyPreview struct {
	svc           *Service
	r             store.Reader
	before, after *authz.Authority
	people        []domain.User // active
	found         *PolicyPreview
}

func (p *policyPreview) compute(ctx context.Context, actor domain.Actor) error {
	users, err := p.r.Users(ctx, nil)
	if err != nil {
		return err
	}
	p.people = slices.DeleteFunc(users, func(user domain.User) bool { return user.Disabled })
	definitions, err := p.svc.newestDefinitions(ctx, p.r)
	if err != nil {
		return err
	}
	var queues []string
	for _, def := range definitions {
		for _, node := range def.Reviews() {
			queues = append(queues, node.Queue)
		}
	}
	for _, person := range p.people {
		queues = append(queues, person.Queues...)
	}
	slices.Sort(queues)
	comparison := authz.Compare(p.before, p.after, slices.Compact(queues))
	p.comparePeople(comparison)
	p.found.Conditions = comparison.FixedConditions(p.people)
	p.found.Complete = comparison.Complete()
	if p.found.Changed == 0 {
		return nil
	}
	for _, def := range definitions {
		p.compareStaffing(def)
	}
	return p.compareReviews(ctx, actor)
}

// comparePeople finds the people whose rights change, and what follows for the changed actions.
func (p *policyPreview) comparePeople(comparison *authz.Comparison) {
	p.found.Active = len(p.people)
	var actions []domain.Action
	for _, person := range p.people {
		change := comparison.Of(person)
		if len(change.Gains)+len(change.Loses) == 0 {
			continue
		}
		for _, one := range slices.Concat(change.Gains, change.Loses) {
			if !slices.Contains(actions, one.Action) {
				actions = append(actions, one.Action)
			}
		}
		if p.found.Changed++; p.found.Changed > maxPreviewPeople {
			continue
		}
		effect := PersonEffect{Person: person.ID, Gains: change.Gains, Loses: change.Loses}
		for _, duties := range separateDuties {
			beforeOne, afterOne := comparison.Holds(person, duties[0])
			beforeOther, afterOther := comparison.Holds(person, duties[1])
			if afterOne && afterOther && !(beforeOne && beforeOther) {
				effect.Duties = append(effect.Duties, duties)
			}
		}
		p.found.People = append(p.found.People, effect)
	}
	slices.Sort(actions)
	for _, action := range actions {
		p.compareHolders(comparison, action)
	}
}

// compareHolders adds an action that few people keep, or that everyone gains. The accounts of one person
// count once.
func (p *policyPreview) compareHolders(comparison *authz.Comparison, action domain.Action) {
	var before, after []domain.User
	for _, person := range p.people {
		had, has := comparison.Holds(person, action)
		if had {
			before = append(before, person)
		}
		if has {
			after = append(after, person)
		}
	}
	before, after = distinctPeople(before), distinctPeople(after)
	effect := ActionEffect{Action: action, Before: len(before), After: len(after)}
	everyone := len(distinctPeople(p.people))
	effect.Everyone = effect.After == everyone && effect.Before < everyone && everyone > 1
	few := effect.After < effect.Before && effect.After <= fewHolders
	if !few && !effect.Everyone {
		return
	}
	for i := range after {
		if few {
			effect.Holders = append(effect.Holders, after[i].ID)
		}
	}
	p.found.Actions = append(p.found.Actions, effect)
}

// distinctPeople returns one account of each person.
func distinctPeople(accounts []domain.User) []domain.User {
	var found []domain.User
	for _, account := range accounts {
		if !slices.ContainsFunc(account.OtherAccounts, func(other domain.ID) bool {
			return slices.ContainsFunc(found, func(u domain.User) bool { return u.ID == other })
		}) {
			found = append(found, account)
		}
	}
	return found
}

// compareStaffing adds the paths of a process that have enough people now and would not.
func (p *policyPreview) compareStaffing(def *workflow.Definition) {
	before := findUnderstaffed(def, p.before, p.people)
	after := findUnderstaffed(def, p.after, p.people)
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
	staffed, checks := p.after.CanStaff(p.people, facts)
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
