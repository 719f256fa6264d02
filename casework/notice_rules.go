package casework

import (
	"slices"
	"time"

	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/store"
)

// noticeRule makes the notices of the events of one type.
type noticeRule struct {
	event  domain.EventType
	derive func(*noticeDeriver, *domain.Event) error
}

// on returns the rule for the events with a body of the type.
func on[T events.Body](derive func(*noticeDeriver, *domain.Event, T) error) noticeRule {
	var body T
	kind, _ := body.Contract()
	return noticeRule{kind, func(d *noticeDeriver, event *domain.Event) error {
		body, err := events.Decode[T](event.Body)
		if err != nil {
			return domain.Errorf(domain.NotFound, "The body of an event cannot be read.").WithCause(err)
		}
		return derive(d, event, body)
	}}
}

// noticeRules has a rule for every type of event that concerns a person.
var noticeRules = []noticeRule{
	on(func(d *noticeDeriver, event *domain.Event, _ generated.CaseReturnedV1) error {
		return d.tellSubmitter(event, domain.NoticeReturned)
	}),
	on(func(d *noticeDeriver, event *domain.Event, _ generated.CaseRemindedV1) error {
		return d.tellReturned(event)
	}),
	on(func(d *noticeDeriver, event *domain.Event, _ generated.CaseArchivedV1) error {
		return d.tellFinished(event)
	}),
	on(func(d *noticeDeriver, event *domain.Event, _ generated.CaseRejectedV1) error {
		return d.tellFinished(event)
	}),
	on(func(d *noticeDeriver, event *domain.Event, _ generated.CaseAbandonedV1) error {
		d.settleCase(event)
		return nil
	}),
	on(func(d *noticeDeriver, event *domain.Event, _ generated.CaseResubmittedV1) error {
		d.settleCase(event)
		return nil
	}),
	on(func(d *noticeDeriver, event *domain.Event, _ generated.IncidentResolvedV1) error {
		d.settleCase(event)
		return nil
	}),
	on(func(d *noticeDeriver, event *domain.Event, _ generated.IncidentOpenedV1) error {
		managers, err := d.tx.PeopleOfRole(d.ctx, domain.RoleManager, "")
		if err != nil {
			return err
		}
		d.add(event, domain.Notice{Kind: domain.NoticeIncident}, managers...)
		return d.tellSubmitter(event, domain.NoticeIncident)
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.ReviewReassignedV1) error {
		return d.tellAssignee(event, body.ReviewID, body.To)
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.ReviewDrawnV1) error {
		return d.tellAssignee(event, body.ReviewID, body.Person)
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.ReviewClaimedV1) error {
		d.settleReview(body.ReviewID, ofAssignee)
		warning := domain.Notice{Kind: domain.NoticeLapse, ReviewID: body.ReviewID, Scheduled: true,
			Due: body.ClaimUntil, At: body.ClaimUntil.Add(-d.claimWarning())}
		caused := *event
		caused.Actor = domain.SystemUserID // the holder of the claim caused it and is notified
		d.add(&caused, warning, body.Assignee)
		return nil
	}),
	on(func(d *noticeDeriver, _ *domain.Event, body generated.ReviewReleasedV1) error {
		d.settleReview(body.ReviewID, ofAssignee)
		return nil
	}),
	on(func(d *noticeDeriver, _ *domain.Event, body generated.ReviewMovedV1) error {
		d.settleReview(body.ReviewID, ofAssignee)
		return nil
	}),
	on(func(d *noticeDeriver, _ *domain.Event, body generated.ReviewDecidedV1) error {
		d.settleReview(body.ReviewID, ofReview)
		return nil
	}),
	on(func(d *noticeDeriver, _ *domain.Event, body generated.VoteCastV1) error {
		d.settleReview(body.ReviewID, ofReview)
		return nil
	}),
	on(func(d *noticeDeriver, _ *domain.Event, body generated.ReviewCancelledV1) error {
		d.settleReview(body.ReviewID, ofReview)
		return nil
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.ReviewAtRiskV1) error {
		review, err := d.tx.Review(d.ctx, body.ReviewID)
		d.add(event, domain.Notice{Kind: domain.NoticeLapse, ReviewID: body.ReviewID, Due: body.Due},
			review.Assignee)
		return err
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.ReviewRemindedV1) error {
		return d.tellReminded(event, body)
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.ReviewOverdueV1) error {
		return d.tellOverdue(event, body)
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.DelegationCreatedV1) error {
		d.add(event, domain.Notice{Kind: domain.NoticeDelegation, Person: body.From,
			Due: body.ValidUntil}, body.To)
		// The delegator is notified if another person created the delegation.
		d.add(event, domain.Notice{Kind: domain.NoticeDelegation, Person: body.To,
			Due: body.ValidUntil}, body.From)
		return nil
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.AbsenceSetV1) error {
		d.add(event, domain.Notice{Kind: domain.NoticeAbsence, Person: event.Actor, Due: body.ValidUntil},
			body.Person)
		return nil
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.AbsenceEndedV1) error {
		d.add(event, domain.Notice{Kind: domain.NoticeAbsence, Person: event.Actor}, body.Person)
		return nil
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.BreakGlassRequestedV1) error {
		return d.tellOfOperator(event, body.Person, body.EffectAt)
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.BreakGlassTookEffectV1) error {
		return d.tellOfOperator(event, body.Person, body.ExpiresAt)
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.BreakGlassEndedV1) error {
		return d.tellOfOperator(event, body.Person, time.Time{})
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.OperatorActedV1) error {
		return d.tellOfOperator(event, body.Person, time.Time{})
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.PasskeyRegisteredV1) error {
		return d.tellHolder(event, body.UserID)
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.IdentityLinkedV1) error {
		return d.tellHolder(event, body.UserID)
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.EmployeeChangedV1) error {
		return d.tellHolder(event, body.UserID)
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.PasskeyRemovedV2) error {
		return d.tellHolder(event, body.UserID)
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.UserChangedV1) error {
		if !slices.Contains(body.Changed, "password") {
			return nil
		}
		return d.tellHolder(event, body.UserID)
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.CaseNoteAddedV1) error {
		d.add(event, domain.Notice{Kind: domain.NoticeMention, NoteID: body.NoteID}, body.Mentions...)
		return nil
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.CaseInternalNoteAddedV1) error {
		d.add(event, domain.Notice{Kind: domain.NoticeMention, NoteID: body.NoteID}, body.Mentions...)
		return nil
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.ProposalCommentedV1) error {
		return d.tellDiscussing(event, body.ProposalID)
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.DefinitionProposedV1) error {
		if err := d.tellOwners(event, body.ProposalID); err != nil {
			return err
		}
		return d.tellPublishers(event, body.ProposalID, domain.NoID)
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.DocumentTypeProposedV1) error {
		return d.tellPublishers(event, body.ProposalID, domain.NoID)
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.PolicyProposedV1) error {
		return d.tellPublishers(event, body.ProposalID, domain.NoID)
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.ControlProposedV2) error {
		if err := d.tellOwners(event, body.ProposalID); err != nil {
			return err
		}
		return d.tellPublishers(event, body.ProposalID, body.Person)
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.ProposalPublishedWithoutOwnersV1) error {
		d.add(event, domain.Notice{Kind: domain.NoticeOwner, Proposal: body.ProposalID},
			body.Owners...)
		return nil
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.ProposalOwnerDecidedV1) error {
		proposal, err := d.tx.Proposal(d.ctx, body.ProposalID)
		d.add(event, domain.Notice{Kind: domain.NoticeOwner, Proposal: body.ProposalID},
			proposal.ProposedBy)
		return err
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.ConnectorStatusChangedV1) error {
		return d.tellOperators(event, body.ConnectorID, body.After == string(domain.ConnectorDisabled))
	}),
	on(func(d *noticeDeriver, event *domain.Event, body generated.ConnectorReconciledV1) error {
		return d.tellOperators(event, body.ConnectorID, body.Missing+body.Unknown > 0)
	}),
}

