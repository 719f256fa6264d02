package views

import (
	"context"
	"slices"
	"strings"
	"time"

	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// NotePage is a page of the notes of a case that a viewer may read, oldest first.
type NotePage struct {
	Notes []domain.Note
	// HasEarlier says that there are notes before the first one.
	HasEarlier bool
	// Writes are the audiences for which the viewer may write notes, the default first.
	Writes []domain.NoteAudience
	// Until is the end of the first delegation used to read the page; zero for none.
	Until time.Time
}

// MaxNotes limits a page of notes.
const MaxNotes = 100

// Notes reads the newest notes of a case before another one; NoID is the end. Withdrawn notes have no content,
// and authors whom the viewer may not know are NoID. A conflict of interest is an error.
func (v *Views) Notes(ctx context.Context, actor domain.Actor, caseID, before domain.ID, last int) (
	NotePage, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return NotePage{}, err
	}
	c, reader, err := v.noteReader(ctx, viewer, caseID)
	if err != nil {
		return NotePage{}, err
	}
	page := NotePage{Until: viewer.until()}
	if c.ErasedAt.IsZero() && actor.InScope(domain.ScopeNotes) {
		page.Writes = reader.Writes()
	}
	size := min(max(last, 1), MaxNotes)
	page.Notes, err = v.reader.NotesBefore(ctx, store.NoteQuery{CaseID: caseID,
		Audiences: readAudiences(reader), Before: before, Limit: size + 1})
	if page.HasEarlier = len(page.Notes) > size; page.HasEarlier {
		page.Notes = page.Notes[:size]
	}
	slices.Reverse(page.Notes)
	for i := range page.Notes {
		redactNote(&page.Notes[i], viewer.user, c, reader)
	}
	return page, err
}

// noteReader returns which notes of a case the viewer may read. It is an error if they may not read the
// case.
func (v *Views) noteReader(ctx context.Context, viewer viewer, caseID domain.ID) (domain.Case,
	domain.NoteReader, error) {
	c, _, err := v.readable(ctx, viewer, caseID)
	if err != nil {
		return c, domain.NoteReader{}, err
	}
	def, err := v.definition(ctx, c)
	if err != nil {
		return c, domain.NoteReader{}, err
	}
	reviews, err := v.reader.ReviewsOf(ctx, caseID)
	if err != nil {
		return c, domain.NoteReader{}, err
	}
	own, err := v.reader.SamePerson(ctx, c.Submitter, viewer.user.ID)
	return c, domain.NewNoteReader(viewer.user, viewer.delegators, own, def.Confidential(), reviews), err
}

func readAudiences(reader domain.NoteReader) []domain.NoteAudience {
	return slices.DeleteFunc(
		[]domain.NoteAudience{domain.NoteEveryone, domain.NoteReviewers, domain.NoteAML},
		func(audience domain.NoteAudience) bool { return !reader.Reads(audience) })
}

// redactNote removes what the viewer may not see of a note: everything that was withdrawn, and for
// submitters who of the staff wrote it or is mentioned, as in the events of the case.
func redactNote(note *domain.Note, user domain.User, c domain.Case, reader domain.NoteReader) {
	note.Salt, note.Hash = nil, nil
	if note.Withdrawn() {
		note.Text, note.Mentions, note.Attachments = "", nil, nil
	}
	if reader.Staff && !reader.Submitter {
		return
	}
	note.Mentions = slices.DeleteFunc(note.Mentions, func(id domain.ID) bool { return id != user.ID })
	if note.Author != user.ID && note.Author != c.Submitter {
		note.Author = domain.NoID
	}
}

// Watches reports whether the viewer watches a case that they may read.
func (v *Views) Watches(ctx context.Context, actor domain.Actor, caseID domain.ID) (bool, error) {
	if err := actor.RequireScope(domain.ActRead); err != nil {
		return false, err
	}
	return v.reader.Watches(ctx, caseID, actor.UserID)
}

