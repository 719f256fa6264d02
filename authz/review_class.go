package authz

import (
	"slices"

	"countersign/domain"
	"countersign/expr"
)

// reviewClass is what conditions can ask of a review that many reviews have in common; of the columns that no condition of the
// subject asks it is empty.
type reviewClass struct {
	queue, documentType, country string
	status                       domain.ReviewStatus
	level, band                  int
	amountKnown                  bool
}

// columnSet is a set of the columns in kind, as bits.
type columnSet uint8

// amountColumn is the amount itself, of which a kind has the band.
const amountColumn columnSet = 64

var classColumns = map[domain.Column]columnSet{domain.ColQueue: 1, domain.ColDocumentType: 2, domain.ColCountry: 4,
	domain.ColStatus: 8, domain.ColLevel: 16, domain.ColAmountKnown: 32, domain.ColBaseMinor: amountColumn}

// pruningLevel says which conditions an enforcer has answered; each sort answers those of the one before and more.
type pruningLevel uint8

// The sorts: conditions as they stand; answered where the kind of review settles them; and where the band of the amount
// does so too, of which there may be many.
const (
	pruneNothing pruningLevel = iota
	pruneByClass
	pruneByClassAndBand
	pruningLevels
)

var columnsOfLevel = [pruningLevels]columnSet{pruneByClass: amountColumn - 1, pruneByClassAndBand: 2*amountColumn - 1}

// pruningPlan is how the conditions of one subject can be answered for whole kinds of reviews.
type pruningPlan struct {
	columns    [pruningLevels]columnSet // by the conditions that the sort answers
	thresholds []int64                  // of the amounts that they ask about, ascending; they bound the bands
}

// prunableColumns returns the columns that the condition asks when the sort has them all: its answer is then the same for all
// reviews of a kind. None when it asks about the person or the submitter, or compares the amount with what varies.
func prunableColumns(condition *expr.PolicyCondition, level pruningLevel) columnSet {
	var asked columnSet
	names, aboutPerson := condition.Columns()
	for _, name := range names {
		column := classColumns[name]
		if column&columnsOfLevel[level] == 0 {
			return 0
		}
		asked |= column
	}
	if _, constant := condition.Thresholds(); aboutPerson || !constant {
		return 0
	}
	return asked
}

// addToPruningPlan takes in what a condition about the subject asks.
func (e *policySnapshot) addToPruningPlan(target ruleTarget, condition *expr.PolicyCondition) {
	present := e.pruningPlans[target]
	if present == nil {
		present = &pruningPlan{}
		e.pruningPlans[target] = present
	}
	for level := pruneByClass; level < pruningLevels; level++ {
		present.columns[level] |= prunableColumns(condition, level)
	}
	if prunableColumns(condition, pruneByClassAndBand)&amountColumn != 0 {
		thresholds, _ := condition.Thresholds()
		present.thresholds = append(present.thresholds, thresholds...)
		slices.Sort(present.thresholds)
		present.thresholds = slices.Compact(present.thresholds)
	}
}

// reviewClassOf is what the question's review or case has in the columns.
func (a *request) reviewClassOf(asked columnSet, thresholds []int64) reviewClass {
	var k reviewClass
	facts := a.conditionFacts()
	if asked&classColumns[domain.ColQueue] != 0 {
		k.queue = facts.Queue
	}
	if asked&classColumns[domain.ColDocumentType] != 0 {
		k.documentType = facts.DocumentType
	}
	if asked&classColumns[domain.ColCountry] != 0 {
		k.country = facts.Country
	}
	if asked&classColumns[domain.ColStatus] != 0 {
		k.status = facts.Status
	}
	if asked&classColumns[domain.ColLevel] != 0 {
		k.level = facts.Level
	}
	if asked&amountColumn != 0 {
		k.band = amountBandOf(facts.BaseMinor, thresholds)
	}
	k.amountKnown = asked&classColumns[domain.ColAmountKnown] != 0 && facts.AmountKnown
	return k
}

// amountBandOf is how many of the thresholds the amount has reached.
func amountBandOf(amount int64, thresholds []int64) int {
	band, reached := slices.BinarySearch(thresholds, amount)
	if reached {
		band++
	}
	return band
}

// prune answers the rule's condition where that is the same for every review of the kind: the rule is left without it, or
// never applies.
func (e *policySnapshot) prune(req *request, rule Rule, level pruningLevel) (Rule, bool) {
	if rule.Condition == "" || prunableColumns(e.conditions[rule.Condition], level) == 0 {
		return rule, true
	}
	applies := e.conditions.evaluate(req, rule.Condition, string(rule.Effect))
	rule.Condition = ""
	return rule, applies
}
