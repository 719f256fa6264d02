package expr

import (
	"testing"

	"countersign/domain"
)

// What a condition is for a document type is certain where it is not Depends, whatever the other facts.
func TestConditionsForADocumentType(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]Truth{
		`review.document_type == "invoice"`:                                   Always,
		`"invoice" != review.document_type`:                                   Never,
		`review.document_type in ["a", "invoice"]`:                            Always,
		`review.document_type in ["a"]`:                                       Never,
		`!(review.document_type in ["a"])`:                                    Always,
		`review.document_type in user.queues`:                                 Depends,
		`review.document_type == user.id`:                                     Depends,
		`review.level > 1`:                                                    Depends,
		`review.document_type == "a" && review.level > 1`:                     Never,
		`review.document_type == "a" || review.level > 1`:                     Depends,
		`review.document_type == "invoice" || review.level > 1`:               Always,
		`review.document_type == "invoice" && review.level > 1`:               Depends,
		`review.amount_known`:                                                 Depends,
		`review.document_type != "invoice" || !(review.queue in user.queues)`: Depends,
	} {
		condition, err := CompilePolicy(source)
		if err != nil {
			t.Fatal(source, err)
		}
		got := condition.ForDocumentType("invoice")
		if got != want {
			t.Errorf("%s: %d, not %d", source, got, want)
		}
		for _, level := range []int{0, 1, 2} {
			for _, queue := range []string{"L1", "invoice"} {
				holds, err := condition.Eval(PolicyUser{ID: domain.NewID(), Queues: []string{"L1"}},
					domain.ReviewFacts{DocumentType: "invoice", Level: level, Queue: queue})
				if err != nil || got == Always && !holds || got == Never && holds {
					t.Errorf("%s: %t %v", source, holds, err)
				}
			}
		}
	}
}
