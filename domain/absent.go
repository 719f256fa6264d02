package domain

// AbsentCase stands in for a case that does not exist while the same questions are asked about it as about one that the
// caller may not read: otherwise the time of the answer tells the two apart.
func AbsentCase(id ID) Case {
	return Case{ID: id, Status: InReview, DocumentType: "invoice", Country: "DE", AmountKnown: true, Amount: Money{Minor: 100, Currency: BaseCurrency},
		BaseMinor: 100, Version: 1}
}

// AbsentReview stands in for a review that does not exist. Its own id serves for its case, of which there is none either.
func AbsentReview(id ID) Review {
	return Review{ID: id, CaseID: id, Queue: QueueL1, Level: 1, Duty: "approval", Status: ReviewOpen, AmountKnown: true, BaseMinor: 100,
		DocumentType: "invoice", Country: "DE", Version: 1}
}