// The bounds of the people who are offered for a mention.
const (
	maxNoteReaders = 20
	// maxReadersExamined limits the people whose rights one request examines.
	maxReadersExamined = 500
)

// NoteReaders returns people who may read notes of the audience and whose names contain the text, for
// mentions. People who may not read them are not among them, and who may read the case only because of a
// confidential review is shown only to viewers who may know of it. Submitters are offered no one.
func (v *Views) NoteReaders(ctx context.Context, actor domain.Actor, caseID domain.ID,
	audience domain.NoteAudience, text string) ([]domain.User, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	c, reader, err := v.noteReader(ctx, viewer, caseID)
	if err != nil || !reader.Staff || reader.Submitter || !slices.Contains(reader.Writes(), audience) {
		return nil, err
	}
	reviews, err := v.reader.ReviewsOf(ctx, caseID)
	if err != nil {
		return nil, err
	}
	if !reader.SeesAllReviews() {
		reviews = domain.WithoutConfidentialReviews(reviews)
	}
	exclusions, err := v.reader.Exclusions(ctx, caseID, c.Parties())
	if err != nil {
		return nil, err
	}
	def, err := v.definition(ctx, c)
	if err != nil {
		return nil, err
	}
	people, err := v.reader.Users(ctx, nil)
	if err != nil {
		return nil, err
	}
	asked := mentionQuestion{viewer, c, def, reviews, exclusions, audience}
	return v.mentionable(ctx, asked, people, strings.ToLower(strings.TrimSpace(text)))
}

// mentionQuestion is what decides whether a person may be mentioned.
type mentionQuestion struct {
	viewer     viewer
	c          domain.Case
	def        *workflow.Definition
	reviews    []domain.Review
	exclusions store.Exclusions
	audience   domain.NoteAudience
}

func (v *Views) mentionable(ctx context.Context, asked mentionQuestion, people []domain.User, text string) (
	[]domain.User, error) {
	var found []domain.User
	examined := 0
	for i := range people {
		person := people[i]
		if person.Disabled || person.ID == asked.viewer.user.ID ||
			!strings.Contains(strings.ToLower(person.Name), text) {
			continue
		}
		if examined++; examined > maxReadersExamined || len(found) == maxNoteReaders {
			break
		}
		reads, err := v.mayMention(ctx, asked, person)
		if err != nil {
			return nil, err
		}
		if reads {
			person.Email = ""
			found = append(found, person)
		}
	}
	return found, nil
}

func (v *Views) mayMention(ctx context.Context, asked mentionQuestion, person domain.User) (bool, error) {
	delegators, err := v.reader.Delegators(ctx, person)
	if err != nil {
		return false, err
	}
	facts := store.NewCaseFacts(asked.c, asked.reviews, asked.exclusions)
	if asked.viewer.policy.AuthorizeCaseRead(person, delegators, facts) != nil {
		return false, nil
	}
	own, err := v.reader.SamePerson(ctx, asked.c.Submitter, person.ID)
	reader := domain.NewNoteReader(person, delegators, own, asked.def.Confidential(), asked.reviews)
	return reader.Reads(asked.audience), err
}

// visibleNotes returns which of the notes the viewer may read, for notices about them.
func (v *Views) visibleNotes(ctx context.Context, viewer viewer, ids []domain.ID) (map[domain.ID]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	notes, err := v.reader.NotesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	visible, readers := map[domain.ID]bool{}, map[domain.ID]domain.NoteReader{}
	for i := range notes {
		note := &notes[i]
		reader, known := readers[note.CaseID]
		if !known {
			_, reader, err = v.noteReader(ctx, viewer, note.CaseID)
			switch kind := domain.CodeOf(err).Kind(); {
			case err == nil:
				readers[note.CaseID] = reader
			case kind == domain.KindNotFound || kind == domain.KindForbidden:
				continue
			default:
				return nil, err
			}
		}
		visible[note.ID] = reader.Reads(note.Audience) && !note.Withdrawn()
	}
	return visible, nil
}
