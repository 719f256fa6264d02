package casework

import (
	"slices"

	"countersign/domain"
	"countersign/facts"
	"countersign/store"
)

// caseValues are the rows of the locked case that a command reads more than once. Each is read when
// it is first needed.
type caseValues struct {
	document *domain.Document
	fields   []domain.Field
	findings []store.CaseFinding
	sets     []domain.AssertionSet
	history  facts.History
	hasRead  struct{ fields, findings, history, sets bool }
}

// newestDocument returns the newest document of the locked case.
func (c *command) newestDocument() (domain.Document, error) {
	if c.values.document == nil {
		document, err := c.tx.Document(c.ctx, c.before.ID)
		if err != nil {
			return document, err
		}
		c.values.document = &document
	}
	return *c.values.document, nil
}

// storedFields returns the fields of the locked case before the command. Callers must not modify
// them.
func (c *command) storedFields() ([]domain.Field, error) {
	if !c.values.hasRead.fields {
		rows, err := c.tx.Fields(c.ctx, c.before.ID)
		if err != nil {
			return nil, err
		}
		c.values.fields, c.values.hasRead.fields = fieldsFromRows(rows), true
	}
	return c.values.fields, nil
}

// storedFindings returns the findings of the locked case before the command.
func (c *command) storedFindings() ([]store.CaseFinding, error) {
	if !c.values.hasRead.findings {
		rows, err := c.tx.Findings(c.ctx, c.before.ID)
		if err != nil {
			return nil, err
		}
		c.values.findings, c.values.hasRead.findings = rows, true
	}
	return c.values.findings, nil
}

// storedAssertions returns the stored assertions of the locked case before the command. Callers must
// not modify them.
func (c *command) storedAssertions() ([]domain.AssertionSet, error) {
	if !c.values.hasRead.sets {
		sets, err := c.tx.Assertions(c.ctx, c.before.ID)
		if err != nil {
			return nil, err
		}
		c.values.sets, c.values.hasRead.sets = slices.Clip(sets), true
	}
	return c.values.sets, nil
}

// assertedBefore returns everything asserted about the locked case before the command.
func (c *command) assertedBefore() (facts.History, error) {
	if c.values.hasRead.history {
		return c.values.history, nil
	}
	fields, err := c.storedFields()
	if err != nil {
		return nil, err
	}
	var sets []domain.AssertionSet
	if c.before.FactsRevision > 1 {
		if sets, err = c.storedAssertions(); err != nil {
			return nil, err
		}
	}
	c.values.history = facts.HistoryOf(c.before, sets, fields)
	c.values.hasRead.history = true
	return c.values.history, nil
}

// storeAsserted adds what was asserted about a case from before assertions were stored, so that it
// still counts beside those that the command adds.
func (c *command) storeAsserted(history facts.History) error {
	if len(c.values.sets) > 0 || c.before.FactsRevision <= 1 {
		return nil
	}
	type key struct {
		revision int64
		source   domain.FieldSource
	}
	used := map[key]bool{}
	for _, set := range history {
		for used[key{set.Revision, set.Source}] && set.Revision > 1 {
			set.Revision--
		}
		used[key{set.Revision, set.Source}] = true
		set.CaseID, set.At = c.before.ID, c.before.CreatedAt
		if err := sealSet(&set, c.svc.salts); err != nil {
			return err
		}
		c.change.Assertions = append(c.change.Assertions, set)
	}
	return nil
}

// machineReadings returns the values that machines read from the newest document, and whether they
// are stored.
func (c *command) machineReadings() (read []domain.Field, stored bool, err error) {
	if _, err := c.assertedBefore(); err != nil {
		return nil, false, err
	}
	document, err := c.newestDocument()
	if err != nil {
		return nil, false, err
	}
	readings := facts.History(slices.DeleteFunc(slices.Clone(c.values.sets),
		func(set domain.AssertionSet) bool {
			return set.DocumentRevision != document.Revision ||
				!set.Source.IsMachine() && set.Source != domain.SourceXML
		}))
	readings = readings.WithoutMemory()
	for _, name := range readings.Fields() {
		if inForce, ok := readings.InForce(name); ok {
			read = append(read, domain.Field{Name: name, Normalised: inForce.Value})
		}
	}
	return read, len(readings) > 0, nil
}
