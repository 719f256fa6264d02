// Package views is the read side: queues, lists, timelines and explanations, filtered by the same
// policy that authorizes commands.
//
// What may enter: reads through store.Reader, filtered in SQL by the policy, and the rules of what
// each audience may see. What never happens here: writes, transactions that write, and row-by-row
// permission checks over a list.
package views

import (
	"context"
	"slices"

	"countersign/authz"
	"countersign/domain"
	"countersign/rules"
	"countersign/store"
	"countersign/workflow"
)

// Views reads data for the pages and the API. It is safe for concurrent use.
type Views struct {
	reader      store.Reader
	loadPolicy  func(context.Context) (*authz.Authority, error)
	definitions *domain.VersionCache[*workflow.Definition]
	ruleSets    *domain.VersionCache[*rules.Set]
	types       *domain.VersionCache[*domain.DocumentType]
	feedEnd     feedEnd
	trust       LogTrust
	claimLimit  int
}

// New returns the read side with caches of its own. policy returns the active policy.
func New(reader store.Reader, policy func(context.Context) (*authz.Authority, error)) *Views {
	return NewWithCaches(reader, policy, &domain.VersionCache[*workflow.Definition]{},
		&domain.VersionCache[*rules.Set]{}, &domain.VersionCache[*domain.DocumentType]{})
}

// NewWithCaches returns the read side with the caches of the service layer of the same program, so
// that each published version is parsed once.
func NewWithCaches(reader store.Reader, policy func(context.Context) (*authz.Authority, error),
	definitions *domain.VersionCache[*workflow.Definition],
	ruleSets *domain.VersionCache[*rules.Set],
	types *domain.VersionCache[*domain.DocumentType]) *Views {
	return &Views{reader: reader, loadPolicy: policy, definitions: definitions, ruleSets: ruleSets,
		types: types, claimLimit: domain.DefaultClaimLimit}
}

// LimitClaims sets how many claimed reviews one person can hold. It must be called before the first read.
func (v *Views) LimitClaims(most int) { v.claimLimit = most }

// TrustLog sets what the checkpoints of the audit log are verified with. It must be called before the
// first read.
func (v *Views) TrustLog(trust LogTrust) { v.trust = trust }

// viewer is the authenticated user of one read, with the active policy.
type viewer struct {
	user       domain.User
	delegators []domain.User // on whose behalf the user may act now, limited to the delegated scope
	policy     *authz.Authority
	actor      domain.Actor
}

// managesPeople reports whether the user may manage people and their credential has the scope for
// it.
func (viewer viewer) managesPeople() bool {
	_, err := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActManagePeople)
	return err == nil && viewer.actor.InScope(domain.ActManagePeople)
}

// queueFilter, readFilter and reviewFilter return the policy's filters for the user and their
// delegators.
func (viewer viewer) queueFilter() (domain.Filter, error) {
	return viewer.policy.QueueFilterWithDelegators(viewer.user, viewer.delegators)
}
func (viewer viewer) readFilter() (domain.Filter, error) {
	return viewer.policy.ReadFilterWithDelegators(viewer.user, viewer.delegators)
}
func (viewer viewer) reviewFilter() (domain.Filter, error) {
	return viewer.policy.ReviewReadFilterWithDelegators(viewer.user, viewer.delegators)
}

// loadViewer reads the user and the policy. The actor's token needs the scope read, or one of the
// scopes in instead. Disabled users get an error.
func (v *Views) loadViewer(ctx context.Context, actor domain.Actor, instead ...domain.Action) (
	viewer, error) {
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

// Audience returns the user's audience: staff see the review work, submitters the progress of their
// documents.
func (v *Views) Audience(ctx context.Context, actor domain.Actor) (domain.Audience, error) {
	viewer, err := v.loadViewer(ctx, actor)
	return audienceOf(viewer.user), err
}

func audienceOf(user domain.User) domain.Audience {
	if user.IsStaff() {
		return domain.AudienceStaff
	}
	return domain.AudienceAll
}

// AudienceOn returns the user's audience of one case. Submitters never see the review work on their
// own documents, except auditors and managers.
func AudienceOn(user domain.User, c domain.Case) domain.Audience {
	if c.Submitter == user.ID && !user.HasRole(domain.RoleAuditor) &&
		!user.HasRole(domain.RoleManager) {
		return domain.AudienceAll
	}
	return audienceOf(user)
}

// Viewer returns the authenticated user.
func (v *Views) Viewer(ctx context.Context, actor domain.Actor) (domain.User, error) {
	viewer, err := v.loadViewer(ctx, actor)
	return viewer.user, err
}

// Case reads one case. It returns NotFound if the actor may not read it.
func (v *Views) Case(ctx context.Context, actor domain.Actor, id domain.ID) (CaseView, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return CaseView{}, err
	}
	c, _, err := v.readable(ctx, viewer, id)
	if err != nil {
		return CaseView{}, err
	}
	return v.caseViewer(viewer).Case(ctx, c)
}

// readable reads a case that the viewer may read, and its facts. A missing case takes the same path
// as a forbidden one, so that the response time does not distinguish them.
func (v *Views) readable(ctx context.Context, viewer viewer, id domain.ID) (
	domain.Case, domain.CaseFacts, error) {
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
		return domain.Case{}, domain.CaseFacts{}, domain.NewNotFound()
	}
	return c, facts, err
}

// facts reads the facts that the policy needs about a case.
func (v *Views) facts(ctx context.Context, c domain.Case) (domain.CaseFacts, error) {
	reviews, err := v.reader.ReviewsOf(ctx, c.ID)
	if err != nil {
		return domain.CaseFacts{}, err
	}
	exclusions, err := v.reader.Exclusions(ctx, c.ID, c.Parties())
	return store.NewCaseFacts(c, reviews, exclusions), err
}

// maySeePeople reports whether the user may see the list of people.
func (viewer viewer) maySeePeople() bool {
	return viewer.policy.MaySeePeople(viewer.user)
}

// People reads all users that match the text and role, for managers, auditors and people
// administrators. Only the last see e-mail addresses.
func (v *Views) People(ctx context.Context, actor domain.Actor, text string, role domain.Role) (
	[]domain.User, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	manages := viewer.managesPeople()
	if !viewer.maySeePeople() {
		return nil, domain.Errorf(domain.NotPermitted,
			"Only managers, auditors and administrators can see the list of people.")
	}
	users, err := v.reader.Users(ctx, nil)
	if err != nil {
		return nil, err
	}
	if !manages { // before the search, which would otherwise reveal e-mail addresses
		for i := range users {
			users[i].Email = ""
		}
	}
	return slices.DeleteFunc(users, func(u domain.User) bool {
		return !matchesText(u, text) || role != "" && !u.HasRole(role)
	}), nil
}
