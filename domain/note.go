package domain

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// NoteAudience is who may read a note about a case.
type NoteAudience string

// The audiences, from the widest.
const (
	NoteEveryone  NoteAudience = "everyone"  // all who may read the case
	NoteReviewers NoteAudience = "reviewers" // people who work on cases, without the submitter
	NoteAML       NoteAudience = "aml"       // of these the ones who may know of confidential reviews
)

// Valid reports whether the audience exists.
func (a NoteAudience) Valid() bool {
	return a == NoteEveryone || a == NoteReviewers || a == NoteAML
}

// The bounds of notes.
const (
	MaxNoteText        = 4000 // characters
	MaxNoteMentions    = 20
	MaxNoteAttachments = 5
)

// Note is a text of a person about a case.
type Note struct {
	ID          ID
	CaseID      ID
	Seq         int64 // of the event that records it
	Author      ID
	Audience    NoteAudience
	Text        string // "" after the erasure of the case
	Mentions    []ID
	Attachments []NoteAttachment
	At          time.Time
	// Hash is the SHA-256 of the note with its salt. Its event contains it.
	Salt, Hash   []byte
	WithdrawnAt  time.Time // zero unless its author withdrew it
	WithdrawnSeq int64
}

// Withdrawn reports whether the author withdrew the note.
func (n *Note) Withdrawn() bool { return !n.WithdrawnAt.IsZero() }

// NoteAttachment is a file of a note. No part of the pipeline opens it.
type NoteAttachment struct {
	Number  int // from 1
	Name    string
	Size    int64
	SHA256  []byte
	BlobKey string // "" after the erasure of the case
}

// NoteReader is what decides which notes of a case a person may read, if they may read the case.
type NoteReader struct {
	Submitter bool // the case was submitted by an account of the person
	Staff     bool // works on cases
	Clearance bool // may know of confidential reviews
	// Involved says that the person had a confidential review of the case.
	Involved bool
	// Confidential says that the process of the case has confidential reviews, and WasConfidential that
	// the case is or was in one.
	Confidential, WasConfidential bool
}

// NewNoteReader returns what decides which notes of a case a user may read. The delegators are those on
// whose behalf they may act now.
func NewNoteReader(user User, delegators []User, ownDocument, confidential bool, reviews []Review) NoteReader {
	reader := NoteReader{Submitter: ownDocument, Staff: user.IsStaff(), Confidential: confidential,
		Clearance: user.SeesConfidential() || slices.ContainsFunc(delegators, User.SeesConfidential)}
	for i := range reviews {
		if !ConfidentialQueue(reviews[i].Queue) {
			continue
		}
		reader.WasConfidential = true
		if reviews[i].Assignee == user.ID || reviews[i].PreviousAssignee == user.ID {
			reader.Involved = true
		}
	}
	return reader
}

// SeesAllReviews reports whether the person may know of every review of the case.
func (r NoteReader) SeesAllReviews() bool {
	return !r.Confidential || r.Staff && !r.Submitter && r.Clearance
}

// WithoutConfidentialReviews returns the reviews that say nothing about confidential work.
func WithoutConfidentialReviews(reviews []Review) []Review {
	return slices.DeleteFunc(slices.Clone(reviews),
		func(review Review) bool { return ConfidentialQueue(review.Queue) })
}

// Reads reports whether the person may read notes of the audience.
func (r NoteReader) Reads(audience NoteAudience) bool {
	switch audience {
	case NoteEveryone:
		return true
	case NoteReviewers:
		return r.Staff && !r.Submitter
	case NoteAML:
		return r.Staff && !r.Submitter && r.Clearance && r.Confidential
	}
	return false
}

// Writes returns the audiences for which the person may write notes, the default first. Who knows of a
// confidential review of the case writes for those who may know of it too, because any other note could
// be a warning.
func (r NoteReader) Writes() []NoteAudience {
	knows := r.WasConfidential && !r.Submitter && (r.Clearance || r.Involved)
	wanted := []NoteAudience{NoteReviewers, NoteEveryone, NoteAML}
	return slices.DeleteFunc(wanted, func(audience NoteAudience) bool {
		return !r.Reads(audience) || knows && audience != NoteAML
	})
}

// CleanNote returns the text of a note without characters that are invisible or change the order of
// others, so that every reader sees what is stored.
func CleanNote(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\u200c' || r == '\u200d': // joiners are part of scripts and emoji
			return r
		case unicode.In(r, unicode.Zl, unicode.Zp):
			return '\n'
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Bidi_Control) ||
			r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, text)
	return strings.TrimSpace(text)
}
