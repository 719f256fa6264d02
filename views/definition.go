package views

import (
	"context"
	"fmt"

	"countersign/domain"
	"countersign/workflow"
)

// versionKey names one published version of a process; it never changes.
type versionKey struct {
	key    string
	number int
}

// definition returns the case's process as it was when the case began. Each version is read and parsed once.
func (v *Views) definition(ctx context.Context, c domain.Case) (*workflow.Definition, error) {
	wanted := versionKey{c.ProcessKey, c.ProcessVersion}
	if known, ok := v.definitions.Load(wanted); ok {
		if def, ok := known.(*workflow.Definition); ok {
			return def, nil
		}
	}
	rows, err := v.reader.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if (versionKey{row.Key, row.Version}) != wanted {
			continue
		}
		def, err := workflow.Parse([]byte(row.Document))
		if err != nil {
			return nil, fmt.Errorf("views: published definition %s version %d: %w", row.Key, row.Version, err)
		}
		v.definitions.Store(wanted, def)
		return def, nil
	}
	return nil, domain.Errorf(domain.ProcessorNotFound, "the process %s version %d is not published", c.ProcessKey, c.ProcessVersion)
}

// hasAmount reports whether the case's process has an amount, so that limits are asked.
func (v *Views) hasAmount(ctx context.Context, c domain.Case) (bool, error) {
	def, err := v.definition(ctx, c)
	if err != nil {
		return false, err
	}
	return def.HasAmount, nil
}
