package domain

import "time"

// Scope limits a delegation. Empty lists and a nil amount mean no limit.
type Scope struct {
	Queues        []string
	DocumentTypes []string
	BaseMinor     *int64 // up to this amount, in minor units of the base currency
}

// Delegation lets the user Delegate act on behalf of the user Delegator from From until Until,
// exclusive.
type Delegation struct {
	ID        ID
	Delegator ID
	Delegate  ID
	From      time.Time
	Until     time.Time
	Scope     Scope
	Reason    string
	CreatedBy ID
	CreatedAt time.Time
}

// At reports whether the delegation is active at the given time.
func (d Delegation) At(now time.Time) bool { return !now.Before(d.From) && now.Before(d.Until) }

// Overlaps reports whether the delegation overlaps the half-open interval from..until.
func (d Delegation) Overlaps(from, until time.Time) bool {
	return d.From.Before(until) && from.Before(d.Until)
}

// Absence is the time in which a person is out of office, from From until Until, exclusive. Reviews
// that would be assigned to the person are assigned to the Substitute.
type Absence struct {
	ID         ID
	Person     ID
	Substitute ID // NoID = none
	From       time.Time
	Until      time.Time
	Reason     string
	CreatedBy  ID
	CreatedAt  time.Time
}

// At reports whether the person is out of office at the given time.
func (a Absence) At(now time.Time) bool { return !now.Before(a.From) && now.Before(a.Until) }

// maxSubstitutes limits the length of a chain of substitutes.
const maxSubstitutes = 5

// SubstituteOf follows the chain of substitutes to the first person who is not out of office, which
// can be the given person. It returns NoID if the chain ends without a substitute, forms a loop, or
// is longer than five.
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
