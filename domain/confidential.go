package domain

import "slices"

// What concerns anti-money-laundering (AML) work is confidential: only people with the AML queue
// and auditors may learn that a case is or was in such a review, and why. This file is the only
// place that says which facts these are and who may see them.

// confidentialQueues are the queues whose reviews are confidential.
var confidentialQueues = []string{QueueAML}

// confidentialRules are the rules whose findings say why a case needs a confidential review.
var confidentialRules = []string{"high_risk_country", "elevated_risk_country"}

// confidentialFields are the fields for which differing statements lead to a confidential review.
var confidentialFields = []string{FieldCountry}

// ConfidentialQueues returns the queues whose reviews are confidential.
func ConfidentialQueues() []string { return slices.Clone(confidentialQueues) }

// ConfidentialQueue reports whether the reviews of the queue are confidential.
func ConfidentialQueue(queue string) bool { return slices.Contains(confidentialQueues, queue) }

// ConfidentialRule reports whether findings of the rule are confidential.
func ConfidentialRule(rule string) bool { return slices.Contains(confidentialRules, rule) }

// ConfidentialField reports whether it is confidential that statements about the field differ.
func ConfidentialField(field string) bool { return slices.Contains(confidentialFields, field) }

// SeesConfidential reports whether the user may see confidential reviews and their reasons: an
// auditor, or a user with a confidential queue.
func (u User) SeesConfidential() bool {
	return u.HasRole(RoleAuditor) || slices.ContainsFunc(u.Queues, ConfidentialQueue)
}

// IsStaff reports whether the user has another role than submitting.
func (u User) IsStaff() bool {
	return slices.ContainsFunc(u.Roles, func(role Role) bool { return role != RoleSubmitter })
}

// NeutralRejection replaces the reason of a rejection for viewers who may not know which review
// rejected the document.
const NeutralRejection = "The document was not accepted."

// ConfidentialRules returns the rules whose findings are confidential.
func ConfidentialRules() []string { return slices.Clone(confidentialRules) }
