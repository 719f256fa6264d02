package main

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/views"
)

// pageRows is how many rows the first page of a list has.
const pageRows = 25

// listQuestions returns every filter and every order of the case list, and those of the queue.
func (b *bench) listQuestions() []question {
	var list []question
	add := func(name string, query views.CaseQuery) {
		query.Limit = pageRows
		list = append(list, question{"cases: " + name, func(ctx context.Context, actor domain.Actor) error {
			_, err := b.views.Cases(ctx, actor, query)
			return err
		}})
	}
	for name, query := range b.caseFilters() {
		add(name, query)
	}
	for _, sort := range []views.CaseSort{views.CasesNewest, views.CasesOldest, views.CasesAmountHighest,
		views.CasesAmountLowest, views.CasesRiskHighest, views.CasesRiskLowest, views.CasesDeadline} {
		add(string(sort), views.CaseQuery{Sort: sort})
		add(string(sort)+", few match", views.CaseQuery{Sort: sort, Counterparty: "vendor 399"})
		add(string(sort)+", none matches", views.CaseQuery{Sort: sort, Text: "no such text"})
	}
	for name, query := range map[string]views.QueueQuery{"all of the reader's": {}, "mine": {Mine: true},
		"unassigned": {Available: true}, "one queue": {Queue: domain.QueueL1}, "overdue": {Due: views.DueOverdue},
		"at risk": {Due: views.DueAtRisk}, "expired claims": {ExpiredClaims: true},
		"all to reassign": {All: true}, "of a person": {All: true, Assignee: b.reviewer},
		"all overdue": {All: true, Due: views.DueOverdue}} {
		query.First = pageRows
		list = append(list, question{"queue: " + name, func(ctx context.Context, actor domain.Actor) error {
			_, err := b.views.Queue(ctx, actor, query)
			return err
		}})
	}
	return list
}

func (b *bench) caseFilters() map[string]views.CaseQuery {
	low, high := int64(10_000_00), int64(10_100_00)
	risk, now := 60, time.Now().UTC()
	day := now.AddDate(0, 0, -30)
	return map[string]views.CaseQuery{
		"status in review":   {Statuses: []domain.Status{domain.InReview}},
		"status rejected":    {Statuses: []domain.Status{domain.Rejected}},
		"text of a case":     {Text: "MH-0000007"},
		"process":            {Process: "cross_border_remittance"},
		"type without cases": {DocumentType: "receipt"},
		"counterparty":       {Counterparty: "vendor 399"},
		"submitter":          {Submitter: b.submitter},
		"source":             {Channel: domain.ChannelMail},
		"one day":            {From: day, To: day.AddDate(0, 0, 1)},
		"amounts":            {Currency: "USD", MinMinor: &low, MaxMinor: &high},
		"risk":               {MinRisk: &risk},
		"queue":              {Queue: domain.QueueL2},
		"rule":               {Rule: "weekend_date"},
		"rule without cases": {Rule: "wrong_account"},
	}
}
