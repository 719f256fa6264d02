package workflow

import (
	"fmt"

	"countersign/domain"
)

// Key says what a processor is for; an empty field means any.
type Key struct {
	Behaviour    string
	Event        string
	DocumentType string
	Channel      string
}

// String renders the key for messages.
func (k Key) String() string {
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
// ProcessorNotFound; two that name equally many are AmbiguousProcessor.
func MostSpecific(keys []Key, want Key) (int, error) {
	best, rival, most := -1, -1, -1
	for i, key := range keys {
		weight, fits := key.weight(want)
		switch {
		case !fits || weight < most:
		case weight == most:
			rival = i
		default:
			best, rival, most = i, -1, weight
		}
	}
	if best < 0 {
		return -1, domain.Fail(domain.ProcessorNotFound, "Nothing is registered that handles %s.", want).
			WithWayOut("Register a processor for it, or publish a definition without it.")
	}
	if rival >= 0 {
		return -1, domain.Fail(domain.AmbiguousProcessor, "Two processors are equally specific for %s: %s and %s.",
			want, keys[best], keys[rival]).WithWayOut("Make one of them more specific.")
	}
	return best, nil
}

// Ambiguous returns the first pair of keys that some want would find equally specific; ok is false when there is none.
// It is asked at start-up, so that a clash is found before a case meets it.
func Ambiguous(keys []Key) (first, second int, ok bool) {
	for i := range keys {
		for j := i + 1; j < len(keys); j++ {
			want, together := keys[i].meet(keys[j])
			if !together || keys[i].named() != keys[j].named() {
				continue
			}
			// A third, more specific key may settle exactly what both fit.
			if _, err := MostSpecific(keys, want); domain.HasCode(err, domain.AmbiguousProcessor) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// weight returns how many fields the key names, and whether it fits want.
func (k Key) weight(want Key) (int, bool) {
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
		weight++
	}
	return weight, true
}

func (k Key) named() int {
	weight, _ := k.weight(k)
	return weight
}

// meet returns the least specific want that both keys fit.
func (k Key) meet(other Key) (Key, bool) {
	fields := [...][2]*string{{&k.Behaviour, &other.Behaviour}, {&k.Event, &other.Event},
		{&k.DocumentType, &other.DocumentType}, {&k.Channel, &other.Channel}}
	for _, field := range fields {
		switch {
		case *field[0] == "":
			*field[0] = *field[1]
		case *field[1] != "" && *field[0] != *field[1]:
			return Key{}, false
		}
	}
	return k, true
}