// NoticedEvents returns the types of events that concern a person.
func NoticedEvents() []domain.EventType {
	types := slices.Clone(watchedEvents)
	for _, rule := range noticeRules {
		if !slices.Contains(types, rule.event) {
			types = append(types, rule.event)
		}
	}
	return types
}

func (d *noticeDeriver) derive(event *domain.Event) error {
	err := d.noticeWatchers(event)
	at := slices.IndexFunc(noticeRules, func(rule noticeRule) bool { return rule.event == event.Type })
	if at >= 0 && err == nil {
		err = noticeRules[at].derive(d, event)
	}
	if domain.HasCode(err, domain.NotFound) {
		// One event without its case or body must not stop the notices of all others.
		d.svc.log.WarnContext(d.ctx, "no notices of an event", "type", event.Type, "stream", event.Stream,
			"seq", event.Seq, "error", err)
		return nil
	}
	return err
}

// tellHolder notifies a person that their way to sign in changed, also if they seem to have changed it.
func (d *noticeDeriver) tellHolder(event *domain.Event, person domain.ID) error {
	caused := *event
	caused.Actor = domain.SystemUserID
	d.add(&caused, domain.Notice{Kind: domain.NoticeSignIn}, person)
	return nil
}

// tellDiscussing notifies the person who proposed a text, and the people who commented on it.
func (d *noticeDeriver) tellDiscussing(event *domain.Event, id domain.ID) error {
	proposal, err := d.tx.Proposal(d.ctx, id)
	if err != nil {
		return err
	}
	comments, err := d.tx.ProposalComments(d.ctx, proposal)
	people := []domain.ID{proposal.ProposedBy}
	for i := range comments {
		people = append(people, comments[i].Author)
	}
	d.add(event, domain.Notice{Kind: domain.NoticeComment, Proposal: id}, people...)
	return err
}

