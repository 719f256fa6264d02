package facts

import (
	"slices"

	"countersign/domain"
)

// Persons names one account for each account of a person who has several. What one person did with several
// accounts never counts as the act of two.
type Persons map[domain.ID]domain.ID

// PersonsOf returns the persons of users.
func PersonsOf(users []domain.User) Persons {
	persons := Persons{}
	for i := range users {
		accounts := users[i].Accounts()
		for _, account := range accounts {
			persons[account] = slices.MinFunc(accounts, domain.CompareIDs)
		}
	}
	return persons
}

// Of returns the account that is named for the person of an account.
func (p Persons) Of(account domain.ID) domain.ID {
	if person, known := p[account]; known {
		return person
	}
	return account
}

// People returns the accounts with which anything was asserted, and those on whose behalf it was.
func (h History) People() []domain.ID {
	people := []domain.ID{}
	for i := range h {
		people = append(people, h[i].By)
		for _, assertion := range h[i].Assertions {
			people = append(people, assertion.OnBehalfOf)
		}
	}
	slices.SortFunc(people, domain.CompareIDs)
	return slices.Compact(people)
}
