package authz

import (
	"cmp"
	"slices"
	"strings"

	"github.com/casbin/casbin/v2"

	"countersign/domain"
	"countersign/expr"
)

// enforcerKey names one enforcer: it holds only the rules of the action for these roles on reviews of this kind, so that
// neither the other actions, nor the other roles, nor rules about other queues or countries cost anything.
type enforcerKey struct {
	subject
	lines line
	roles string
	kind  kind
}

// subject is what a rule is about.
type subject struct {
	action domain.Action
	on     family
}

// kind is what conditions can ask of a review that many reviews have in common; of the columns that no condition of the
// subject asks it is empty.
type kind struct {
	queue, documentType, country string
	status                       domain.ReviewStatus
	level                        int
	amountKnown                  bool
}

// columns is a set of the columns in kind, as bits.
type columns uint8

var kindColumns = map[domain.Column]columns{domain.ColQueue: 1, domain.ColDocumentType: 2, domain.ColCountry: 4,
	domain.ColStatus: 8, domain.ColLevel: 16, domain.ColAmountKnown: 32}

// settles returns the columns that the condition asks when it asks nothing else: its answer is then the same for all
// reviews of a kind. None when it asks about the person, the amount or the submitter.
func settles(condition *expr.PolicyCondition) columns {
	var asked columns
	names, aboutPerson := condition.Columns()
	for _, name := range names {
		if kindColumns[name] == 0 {
			return 0
		}
		asked |= kindColumns[name]
	}
	if aboutPerson {
		return 0
	}
	return asked
}

// kindOf is what the question's review or case has in the columns.
func (a *ask) kindOf(asked columns) kind {
	var k kind
	if asked == 0 {
		return k
	}
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
	k.amountKnown = asked&kindColumns[domain.ColAmountKnown] != 0 && facts.AmountKnown
	return k
}

// maxEnforcers bounds what is kept of either sort; people have few combinations of roles, and work comes in few kinds.
const maxEnforcers = 2000

// Two sorts of enforcers: conditions as they stand, and answered where the kind of review settles them.
const (
	asTheyStand = iota
	settled
)

// enforcer is that of the question's kind. With more kinds than are kept, one that serves all kinds answers.
func (e *edition) enforcer(question *ask, action domain.Action, lines line) (*casbin.Enforcer, error) {
	about := subject{action, question.on}
	key, sort := enforcerKey{subject: about, lines: lines, roles: e.rolesKey(question.powers())}, asTheyStand
	if asked := e.settling[about]; asked != 0 {
		key.kind, sort = question.kindOf(asked), settled
	}
	if found := e.keptEnforcer(key); found != nil {
		return found, nil
	}
	if sort == settled && e.kept[settled].Load() >= maxEnforcers {
		key.kind, sort = kind{}, asTheyStand
		if found := e.keptEnforcer(key); found != nil {
			return found, nil
		}
	}
	enforcer, err := newEnforcer(e.matcher(lines), lines, e.rulesFor(question, about, sort), e.conditions)
	if err == nil && e.kept[sort].Add(1) <= maxEnforcers {
		e.enforcers.Store(key, enforcer)
	}
	return enforcer, err
}

func (e *edition) keptEnforcer(key enforcerKey) *casbin.Enforcer {
	found, _ := e.enforcers.Load(key)
	enforcer, _ := found.(*casbin.Enforcer)
	return enforcer
}

// rulesFor are the rules that can apply, in the order of scanning. Of rules that say the same the first stands for all.
func (e *edition) rulesFor(question *ask, about subject, sort int) []Rule {
	var rules []Rule
	for _, rule := range e.policy.Rules {
		if rule.Action == about.action && rule.Object.family() == about.on && question.holds(string(rule.Role)) {
			rules = append(rules, rule)
		}
	}
	// The cheap rules are scanned first; a deny stops the scan wherever it stands.
	slices.SortStableFunc(rules, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(len(a.Condition), len(b.Condition)), strings.Compare(a.Condition, b.Condition))
	})
	said := map[Rule]bool{}
	var scanned []Rule
	for _, rule := range rules {
		applies := true
		if sort == settled {
			rule, applies = e.settle(question, rule)
		}
		meaning := Rule{Object: rule.Object, Condition: rule.Condition, Effect: cmp.Or(rule.Effect, Allow)}
		if applies && !said[meaning] {
			said[meaning] = true
			scanned = append(scanned, rule)
		}
	}
	return scanned
}

// settle answers the rule's condition where that is the same for every review of the kind: the rule is left without it, or
// never applies.
func (e *edition) settle(question *ask, rule Rule) (Rule, bool) {
	if rule.Condition == "" || settles(e.conditions[rule.Condition]) == 0 {
		return rule, true
	}
	applies := e.conditions.judge(question, rule.Condition, string(rule.Effect))
	rule.Condition = ""
	return rule, applies
}
