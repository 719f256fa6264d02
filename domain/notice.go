package domain

import (
	"slices"
	"time"
)

// NoticeKind is what a notice tells its recipient.
type NoticeKind string

// The kinds of notices. docs/notices.md says who receives each.
const (
	NoticeReturned   NoticeKind = "returned"   // a document was returned to its submitter
	NoticeFinished   NoticeKind = "finished"   // a submitted document was archived or rejected
	NoticeAssigned   NoticeKind = "assigned"   // a review was assigned to the person
	NoticeLapse      NoticeKind = "lapse"      // the claim ends soon, or the decision is due soon
	NoticeReminder   NoticeKind = "reminder"   // a deadline of a review is ahead, as the process says
	NoticeOverdue    NoticeKind = "overdue"    // a deadline of a review has passed
	NoticeIncident   NoticeKind = "incident"   // a case cannot continue without a person
	NoticeDelegation NoticeKind = "delegation" // a delegation to or from the person
	NoticeConnector  NoticeKind = "connector"  // a connector was disabled, or its receiver lacks events
	NoticeSignIn     NoticeKind = "sign_in"    // a passkey or the password of the person changed
	NoticeAbsence    NoticeKind = "absence"    // another person recorded or ended the person's absence
	NoticeOperator   NoticeKind = "operator"   // the operator asked for power by the command line
	NoticeMention    NoticeKind = "mention"    // a note mentions the person
	NoticeNote       NoticeKind = "note"       // a note was added to a case that the person watches
	NoticeWatched    NoticeKind = "watched"    // something happened on a case that the person watches
	NoticeComment    NoticeKind = "comment"    // a comment on a proposal that the person discusses
	NoticeProposal   NoticeKind = "proposal"   // a proposal waits for another administrator
	NoticeOwner      NoticeKind = "owner"      // a proposal waits for the owners of a process, or what they decided
)

// NoticeKinds returns all kinds in the order in which people see them.
func NoticeKinds() []NoticeKind {
	return []NoticeKind{NoticeReturned, NoticeFinished, NoticeAssigned, NoticeLapse, NoticeReminder,
		NoticeOverdue, NoticeIncident, NoticeMention, NoticeNote, NoticeWatched, NoticeDelegation,
		NoticeConnector, NoticeSignIn, NoticeAbsence, NoticeOperator, NoticeComment, NoticeProposal,
		NoticeOwner}
}

// Fixed reports whether e-mails of the kind are always sent immediately. Otherwise a thief could switch
// them off before changing how the person signs in, and no one could object to the operator.
func (k NoticeKind) Fixed() bool { return k == NoticeSignIn || k == NoticeOperator }

// Valid reports whether the kind exists.
func (k NoticeKind) Valid() bool { return slices.Contains(NoticeKinds(), k) }

// NoticeMail is when a kind of notice is sent by e-mail.
type NoticeMail string

// The choices of a person for a kind of notice. Notices are on the page in any case.
const (
	MailImmediately NoticeMail = "immediately"
	MailDigest      NoticeMail = "digest" // once a day, together
	MailOff         NoticeMail = "off"
)

// Valid reports whether the choice exists.
func (m NoticeMail) Valid() bool {
	return m == MailImmediately || m == MailDigest || m == MailOff
}

// DefaultMail is the choice for people who made none.
func (k NoticeKind) DefaultMail() NoticeMail {
	if k == NoticeFinished || k == NoticeNote || k == NoticeWatched {
		return MailDigest
	}
	return MailImmediately
}

// Notice tells one person about one event.
type Notice struct {
	ID        ID
	Recipient ID
	Kind      NoticeKind
	Stream    ID // of the event
	Seq       int64
	CaseID    ID        // NoID if it is about no case
	ReviewID  ID        // NoID if it is about no review
	Person    ID        // whom it names, NoID = no one
	Connector ID        // NoID if it is about no connector
	NoteID    ID        // NoID if it is about no note
	Proposal  ID        // NoID if it is about no proposal
	Due       time.Time // the deadline that it names; zero = none
	At        time.Time // when it is shown
	Scheduled bool      // it is shown at that time if it is still true then
	ReadAt    time.Time // zero = unread
	// MailAt is when its e-mail is due; zero = none is sent.
	MailAt time.Time
}

// NoticeQuery selects notices of a person, the newest first.
type NoticeQuery struct {
	Recipient  ID
	OnlyUnread bool
	// Before is the last notice of the page before; the zero notice = from the newest.
	Before Notice
	Limit  int
}

// MailOutcome is what became of an e-mail about notices.
type MailOutcome string

// The outcomes. After MailFailed it is sent again later.
const (
	MailSent    MailOutcome = "sent"
	MailRefused MailOutcome = "refused" // the address, permanently
	MailDropped MailOutcome = "dropped"
	MailFailed  MailOutcome = "failed"
)

// DueMail is the e-mail to one person about notices.
type DueMail struct {
	Person  User
	Notices []NoticeLine
	// Hidden are notices about what the person may not see any more; they are not sent.
	Hidden []ID
	// Refused is the address that the mail server refused; nothing is sent to it.
	Refused string
}

// NoticeLine is a notice with the names that its e-mail shows.
type NoticeLine struct {
	Notice
	Reference  string // of the case
	Queue      string // of the review that a reminder is about
	PersonName string // of the person that the notice names

	ConnectorName string

	ProposalKind ProposalKind // "" if it is about no proposed text
	ProposalKey  string
	// ControlKind is the change of control data that waits; "" if the notice is about another one. ProposalKey
	// is then its name, if it has one.
	ControlKind ProposalKind
	// ProposalVersion is the version that the proposal would get; 0 if it is about no proposal.
	ProposalVersion int

	// Outcome is how the case ended, with its vendor and amount; "" unless the notice is about an end.
	Outcome      Status
	Counterparty string
	Amount       Money // Currency "" while unknown
}

// UnsubscribePath is before the token in the link by which a person gets no more e-mails of a kind.
const UnsubscribePath = "/unsubscribe/"

// NoticePreferences are what a person chose about e-mails.
type NoticePreferences struct {
	Person ID
	// Mail has the kinds for which the person chose.
	Mail map[NoticeKind]NoticeMail
	// Calendar names the calendar in whose working time e-mails are sent; "" = at any time.
	Calendar string
	// Refused is the address that the mail server refused permanently, with its answer. No e-mail
	// is sent to it until the person changes the address or asks to try again.
	Refused, Refusal string
	RefusedAt        time.Time
}

// MailFor returns the choice for a kind.
func (p NoticePreferences) MailFor(kind NoticeKind) NoticeMail {
	if chosen, ok := p.Mail[kind]; ok && !kind.Fixed() {
		return chosen
	}
	return kind.DefaultMail()
}

// digestHour is the hour (UTC) of the daily e-mail to people without a calendar.
const digestHour = 7

// MailAt returns when the e-mail about a notice that is shown at a time is due: immediately or with
// the next daily e-mail, and only in the working time of the calendar; zero = never.
func MailAt(choice NoticeMail, calendar *Calendar, shown time.Time) time.Time {
	switch choice {
	case MailImmediately:
		return calendar.Next(shown)
	case MailDigest:
		if calendar != nil {
			return calendar.Next(calendar.NextDay(shown))
		}
		day := shown.UTC()
		at := time.Date(day.Year(), day.Month(), day.Day(), digestHour, 0, 0, 0, time.UTC)
		if !at.After(shown) {
			at = at.AddDate(0, 0, 1)
		}
		return at
	}
	return time.Time{}
}
