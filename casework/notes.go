package casework

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"time"

	"countersign/audit"
	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
)

// The bounds of what one person writes in notePeriod, and of the notes of a case, so that no one floods
// others with notices.
const (
	notePeriod      = 10 * time.Minute
	maxNotesWritten = 30
	maxMentioned    = 60
	maxNotesOfCase  = 1000
)

// AddNote asks to add a note to a case.
type AddNote struct {
	Once     Once
	CaseID   domain.ID
	Text     string
	Audience domain.NoteAudience // "" is the default of the person
	Mentions []domain.ID
	Files    []Upload
}

// NoteResult is a note that was added or withdrawn.
type NoteResult struct {
	CaseID domain.ID
	NoteID domain.ID
}

// AddNote adds a note to a case that the actor may read. Nothing that it contains changes a value, the
// risk or the route of the case.
func (svc *Service) AddNote(ctx context.Context, actor domain.Actor, in AddNote) (NoteResult, error) {
	const operation = "addNote"
	if err := svc.inScope(ctx, actor, operation, domain.ScopeNotes); err != nil {
		return NoteResult{}, err
	}
	note, err := svc.parseNote(in)
	if err != nil {
		return NoteResult{}, err
	}
	request := []any{in.CaseID, note.Text, note.Audience, note.Mentions}
	for i := range in.Files {
		request = append(request, in.Files[i].FileName, in.Files[i].requestIdentity(domain.NoID))
	}
	var result NoteResult
	if len(in.Files) > 0 {
		if replayed, err := svc.findReplay(ctx, actor, operation, in.Once, request,
			&result); err != nil || replayed {
			return result, err
		}
		err := svc.dryRunCaseCommand(ctx, actor, operation, in.CaseID, in.Once, func(c *command) error {
			return c.checkNote(&note)
		})
		if err != nil {
			return NoteResult{}, err
		}
		if err := svc.storeAttachments(ctx, &note, in.Files); err != nil {
			return NoteResult{}, err
		}
	}
	return runCaseCommand(ctx, svc, actor, operation, in.CaseID, in.Once, request,
		func(c *command) (NoteResult, error) {
			if err := c.checkNote(&note); err != nil {
				return NoteResult{}, err
			}
			return NoteResult{in.CaseID, note.ID}, c.addNote(&note)
		})
}

// parseNote checks everything that needs no case.
func (svc *Service) parseNote(in AddNote) (domain.Note, error) {
	note := domain.Note{ID: domain.NewID(), CaseID: in.CaseID, Audience: in.Audience}
	if err := domain.CheckText("text", in.Text); err != nil {
		return note, err
	}
	if note.Text = domain.CleanNote(in.Text); note.Text == "" {
		return note, domain.Invalid("text", "Enter the text of the note.")
	}
	if domain.Longer(note.Text, domain.MaxNoteText) {
		return note, tooLong("text", domain.MaxNoteText)
	}
	if in.Audience != "" && !in.Audience.Valid() {
		return note, domain.Invalid("audience", "Unknown audience %q.", string(in.Audience))
	}
	for _, person := range in.Mentions {
		if !slices.Contains(note.Mentions, person) {
			note.Mentions = append(note.Mentions, person)
		}
	}
	if len(note.Mentions) > domain.MaxNoteMentions {
		return note, domain.Invalid("mentions", "A note mentions at most %d people.", domain.MaxNoteMentions)
	}
	if len(in.Files) > domain.MaxNoteAttachments {
		return note, domain.Invalid("attachments", "A note has at most %d attachments.",
			domain.MaxNoteAttachments)
	}
	var total int64
	for i := range in.Files {
		if err := svc.checkSize(in.Files[i].Size); err != nil {
			return note, err
		}
		total += in.Files[i].Size
	}
	if total > 0 {
		return note, svc.checkSize(total)
	}
	return note, nil
}

// noteReader checks that the actor may read the locked case, and returns which of its notes they may
// read. A conflict of interest hides all of them.
func (c *command) noteReader() (domain.NoteReader, error) {
	facts, err := c.caseFacts()
	if err != nil {
		return domain.NoteReader{}, err
	}
	delegators, err := c.tx.Delegators(c.ctx, c.persons[0])
	if err != nil {
		return domain.NoteReader{}, err
	}
	err = c.snapshot.authorizer.AuthorizeCaseRead(c.persons[0], delegators, facts)
	if c.absent || err != nil && !domain.HasCode(err, domain.ConflictOfInterest) {
		return domain.NoteReader{}, domain.NewNotFound()
	}
	if err == nil && len(c.persons) > 1 {
		err = domain.Errorf(domain.NotPermitted, "Notes are written in your own name.").
			WithRemedy("Send the note without acting on behalf of another person.")
	}
	if err != nil {
		return domain.NoteReader{}, err
	}
	own, err := c.tx.SamePerson(c.ctx, c.before.Submitter, c.actor.UserID)
	return domain.NewNoteReader(c.persons[0], delegators, own, c.def.Confidential(), c.reviews), err
}

