package authz

import (
	"math"
	"slices"

	"countersign/domain"
)

// limit is the amount that a user can decide: none, up to an amount, or any.
type limit struct {
	granted   bool
	unlimited bool
	baseMinor int64
}

// covers reports whether the amount is within the limit. An unknown amount needs an unlimited
// limit; a credit counts by its absolute value.
func (l limit) covers(known bool, baseMinor int64) bool {
	switch {
	case !l.granted:
		return false
	case l.unlimited:
		return true
	}
	return known && baseMinor <= l.baseMinor && baseMinor >= -l.baseMinor
}

// filter is covers over rows.
func (l limit) filter() domain.Filter {
	switch {
	case !l.granted:
		return domain.Constant(false)
	case l.unlimited:
		return domain.Constant(true)
	}
	return domain.All(domain.Where(domain.ColAmountKnown, "==", true),
		domain.Where(domain.ColBaseMinor, "<=", l.baseMinor),
		domain.Where(domain.ColBaseMinor, ">=", -l.baseMinor))
}

func (l limit) larger(other limit) limit {
	switch {
	case !l.granted:
		return other
	case l.unlimited || !other.granted:
		return l
	case other.unlimited || other.baseMinor > l.baseMinor:
		return other
	}
	return l
}

// limitOf returns the user's limit for documents of the type. Within a role the limit of the type
// takes precedence over the limit of every type; of several roles the largest limit counts. Without
// a limit the user cannot decide.
func limitOf(person *domain.User, documentType string) limit {
	var best limit
	for _, role := range person.Roles {
		var general, special limit
		for _, row := range person.Limits {
			if row.Role != role || row.Action != domain.ActDecide {
				continue
			}
			found := limit{granted: true, unlimited: row.Unlimited, baseMinor: row.BaseMinor}
			switch row.DocumentType {
			case "":
				general = general.larger(found)
			case documentType:
				special = special.larger(found)
			}
		}
		if special.granted {
			general = special
		}
		best = best.larger(general)
	}
	return best
}

// withinLimitFilter is the hard rule WithinLimit over rows for one user.
func withinLimitFilter(person *domain.User) domain.Filter {
	var types []string
	for _, row := range person.Limits {
		if row.Action == domain.ActDecide && row.DocumentType != "" && person.HasRole(row.Role) &&
			!slices.Contains(types, row.DocumentType) {
			types = append(types, row.DocumentType)
		}
	}
	general := limitOf(person, "").filter()
	if len(types) == 0 {
		return general
	}
	slices.Sort(types)
	special := domain.Filter{Compare: &domain.Comparison{Column: domain.ColDocumentType, Op: "in",
		Values: types}}
	branches := []domain.Filter{allOf(domain.Filter{Not: &special}, general)}
	for _, name := range types {
		branches = append(branches,
			allOf(domain.Where(domain.ColDocumentType, "==", name), limitOf(person, name).filter()))
	}
	return anyOf(branches...)
}

// CoversAmount reports whether the user's limit for documents of the type covers an amount, in
// minor units of the base currency.
func CoversAmount(user domain.User, documentType string, baseMinor int64) bool {
	return limitOf(&user, documentType).covers(true, baseMinor)
}

// LargestAmount returns the largest amount in minor units of the base currency that the user's limit
// for documents of the type covers, -1 without a limit.
func LargestAmount(user domain.User, documentType string) int64 {
	switch found := limitOf(&user, documentType); {
	case !found.granted:
		return -1
	case found.unlimited:
		return math.MaxInt64
	default:
		return found.baseMinor
	}
}
