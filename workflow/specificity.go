package workflow

import (
	"fmt"
	"slices"

	"countersign/domain"
)

// ProcessorKey says what a processor is for; an empty field means any.
type ProcessorKey struct {
	Behaviour    string
	Event        string
	DocumentType string
	Channel      string
	// Filtered tells that the processor further asks the facts of the case whether it is for it: more specific than one
	// with the same fields that does not.
	Filtered bool
}

// String renders the key for messages.
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

// MostSpecific returns the index of the key that fits want and names the most of its fields. No fitting key is
// ProcessorNotFound; two that name equally many are AmbiguousProcessor. Keys that filter count as fitting; Choose asks.
func MostSpecific(keys []ProcessorKey, want ProcessorKey) (int, error) {
	return ChooseProcessor(keys, want, func(int) bool { return true })
}

// ChooseProcessor is MostSpecific for one case: fits is asked, for each filtered key that could be the one, whether its processor
// is for the case.
func ChooseProcessor(keys []ProcessorKey, want ProcessorKey, fits func(index int) bool) (int, error) {
	best, rival, most := -1, -1, -1
	for i, key := range keys {
		weight, matches := key.weight(want)
		if !matches || weight < most || key.Filtered && !fits(i) {
			continue
		}
		if weight == most {
			rival = i
			continue
		}
		best, rival, most = i, -1, weight
	}
	if best < 0 {
		return -1, domain.Errorf(domain.ProcessorNotFound, "Nothing is registered that handles %s.", want).
			WithRemedy("Register a processor for it, or publish a definition without it.").WithDetail("behaviour", want.Behaviour)
	}
	if rival >= 0 {
		return -1, ambiguousError(want, keys[best], keys[rival])
	}
	return best, nil
}

func ambiguousError(want, one, other ProcessorKey) *domain.Error {
	return domain.Errorf(domain.AmbiguousProcessor, "Two processors are equally specific for %s: %s and %s.", want, one, other).
		WithRemedy("Make one of them more specific.").WithDetail("behaviour", want.Behaviour)
}

// CheckProcessorKeys refuses, at start-up, keys of which two would be equally specific for some case: AmbiguousProcessor names
// both and what they clash over. Two that filter may exclude each other; that shows only on a case.
func CheckProcessorKeys(keys []ProcessorKey) error {
	first, second, clash := FindAmbiguous(keys)
	if !clash {
		return nil
	}
	want, _ := keys[first].intersect(keys[second])
	return ambiguousError(want, keys[first], keys[second])
}

// ExpectStatus refuses a command that was meant for a case in another status: StateMismatch with the present one.
func ExpectStatus(present domain.Status, expected ...domain.Status) error {
	if len(expected) == 0 || slices.Contains(expected, present) {
		return nil
	}
	return stateMismatch("The case is %s.", present).WithDetail("status", string(present))
}

// FindAmbiguous returns the first pair of keys that some want would find equally specific; ok is false when there is none.
// It is asked at start-up, so that a clash is found before a case meets it.
func FindAmbiguous(keys []ProcessorKey) (first, second int, ok bool) {
	for i := range keys {
		for j := i + 1; j < len(keys); j++ {
			want, together := keys[i].intersect(keys[j])
			if !together || keys[i].Filtered || keys[j].Filtered || keys[i].specificity() != keys[j].specificity() {
				continue
			}
			// A third, more specific key may settle exactly what both fit; one that filters settles it only sometimes.
			if _, err := ChooseProcessor(keys, want, func(int) bool { return false }); domain.HasCode(err, domain.AmbiguousProcessor) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// weight returns how specific the key is, two for each field it names and one for a filter, and whether it fits want.
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

// intersect returns the least specific want that both keys fit.
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
