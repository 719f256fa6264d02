package views

import (
	"context"
	"slices"

	"countersign/domain"
)

// NoticePage is a page of a person's notices, the newest first.
type NoticePage struct {
	Lines   []domain.NoticeLine
	HasMore bool
}

// MaxNotices limits a page of notices, maxNoticeReads the reads for one page, because a person may
// have lost access to the cases of many.
const (
	MaxNotices     = 100
	maxNoticeReads = 10
)

// maxUnread is the largest number of unread notices that is counted.
const maxUnread = 100

// NoticeList reads notices of the viewer. Those about cases or reviews that the viewer may not see any
// more are left out.
func (v *Views) NoticeList(ctx context.Context, actor domain.Actor, query domain.NoticeQuery) (
	NoticePage, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return NoticePage{}, err
	}
	notices, more, err := v.noticesOf(ctx, viewer, query)
	if err != nil {
		return NoticePage{}, err
	}
	lines, err := v.noticeLines(ctx, notices)
	return NoticePage{lines, more}, err
}

func (v *Views) noticesOf(ctx context.Context, viewer viewer, query domain.NoticeQuery) (
	notices []domain.Notice, more bool, err error) {
	limit := min(max(query.Limit, 1), MaxNotices)
	query.Recipient, query.Limit = viewer.user.ID, limit+1
	for range maxNoticeReads {
		read, err := v.reader.Notices(ctx, query)
		if err != nil {
			return nil, false, err
		}
		full := len(read) == query.Limit
		if full {
			query.Before = read[len(read)-1]
		}
		seen, err := v.visibleNotices(ctx, viewer, read)
		if err != nil {
			return nil, false, err
		}
		if notices = append(notices, seen...); len(notices) > limit {
			return notices[:limit], true, nil
		}
		if !full {
			break
		}
	}
	return notices, false, nil
}

// visibleNotices returns the notices about cases that the viewer may read and reviews that they may
// see: the rules are those of the lists, so a notice shows no more than the lists.
func (v *Views) visibleNotices(ctx context.Context, viewer viewer, notices []domain.Notice) (
	[]domain.Notice, error) {
	var cases, reviews []domain.ID
	for i := range notices {
		if notices[i].CaseID != domain.NoID {
			cases = append(cases, notices[i].CaseID)
		}
		if notices[i].ReviewID != domain.NoID {
			reviews = append(reviews, notices[i].ReviewID)
		}
	}
	readable, visible := map[domain.ID]bool{}, map[domain.ID]bool{}
	if len(cases) > 0 {
		filter, err := viewer.readFilter()
		if err != nil {
			return nil, err
		}
		found, err := v.reader.MatchingCases(ctx, filter, distinct(cases))
		if err != nil {
			return nil, err
		}
		for i := range found {
			readable[found[i].ID] = true
		}
	}
	if len(reviews) > 0 {
		filter, err := viewer.reviewFilter()
		if err != nil {
			return nil, err
		}
		found, err := v.reader.MatchingReviews(ctx, filter, distinct(reviews))
		if err != nil {
			return nil, err
		}
		for i := range found {
			visible[found[i].ID] = true
		}
	}
	var noteIDs []domain.ID
	for i := range notices {
		if notices[i].NoteID != domain.NoID {
			noteIDs = append(noteIDs, notices[i].NoteID)
		}
	}
	visibleNotes, err := v.visibleNotes(ctx, viewer, distinct(noteIDs))
	if err != nil {
		return nil, err
	}
	hidden, err := v.hiddenProposals(ctx, viewer, notices)
	if err != nil {
		return nil, err
	}
	seesConnectors := viewer.policyAccess() == nil
	return slices.DeleteFunc(notices, func(n domain.Notice) bool {
		return n.Connector != domain.NoID && !seesConnectors || n.Proposal != domain.NoID && hidden(n) || n.CaseID != domain.NoID && !readable[n.CaseID] ||
			n.NoteID != domain.NoID && !visibleNotes[n.NoteID] || n.ReviewID != domain.NoID && !visible[n.ReviewID]
	}), nil
}

// hiddenProposals returns which notices about proposals the viewer may not read: those about texts are for people
// who see definitions and for owners, those that ask to confirm a change of control data for people who see these.
func (v *Views) hiddenProposals(ctx context.Context, viewer viewer, notices []domain.Notice) (
	hidden func(domain.Notice) bool, err error) {
	if !slices.ContainsFunc(notices, func(n domain.Notice) bool { return n.Proposal != domain.NoID }) {
		return func(domain.Notice) bool { return false }, nil
	}
	sees := viewer.seesDefinitions()
	if !sees {
		if sees, err = v.ownsProcess(ctx, viewer); err != nil {
			return nil, err
		}
	}
	if viewer.policyAccess() == nil {
		return func(domain.Notice) bool { return !sees }, nil
	}
	proposals, err := v.proposalNames(ctx, notices)
	return func(n domain.Notice) bool {
		return !sees || n.Kind == domain.NoticeProposal && proposals[n.Proposal].Kind.IsControl()
	}, err
}

// unreadNotices counts the unread notices of the viewer, at most maxUnread.
func (v *Views) unreadNotices(ctx context.Context, viewer viewer) (int64, error) {
	notices, _, err := v.noticesOf(ctx, viewer, domain.NoticeQuery{OnlyUnread: true, Limit: maxUnread})
	return int64(len(notices)), err
}

