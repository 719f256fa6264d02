package doctype

import (
	"fmt"

	"countersign/domain"
)

// Of returns a version of a document type, parsed once; read returns the text of one that is not in
// the cache. Version 0 is a type without a definition.
func Of(
	cache *domain.VersionCache[*domain.DocumentType], key string, version int,
	read func() (document string, err error),
) (*domain.DocumentType, error) {
	if version == 0 {
		return domain.UndefinedDocumentType(key), nil
	}
	return cache.Parse(key, version, func() (*domain.DocumentType, error) {
		document, err := read()
		if err != nil {
			return nil, err
		}
		made, err := ParsePublished([]byte(document))
		if err != nil {
			return nil, fmt.Errorf("doctype: published %s version %d: %w", key, version, err)
		}
		return made, nil
	})
}
