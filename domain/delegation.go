package domain

import "time"

// The event types of people and authority beyond those of the first hour.
const (
	PartyGrouped      EventType = "party.grouped"
	AccountDeclared   EventType = "account.declared"
	DelegationCreated EventType = "delegation.created"
	DelegationEnded   EventType = "delegation.ended"
	AbsenceSet        EventType = "absence.set"
	AbsenceEnded      EventType = "absence.ended"
	PolicyProposed    EventType = "policy.proposed"
	PolicyWithdrawn   EventType = "policy.withdrawn"
	RoleDefined       EventType = "role.defined"
)

// authorityEvents are those types, for EventTypes.
var authorityEvents = []EventType{PartyGrouped, AccountDeclared, DelegationCreated, DelegationEnded, AbsenceSet, AbsenceEnded,
	PolicyProposed, PolicyWithdrawn, RoleDefined}

// Scope narrows what is delegated. Empty lists and an absent amount narrow nothing.
type Scope struct {
	Queues        []string
	DocumentTypes []string
	BaseMinor     *int64 // up to this amount, in minor units of the base currency
}

// Delegation lets a person act in the name of another from From up to, and not including, Until.
type Delegation struct {
	ID        ID
	Giver     ID
	Taker     ID
	From      time.Time
	Until     time.Time
	Scope     Scope
	Reason    string
	CreatedBy ID
	CreatedAt time.Time
}

// At reports whether the delegation holds at the moment.
func (d Delegation) At(now time.Time) bool { return !now.Before(d.From) && now.Before(d.Until) }

// Overlaps reports whether two half-open spans have a moment in common.
func (d Delegation) Overlaps(from, until time.Time) bool {
	return d.From.Before(until) && from.Before(d.Until)
}

// Absence says that a person is out of office from From up to, and not including, Until; a Substitute is given what would be theirs.
type Absence struct {
	ID         ID
	Person     ID
	Substitute ID // NoID = nobody
	From       time.Time
	Until      time.Time
	Reason     string
	CreatedBy  ID
	CreatedAt  time.Time
}

// At reports whether the person is away at the moment.
func (a Absence) At(now time.Time) bool { return !now.Before(a.From) && now.Before(a.Until) }

// maxSubstitutes bounds how often a substitute's own substitute is followed.
const maxSubstitutes = 5

// SubstituteOf follows substitutes from a person who is away to the first who is there; NoID where the chain ends with
// nobody, forms a loop, or is longer than five. Somebody who is there stands for themselves.
func SubstituteOf(person ID, absences []Absence, now time.Time) ID {
	for range maxSubstitutes + 1 {
		next, away := person, false
		for _, absence := range absences {
			if absence.Person == person && absence.At(now) {
				next, away = absence.Substitute, true
				break
			}
		}
		if !away || next == NoID {
			return next
		}
		person = next
	}
	return NoID
}