// checkNote checks whether the actor may add the note to the locked case, and sets its default audience.
func (c *command) checkNote(note *domain.Note) error {
	reader, err := c.noteReader()
	if err != nil {
		return err
	}
	if !c.before.ErasedAt.IsZero() {
		return erasedCase(c.before)
	}
	writes := reader.Writes()
	if note.Audience == "" && len(writes) > 0 {
		note.Audience = writes[0]
	}
	if !slices.Contains(writes, note.Audience) {
		return refusedAudience(reader, writes)
	}
	if err := c.checkMentions(reader, note); err != nil {
		return err
	}
	return c.boundNotes(note)
}

// refusedAudience says why a person may not write for an audience. The first answer is given only to
// people who know of the confidential review.
func refusedAudience(reader domain.NoteReader, writes []domain.NoteAudience) error {
	refusal := domain.Errorf(domain.NotPermitted, "You cannot write notes for these readers.").
		WithRemedy("Choose other readers.").WithDetail("reason", "audience")
	switch {
	case slices.Equal(writes, []domain.NoteAudience{domain.NoteAML}):
		refusal.Message = "This case is or was with the AML team, so you can write notes for the AML team only."
	case len(writes) == 0 && reader.Involved:
		refusal.Message, refusal.Remedy = "You had a confidential review of this case, so you cannot write notes about it.", ""
	}
	return refusal
}

// checkMentions refuses people who may not read the note. A submitter mentions no one, because the answer
// would say who works on the case.
func (c *command) checkMentions(author domain.NoteReader, note *domain.Note) error {
	if len(note.Mentions) == 0 {
		return nil
	}
	if !author.Staff || author.Submitter {
		return mentionRefusal("Only people who work on cases can mention others.")
	}
	people, err := c.tx.Users(c.ctx, note.Mentions)
	if err != nil {
		return err
	}
	for _, id := range note.Mentions {
		at := slices.IndexFunc(people, func(user domain.User) bool { return user.ID == id })
		if at < 0 || id == domain.SystemUserID {
			return mentionRefusal("A mentioned person does not exist.")
		}
		reads, err := c.mayReadNote(people[at], author, note.Audience)
		if err != nil {
			return err
		}
		if !reads {
			return mentionRefusal("%s cannot read this note.", people[at].Name).
				WithDetail("person", people[at].Name)
		}
	}
	return nil
}

func mentionRefusal(format string, args ...any) *domain.Error {
	refusal := domain.Invalid("mentions", format, args...).
		WithRemedy("Remove the mention, or choose other readers.").WithDetail("reason", "mention")
	return refusal
}

// mayReadNote reports whether a person may read notes of an audience, as far as the author may know:
// that someone may read the case because of a confidential review does not count for an author who may
// not know of it.
func (c *command) mayReadNote(person domain.User, author domain.NoteReader, audience domain.NoteAudience) (
	bool, error) {
	exclusions, err := c.loadExclusions()
	if err != nil {
		return false, err
	}
	access := caseAccess{c.ctx, c.tx.Reader, c.snapshot.authorizer, c.before, c.def, c.reviews, *exclusions}
	if !author.SeesAllReviews() {
		access.reviews = domain.WithoutConfidentialReviews(c.reviews)
	}
	reader, reads, err := access.of(person)
	return reads && reader.Reads(audience), err
}

// boundNotes refuses notes above the bounds.
func (c *command) boundNotes(note *domain.Note) error {
	counts, err := c.tx.LockNoteCounts(c.ctx, c.before.ID, c.actor.UserID, notePeriod)
	if err != nil {
		return err
	}
	switch {
	case counts.OfCase >= maxNotesOfCase:
		return domain.Errorf(domain.StateMismatch, "A case has at most %d notes.", maxNotesOfCase)
	case counts.Written >= maxNotesWritten:
		return tooManyNotes("You can write at most %d notes in %d minutes.", maxNotesWritten)
	case counts.Mentions+len(note.Mentions) > maxMentioned:
		return tooManyNotes("You can mention people at most %d times in %d minutes.", maxMentioned)
	}
	return nil
}

