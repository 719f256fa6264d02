package events

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
)

// LockEntry is one line of landed.lock: a contract at the time it landed. A later line of the same
// type and version includes the optional fields that were added since. Lines are never changed.
type LockEntry struct {
	Type     domain.EventType `json:"type"`
	Version  int              `json:"version"`
	Audience domain.Audience  `json:"audience"`
	// SchemaSHA256 is the SHA-256 of the schema file as canonical JSON.
	SchemaSHA256 string      `json:"schemaSha256"`
	Fields       []LockField `json:"fields"`
	// Previous is the SHA-256 of the previous line, which makes changed lines detectable; "" for
	// the first.
	Previous string `json:"previous"`
}

// LockField is one field of a body by its path: summary.pages, fields[].name.
type LockField struct {
	Path     string `json:"path"`
	Required bool   `json:"required"`
	// Shape has the type, format, limits and audience, without the description.
	Shape json.RawMessage `json:"shape"`
}

// ParseLock parses landed.lock. A line whose Previous does not match the line before it is an
// error.
func ParseLock(text []byte) ([]LockEntry, error) {
	var entries []LockEntry
	previous := ""
	for number, line := range bytes.Split(text, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var entry LockEntry
		if err := json.Unmarshal(line, &entry); err != nil {
			return nil, fmt.Errorf("landed.lock line %d: %w", number+1, err)
		}
		if entry.Previous != previous {
			return nil, fmt.Errorf("landed.lock line %d: the previous line was changed", number+1)
		}
		previous = digest(line)
		entries = append(entries, entry)
	}
	return entries, nil
}

// UpdateLock returns the lock's text with a line appended for every contract that is new or has new
// fields. Existing lines stay byte for byte the same. A contract that is incompatible with its
// landed version is an error that lists the differences.
func UpdateLock(text []byte, contracts []*Contract) ([]byte, error) {
	entries, err := ParseLock(text)
	if err != nil {
		return nil, err
	}
	if broken := LockViolations(entries, contracts); len(broken) > 0 {
		return nil, fmt.Errorf("incompatible changes to landed contracts:\n%s",
			strings.Join(broken, "\n"))
	}
	previous := ""
	if lines := bytes.Split(bytes.TrimRight(text, "\n"),
		[]byte("\n")); len(lines[len(lines)-1]) > 0 {
		previous = digest(lines[len(lines)-1])
	}
	out := bytes.Clone(text)
	for _, contract := range contracts {
		entry, err := newLockEntry(contract)
		if err != nil {
			return nil, err
		}
		if len(missingFields(lastEntry(entries, contract.Type, contract.Version), entry)) == 0 {
			continue
		}
		entry.Previous = previous
		line, err := domain.CanonicalJSON(entry)
		if err != nil {
			return nil, fmt.Errorf("write landed.lock: %w", err)
		}
		previous = digest(line)
		out = append(append(out, line...), '\n')
	}
	return out, nil
}

// LockViolations describes each incompatible change of a landed contract. Only optional fields can
// be added; any other change needs a new version.
func LockViolations(entries []LockEntry, contracts []*Contract) []string {
	current := map[contractKey]*Contract{}
	for _, contract := range contracts {
		current[contractKey{contract.Type, contract.Version}] = contract
	}
	var found []string
	for i := range entries {
		entry := &entries[i]
		contract := current[contractKey{entry.Type, entry.Version}]
		for _, breach := range violationsOf(entry, contract,
			lastEntry(entries, entry.Type, entry.Version) == entry) {
			found = append(found,
				fmt.Sprintf("%s version %d: %s", entry.Type, entry.Version, breach))
		}
	}
	return found
}

