package store

import (
	"countersign/domain"
	"countersign/store/bulk"
)

// caseFields are the fields that the row of a case repeats, with their columns. Related cases are
// compared by them without the partitions of fields.
var caseFields = []struct{ column, field string }{
	{"document_date", domain.FieldDate}, {"document_account", domain.FieldIBAN},
}

// changesFields reports whether the change writes or deletes fields.
func (c *Change) changesFields() bool {
	return len(c.Fields) > 0 || len(c.DeleteFieldSources) > 0
}

func anyChangesFields(changes []*Change) bool {
	for _, change := range changes {
		if change.changesFields() {
			return true
		}
	}
	return false
}

// fieldOf returns the value of a field that a change writes, nil if it writes none. The database
// refuses two fields of one name.
func (c *Change) fieldOf(name string) *string {
	for i := range c.Fields {
		if c.Fields[i].Name == name {
			return &c.Fields[i].Normalised
		}
	}
	return nil
}

// addFieldColumns adds the columns of new cases that repeat fields.
func addFieldColumns(set *bulk.Rows[caseRow], changes []*Change) {
	if !anyChangesFields(changes) {
		return
	}
	for _, repeated := range caseFields {
		bulk.Column(set, repeated.column, "text", func(r *caseRow) string {
			if value := r.change.fieldOf(repeated.field); value != nil {
				return *value
			}
			return ""
		})
	}
}

// fieldAssignments returns the assignments of the columns that repeat fields of a case, and of
// fields_revision. A field that the change does not write stays unless the change deletes its source;
// then it is read from the partition of the case. If the change leaves all fields as they are, the
// columns stay, and remain outdated if they were.
func (s *statement) fieldAssignments(set *bulk.Rows[caseRow], changes []*Change) string {
	const kept = `CASE WHEN c.fields_revision = c.facts_revision THEN x.facts_revision
		ELSE c.fields_revision END`
	if !anyChangesFields(changes) {
		return "fields_revision = " + kept
	}
	bulk.Column(set, "fields_change", "bool",
		func(r *caseRow) bool { return r.change.changesFields() })
	bulk.Column(set, "dropped", "text", func(r *caseRow) string {
		sources := make([]string, len(r.change.DeleteFieldSources))
		for i, source := range r.change.DeleteFieldSources {
			sources[i] = string(source)
		}
		return textArray(sources)
	})
	assignments := "fields_revision = CASE WHEN x.fields_change THEN x.facts_revision ELSE " +
		kept + " END"
	for _, repeated := range caseFields {
		column := repeated.column
		bulk.Column(set, "new_"+column, "text",
			func(r *caseRow) *string { return r.change.fieldOf(repeated.field) })
		assignments += `, ` + column + ` = CASE WHEN NOT x.fields_change THEN c.` + column + `
			ELSE coalesce(x.new_` + column + `,
				(SELECT f.normalised FROM ` + s.partitionOf("fields") + ` f WHERE f.case_id = c.id
				AND ` + s.caseIDBounds("f.case_id") + ` AND f.name = '` + repeated.field + `'
				AND f.source <> ALL(x.dropped::text[])), '') END`
	}
	return assignments
}
