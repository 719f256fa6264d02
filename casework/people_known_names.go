package casework

import (
	"context"
	"maps"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// checkAddedQueues refuses queues that a user did not have and that do not exist: a name with a typing
// error would leave the user without work. The queues of external workers are topics, which may be
// set up before the process that names them.
func (p *permissionChange) checkAddedQueues(before, after domain.User) error {
	added := slices.DeleteFunc(slices.Clone(after.Queues),
		func(queue string) bool { return slices.Contains(before.Queues, queue) })
	if len(added) == 0 || after.HasRole(domain.RoleExternal) {
		return nil
	}
	queues := map[string]bool{domain.QueueL1: true, domain.QueueL2: true, domain.QueueAML: true,
		domain.QueueRepair: true}
	rules, err := p.tx.Queues(p.ctx)
	if err != nil {
		return err
	}
	for _, rule := range rules {
		queues[rule.Name] = true
	}
	if err := p.svc.eachDefinition(p.ctx, p.tx.Reader, func(def *workflow.Definition) {
		for _, node := range def.Nodes {
			if node.Kind == workflow.KindReview {
				queues[node.Queue] = true
				queues[node.EscalateTo] = true
			}
		}
	}); err != nil {
		return err
	}
	for _, queue := range added {
		if !queues[queue] {
			return domain.Invalid("queues", "Unknown queue %q.", queue).
				WithRemedy("The queues are %s. To prepare a new one, save its settings first.",
					knownNames(queues))
		}
	}
	return nil
}

// checkKnownType refuses a document type that no published process takes. "" means every type.
// Before the first process is published, every name is accepted, because setup scripts set limits.
func (svc *Service) checkKnownType(ctx context.Context, r store.Reader, documentType string) error {
	if documentType == "" {
		return nil
	}
	types, anyType := map[string]bool{}, false
	if err := svc.eachDefinition(ctx, r, func(def *workflow.Definition) {
		anyType = anyType || len(def.DocumentTypes) == 0
		for _, one := range def.DocumentTypes {
			types[one] = true
		}
	}); err != nil {
		return err
	}
	if anyType || len(types) == 0 || types[documentType] {
		return nil
	}
	return domain.Invalid("documentType", "Unknown document type %q.", documentType).
		WithRemedy("The document types are %s.", knownNames(types))
}

// eachDefinition visits every published version of every process, because cases keep theirs.
func (svc *Service) eachDefinition(
	ctx context.Context, r store.Reader, visit func(*workflow.Definition),
) error {
	rows, err := r.Definitions(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		def, err := svc.definitions.get(ctx, r, row.Key, row.Version)
		if err != nil {
			continue // `countersign doctor` reports it
		}
		visit(def)
	}
	return nil
}

func knownNames(names map[string]bool) string {
	delete(names, "")
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}