// MissingFromLock describes each contract and each added field that has no line in the lock. It
// therefore also detects a line removed from the end of the lock, as long as its contract exists.
func MissingFromLock(entries []LockEntry, contracts []*Contract) ([]string, error) {
	var found []string
	for _, contract := range contracts {
		entry, err := newLockEntry(contract)
		if err != nil {
			return nil, err
		}
		for _, what := range missingFields(lastEntry(entries, contract.Type,
			contract.Version), entry) {
			found = append(found,
				fmt.Sprintf("%s version %d: %s has no line in landed.lock: run `make events-land`",
					contract.Type, contract.Version, what))
		}
	}
	return found, nil
}

func missingFields(last *LockEntry, now LockEntry) []string {
	if last == nil {
		return []string{"the contract"}
	}
	var found []string
	for _, field := range now.Fields {
		if !slices.ContainsFunc(last.Fields,
			func(landed LockField) bool { return landed.Path == field.Path }) {
			found = append(found, "field "+field.Path)
		}
	}
	return found
}

func violationsOf(entry *LockEntry, contract *Contract, newest bool) []string {
	if contract == nil {
		return []string{"the contract is missing"}
	}
	var found []string
	if contract.Audience != entry.Audience {
		found = append(found,
			fmt.Sprintf("audience was %s and is %s", entry.Audience, contract.Audience))
	}
	present := map[string]LockField{}
	for _, field := range fieldsOf("", contract.Body) {
		present[field.Path] = field
	}
	landed := map[string]bool{"": true}
	for _, field := range entry.Fields {
		landed[field.Path] = true
		now, ok := present[field.Path]
		switch {
		case !ok:
			found = append(found, fmt.Sprintf("field %s is missing", field.Path))
		case now.Required != field.Required:
			found = append(found,
				fmt.Sprintf("field %s was required=%t and is required=%t", field.Path,
					field.Required, now.Required))
		case !bytes.Equal(now.Shape, field.Shape):
			found = append(found,
				fmt.Sprintf("field %s was %s and is %s", field.Path, field.Shape, now.Shape))
		}
	}
	for _, field := range fieldsOf("", contract.Body) {
		// A required member of an added object is allowed.
		if newest && !landed[field.Path] && field.Required && landed[parent(field.Path)] {
			found = append(found, fmt.Sprintf("field %s was added and is required", field.Path))
		}
	}
	return found
}

func parent(path string) string {
	at := strings.LastIndex(path, ".")
	if at < 0 {
		return ""
	}
	return path[:at]
}

func lastEntry(entries []LockEntry, kind domain.EventType, version int) *LockEntry {
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].Type == kind && entries[i].Version == version {
			return &entries[i]
		}
	}
	return nil
}

func newLockEntry(contract *Contract) (LockEntry, error) {
	canonical, err := domain.Canonicalise(contract.Source)
	if err != nil {
		return LockEntry{}, fmt.Errorf("schema of %s: %w", contract.Type, err)
	}
	return LockEntry{Type: contract.Type, Version: contract.Version, Audience: contract.Audience,
		SchemaSHA256: digest(canonical), Fields: fieldsOf("", contract.Body)}, nil
}

// fieldsOf lists the fields of a schema by path; the elements of an array have the path path[].
func fieldsOf(path string, schema *Schema) []LockField {
	var fields []LockField
	if schema.Items != nil {
		element := path + "[]"
		fields = append(fields, LockField{element, false, fieldShape(schema.Items)})
		fields = append(fields, fieldsOf(element, schema.Items)...)
	}
	for name, property := range schema.Properties {
		inner := strings.TrimPrefix(path+"."+name, ".")
		fields = append(fields,
			LockField{inner, slices.Contains(schema.Required, name), fieldShape(property)})
		fields = append(fields, fieldsOf(inner, property)...)
	}
	slices.SortFunc(fields, func(a, b LockField) int { return strings.Compare(a.Path, b.Path) })
	return fields
}

func fieldShape(schema *Schema) json.RawMessage {
	bare := *schema
	bare.Description, bare.Items, bare.Properties, bare.Required = "", nil, nil, nil
	shape, err := domain.CanonicalJSON(bare)
	if err != nil {
		panic(err) // cannot happen: strings and numbers only
	}
	return shape
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
