// Package views is the read side: queues, lists, timelines and explanations, read by the policy that decides.
//
// What may enter: reads through store.Reader, filtered in SQL by the policy's own filter; what an audience may see.
// What never happens here: a write, a transaction, a permission asked row by row over a list.
package views

import (
	"context"
	"slices"
	"sync"

	"countersign/authz"
	"countersign/domain"
	"countersign/store"
)

// Views reads what people look at. It is safe for concurrent use.
type Views struct {
	reader     store.Reader
	loadPolicy func(context.Context) (*authz.Authority, error)
	// definitions remembers parsed versions of processes: version -> *workflow.Definition.
	definitions sync.Map
	// ruleSets likewise: version -> *rules.Set.
	ruleSets sync.Map
}

// New makes the read side; judge gives the policy in force.
func New(reader store.Reader, policy func(context.Context) (*authz.Authority, error)) *Views {
	return &Views{reader: reader, loadPolicy: policy}
}

// viewer is the person who looks, with the policy in force.
type viewer struct {
	user       domain.User
	delegators []domain.User // on whose behalf the person may act now, limited to the delegated scope
	policy     *authz.Authority
	actor      domain.Actor
}

// managesPeople reports whether the person manages people, and came by a token that may be used for it.
func (e viewer) managesPeople() bool {
	_, err := e.policy.AuthorizeGlobal(e.user, domain.ActManagePeople)
	return err == nil && e.actor.InScope(domain.ActManagePeople)
}

// queueFilter, reads and reviews are the person's filters, over every name they may act in.
func (e viewer) queueFilter() (domain.Filter, error) {
	return e.policy.QueueFilterWithDelegators(e.user, e.delegators)
}
func (e viewer) readFilter() (domain.Filter, error) {
	return e.policy.ReadFilterWithDelegators(e.user, e.delegators)
}
func (e viewer) reviewFilter() (domain.Filter, error) {
	return e.policy.ReviewReadFilterWithDelegators(e.user, e.delegators)
}

// loadViewer reads the person and the policy for a reading that needs the scope read, or one of those that are named instead. A
// disabled person sees nothing.
func (v *Views) loadViewer(ctx context.Context, actor domain.Actor, instead ...domain.Action) (viewer, error) {
	if actor.UserID == domain.NoID {
		return viewer{}, domain.Errorf(domain.Unauthenticated, "Please sign in.")
	}
	if len(instead) == 0 {
		instead = []domain.Action{domain.ActRead}
	}
	if err := actor.RequireScope(instead...); err != nil {
		return viewer{}, err
	}
	user, err := v.reader.User(ctx, actor.UserID)
	if err != nil {
		return viewer{}, err
	}
	if user.Disabled {
		return viewer{}, domain.Errorf(domain.Unauthenticated, "This account is disabled.")
	}
	delegators, err := v.reader.Delegators(ctx, user)
	if err != nil {
		return viewer{}, err
	}
	policy, err := v.loadPolicy(ctx)
	return viewer{user, delegators, policy, actor}, err
}

// Audience returns what the person may see of cases: staff see the work, submitters their document's way.
func (v *Views) Audience(ctx context.Context, actor domain.Actor) (domain.Audience, error) {
	viewer, err := v.loadViewer(ctx, actor)
	return audienceOf(viewer.user), err
}

func audienceOf(user domain.User) domain.Audience {
	for _, role := range user.Roles {
		if role != domain.RoleSubmitter {
			return domain.AudienceStaff
		}
	}
	return domain.AudienceAll
}

// AudienceOn returns what the person may see of one case: of one's own document nobody sees the work behind it.
func AudienceOn(user domain.User, c domain.Case) domain.Audience {
	if c.Submitter == user.ID && !user.HasRole(domain.RoleAuditor) && !user.HasRole(domain.RoleManager) {
		return domain.AudienceAll
	}
	return audienceOf(user)
}

// Viewer returns the person who looks.
func (v *Views) Viewer(ctx context.Context, actor domain.Actor) (domain.User, error) {
	viewer, err := v.loadViewer(ctx, actor)
	return viewer.user, err
}

