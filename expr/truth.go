package expr

import (
	"slices"

	"countersign/domain"
)

// Truth is what is known of a condition when only a part of the facts is known.
type Truth int

// The results. Depends is also the result of a condition whose other facts cancel each other out.
const (
	Depends Truth = iota
	Always
	Never
)

// ForDocumentType returns what the condition is for every user and every review of the document type.
// Always and Never are certain; Depends is not.
func (c *PolicyCondition) ForDocumentType(documentType string) Truth {
	return c.tree.forDocumentType(documentType)
}

func (c clause) forDocumentType(documentType string) Truth {
	switch c.op {
	case "&&", "||":
		decisive, neutral := Never, Always
		if c.op == "||" {
			decisive, neutral = Always, Never
		}
		joined := neutral
		for _, part := range c.parts {
			switch part.forDocumentType(documentType) {
			case decisive:
				return decisive
			case Depends:
				joined = Depends
			}
		}
		return joined
	case "!":
		switch c.parts[0].forDocumentType(documentType) {
		case Always:
			return Never
		case Never:
			return Always
		}
		return Depends
	}
	return c.compareDocumentType(documentType)
}

// compareDocumentType evaluates a comparison of the document type with texts.
func (c clause) compareDocumentType(documentType string) Truth {
	if c.left.column != domain.ColDocumentType || c.right.user != "" {
		return Depends
	}
	var holds bool
	switch value := c.right.literal.(type) {
	case string:
		holds = (documentType == value) == (c.op == "==")
	case []string:
		holds = slices.Contains(value, documentType)
	default:
		return Depends
	}
	if holds {
		return Always
	}
	return Never
}
