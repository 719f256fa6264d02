package authz

import (
	"slices"

	"countersign/domain"
)

// dimension is a property of a review in which samples differ, by its values.
type dimension []func(*domain.ReviewFacts)

// unlistedText is a text that no condition names, so it belongs to the class of all others.
const unlistedText = "~"

// samples returns one review of each class that the rules of both policies distinguish for the user:
// every queue, and every value that their conditions compare. For cases the voters are the deciders.
func (c *Comparison) samples(user, later *domain.User, target ruleTarget) []domain.ReviewFacts {
	base := domain.ReviewFacts{Status: domain.ReviewOpen, CaseStatus: domain.InReview, HasAmount: true,
		AmountKnown: true, Level: 1, DocumentType: unlistedText, Country: unlistedText}
	if target.objectKind == objectGlobal {
		return []domain.ReviewFacts{base}
	}
	values := comparedValues{}
	for i, e := range []*policySnapshot{c.before, c.after} {
		req := &request{actor: []*domain.User{user, later}[i], objectKind: target.objectKind}
		// A rule whose filter fails has compiled, so its condition is about other values.
		if filter, err := e.ruleFilter(req, target.action); err == nil {
			values.addFilter(filter)
		}
	}
	for _, queue := range slices.Concat(c.queues, user.Queues, later.Queues) {
		values.add(domain.ColQueue, queue)
	}
	for _, limit := range slices.Concat(user.Limits, later.Limits) {
		if limit.DocumentType != "" {
			values.add(domain.ColDocumentType, limit.DocumentType)
		}
	}
	if HasLimit(target.action) {
		for _, limit := range changedLimits(user, later) {
			values.add(domain.ColBaseMinor, limit.BaseMinor)
		}
	}
	dimensions := values.dimensions()
	if target.objectKind == objectCase {
		dimensions = append(dimensions, dimension{
			func(*domain.ReviewFacts) {},
			func(f *domain.ReviewFacts) { f.Submitter = user.ID },
			func(f *domain.ReviewFacts) { f.VotedIDs = []domain.ID{user.ID} },
		})
	}
	samples, whole := combine(base, dimensions)
	c.partial = c.partial || !whole
	return samples
}

// QueuesNamed returns the queues with which the condition of the rule compares that of a review.
func (r Rule) QueuesNamed() []string { return r.textsNamed(domain.ColQueue) }

// TypesNamed returns the document types with which the condition of the rule compares that of a review.
func (r Rule) TypesNamed() []string { return r.textsNamed(domain.ColDocumentType) }

func (r Rule) textsNamed(column domain.Column) []string {
	condition, err := r.compile()
	if err != nil || condition == nil {
		return nil
	}
	filter, err := condition.Residual(policyUser(&domain.User{Roles: []domain.Role{r.Role}}))
	if err != nil {
		return nil
	}
	values := comparedValues{}
	values.addFilter(filter)
	var texts []string
	for _, value := range values[column] {
		if text, isText := value.(string); isText {
			texts = append(texts, text)
		}
	}
	return texts
}

// comparedValues are the values with which conditions compare each column.
type comparedValues map[domain.Column][]any

func (v comparedValues) add(column domain.Column, value any) {
	if !slices.Contains(v[column], value) {
		v[column] = append(v[column], value)
	}
}

func (v comparedValues) addFilter(filter domain.Filter) {
	for _, part := range slices.Concat(filter.And, filter.Or) {
		v.addFilter(part)
	}
	for _, part := range []*domain.Filter{filter.Not, filter.EveryCountry} {
		if part != nil {
			v.addFilter(*part)
		}
	}
	if filter.Compare == nil {
		return
	}
	switch value := filter.Compare.Value.(type) {
	case nil:
	case []domain.ID:
		for _, id := range value {
			v.add(filter.Compare.Column, id)
		}
	default:
		v.add(filter.Compare.Column, value)
	}
	for _, text := range filter.Compare.Values {
		v.add(filter.Compare.Column, text)
	}
}

// dimensions returns the classes of each column: the compared values, those beside them for numbers,
// and the values of the base.
func (v comparedValues) dimensions() []dimension {
	var found []dimension
	texts := func(column domain.Column, set func(*domain.ReviewFacts, string)) {
		var one dimension
		for _, value := range v[column] {
			if text, isText := value.(string); isText {
				one = append(one, func(f *domain.ReviewFacts) { set(f, text) })
			}
		}
		if column != domain.ColQueue {
			one = append(one, func(*domain.ReviewFacts) {})
		}
		found = append(found, one)
	}
	numbers := func(column domain.Column, set func(*domain.ReviewFacts, int64)) {
		one := dimension{func(*domain.ReviewFacts) {}}
		for _, value := range v[column] {
			if number, isNumber := value.(int64); isNumber {
				for beside := number - 1; beside <= number+1; beside++ {
					one = append(one, func(f *domain.ReviewFacts) { set(f, beside) })
				}
			}
		}
		found = append(found, one)
	}
	texts(domain.ColQueue, func(f *domain.ReviewFacts, text string) { f.Queue = text })
	texts(domain.ColDocumentType, func(f *domain.ReviewFacts, text string) { f.DocumentType = text })
	texts(domain.ColCountry, func(f *domain.ReviewFacts, text string) { f.Country = text })
	texts(domain.ColStatus, func(f *domain.ReviewFacts, text string) {
		f.Status = domain.ReviewStatus(text)
	})
	numbers(domain.ColLevel, func(f *domain.ReviewFacts, number int64) { f.Level = int(number) })
	numbers(domain.ColBaseMinor, func(f *domain.ReviewFacts, number int64) { f.BaseMinor = number })
	if len(v[domain.ColAmountKnown]) > 0 || len(v[domain.ColBaseMinor]) > 0 {
		found = append(found, dimension{func(*domain.ReviewFacts) {},
			func(f *domain.ReviewFacts) { f.AmountKnown = false }})
	}
	submitters := dimension{func(*domain.ReviewFacts) {}}
	for _, value := range v[domain.ColSubmitter] {
		if id, isID := value.(domain.ID); isID {
			submitters = append(submitters, func(f *domain.ReviewFacts) { f.Submitter = id })
		}
	}
	return append(found, submitters)
}

// combine returns the base with one value of each dimension, in every combination. It returns false
// if there are more than maxSamples; the samples are then spread over all combinations.
func combine(base domain.ReviewFacts, dimensions []dimension) ([]domain.ReviewFacts, bool) {
	dimensions = slices.DeleteFunc(dimensions, func(d dimension) bool { return len(d) == 0 })
	total := 1
	for _, one := range dimensions {
		total = min(total*len(one), 1<<40)
	}
	count := min(total, maxSamples)
	step := total / count
	for gcd(step, total) > 1 { // otherwise some combinations of values would never occur
		step++
	}
	samples := make([]domain.ReviewFacts, 0, count)
	for i := range count {
		facts, index := base, i*step%total
		for _, one := range dimensions {
			one[index%len(one)](&facts)
			index /= len(one)
		}
		samples = append(samples, facts)
	}
	return samples, total <= maxSamples
}

func gcd(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}
