package workflow

import (
	"fmt"
	"slices"

	"countersign/domain"
)

// ProcessorKey describes the cases that a processor applies to; an empty field means any.
type ProcessorKey struct {
	Behaviour    string
	Event        string
	DocumentType string
	Channel      string
	// Filtered is true if the processor also checks the facts of the case. It is more specific than
	// an unfiltered processor with the same fields.
	Filtered bool
}

// String formats the key for messages.
func (k ProcessorKey) String() string {
	return fmt.Sprintf("(behaviour %s, event %s, document type %s, channel %s)",
		orAny(k.Behaviour), orAny(k.Event), orAny(k.DocumentType), orAny(k.Channel))
}

func orAny(text string) string {
	if text == "" {
		return "any"
	}
	return text
}

// MostSpecific returns the index of the key that matches want and names the most of its fields. It
// returns ProcessorNotFound if no key matches and AmbiguousProcessor if two are equally specific.
// It treats filters as passing; ChooseProcessor evaluates them.
func MostSpecific(keys []ProcessorKey, want ProcessorKey) (int, error) {
	return ChooseProcessor(keys, want, func(int) bool { return true })
}

// ChooseProcessor is MostSpecific for one case: applies evaluates the filter of a filtered key that
// could be chosen.
func ChooseProcessor(
	keys []ProcessorKey, want ProcessorKey, applies func(index int) bool,
) (int, error) {
	best, rival, most := -1, -1, -1
	for i, key := range keys {
		weight, matches := key.weight(want)
		if !matches || weight < most || key.Filtered && !applies(i) {
			continue
		}
		if weight == most {
			rival = i
			continue
		}
		best, rival, most = i, -1, weight
	}
	if best < 0 {
		return -1, domain.Errorf(domain.ProcessorNotFound,
			"No processor is registered for %s.", want).
			WithRemedy("Register a processor for it, or publish a definition without it.").
			WithDetail("behaviour", want.Behaviour)
	}
	if rival >= 0 {
		return -1, ambiguousError(want, keys[best], keys[rival])
	}
	return best, nil
}

func ambiguousError(want, one, other ProcessorKey) *domain.Error {
	return domain.Errorf(domain.AmbiguousProcessor,
		"Two processors are equally specific for %s: %s and %s.", want, one, other).
		WithRemedy("Make one of them more specific.").WithDetail("behaviour", want.Behaviour)
}

// CheckProcessorKeys returns AmbiguousProcessor if two keys are equally specific for some case. It
// is called at start-up. Filtered keys are not compared, because their filters may exclude each
// other.
func CheckProcessorKeys(keys []ProcessorKey) error {
	first, second, clash := FindAmbiguous(keys)
	if !clash {
		return nil
	}
	want, _ := keys[first].intersect(keys[second])
	return ambiguousError(want, keys[first], keys[second])
}

// ExpectStatus returns StateMismatch with the present status if that is none of the expected ones.
func ExpectStatus(present domain.Status, expected ...domain.Status) error {
	if len(expected) == 0 || slices.Contains(expected, present) {
		return nil
	}
	return stateMismatch("The case is %s.", present).WithDetail("status", string(present))
}

// FindAmbiguous returns the first pair of keys that are equally specific for some case; ok is false
// if there is none.
func FindAmbiguous(keys []ProcessorKey) (first, second int, ok bool) {
	for i := range keys {
		for j := i + 1; j < len(keys); j++ {
			want, overlap := keys[i].intersect(keys[j])
			if !overlap || keys[i].Filtered || keys[j].Filtered ||
				keys[i].specificity() != keys[j].specificity() {
				continue
			}
			// A third, more specific key can resolve the ambiguity; a filtered one cannot, because
			// it may not apply.
			_, err := ChooseProcessor(keys, want, func(int) bool { return false })
			if domain.HasCode(err, domain.AmbiguousProcessor) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// weight returns how specific the key is and whether it matches want: two for each field it names,
// one for a filter.
func (k ProcessorKey) weight(want ProcessorKey) (int, bool) {
	fields := [...][2]string{{k.Behaviour, want.Behaviour}, {k.Event, want.Event},
		{k.DocumentType, want.DocumentType}, {k.Channel, want.Channel}}
	weight := 0
	for _, field := range fields {
		if field[0] == "" {
			continue
		}
		if field[0] != field[1] {
			return 0, false
		}
		weight += 2
	}
	if k.Filtered {
		weight++
	}
	return weight, true
}

func (k ProcessorKey) specificity() int {
	weight, _ := k.weight(k)
	return weight
}

// intersect returns the least specific key that both keys match; false if there is none.
func (k ProcessorKey) intersect(other ProcessorKey) (ProcessorKey, bool) {
	fields := [...][2]*string{{&k.Behaviour, &other.Behaviour}, {&k.Event, &other.Event},
		{&k.DocumentType, &other.DocumentType}, {&k.Channel, &other.Channel}}
	for _, field := range fields {
		switch {
		case *field[0] == "":
			*field[0] = *field[1]
		case *field[1] != "" && *field[0] != *field[1]:
			return ProcessorKey{}, false
		}
	}
	return k, true
}
