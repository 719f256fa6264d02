package riskmodel

import (
	"slices"

	"countersign/domain"
)

// by reports whether a person asserted the value, or had it asserted.
func (c Counted) by(person domain.ID) bool {
	return person != domain.NoID && (c.By == person || c.OnBehalfOf == person)
}

// acceptsStatement reports whether the set repeats what the submitter entered last, and replaces only what
// the submitter and machines stated.
func (m *Model) acceptsStatement(set domain.AssertionSet, submitter domain.ID) bool {
	for _, a := range set.Assertions {
		entered, replaces := "", false
		for _, c := range m.Counting[a.Field] {
			if c.Order {
				continue
			}
			if !c.Source.IsMachine() && !c.by(submitter) && c.Value != a.Value {
				return false
			}
			replaces = replaces || c.Value != a.Value
			if c.by(submitter) && c.Source == domain.SourceHuman && !c.ofPart {
				entered = "=" + c.Value
			}
		}
		if replaces && entered != "="+a.Value {
			return false
		}
	}
	return true
}

// Pass makes what counts for an archived case count for its correction, which has no order and reads the
// document again, or what counts for a file count for its parts, which read their own pages. Neither reads
// a document that was replaced.
func (m *Model) Pass() {
	m.past = append(m.past, action{passes: true})
	m.pass()
}

func (m *Model) pass() {
	for field, counting := range m.Counting {
		amount := field == domain.FieldTotal || field == domain.FieldCurrency
		kept := slices.DeleteFunc(slices.Clone(counting),
			func(c Counted) bool {
				earlier := c.revision < m.newest && field != domain.FieldNumber && field != domain.FieldDate
				return c.Source.IsMachine() && !amount && !earlier
			})
		for i := range kept {
			kept[i].revision = 0
			if kept[i].Order { // who accepted it said nothing about the document
				kept[i].Order, kept[i].Source = false, domain.SourceDeclared
			}
		}
		m.Counting[field] = kept
	}
	m.read, m.newest = nil, 0
}
