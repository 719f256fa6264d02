package views

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/store"
)

// CorrectionCount is how often values of a field, or of documents of a vendor, were corrected.
type CorrectionCount = store.CorrectionCount

// Steps returns the figures of the steps of a process: nothing for those who see only their own
// decisions, and of excluded processes.
func (s *Statistics) Steps(ctx context.Context, process string) ([]store.StepStatistics, error) {
	if s.Scope == ScopeOwn || process == "" || s.query.Process != "" && s.query.Process != process ||
		slices.Contains(s.ExcludedProcesses, process) {
		return []store.StepStatistics{}, nil
	}
	query := s.query
	query.Process = process
	var list []store.StepStatistics
	err := s.views.reader.Analysis(ctx, func(r store.Reader) (err error) {
		list, err = r.StepStatistics(ctx, query)
		return err
	})
	return list, err
}

// Corrections returns how often values of fields and of documents of vendors were corrected: by the
// viewer, for those who see only their own decisions. Vendors of their own corrections are on cases
// that they decided or had, so they are shown.
func (s *Statistics) Corrections(ctx context.Context) ([]store.CorrectionCount, error) {
	query, by, hidden := s.query, domain.NoID, []string{}
	if s.Scope == ScopeOwn {
		by = s.viewer.user.ID
		query.Cases = domain.Constant(true)
		// The viewer may see their own corrections of cases that they may not read any more only as long
		// as no conflict of interest keeps them from the case.
		for _, account := range s.viewer.user.Accounts() {
			query.Cases = domain.All(query.Cases, domain.Without(domain.AntiConflict, account))
		}
	}
	if !s.seesConfidential() {
		for _, field := range domain.FieldNames() {
			if domain.ConfidentialField(field) {
				hidden = append(hidden, field)
			}
		}
	}
	var list []store.CorrectionCount
	err := s.read(ctx, func(r store.Reader) (err error) {
		list, err = r.CorrectionStatistics(ctx, query, by, hidden)
		return err
	})
	return list, err
}

// Rules returns in how many cases each rule found something: nothing for those who see only their own
// decisions.
func (s *Statistics) Rules(ctx context.Context) ([]store.RuleCount, error) {
	if !s.countsCases() {
		return []store.RuleCount{}, nil
	}
	hidden := []string{}
	if !s.seesConfidential() {
		hidden = domain.ConfidentialRules()
	}
	var list []store.RuleCount
	err := s.read(ctx, func(r store.Reader) (err error) {
		list, err = r.RuleStatistics(ctx, s.query, hidden)
		return err
	})
	return list, err
}