// NoticePreferences reads what the viewer chose about e-mails.
func (v *Views) NoticePreferences(ctx context.Context, actor domain.Actor) (
	domain.NoticePreferences, domain.User, error) {
	viewer, err := v.loadViewer(ctx, actor, domain.ActRead, domain.ScopeAccount)
	if err != nil {
		return domain.NoticePreferences{}, domain.User{}, err
	}
	found, err := v.reader.NoticePreferences(ctx, []domain.ID{viewer.user.ID})
	return found[viewer.user.ID], viewer.user, err
}

// dueMailPeople is how many people's e-mails one read returns.
const dueMailPeople = 20

// DueMails reads the e-mails that are due, as their recipients may see them now.
func (v *Views) DueMails(ctx context.Context) ([]domain.DueMail, error) {
	due, err := v.reader.DueMails(ctx, dueMailPeople)
	if err != nil || len(due) == 0 {
		return nil, err
	}
	var mails []domain.DueMail
	for len(due) > 0 {
		person := due[0].Recipient
		end := slices.IndexFunc(due, func(n domain.Notice) bool { return n.Recipient != person })
		if end < 0 {
			end = len(due)
		}
		mail, err := v.dueMail(ctx, person, due[:end])
		if err != nil {
			return nil, err
		}
		mails, due = append(mails, mail), due[end:]
	}
	return mails, nil
}

func (v *Views) dueMail(ctx context.Context, person domain.ID, notices []domain.Notice) (
	domain.DueMail, error) {
	viewer, err := v.loadViewer(ctx, domain.Actor{UserID: person})
	var mail domain.DueMail
	for i := range notices {
		mail.Hidden = append(mail.Hidden, notices[i].ID)
	}
	if domain.HasCode(err, domain.NotPermitted) || domain.HasCode(err, domain.Unauthenticated) {
		mail.Person.ID = person // disabled
		return mail, nil
	}
	if err != nil {
		return mail, err
	}
	mail.Person = viewer.user
	choices, err := v.reader.NoticePreferences(ctx, []domain.ID{person})
	if err != nil {
		return mail, err
	}
	mail.Refused = choices[person].Refused
	seen, err := v.visibleNotices(ctx, viewer, slices.Clone(notices))
	if err != nil {
		return mail, err
	}
	mail.Notices, err = v.noticeLines(ctx, seen)
	mail.Hidden = slices.DeleteFunc(mail.Hidden, func(id domain.ID) bool {
		return slices.ContainsFunc(seen, func(n domain.Notice) bool { return n.ID == id })
	})
	return mail, err
}

func (v *Views) noticeLines(ctx context.Context, notices []domain.Notice) ([]domain.NoticeLine, error) {
	if len(notices) == 0 {
		return nil, nil
	}
	var cases, people []domain.ID
	for i := range notices {
		cases, people = append(cases, notices[i].CaseID), append(people, notices[i].Person)
	}
	found, err := v.reader.Cases(ctx, distinct(cases))
	if err != nil {
		return nil, err
	}
	about := map[domain.ID]domain.Case{}
	for i := range found {
		about[found[i].ID] = found[i]
	}
	connectors, err := v.connectorNames(ctx, notices)
	if err != nil {
		return nil, err
	}
	proposals, err := v.proposalNames(ctx, notices)
	if err != nil {
		return nil, err
	}
	queues, err := v.reminderQueues(ctx, notices)
	if err != nil {
		return nil, err
	}
	names, err := v.personNames(ctx, people)
	lines := make([]domain.NoticeLine, 0, len(notices))
	for _, notice := range notices {
		c := about[notice.CaseID]
		line := domain.NoticeLine{Notice: notice,
			Reference: c.Reference, Queue: queues[notice.ReviewID], PersonName: names[notice.Person],
			ConnectorName: connectors[notice.Connector]}
		nameProposal(&line, proposals[notice.Proposal])
		if notice.Kind == domain.NoticeFinished { // the viewer may read the case, and with it these values
			line.Outcome, line.Counterparty, line.Amount = c.Status, c.Counterparty, c.Amount
		}
		lines = append(lines, line)
	}
	return lines, err
}

// reminderQueues returns the queues of the reviews that the reminders are about. The notices are those
// that the viewer may see, and the reviews with them.
func (v *Views) reminderQueues(ctx context.Context, notices []domain.Notice) (
	map[domain.ID]string, error) {
	var ids []domain.ID
	for i := range notices {
		if notices[i].Kind == domain.NoticeReminder && notices[i].ReviewID != domain.NoID {
			ids = append(ids, notices[i].ReviewID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return v.reader.ReviewQueues(ctx, distinct(ids))
}

// connectorNames returns the names of the connectors that the notices are about.
func (v *Views) connectorNames(ctx context.Context, notices []domain.Notice) (
	map[domain.ID]string, error) {
	if !slices.ContainsFunc(notices, func(n domain.Notice) bool { return n.Connector != domain.NoID }) {
		return nil, nil
	}
	connectors, err := v.reader.Connectors(ctx)
	names := make(map[domain.ID]string, len(connectors))
	for i := range connectors {
		names[connectors[i].ID] = connectors[i].Spec.Name
	}
	return names, err
}

// MailKey reads the key that signs the links with which people unsubscribe.
func (v *Views) MailKey(ctx context.Context) ([]byte, error) {
	return v.reader.InstallationKey(ctx, "notices")
}
