package rules

import (
	"fmt"
	"slices"

	"countersign/domain"
)

// CompilePublished compiles a published rule set once, because versions are immutable.
func CompilePublished(
	cache *domain.VersionCache[*Set], key string, version int, document string,
) (*Set, error) {
	set, err := cache.Parse(key, version, func() (*Set, error) {
		return ParsePublished([]byte(document))
	})
	if err != nil {
		return nil, fmt.Errorf("rules: published rule set %s version %d: %w", key, version, err)
	}
	return set, nil
}

// RuleOf returns the rule that raised a finding, nil for findings without a rule set. read returns the
// document of a rule set that is not in the cache.
func RuleOf(
	cache *domain.VersionCache[*Set], finding domain.Finding,
	read func(key string, version int) (document string, err error),
) (*Rule, error) {
	if finding.RuleSet == "" {
		return nil, nil
	}
	set, ok := cache.Load(finding.RuleSet, finding.RuleVersion)
	if !ok {
		document, err := read(finding.RuleSet, finding.RuleVersion)
		if err != nil {
			return nil, err
		}
		set, err = CompilePublished(cache, finding.RuleSet, finding.RuleVersion, document)
		if err != nil {
			return nil, err
		}
	}
	rule, _ := set.Rule(finding.Rule)
	return rule, nil
}

// SetFor returns the rule set for a document type.
func SetFor(sets []*Set, documentType string) (*Set, error) {
	for _, candidate := range []string{documentType, AnyType} {
		for _, set := range sets {
			if slices.Contains(set.DocumentTypes, candidate) {
				return set, nil
			}
		}
	}
	return nil, domain.Errorf(domain.ProcessorNotFound,
		"No rule set covers documents of the type %q.", documentType).
		WithRemedy("Publish a rule set for this type, then retry.")
}
