package audit

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"countersign/domain"
)

// hashedNote is what the hash of a note covers.
type hashedNote struct {
	Kind        string              `json:"kind"`
	ID          domain.ID           `json:"id"`
	CaseID      domain.ID           `json:"caseId"`
	Author      domain.ID           `json:"author"`
	Audience    domain.NoteAudience `json:"audience"`
	Text        string              `json:"text"`
	Mentions    []domain.ID         `json:"mentions"`
	Attachments []hashedAttachment  `json:"attachments"`
	At          int64               `json:"at"` // microseconds since 1970
}

type hashedAttachment struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// NoteHash returns the salted hash of a note, which its event contains.
func NoteHash(n *domain.Note) ([]byte, error) {
	hashed := hashedNote{"countersign.note.v1", n.ID, n.CaseID, n.Author, n.Audience, n.Text,
		append([]domain.ID{}, n.Mentions...), []hashedAttachment{}, n.At.UnixMicro()}
	for _, file := range n.Attachments {
		hashed.Attachments = append(hashed.Attachments, hashedAttachment{file.Name, file.Size,
			hex.EncodeToString(file.SHA256)})
	}
	text, err := domain.CanonicalJSON(hashed)
	if err != nil {
		return nil, fmt.Errorf("hash note %s: %w", n.ID, err)
	}
	sum := BodyHash(n.Salt, text)
	return sum[:], nil
}

// NoteCheck compares the notes of a case with its events, which are added in order, to the newest. The
// rows must have been read after the head and before the events.
type NoteCheck struct {
	head      int64
	added     map[domain.ID]noteEvent
	withdrawn map[domain.ID]noteEvent
	erasure   *noteErasure
	unknown   bool // some body is erased, so that its note is unknown
}

// noteEvent is what an event says about a note.
type noteEvent struct {
	seq      int64
	actor    domain.ID
	at       time.Time
	audience domain.NoteAudience
	hash     string
}

// noteErasure is what the event of an erasure says about notes.
type noteErasure struct {
	seq    int64
	hashes map[domain.ID]string
}

// NewNoteCheck returns a check of the notes of a case whose head is at the given event.
func NewNoteCheck(head int64) *NoteCheck {
	return &NoteCheck{head: head, added: map[domain.ID]noteEvent{},
		withdrawn: map[domain.ID]noteEvent{}}
}

// noteBody are the properties of the events about notes.
type noteBody struct {
	NoteID   domain.ID           `json:"noteId"`
	Audience domain.NoteAudience `json:"audience"`
	SHA256   string              `json:"sha256"`
	Notes    []struct {
		NoteID domain.ID `json:"noteId"`
		SHA256 string    `json:"sha256"`
	} `json:"notes"`
}

// Add adds the next event of the case, whose chain is verified separately.
func (c *NoteCheck) Add(event *domain.Event) {
	var into map[domain.ID]noteEvent
	switch event.Type {
	case domain.NoteAdded, domain.InternalNoteAdded:
		into = c.added
	case domain.NoteWithdrawn, domain.InternalNoteWithdrawn:
		into = c.withdrawn
	case domain.CaseErased:
	default:
		return
	}
	var body noteBody
	if json.Unmarshal(event.Body, &body) != nil {
		c.unknown = true
		return
	}
	if into == nil {
		c.erasure = &noteErasure{event.Seq, map[domain.ID]string{}}
		for _, note := range body.Notes {
			c.erasure.hashes[note.NoteID] = note.SHA256
		}
		return
	}
	if event.Type == domain.NoteAdded {
		body.Audience = domain.NoteEveryone
	}
	into[body.NoteID] = noteEvent{event.Seq, event.Actor, event.At, body.Audience, body.SHA256}
}

// Problems returns the notes that were changed, deleted or added.
func (c *NoteCheck) Problems(notes []domain.Note) []RowProblem {
	var problems []RowProblem
	add := func(seq int64, format string, args ...any) {
		problems = append(problems, RowProblem{seq, fmt.Sprintf(format, args...)})
	}
	found := map[domain.ID]bool{}
	for i := range notes {
		note := &notes[i]
		found[note.ID] = true
		if c.erasure != nil {
			if c.erasure.hashes[note.ID] != hex.EncodeToString(note.Hash) || note.Text != "" {
				add(c.erasure.seq, "note %s was added or changed: it is not one that was erased", note.ID)
			}
			continue
		}
		if c.unknown {
			continue // reported as a body that was erased without a record
		}
		if seq, problem := c.noteProblem(note); problem != "" {
			add(seq, "note %s %s", note.ID, problem)
		}
	}
	if c.erasure != nil {
		for id := range c.erasure.hashes {
			if !found[id] {
				add(c.erasure.seq, "note %s is missing", id)
			}
		}
	} else {
		for id, event := range c.added {
			if !found[id] && event.seq <= c.head {
				add(event.seq, "note %s is missing", id)
			}
		}
	}
	slices.SortFunc(problems, func(x, y RowProblem) int {
		return cmp.Or(cmp.Compare(x.Seq, y.Seq), cmp.Compare(x.Message, y.Message))
	})
	return problems
}

// noteProblem returns how the row of a note differs from its events, "" if it does not.
func (c *NoteCheck) noteProblem(note *domain.Note) (seq int64, problem string) {
	event, known := c.added[note.ID]
	hash, err := NoteHash(note)
	withdrawal := c.withdrawn[note.ID]
	switch {
	case !known:
		return 0, "was added: no event mentions it"
	case err != nil || hex.EncodeToString(hash) != event.hash || hex.EncodeToString(note.Hash) != event.hash,
		event.seq != note.Seq, event.actor != note.Author, !event.at.Equal(note.At),
		event.audience != note.Audience:
		return event.seq, fmt.Sprintf("was changed: it is not the one of event %d", event.seq)
	case withdrawal.seq != note.WithdrawnSeq && (withdrawal.seq <= c.head || note.Withdrawn()),
		note.Withdrawn() && !withdrawal.at.Equal(note.WithdrawnAt),
		note.Withdrawn() && withdrawal.actor != note.Author:
		return max(event.seq, withdrawal.seq), "was withdrawn, or shown again, without its event"
	}
	return 0, ""
}
