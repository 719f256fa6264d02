package authz

import (
	"slices"
	"strings"

	"countersign/domain"
	"countersign/expr"
)

// reviewClass holds the values of a review that conditions depend on. Many reviews share a class;
// columns that no condition of the target uses are empty.
type reviewClass struct {
	queue, documentType string
	country             string // all countries of the risk basis
	status              domain.ReviewStatus
	level, band         int
	amountKnown         bool
}

// columnSet is a set of the columns of a review class as bits.
type columnSet uint8

// amountColumn is the amount, for which a class has a band.
const amountColumn columnSet = 64

var classColumns = map[domain.Column]columnSet{domain.ColQueue: 1, domain.ColDocumentType: 2,
	domain.ColCountry: 4, domain.ColStatus: 8, domain.ColLevel: 16, domain.ColAmountKnown: 32,
	domain.ColBaseMinor: amountColumn}

// pruningLevel says which conditions an enforcer has evaluated in advance. Each level includes the
// previous one.
type pruningLevel uint8

// The pruning levels: no condition; conditions that depend on the class of the review only; and
// conditions that depend also on the band of the amount, of which there can be many.
const (
	pruneNothing pruningLevel = iota
	pruneByClass
	pruneByClassAndBand
	pruningLevels
)

var columnsOfLevel = [pruningLevels]columnSet{pruneByClass: amountColumn - 1,
	pruneByClassAndBand: 2*amountColumn - 1}

// pruningPlan describes which conditions of one target can be evaluated for whole classes of
// reviews.
type pruningPlan struct {
	columns    [pruningLevels]columnSet // columns used by the conditions that the level evaluates
	thresholds []int64                  // of the amount, ascending; they separate the bands
}

// prunableColumns returns the columns that the condition uses if the level includes them all,
// because its result is then the same for all reviews of a class. It returns none if the condition
// uses the user or the submitter, or compares the amount with a value that is not a literal.
func prunableColumns(condition *expr.PolicyCondition, level pruningLevel) columnSet {
	var used columnSet
	names, usesUser := condition.Columns()
	for _, name := range names {
		column := classColumns[name]
		if column&columnsOfLevel[level] == 0 {
			return 0
		}
		used |= column
	}
	if _, constant := condition.Thresholds(); usesUser || !constant {
		return 0
	}
	return used
}

// addToPruningPlan adds a condition to the plan of its target.
func (e *policySnapshot) addToPruningPlan(target ruleTarget, condition *expr.PolicyCondition) {
	plan := e.pruningPlans[target]
	if plan == nil {
		plan = &pruningPlan{}
		e.pruningPlans[target] = plan
	}
	for level := pruneByClass; level < pruningLevels; level++ {
		plan.columns[level] |= prunableColumns(condition, level)
	}
	if prunableColumns(condition, pruneByClassAndBand)&amountColumn != 0 {
		thresholds, _ := condition.Thresholds()
		plan.thresholds = append(plan.thresholds, thresholds...)
		slices.Sort(plan.thresholds)
		plan.thresholds = slices.Compact(plan.thresholds)
	}
}

// reviewClassOf returns the values of the request's review or case in the columns.
func (r *request) reviewClassOf(columns columnSet, thresholds []int64) reviewClass {
	var class reviewClass
	facts := r.conditionFacts()
	if columns&classColumns[domain.ColQueue] != 0 {
		class.queue = facts.Queue
	}
	if columns&classColumns[domain.ColDocumentType] != 0 {
		class.documentType = facts.DocumentType
	}
	if columns&classColumns[domain.ColCountry] != 0 {
		class.country = strings.Join(append([]string{facts.Country}, facts.OtherCountries...), ",")
	}
	if columns&classColumns[domain.ColStatus] != 0 {
		class.status = facts.Status
	}
	if columns&classColumns[domain.ColLevel] != 0 {
		class.level = facts.Level
	}
	if columns&amountColumn != 0 {
		class.band = amountBandOf(facts.BaseMinor, thresholds)
	}
	class.amountKnown = columns&classColumns[domain.ColAmountKnown] != 0 && facts.AmountKnown
	return class
}

// amountBandOf returns how many of the thresholds the amount has reached.
func amountBandOf(amount int64, thresholds []int64) int {
	band, reached := slices.BinarySearch(thresholds, amount)
	if reached {
		band++
	}
	return band
}

// prune evaluates the rule's condition if its result is the same for every review of the class. The
// rule then has no condition, or never applies.
func (e *policySnapshot) prune(req *request, rule Rule, level pruningLevel) (Rule, bool) {
	if rule.Condition == "" || prunableColumns(e.conditions[rule.Condition], level) == 0 {
		return rule, true
	}
	applies := e.conditions.evaluate(req, rule.Condition, string(rule.Effect))
	rule.Condition = ""
	return rule, applies
}