// tellOwners notifies the owners whose approval a proposal needs. A text that replaces another one is a
// proposal of its own, so they are notified of it too.
func (d *noticeDeriver) tellOwners(event *domain.Event, id domain.ID) error {
	proposal, err := d.tx.Proposal(d.ctx, id)
	if err != nil || proposal.Status != domain.ProposalOpen {
		return err
	}
	reviews, err := d.svc.ownerReviews(d.ctx, d.tx.Reader, proposal, domain.NoID)
	for i := range reviews {
		d.add(event, domain.Notice{Kind: domain.NoticeOwner, Proposal: id}, reviews[i].Eligible...)
	}
	return err
}

// tellPublishers notifies the administrators who can publish or confirm a proposal, besides its owners, who
// have a notice of their own, the person who proposed it, and the person whose account it changes.
// checkEndedProposals settles the notices.
func (d *noticeDeriver) tellPublishers(event *domain.Event, id, concerned domain.ID) error {
	proposal, err := d.tx.Proposal(d.ctx, id)
	if err != nil || proposal.Status != domain.ProposalOpen {
		return err
	}
	publishers, err := d.tx.PeopleOfRole(d.ctx, domain.RoleAdmin, "")
	if err != nil {
		return err
	}
	for _, person := range publishers {
		asOwner := slices.ContainsFunc(d.notices, func(n domain.Notice) bool {
			return n.Kind == domain.NoticeOwner && n.Proposal == id && n.Recipient == person
		})
		own := false
		for _, other := range []domain.ID{proposal.ProposedBy, concerned} {
			if other == domain.NoID || own {
				continue
			}
			if own, err = d.tx.SamePerson(d.ctx, person, other); err != nil {
				return err
			}
		}
		if !asOwner && !own {
			d.add(event, domain.Notice{Kind: domain.NoticeProposal, Proposal: id,
				Person: proposal.ProposedBy}, person)
		}
	}
	return nil
}

// checkEndedProposals settles the notices of administrators about proposals that were published, confirmed or
// withdrawn. It compares states, because the events of confirmed changes differ and some name no proposal.
func (d *noticeDeriver) checkEndedProposals() error {
	settled, err := d.tx.SettleEndedProposals(d.ctx)
	d.markChanged(settled > 0)
	return err
}

// tellOfOperator notifies the administrators and the person concerned of what the operator did.
func (d *noticeDeriver) tellOfOperator(event *domain.Event, person domain.ID, due time.Time) error {
	recipients, err := d.tx.PeopleOfRole(d.ctx, domain.RoleAdmin, "")
	if person != domain.NoID && !slices.Contains(recipients, person) {
		recipients = append(recipients, person)
	}
	d.add(event, domain.Notice{Kind: domain.NoticeOperator, Person: person, Due: due}, recipients...)
	return err
}

func (d *noticeDeriver) tellSubmitter(event *domain.Event, kind domain.NoticeKind) error {
	c, found := d.cases[event.Stream]
	if !found {
		return domain.Errorf(domain.NotFound, "The case of an event is missing.")
	}
	d.add(event, domain.Notice{Kind: kind}, c.Submitter)
	return nil
}

func (d *noticeDeriver) tellFinished(event *domain.Event) error {
	d.settleCase(event)
	return d.tellSubmitter(event, domain.NoticeFinished)
}

// tellOperators notifies the people who operate connectors that one needs them, or settles these
// notices.
func (d *noticeDeriver) tellOperators(event *domain.Event, connector domain.ID, needed bool) error {
	if !needed {
		d.settle(store.SettledWork{Connector: connector, Kinds: ofConnector})
		return nil
	}
	operators, err := d.tx.PeopleOfRole(d.ctx, domain.RoleAdmin, "")
	d.add(event, domain.Notice{Kind: domain.NoticeConnector, Connector: connector}, operators...)
	return err
}

// tellAssignee notifies a person of a review that another person gave them. The notices of the person
// before end; that of a missed deadline does not, because managers should see it.
func (d *noticeDeriver) tellAssignee(event *domain.Event, review, person domain.ID) error {
	d.settleReview(review, ofAssignee)
	d.add(event, domain.Notice{Kind: domain.NoticeAssigned, ReviewID: review}, person)
	return nil
}

// tellOverdue notifies the managers of the queue, and the assignee if the decision is overdue.
func (d *noticeDeriver) tellOverdue(event *domain.Event, body generated.ReviewOverdueV1) error {
	review, err := d.tx.Review(d.ctx, body.ReviewID)
	if err != nil {
		return err
	}
	recipients, err := d.tx.PeopleOfRole(d.ctx, domain.RoleManager, review.Queue)
	if err != nil {
		return err
	}
	if body.Deadline != string(domain.RunKindClaimBy) {
		recipients = append(recipients, review.Assignee)
	}
	d.add(event, domain.Notice{Kind: domain.NoticeOverdue, ReviewID: body.ReviewID, Due: body.Due},
		recipients...)
	return nil
}
