package domain

import "strings"

// FeatureMoney is the feature of a document that has an amount with a label, a currency or decimals.
const FeatureMoney = "money"

// kindFeature begins the feature that a document names itself a kind at the top of its first page.
const kindFeature = "kind_"

// FeatureOfKind returns the feature of a document that names itself a kind (a value of FieldKind).
func FeatureOfKind(kind string) string { return kindFeature + kind }

// NamedKind returns the kind that a document with the features names itself, "" for none.
func NamedKind(features []string) string {
	for _, feature := range features {
		if kind, named := strings.CutPrefix(feature, kindFeature); named {
			return kind
		}
	}
	return ""
}
