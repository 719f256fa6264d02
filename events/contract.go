package events

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"countersign/domain"
)

//go:embed schemas/*.json
var schemaFiles embed.FS

// Contract describes one version of an event type.
type Contract struct {
	Type        domain.EventType
	Version     int
	Description string
	// Audience is who can see the event. Single properties can be limited to staff in addition.
	Audience domain.Audience
	// Sentence is the text of the event in a timeline. {name} is a value of the body, or its texts; a part in [ ]
	// is left out if one of its values is missing.
	Sentence string
	Body     *Schema
	// Source is the content of the schema file.
	Source []byte
}

// Schema is the subset of JSON Schema that contracts use. ParseContract rejects any other keyword.
type Schema struct {
	Type        string             `json:"type"`
	Description string             `json:"description,omitempty"`
	Format      string             `json:"format,omitempty"`
	Pattern     string             `json:"pattern,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	MinLength   *int               `json:"minLength,omitempty"`
	Minimum     *int               `json:"minimum,omitempty"`
	Maximum     *int               `json:"maximum,omitempty"`
	MinItems    *int               `json:"minItems,omitempty"`
	Items       *Schema            `json:"items,omitempty"`
	Properties  map[string]*Schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Audience    domain.Audience    `json:"audience,omitempty"`
}

// schemaFile is a schema with the keywords that only the root has.
type schemaFile struct {
	Meta     string `json:"$schema"`
	ID       string `json:"$id"`
	Title    string `json:"title"`
	Sentence string `json:"sentence"`
	Schema
}

type contractKey struct {
	kind    domain.EventType
	version int
}

var contractsByKey = sync.OnceValue(func() map[contractKey]*Contract {
	contracts, err := readContracts(schemaFiles)
	if err != nil {
		panic(err) // the files are part of the program, and a test reads them
	}
	return contracts
})

// Contracts returns every contract, sorted by type and version.
func Contracts() []*Contract {
	all := slices.Collect(maps.Values(contractsByKey()))
	slices.SortFunc(all, func(a, b *Contract) int {
		if order := strings.Compare(string(a.Type), string(b.Type)); order != 0 {
			return order
		}
		return a.Version - b.Version
	})
	return all
}

// Types returns every event type, sorted.
func Types() []domain.EventType {
	return slices.Sorted(maps.Keys(newestVersions()))
}

// ContractOf returns the contract of a version of a type; false if there is none.
func ContractOf(kind domain.EventType, version int) (*Contract, bool) {
	contract, ok := contractsByKey()[contractKey{kind, version}]
	return contract, ok
}

// AudienceOf returns the audience of a type. An unknown type is for staff only.
func AudienceOf(kind domain.EventType) domain.Audience {
	contract, ok := ContractOf(kind, NewestVersion(kind))
	if !ok {
		return domain.AudienceStaff
	}
	return contract.Audience
}

// PublicTypes lists the types that everyone can see in some version. Users who are not staff can
// read events of these types and events that changed the status.
func PublicTypes() []domain.EventType {
	var types []domain.EventType
	for _, contract := range Contracts() {
		if contract.Audience == domain.AudienceAll && !slices.Contains(types, contract.Type) {
			types = append(types, contract.Type)
		}
	}
	return types
}

var newestVersions = sync.OnceValue(func() map[domain.EventType]int {
	versions := map[domain.EventType]int{}
	for key := range contractsByKey() {
		versions[key.kind] = max(versions[key.kind], key.version)
	}
	return versions
})

// NewestVersion returns the newest version of the type, 0 for an unknown type.
func NewestVersion(kind domain.EventType) int { return newestVersions()[kind] }

func readContracts(files fs.FS) (map[contractKey]*Contract, error) {
	names, err := fs.Glob(files, "schemas/*.json")
	if err != nil {
		return nil, fmt.Errorf("list schemas: %w", err)
	}
	contracts := make(map[contractKey]*Contract, len(names))
	for _, name := range names {
		source, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read schema: %w", err)
		}
		contract, err := ParseContract(strings.TrimPrefix(name, "schemas/"), source)
		if err != nil {
			return nil, err
		}
		contracts[contractKey{contract.Type, contract.Version}] = contract
	}
	return contracts, nil
}

// ParseContract parses one schema file, named <type>.v<version>.json. A keyword that Schema does
// not have is an error, because the generated types and the lock would ignore it.
func ParseContract(name string, source []byte) (*Contract, error) {
	var file schemaFile
	decoder := json.NewDecoder(strings.NewReader(string(source)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	kind, rest, found := strings.Cut(strings.TrimSuffix(name, ".json"), ".v")
	var version int
	if _, err := fmt.Sscanf(rest, "%d", &version); err != nil || !found || version < 1 {
		return nil, fmt.Errorf("schema %s: the name is not <type>.v<version>.json", name)
	}
	switch {
	case file.Title != kind:
		return nil, fmt.Errorf("schema %s: its title is %q", name, file.Title)
	case file.ID != schemaID(domain.EventType(kind), version):
		return nil, fmt.Errorf("schema %s: its $id is %q", name, file.ID)
	case file.Audience != domain.AudienceAll && file.Audience != domain.AudienceStaff:
		return nil, fmt.Errorf("schema %s: audience %q is neither all nor staff", name,
			file.Audience)
	case file.Sentence == "" || file.Type != "object":
		return nil, fmt.Errorf("schema %s: it needs a sentence and the type object", name)
	}
	body := file.Schema
	return &Contract{domain.EventType(kind), version, file.Description, file.Audience,
		file.Sentence, &body, source}, nil
}

func schemaID(kind domain.EventType, version int) string {
	return fmt.Sprintf("urn:countersign:event:%s:v%d", kind, version)
}
