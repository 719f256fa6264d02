package views

import (
	"slices"
	"time"

	"countersign/domain"
	"countersign/domain/country"
	"countersign/facts"
)

// AssertedValue is one assertion about a field, as a viewer may see it.
type AssertedValue struct {
	domain.Assertion
	// Currency is the currency that the same source stated with a total, "" if it stated none.
	Currency string
	Source   domain.FieldSource
	ByID     domain.ID // person or program; NoID if there is none or the viewer may not see it
	At       time.Time // zero if it was not stored
	// DocumentRevision is the revision of the document that Page and Box refer to, 0 if none.
	DocumentRevision int
	// Resolved says that a later assertion resolved this one, so that it no longer counts.
	Resolved bool
}

// FieldDifference is a field whose sources state different values that are not resolved.
type FieldDifference struct {
	Field string
	// Values are the distinct values, the one in force first, each with its newest assertion.
	Values []AssertedValue
	// Pending is why the last correction waits for a second person; NoSecondPerson if it does not,
	// and for viewers who may not see the review work.
	Pending facts.NeedsSecondPerson
}

// AssertionViewer is the person to whom assertions about a case are shown.
type AssertionViewer facts.Viewer

// Differences returns the differences of the given fields, as the viewer may see them. Submitters
// see values of the document and their own, and of other people's only the one in force.
func (viewer AssertionViewer) Differences(
	history facts.History, fields []string,
) []FieldDifference {
	found := []FieldDifference{}
	for _, difference := range facts.Viewer(viewer).Differences(history, fields...) {
		one := FieldDifference{Field: difference.Field}
		for _, entry := range difference.Values {
			one.Values = append(one.Values, viewer.valueOf(history, entry, false))
		}
		if viewer.Audience == domain.AudienceStaff {
			one.Pending = pendingReason(history, difference.Field)
		}
		found = append(found, one)
	}
	return found
}

// CountryRoles returns the countries of the risk basis with their roles, as the viewer may see them:
// without confidential access only the country in force, and submitters none that a reviewer stated.
func (viewer AssertionViewer) CountryRoles(
	history facts.History, inForce string,
) []domain.CountryAtRisk {
	visible := []domain.CountryAtRisk{}
	for _, role := range facts.RiskOf(history, country.OfField).CountryRoles {
		if viewer.Redacted && role.Code != inForce ||
			viewer.Audience != domain.AudienceStaff && role.Source == domain.SourceHuman {
			continue
		}
		visible = append(visible, role)
	}
	return visible
}

// FieldHistory returns every assertion about a field that the viewer may see, oldest first.
func (viewer AssertionViewer) FieldHistory(history facts.History, field string) []AssertedValue {
	values := []AssertedValue{}
	all := history.Of(field)
	unresolved := history.Unresolved(field)
	inForce, _ := history.InForce(field)
	for _, entry := range all {
		counts := slices.ContainsFunc(unresolved, func(e facts.Entry) bool {
			return e.Set == entry.Set && e.Order == entry.Order
		})
		current := entry.Set == inForce.Set && entry.Value == inForce.Value
		if current || viewer.sees(entry) {
			values = append(values, viewer.valueOf(history, entry, !counts && !entry.IsSuggestion()))
		}
	}
	return values
}

// sees reports whether the viewer may see an assertion that is not in force.
func (viewer AssertionViewer) sees(entry facts.Entry) bool { return facts.Viewer(viewer).Sees(entry) }

func (viewer AssertionViewer) valueOf(
	history facts.History, entry facts.Entry, resolved bool,
) AssertedValue {
	value := AssertedValue{Assertion: entry.Assertion, Source: entry.Set.Source, At: entry.Set.At,
		DocumentRevision: entry.Set.DocumentRevision, Resolved: resolved}
	if viewer.Audience == domain.AudienceStaff && !viewer.Redacted ||
		entry.Set.By == viewer.UserID {
		value.ByID = entry.Set.By
	}
	if entry.Field == domain.FieldTotal {
		value.Currency = history.CurrencyBeside(entry)
	}
	return value
}

// pendingReason returns why the newest unresolved value of a person waits for a second person.
func pendingReason(history facts.History, field string) facts.NeedsSecondPerson {
	entry, _ := history.Entered(field)
	return facts.NeedsSecondPerson(entry.Pending)
}
