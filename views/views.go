// Package views is the window: queues, lists, timelines and explanations, read by the policy that decides.
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
	reader store.Reader
	judge  func(context.Context) (*authz.Authority, error)
	// definitions remembers parsed versions of processes: version -> *workflow.Definition.
	definitions sync.Map
	// ruleSets likewise: version -> *rules.Set.
	ruleSets sync.Map
}

// New makes the window; judge gives the policy in force.
func New(reader store.Reader, judge func(context.Context) (*authz.Authority, error)) *Views {
	return &Views{reader: reader, judge: judge}
}

// eyes is the person who looks, with the policy in force.
type eyes struct {
	user  domain.User
	lent  []domain.User // in whose names the person may act now, as far as they lent theirs
	judge *authz.Authority
}

// queue, reads and reviews are the person's filters, over every name they may act in.
func (e eyes) queue() (domain.Filter, error)   { return e.judge.QueueFilterWith(e.user, e.lent) }
func (e eyes) reads() (domain.Filter, error)   { return e.judge.ReadFilterWith(e.user, e.lent) }
func (e eyes) reviews() (domain.Filter, error) { return e.judge.ReviewReadFilterWith(e.user, e.lent) }

// look reads the person and the policy. A disabled person sees nothing.
func (v *Views) look(ctx context.Context, actor domain.Actor) (eyes, error) {
	if actor.UserID == domain.NoID {
		return eyes{}, domain.Fail(domain.Unauthenticated, "Please sign in.")
	}
	if !authz.InScope(actor.Scopes, domain.ActRead) {
		return eyes{}, domain.Fail(domain.NotPermitted, "This API token was not given the scope %q.", domain.ActRead)
	}
	user, err := v.reader.User(ctx, actor.UserID)
	if err != nil {
		return eyes{}, err
	}
	if user.Disabled {
		return eyes{}, domain.Fail(domain.Unauthenticated, "This account is disabled.")
	}
	lent, err := v.reader.Lent(ctx, user)
	if err != nil {
		return eyes{}, err
	}
	judge, err := v.judge(ctx)
	return eyes{user, lent, judge}, err
}

// Audience returns what the person may see of cases: staff see the work, submitters their document's way.
func (v *Views) Audience(ctx context.Context, actor domain.Actor) (domain.Audience, error) {
	see, err := v.look(ctx, actor)
	return audienceOf(see.user), err
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
	if c.Submitter == user.ID && !user.Has(domain.RoleAuditor) && !user.Has(domain.RoleManager) {
		return domain.AudienceAll
	}
	return audienceOf(user)
}

// Viewer returns the person who looks.
func (v *Views) Viewer(ctx context.Context, actor domain.Actor) (domain.User, error) {
	see, err := v.look(ctx, actor)
	return see.user, err
}

// Case reads one case the person may read; NotFound for one they never could.
func (v *Views) Case(ctx context.Context, actor domain.Actor, id domain.ID) (domain.Case, domain.Audience, error) {
	see, err := v.look(ctx, actor)
	if err != nil {
		return domain.Case{}, "", err
	}
	c, err := v.reader.Case(ctx, id)
	if err != nil {
		return c, "", err
	}
	if err := v.mayRead(ctx, see, c); err != nil {
		return domain.Case{}, "", err
	}
	return c, AudienceOn(see.user, c), nil
}

// mayRead asks the policy about one case.
func (v *Views) mayRead(ctx context.Context, see eyes, c domain.Case) error {
	facts, _, err := v.facts(ctx, c)
	if err != nil {
		return err
	}
	err = see.judge.MayReadCase(see.user, see.lent, facts)
	if err != nil && !domain.HasCode(err, domain.ConflictOfInterest) {
		return domain.Fail(domain.NotFound, "There is no such thing, or you may not see it.")
	}
	return err
}

// facts reads what the policy is asked about a case.
func (v *Views) facts(ctx context.Context, c domain.Case) (domain.CaseFacts, []domain.Review, error) {
	reviews, err := v.reader.ReviewsOf(ctx, c.ID)
	if err != nil {
		return domain.CaseFacts{}, nil, err
	}
	bars, err := v.reader.BarsOf(ctx, c.ID, c.PartyID)
	return store.CaseFactsOf(c, reviews, bars), reviews, err
}

// MayWatch says whether the person may watch a stream now, and which audience they belong to: a case by its own rule,
// any other stream by the right to read the audit trail.
func (v *Views) MayWatch(ctx context.Context, actor domain.Actor, stream domain.ID) (domain.Audience, error) {
	if actor.TokenID != domain.NoID {
		if live, err := v.reader.TokenLive(ctx, actor.TokenID); err != nil || !live {
			return "", either(err, domain.Fail(domain.Unauthenticated, "This API token no longer holds."))
		}
	}
	_, audience, err := v.Case(ctx, actor, stream)
	if err == nil || stream[0] != 0 {
		return audience, err
	}
	see, lookErr := v.look(ctx, actor)
	if lookErr != nil {
		return "", lookErr
	}
	if _, err := see.judge.AuthorizePlain(see.user, domain.ActReadAudit); err != nil {
		return "", domain.Fail(domain.NotFound, "There is no such stream, or you may not see it.")
	}
	return domain.AudienceStaff, nil
}

func either(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
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
	see, err := v.look(ctx, actor)
	if err != nil {
		return CasePage{}, err
	}
	filter, err := see.reads()
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
		page.Audience[c.ID] = AudienceOn(see.user, c)
	}
	return page, nil
}

// seesPeople reports whether the person sees the list of people.
func (see eyes) seesPeople() bool {
	_, err := see.judge.AuthorizePlain(see.user, domain.ActManagePeople)
	return err == nil || see.user.Has(domain.RoleManager) || see.user.Has(domain.RoleAuditor)
}

// People reads everyone, for those who manage people or work; e-mails and conflicts only for those who manage people.
func (v *Views) People(ctx context.Context, actor domain.Actor, text string, role domain.Role) ([]domain.User, error) {
	see, err := v.look(ctx, actor)
	if err != nil {
		return nil, err
	}
	_, err = see.judge.AuthorizePlain(see.user, domain.ActManagePeople)
	manages := err == nil
	if !see.seesPeople() {
		return nil, domain.Fail(domain.NotPermitted, "Only managers, auditors and administrators see the list of people.")
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
	return slices.DeleteFunc(users, func(u domain.User) bool { return !matches(u, text) || role != "" && !u.Has(role) }), nil
}
