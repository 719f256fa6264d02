package casework

import (
	"slices"

	"countersign/authz"
	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// maxReminded is how many people are reminded of a review that no one has: those with the fewest open
// reviews.
const maxReminded = 20

// tellReminded reminds the assignee of a review, or the people who may claim it. A reminder of a
// deadline that does not apply any more makes no notice.
func (d *noticeDeriver) tellReminded(event *domain.Event, body generated.ReviewRemindedV1) error {
	review, err := d.tx.Review(d.ctx, body.ReviewID)
	if err != nil {
		return err
	}
	if _, due := nextDeadline(review, d.now); !isOpen(review) || review.Paused() || !due.Equal(body.Due) {
		return nil
	}
	recipients := []domain.ID{review.Assignee}
	if review.Assignee == domain.NoID {
		if recipients, err = d.claimantsOf(review); err != nil {
			return err
		}
	}
	d.settleReview(review.ID, []domain.NoticeKind{domain.NoticeReminder})
	d.add(event, domain.Notice{Kind: domain.NoticeReminder, ReviewID: review.ID, Due: body.Due},
		recipients...)
	return nil
}

// tellReturned reminds the submitter of a case that still waits for an answer.
func (d *noticeDeriver) tellReturned(event *domain.Event) error {
	if d.cases[event.Stream].Status != domain.Returned {
		return nil
	}
	return d.tellSubmitter(event, domain.NoticeReminder)
}

// claimants are the people who are present, and the policy that says what they may claim.
type claimants struct {
	authorizer *authz.Authority
	present    []domain.User
}

// loadClaimants reads, once a round, who may claim anything.
func (d *noticeDeriver) loadClaimants() error {
	if d.claimants != nil {
		return nil
	}
	snapshot, err := d.svc.currentAuthority(d.ctx)
	if err != nil {
		return err
	}
	users, err := d.tx.Users(d.ctx, nil)
	if err != nil {
		return err
	}
	absences, err := d.tx.Absences(d.ctx, nil)
	d.claimants = &claimants{snapshot.authorizer, slices.DeleteFunc(users, func(u domain.User) bool {
		return domain.SubstituteOf(u.ID, absences, d.now) != u.ID
	})}
	return err
}

// claimantsOf returns the people who may claim a review, at most maxReminded. Managers assign work to
// others, so they are reminded only if no one else can be. No one may claim a review whose reviewer is
// drawn.
func (d *noticeDeriver) claimantsOf(review domain.Review) ([]domain.ID, error) {
	c, found := d.cases[review.CaseID]
	if !found || review.Drawn() {
		return nil, nil
	}
	if err := d.loadClaimants(); err != nil {
		return nil, err
	}
	def, err := d.svc.definitions.get(d.ctx, d.tx.Reader, c.ProcessKey, c.ProcessVersion)
	if err != nil {
		return nil, err
	}
	exclusions, err := d.tx.Exclusions(d.ctx, c.ID, c.Parties())
	if err != nil {
		return nil, err
	}
	facts := store.NewReviewFacts(c, review, exclusions, def.HasAmount, d.now)
	people := withoutManagers(
		d.claimants.authorizer.Eligible(d.claimants.present, domain.ActClaim, facts))
	if len(people) <= maxReminded {
		return people, nil
	}
	loads, err := d.tx.OpenReviewCounts(d.ctx, people)
	slices.SortStableFunc(people, func(a, b domain.ID) int { return loads[a] - loads[b] })
	return people[:maxReminded], err
}

// withoutManagers returns the ids of the people who are no managers, or of all if there are no others.
func withoutManagers(people []domain.User) []domain.ID {
	var ids, managers []domain.ID
	for i := range people {
		if people[i].HasRole(domain.RoleManager) {
			managers = append(managers, people[i].ID)
		} else {
			ids = append(ids, people[i].ID)
		}
	}
	if len(ids) == 0 {
		return managers
	}
	return ids
}