// Case reads one case the person may read; NotFound for one they never could.
func (v *Views) Case(ctx context.Context, actor domain.Actor, id domain.ID) (domain.Case, domain.Audience, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return domain.Case{}, "", err
	}
	c, _, err := v.readable(ctx, viewer, id)
	if err != nil {
		return domain.Case{}, "", err
	}
	return c, AudienceOn(viewer.user, c), nil
}

// readable reads a case that the person may read, and its facts. For a missing case the same is read and judged as for a
// foreign one, so that the time of the answer does not tell them apart.
func (v *Views) readable(ctx context.Context, viewer viewer, id domain.ID) (domain.Case, domain.CaseFacts, error) {
	c, err := v.reader.Case(ctx, id)
	absent := domain.HasCode(err, domain.NotFound)
	if absent {
		c, err = domain.AbsentCase(id), nil
	}
	if err != nil {
		return c, domain.CaseFacts{}, err
	}
	facts, err := v.facts(ctx, c)
	if err != nil {
		return c, facts, err
	}
	err = viewer.policy.AuthorizeCaseRead(viewer.user, viewer.delegators, facts)
	if absent || err != nil && !domain.HasCode(err, domain.ConflictOfInterest) {
		return domain.Case{}, domain.CaseFacts{}, notFound()
	}
	return c, facts, err
}

func notFound() *domain.Error {
	return domain.Errorf(domain.NotFound, "There is no such thing, or you may not see it.")
}

// facts reads what the policy is asked about a case.
func (v *Views) facts(ctx context.Context, c domain.Case) (domain.CaseFacts, error) {
	reviews, err := v.reader.ReviewsOf(ctx, c.ID)
	if err != nil {
		return domain.CaseFacts{}, err
	}
	exclusions, err := v.reader.Exclusions(ctx, c.ID, c.PartyID)
	return store.NewCaseFacts(c, reviews, exclusions), err
}

// CasePage is one page of cases.
type CasePage struct {
	Cases   []domain.Case
	HasMore bool
	// Staff are the cases of which the viewer sees the work, not only the way.
	Audience map[domain.ID]domain.Audience
}

// MaxPage bounds every page.
const MaxPage = 100

func pageSize(first int) int { return min(max(first, 1), MaxPage) }

// Cases reads the cases the person may read, newest first.
func (v *Views) Cases(ctx context.Context, actor domain.Actor, query store.CaseQuery) (CasePage, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return CasePage{}, err
	}
	filter, err := viewer.readFilter()
	if err != nil {
		return CasePage{}, err
	}
	size := pageSize(query.Limit)
	query.Limit = size + 1
	cases, err := v.reader.CaseList(ctx, filter, query)
	if err != nil {
		return CasePage{}, err
	}
	page := CasePage{Cases: cases[:min(len(cases), size)], HasMore: len(cases) > size, Audience: map[domain.ID]domain.Audience{}}
	for _, c := range page.Cases {
		page.Audience[c.ID] = AudienceOn(viewer.user, c)
	}
	return page, nil
}

// maySeePeople reports whether the person sees the list of people.
func (viewer viewer) maySeePeople() bool {
	_, err := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActManagePeople)
	return err == nil || viewer.user.HasRole(domain.RoleManager) || viewer.user.HasRole(domain.RoleAuditor)
}

// People reads everyone, for those who manage people or work; e-mails and conflicts only for those who manage people.
func (v *Views) People(ctx context.Context, actor domain.Actor, text string, role domain.Role) ([]domain.User, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	manages := viewer.managesPeople()
	if !viewer.maySeePeople() {
		return nil, domain.Errorf(domain.NotPermitted, "Only managers, auditors and administrators see the list of people.")
	}
	users, err := v.reader.Users(ctx, nil)
	if err != nil {
		return nil, err
	}
	if !manages { // before the search, which would tell the e-mails that it finds
		for i := range users {
			users[i].Email = ""
		}
	}
	return slices.DeleteFunc(users, func(u domain.User) bool { return !matchesText(u, text) || role != "" && !u.HasRole(role) }), nil
}
