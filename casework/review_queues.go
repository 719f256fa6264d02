package casework

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"countersign/authz"
	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// SetQueue asks to change the rule of a queue. ExpectedVersion is the version that the caller last
// read; "" skips the check.
type SetQueue struct {
	Once            Once
	Rule            domain.QueueRule
	ExpectedVersion string
}

// QueueResult is the outcome of SetQueue: the present rule, and the proposal that waits for another
// person, NoID if nothing waits.
type QueueResult struct {
	Rule       domain.QueueRule
	ProposalID domain.ID
}

// SetQueue asks to change how a queue assigns its reviews and counts their time. Managers and
// administrators propose it, and an administrator confirms it; the operator's command line, as the
// system, changes it immediately. Existing deadlines are not recomputed; the new rule applies to later
// ones.
func (svc *Service) SetQueue(
	ctx context.Context, actor domain.Actor, in SetQueue,
) (QueueResult, error) {
	if err := svc.inScope(ctx, actor, "setQueue", domain.ActReassign); err != nil {
		return QueueResult{}, err
	}
	if err := checkQueue(in.Rule); err != nil {
		return QueueResult{}, err
	}
	return runDispatchProposal(ctx, svc, actor, "setQueue", in.Once, in,
		func(p *permissionChange) (QueueResult, error) {
			before, known, err := p.presentQueue(in.Rule)
			if err != nil {
				return QueueResult{}, err
			}
			if err := checkExpectedVersion(in.ExpectedVersion,
				strconv.FormatInt(before.Version, 10)); err != nil {
				return QueueResult{}, err
			}
			rule := in.Rule
			if rule.Version = before.Version; rule == before && known {
				return QueueResult{Rule: before}, nil
			}
			if p.actor.System {
				after, err := p.writeQueue(rule, before, known)
				return QueueResult{Rule: after}, err
			}
			change := domain.ControlDocument{Name: rule.Name}
			if known {
				if change.Before, err = jsonDocument(before); err != nil {
					return QueueResult{}, err
				}
			}
			if change.After, err = jsonDocument(rule); err != nil {
				return QueueResult{}, err
			}
			proposed, err := p.proposeControl(domain.ControlQueue, rule.Name, "", change)
			return QueueResult{Rule: before, ProposalID: proposed.ProposalID}, err
		})
}

// presentQueue reads the present rule of the queue and checks that the calendar exists.
func (p *permissionChange) presentQueue(wanted domain.QueueRule) (before domain.QueueRule, known bool,
	err error) {
	rules, err := loadQueueConfig(p.ctx, p.tx.Reader)
	if err != nil {
		return before, false, err
	}
	if _, ok := rules.calendars[wanted.Calendar]; wanted.Calendar != "" && !ok {
		return before, false, domain.Invalid("calendar", "Unknown calendar %q.", wanted.Calendar)
	}
	before, known = rules.rules[wanted.Name]
	if !known {
		before = domain.QueueRule{Name: wanted.Name, Strategy: domain.StrategyPull}
	}
	return before, known, nil
}

// writeQueue writes the rule with the event.
func (p *permissionChange) writeQueue(rule, before domain.QueueRule, known bool) (domain.QueueRule,
	error) {
	after, err := p.tx.PutQueue(p.ctx, rule)
	if err != nil {
		return rule, err
	}
	body := generated.QueueChangedV1{Queue: after.Name, QueueVersion: after.Version,
		After: generated.QueueChangedV1After(queueRuleEvent(after))}
	if known {
		previous := generated.QueueChangedV1Before(queueRuleEvent(before))
		body.Before = &previous
	}
	p.emit(body)
	return after, nil
}

func queueBase(ctx context.Context, r store.Reader, key string) (int, error) {
	rules, err := loadQueueConfig(ctx, r)
	if err != nil {
		return 0, err
	}
	return int(rules.rules[key].Version), nil
}

// applyQueue writes a confirmed rule.
func (p *permissionChange) applyQueue(_ domain.Proposal, change domain.ControlDocument) error {
	var rule domain.QueueRule
	if err := json.Unmarshal([]byte(change.After), &rule); err != nil {
		return domain.Errorf(domain.Internal, "The proposed queue cannot be read.").WithCause(err)
	}
	before, known, err := p.presentQueue(rule)
	if err != nil {
		return err
	}
	rule.Version = before.Version
	_, err = p.writeQueue(rule, before, known)
	return err
}

// queueRuleBody is the form of a rule in events, whose contract keeps the names handAfter and
// handTo.
type queueRuleBody generated.QueueChangedV1After

func queueRuleEvent(rule domain.QueueRule) queueRuleBody {
	moveAfter := int64(rule.MoveAfterMissedClaims)
	return queueRuleBody{Strategy: string(rule.Strategy), Cap: int64(rule.Cap),
		Calendar: rule.Calendar, HandAfter: &moveAfter, HandTo: rule.MoveToQueue}
}

func checkQueue(rule domain.QueueRule) error {
	switch {
	case strings.TrimSpace(rule.Name) == "" || domain.Longer(rule.Name, 100):
		return domain.Invalid("queue", "Enter the name of the queue (up to 100 characters).")
	case !slices.Contains(domain.Strategies(), rule.Strategy):
		return domain.Invalid("strategy", "Unknown strategy %q.", rule.Strategy)
	case rule.Cap < 0 || rule.Cap > 100_000:
		return domain.Invalid("cap", "The cap must be between 0 (none) and 100,000.")
	case rule.MoveAfterMissedClaims < 0 || rule.MoveAfterMissedClaims > 100,
		(rule.MoveAfterMissedClaims > 0) != (rule.MoveToQueue != ""):
		return domain.Invalid("moveAfterMissedClaims",
			"Set both the number of missed deadlines (up to 100) and the queue that reviews move to, or neither.")
	case rule.MoveToQueue == rule.Name:
		return domain.Invalid("moveToQueue", "Choose another queue for reviews to move to.")
	}
	return nil
}

// runDispatchProposal runs a change of queues or calendars, which the work proposes or writes.
func runDispatchProposal[T any](ctx context.Context, svc *Service, actor domain.Actor, operation string,
	once Once, request any, fn func(*permissionChange) (T, error),
) (T, error) {
	spec := permissionCommand{operation: operation, stream: domain.PeopleStream, once: once,
		request: request}
	return runPermissionChange(ctx, svc, actor, spec, func(p *permissionChange) (T, error) {
		if err := authorizeDispatch(ctx, p.tx.Reader, actor); err != nil {
			var none T
			return none, err
		}
		return fn(p)
	})
}

// authorizeDispatch refuses users who may neither reassign reviews nor manage people. It reads the
// policy without caching it, because a cache entry for the incremented version would have to
// contain the change in progress.
func authorizeDispatch(ctx context.Context, r store.Reader, actor domain.Actor) error {
	if actor.System {
		return nil
	}
	if err := checkScope(actor, domain.ActReassign); err != nil {
		return err
	}
	user, err := r.User(ctx, actor.UserID)
	if err != nil {
		return err
	}
	policy, err := loadPolicy(ctx, r)
	if err != nil {
		return err
	}
	authorizer, err := authz.New(policy)
	if err != nil {
		return err
	}
	if _, err = authorizer.AuthorizeGlobal(user, domain.ActManagePeople); err == nil {
		return nil
	}
	filter, filterErr := authorizer.ReassignFilter(user)
	if filterErr != nil || filter.Const == nil || *filter.Const {
		return filterErr
	}
	return domain.Errorf(domain.NotPermitted,
		"Only managers and administrators can change how reviews are assigned.").WithCause(err)
}
