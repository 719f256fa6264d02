package domain

// AbsentCase returns a placeholder for a case that does not exist. The caller evaluates the same
// policy for it as for an unreadable case, because otherwise the response time would reveal which
// cases exist.
func AbsentCase(id ID) Case {
	return Case{
		ID: id, Status: InReview, DocumentType: "invoice", Country: "DE", AmountKnown: true,
		Amount: Money{Minor: 100, Currency: BaseCurrency}, BaseMinor: 100, Version: 1,
	}
}

// AbsentReview returns a placeholder for a review that does not exist. Its case id is its own id.
func AbsentReview(id ID) Review {
	return Review{
		ID: id, CaseID: id, Queue: QueueL1, Level: 1, Duty: "approval", Status: ReviewOpen,
		AmountKnown: true, BaseMinor: 100, DocumentType: "invoice", Country: "DE", Version: 1,
	}
}