func tooManyNotes(format string, bound int) error {
	return domain.Errorf(domain.RateLimited, format, bound, int(notePeriod.Minutes())).
		WithRemedy("Wait a few minutes.").WithRetryAfter(time.Minute)
}

// addNote writes a checked note with its event.
func (c *command) addNote(note *domain.Note) error {
	note.Author, note.At, note.Seq = c.actor.UserID, c.now, c.before.LastSeq+1
	note.Salt = make([]byte, audit.SaltSize)
	if _, err := io.ReadFull(c.svc.salts, note.Salt); err != nil {
		return fmt.Errorf("casework: salt of a note: %w", err)
	}
	var err error
	if note.Hash, err = audit.NoteHash(note); err != nil {
		return err
	}
	c.emit(noteAdded(note))
	return c.tx.InsertNote(c.ctx, note)
}

// noteAdded returns the event of a note. It contains hashes only, because the text is erased apart.
func noteAdded(note *domain.Note) events.Body {
	var files []string
	for i := range note.Attachments {
		files = append(files, hex.EncodeToString(note.Attachments[i].SHA256))
	}
	hash := hex.EncodeToString(note.Hash)
	if note.Audience == domain.NoteEveryone {
		return generated.CaseNoteAddedV1{NoteID: note.ID, SHA256: hash, Mentions: note.Mentions,
			Attachments: files}
	}
	return generated.CaseInternalNoteAddedV1{NoteID: note.ID, Audience: string(note.Audience),
		SHA256: hash, Mentions: note.Mentions, Attachments: files}
}

// WithdrawNote asks to withdraw a note of the actor.
type WithdrawNote struct {
	Once   Once
	NoteID domain.ID
}

// WithdrawNote withdraws a note of the actor: everyone who could read it sees that it was withdrawn, and
// its text and attachments are not shown any more. They are kept until the case is erased.
func (svc *Service) WithdrawNote(ctx context.Context, actor domain.Actor, in WithdrawNote) (NoteResult,
	error) {
	const operation = "withdrawNote"
	if err := svc.inScope(ctx, actor, operation, domain.ScopeNotes); err != nil {
		return NoteResult{}, err
	}
	found, err := svc.db.Reader().NotesByID(ctx, []domain.ID{in.NoteID})
	if err != nil {
		return NoteResult{}, err
	}
	on := target{in.NoteID, domain.NoID} // no case has this id
	if len(found) > 0 {
		on.caseID = found[0].CaseID
	}
	return runTargetCommand(ctx, svc, actor, operation, on, in.Once, in,
		func(c *command) (NoteResult, error) { return c.withdrawNote(in.NoteID) })
}

func (c *command) withdrawNote(id domain.ID) (NoteResult, error) {
	reader, err := c.noteReader()
	if err != nil {
		return NoteResult{}, err
	}
	note, err := c.tx.Note(c.ctx, id) // again, under the lock of the case
	if err != nil {
		return NoteResult{}, err
	}
	switch {
	case !reader.Reads(note.Audience):
		return NoteResult{}, domain.NewNotFound()
	case note.Author != c.actor.UserID:
		return NoteResult{}, domain.Errorf(domain.NotPermitted, "Only its author can withdraw a note.")
	case !c.before.ErasedAt.IsZero():
		return NoteResult{}, erasedCase(c.before)
	case note.Withdrawn():
		return NoteResult{}, domain.Errorf(domain.StateMismatch, "You already withdrew this note.").
			WithRemedy("Reload the page.")
	}
	if note.Audience == domain.NoteEveryone {
		c.emit(generated.CaseNoteWithdrawnV1{NoteID: id})
	} else {
		c.emit(generated.CaseInternalNoteWithdrawnV1{NoteID: id})
	}
	return NoteResult{note.CaseID, id}, c.tx.WithdrawNote(c.ctx, id, c.now, c.before.LastSeq+1)
}

// noteHashes lists the notes of a case that is erased.
func noteHashes(notes []domain.Note) []generated.CaseErasedV2Note {
	var listed []generated.CaseErasedV2Note
	for i := range notes {
		listed = append(listed, generated.CaseErasedV2Note{NoteID: notes[i].ID,
			SHA256: hex.EncodeToString(notes[i].Hash)})
	}
	return listed
}
