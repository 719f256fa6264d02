package graph

import (
	"context"
	"encoding/hex"
	"fmt"
	"reflect"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/graph/shape"
	"countersign/views"
)

func (r caseResolver) Notes(ctx context.Context, c *shape.Case, last int, before *string) (
	*shape.NoteList, error) {
	if err := checkPageSize(last); err != nil {
		return nil, err
	}
	var first domain.ID
	if before != nil {
		var err error
		if first, err = scalar.IDOf(scalar.KindNote, "before", *before); err != nil {
			return nil, err
		}
	}
	page, err := r.views.Notes(ctx, callerOf(ctx), c.ID, first, last)
	return noteList(page), err
}

func noteList(page views.NotePage) *shape.NoteList {
	return &shape.NoteList{Nodes: append([]domain.Note{}, page.Notes...), HasEarlier: page.HasEarlier,
		Writes: append([]domain.NoteAudience{}, page.Writes...)}
}

func (r caseResolver) Watched(ctx context.Context, c *shape.Case) (bool, error) {
	return r.views.Watches(ctx, callerOf(ctx), c.ID)
}

func (noteResolver) ID(_ context.Context, n *domain.Note) (string, error) {
	return scalar.GlobalID(scalar.KindNote, n.ID), nil
}

func (noteResolver) Author(ctx context.Context, n *domain.Note) (*domain.User, error) {
	return loadPerson(ctx, n.Author)
}

func (noteResolver) Own(ctx context.Context, n *domain.Note) (bool, error) {
	return n.Author == callerOf(ctx).UserID, nil
}

func (noteResolver) Mentions(ctx context.Context, n *domain.Note) ([]domain.User, error) {
	people := []domain.User{}
	for _, id := range n.Mentions {
		person, err := loadPerson(ctx, id)
		if err != nil {
			return nil, err
		}
		if person != nil {
			people = append(people, *person)
		}
	}
	return people, nil
}

func (noteResolver) Attachments(_ context.Context, n *domain.Note) ([]donotuse.NoteAttachment, error) {
	files := []donotuse.NoteAttachment{}
	for _, file := range n.Attachments {
		files = append(files, donotuse.NoteAttachment{Number: file.Number, Name: file.Name,
			Size: file.Size, Sha256: hex.EncodeToString(file.SHA256),
			Path: fmt.Sprintf("/cases/%s/notes/%s/%d", n.CaseID, n.ID, file.Number)})
	}
	return files, nil
}

func (noteResolver) WithdrawnAt(_ context.Context, n *domain.Note) (*time.Time, error) {
	return timeOrNil(n.WithdrawnAt), nil
}

func (r queryResolver) NoteReaders(ctx context.Context, caseID string, audience domain.NoteAudience,
	text string) ([]domain.User, error) {
	id, err := scalar.IDOf(scalar.KindCase, "caseId", caseID)
	if err != nil {
		return nil, err
	}
	people, err := r.views.NoteReaders(ctx, callerOf(ctx), id, audience, text)
	return append([]domain.User{}, people...), err
}

func (r mutationResolver) AddNote(ctx context.Context, in donotuse.AddNoteInput) (*donotuse.NotePayload,
	error) {
	command := casework.AddNote{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}, Text: in.Text}
	if in.Audience != nil {
		command.Audience = *in.Audience
	}
	for i := range in.Attachments {
		file := &in.Attachments[i]
		command.Files = append(command.Files, casework.Upload{FileName: file.Name, Size: file.Size,
			SHA256: file.SHA256, Open: file.Open})
	}
	var err error
	if command.CaseID, err = scalar.IDOf(scalar.KindCase, "caseId", in.CaseID); err != nil {
		return notePayload(casework.NoteResult{}, err)
	}
	for _, text := range in.Mentions {
		id, err := scalar.IDOf(scalar.KindPerson, "mentions", text)
		if err != nil {
			return notePayload(casework.NoteResult{}, err)
		}
		command.Mentions = append(command.Mentions, id)
	}
	return notePayload(r.service.AddNote(ctx, callerOf(ctx), command))
}

func (r mutationResolver) WithdrawNote(ctx context.Context, in donotuse.WithdrawNoteInput) (
	*donotuse.NotePayload, error) {
	id, err := scalar.IDOf(scalar.KindNote, "noteId", in.NoteID)
	if err != nil {
		return notePayload(casework.NoteResult{}, err)
	}
	return notePayload(r.service.WithdrawNote(ctx, callerOf(ctx), casework.WithdrawNote{
		Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}, NoteID: id}))
}

func notePayload(done casework.NoteResult, err error) (*donotuse.NotePayload, error) {
	payload := &donotuse.NotePayload{CaseID: done.CaseID}
	if err == nil {
		id := scalar.GlobalID(scalar.KindNote, done.NoteID)
		payload.NoteID = &id
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r notePayloadResolver) Case(ctx context.Context, p *donotuse.NotePayload) (*shape.Case, error) {
	loadersFrom(ctx).forget(p.CaseID)
	return r.caseByID(ctx, p.CaseID)
}

func (r mutationResolver) WatchCase(ctx context.Context, in donotuse.WatchCaseInput) (
	*donotuse.WatchCasePayload, error) {
	id, err := scalar.IDOf(scalar.KindCase, "caseId", in.CaseID)
	var done casework.WatchResult
	if err == nil {
		done, err = r.service.WatchCase(ctx, callerOf(ctx), casework.WatchCase{
			Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}, CaseID: id, Watch: in.Watch})
	}
	payload := &donotuse.WatchCasePayload{CaseID: done.CaseID}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r watchPayloadResolver) Case(ctx context.Context, p *donotuse.WatchCasePayload) (*shape.Case, error) {
	return r.caseByID(ctx, p.CaseID)
}

// CaseNotes sends the notes as the subscriber may read them at that moment. A note for other readers
// changes nothing that it sends.
func (r subscriptionResolver) CaseNotes(ctx context.Context, caseID string, last int) (
	<-chan *shape.NoteList, error) {
	id, err := scalar.IDOf(scalar.KindCase, "caseId", caseID)
	if err == nil {
		err = checkPageSize(last)
	}
	if err != nil {
		return nil, err
	}
	actor := callerOf(ctx)
	// The notes are read once before, so that a caller without the right is refused immediately.
	if _, err := r.views.Notes(ctx, actor, id, domain.NoID, last); err != nil {
		return nil, err
	}
	list, err := r.hub.WatchList(ctx, actor, id)
	if err != nil {
		return nil, err
	}
	var sent *views.NotePage
	return watchTicks(ctx, list, shownList[shape.NoteList]{forget: func() { sent = nil },
		read: func(ctx context.Context) (*shape.NoteList, time.Time, error) {
			page, err := r.views.Notes(ctx, actor, id, domain.NoID, last)
			if err != nil {
				return nil, page.Until, err
			}
			same := sent != nil && reflect.DeepEqual(sent.Notes, page.Notes) &&
				reflect.DeepEqual(sent.Writes, page.Writes) && sent.HasEarlier == page.HasEarlier
			if sent = &page; same {
				return nil, page.Until, nil
			}
			return noteList(page), page.Until, nil
		}}), nil
}
