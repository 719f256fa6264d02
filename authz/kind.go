package authz

import (
	"slices"

	"countersign/domain"
	"countersign/expr"
)

// kind is what conditions can ask of a review that many reviews have in common; of the columns that no condition of the
// subject asks it is empty.
type kind struct {
	queue, documentType, country string
	status                       domain.ReviewStatus
	level, band                  int
	amountKnown                  bool
}

// columns is a set of the columns in kind, as bits.
type columns uint8

// ofAmount is the amount itself, of which a kind has the band.
const ofAmount columns = 64

var kindColumns = map[domain.Column]columns{domain.ColQueue: 1, domain.ColDocumentType: 2, domain.ColCountry: 4,
	domain.ColStatus: 8, domain.ColLevel: 16, domain.ColAmountKnown: 32, domain.ColBaseMinor: ofAmount}

// sort says which conditions an enforcer has answered; each sort answers those of the one before and more.
type sort uint8

// The sorts: conditions as they stand; answered where the kind of review settles them; and where the band of the amount
// does so too, of which there may be many.
const (
	asTheyStand sort = iota
	settled
	banded
	sorts
)

var columnsOf = [sorts]columns{settled: ofAmount - 1, banded: 2*ofAmount - 1}

// settling is how the conditions of one subject can be answered for whole kinds of reviews.
type settling struct {
	asked      [sorts]columns // by the conditions that the sort answers
	thresholds []int64        // of the amounts that they ask about, ascending; they bound the bands
}

// settles returns the columns that the condition asks when the sort has them all: its answer is then the same for all
// reviews of a kind. None when it asks about the person or the submitter, or compares the amount with what varies.
func settles(condition *expr.PolicyCondition, sort sort) columns {
	var asked columns
	names, aboutPerson := condition.Columns()
	for _, name := range names {
		column := kindColumns[name]
		if column&columnsOf[sort] == 0 {
			return 0
		}
		asked |= column
	}
	if _, constant := condition.Thresholds(); aboutPerson || !constant {
		return 0
	}
	return asked
}

// settleBy takes in what a condition about the subject asks.
func (e *edition) settleBy(about subject, condition *expr.PolicyCondition) {
	present := e.settling[about]
	if present == nil {
		present = &settling{}
		e.settling[about] = present
	}
	for sort := settled; sort < sorts; sort++ {
		present.asked[sort] |= settles(condition, sort)
	}
	if settles(condition, banded)&ofAmount != 0 {
		thresholds, _ := condition.Thresholds()
		present.thresholds = append(present.thresholds, thresholds...)
		slices.Sort(present.thresholds)
		present.thresholds = slices.Compact(present.thresholds)
	}
}

// kindOf is what the question's review or case has in the columns.
func (a *ask) kindOf(asked columns, thresholds []int64) kind {
	var k kind
	facts := a.conditionFacts()
	if asked&kindColumns[domain.ColQueue] != 0 {
		k.queue = facts.Queue
	}
	if asked&kindColumns[domain.ColDocumentType] != 0 {
		k.documentType = facts.DocumentType
	}
	if asked&kindColumns[domain.ColCountry] != 0 {
		k.country = facts.Country
	}
	if asked&kindColumns[domain.ColStatus] != 0 {
		k.status = facts.Status
	}
	if asked&kindColumns[domain.ColLevel] != 0 {
		k.level = facts.Level
	}
	if asked&ofAmount != 0 {
		k.band = bandOf(facts.BaseMinor, thresholds)
	}
	k.amountKnown = asked&kindColumns[domain.ColAmountKnown] != 0 && facts.AmountKnown
	return k
}

// bandOf is how many of the thresholds the amount has reached.
func bandOf(amount int64, thresholds []int64) int {
	band, reached := slices.BinarySearch(thresholds, amount)
	if reached {
		band++
	}
	return band
}

// settle answers the rule's condition where that is the same for every review of the kind: the rule is left without it, or
// never applies.
func (e *edition) settle(question *ask, rule Rule, sort sort) (Rule, bool) {
	if rule.Condition == "" || settles(e.conditions[rule.Condition], sort) == 0 {
		return rule, true
	}
	applies := e.conditions.judge(question, rule.Condition, string(rule.Effect))
	rule.Condition = ""
	return rule, applies
}
