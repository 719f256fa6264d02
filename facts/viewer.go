package facts

import (
	"slices"

	"countersign/domain"
)

// Viewer is the person to whom assertions about a case are shown.
type Viewer struct {
	Audience domain.Audience
	UserID   domain.ID
	// Redacted says that the viewer must not learn of confidential reviews; Reviews are then all reviews of the
	// case, so that what was asserted under confidential ones can be left out.
	Redacted bool
	Reviews  []domain.Review
}

// Sees reports whether the viewer may see an assertion that is not in force.
func (viewer Viewer) Sees(entry Entry) bool {
	if viewer.Redacted && entry.Set.By != viewer.UserID && (domain.ConfidentialField(entry.Field) ||
		viewer.MadeInConfidential(entry.Set)) {
		return false
	}
	return viewer.Audience == domain.AudienceStaff || entry.Set.Source != domain.SourceHuman ||
		entry.Set.By == viewer.UserID
}

// Differences returns the differences of the given fields that the viewer may see: at least two values.
func (viewer Viewer) Differences(history History, fields ...string) []Difference {
	var found []Difference
	for _, difference := range history.Differences(fields...) {
		seen := Difference{Field: difference.Field}
		for i, entry := range difference.Values {
			if i == 0 || viewer.Sees(entry) {
				seen.Values = append(seen.Values, entry)
			}
		}
		if len(seen.Values) > 1 {
			found = append(found, seen)
		}
	}
	return found
}

// MadeInConfidential reports whether a person made the assertions under one of the confidential
// reviews of the case.
func (viewer Viewer) MadeInConfidential(set *domain.AssertionSet) bool {
	return set.Source == domain.SourceHuman &&
		slices.ContainsFunc(viewer.Reviews, func(review domain.Review) bool {
			by := review.Assignee == set.By || review.PreviousAssignee == set.By
			return domain.ConfidentialQueue(review.Queue) && by &&
				!set.At.Before(review.CreatedAt) &&
				(review.DecidedAt.IsZero() || !set.At.After(review.DecidedAt))
		})
}

// CurrencyBeside returns the currency that the source of a total stated with it: that of its page or document,
// otherwise the newest of the source, which is the one of the value in force.
func (h History) CurrencyBeside(total Entry) string {
	if total.Currency != "" {
		return total.Currency
	}
	for _, currency := range slices.Backward(h.Of(domain.FieldCurrency)) {
		if currency.Set == total.Set {
			return currency.Value
		}
	}
	return ""
}
