package casework

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"slices"
	"strings"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// OperatorChange asks for a change by the command line of the operator. Exactly the field of its command
// is set.
type OperatorChange struct {
	Command domain.BreakGlassCommand
	// User is the wanted account; with NoID a new one. PasswordHash "" keeps the password.
	User         domain.User
	PasswordHash string
	Limit        domain.Limit
	Token        CreateToken
	Key          domain.OperatorKey
	Reason       string
	// Delay is when the change takes effect without a second key, Lifetime when it is taken back.
	Delay, Lifetime time.Duration
}

// OperatorResult is the outcome of OperatorChange. Request is set if the change waits.
type OperatorResult struct {
	ID      domain.ID // of the account or the token
	Request *domain.BreakGlass
}

// OperatorChange changes an account, a limit, an API token or a key of an operator. What lowers takes
// effect immediately. What raises does so only during the setup of the installation; afterwards it is a
// request that a second operator's key or a delay puts into effect. A change that leaves fewer than two
// administrators waits too, because they are the ones who can object.
func (svc *Service) OperatorChange(ctx context.Context, in OperatorChange) (OperatorResult, error) {
	var err error
	if in.Command == domain.BreakGlassPerson {
		if in.User, err = normalizedUser(in.User); err != nil {
			return OperatorResult{}, err
		}
		in.User.EmployeeID = domain.NormalEmployeeID(in.User.EmployeeID)
		if err := domain.CheckEmployeeID(in.User.EmployeeID); err != nil {
			return OperatorResult{}, err
		}
	}
	if in.Reason, err = checkReason(strings.TrimSpace(in.Reason)); err != nil {
		return OperatorResult{}, err
	}
	stream := domain.PeopleStream
	if in.Command == domain.BreakGlassLimit {
		stream = domain.PolicyStream
	}
	spec := permissionCommand{operation: "operatorChange", stream: stream}
	createToken := false
	result, err := runPermissionChange(ctx, svc, domain.SystemActor(), spec,
		func(p *permissionChange) (OperatorResult, error) {
			planned, err := p.planOperatorChange(in)
			if err != nil {
				return OperatorResult{}, err
			}
			setup, err := p.inSetup()
			if err != nil {
				return OperatorResult{}, err
			}
			if planned.waits && !setup {
				return p.requestBreakGlass(in, planned)
			}
			if planned.waits {
				p.emit(generated.OperatorActedV1{Command: string(in.Command), Subject: planned.request.Subject,
					Person: planned.request.Person, Reason: in.Reason})
			}
			if in.Command == domain.BreakGlassToken {
				createToken = true // by its own command, which writes the access log
				return OperatorResult{}, nil
			}
			done, err := p.applyOperatorDocument(planned.document, 0)
			if err != nil {
				return OperatorResult{}, err
			}
			return OperatorResult{ID: done.id}, p.noteSetup()
		})
	if err == nil && createToken {
		var token domain.APIToken
		token, err = svc.CreateToken(ctx, domain.SystemActor(), in.Token)
		result.ID = token.ID
	}
	return result, err
}

// inSetup reports whether the operator still makes accounts alone. The setup ends a while after the
// installation first had two administrators, and never begins again, also if they are disabled.
func (p *permissionChange) inSetup() (bool, error) {
	ends, err := p.tx.SetupEnd(p.ctx)
	if err != nil || ends.IsZero() {
		return true, firstError(err, p.noteSetup())
	}
	now, err := p.tx.Clock(p.ctx)
	return now.Before(ends), err
}

// noteSetup records the end of the setup once there are two administrators.
func (p *permissionChange) noteSetup() error {
	ends, err := p.tx.SetupEnd(p.ctx)
	if err != nil || !ends.IsZero() {
		return err
	}
	administrators, err := p.administrators()
	if err != nil || len(administrators) < domain.BreakGlassReviewers {
		return err
	}
	return p.tx.EndSetup(p.ctx, domain.SetupPeriod)
}

// administrators returns the people who may manage people.
func (p *permissionChange) administrators() ([]domain.ID, error) {
	authorizer, err := p.svc.uncommittedAuthorizer(p.ctx, p.tx.Reader)
	if err != nil {
		return nil, err
	}
	people, err := p.tx.Users(p.ctx, nil)
	var administrators []domain.ID
	for _, person := range people {
		if _, refusal := authorizer.AuthorizeGlobal(person, domain.ActManagePeople); refusal == nil {
			administrators = append(administrators, person.ID)
		}
	}
	return administrators, err
}

// leavesTooFew reports whether the change takes the right to manage people away so that fewer than two
// have it.
func (p *permissionChange) leavesTooFew(wanted domain.User) (bool, error) {
	administrators, err := p.administrators()
	if err != nil || !slices.Contains(administrators, wanted.ID) ||
		len(administrators) > domain.BreakGlassReviewers {
		return false, err
	}
	authorizer, err := p.svc.uncommittedAuthorizer(p.ctx, p.tx.Reader)
	if err != nil {
		return false, err
	}
	_, refusal := authorizer.AuthorizeGlobal(wanted, domain.ActManagePeople)
	return refusal != nil, nil
}

// requestBreakGlass stores the change as a request.
func (p *permissionChange) requestBreakGlass(in OperatorChange, planned operatorPlan) (OperatorResult, error) {
	if in.Reason == "" {
		return OperatorResult{}, domain.Invalid("reason", "Enter a reason: --reason.")
	}
	now, err := p.tx.Clock(p.ctx)
	if err != nil {
		return OperatorResult{}, err
	}
	b := planned.request
	b.ID, b.Command, b.Reason, b.Status = domain.NewID(), in.Command, in.Reason, domain.BreakGlassRequested
	b.EffectAt = now.Add(max(in.Delay, domain.MinBreakGlassDelay))
	b.Lifetime = min(cmp.Or(in.Lifetime, domain.DefaultBreakGlassLifetime), domain.MaxBreakGlassLifetime)
	if b.Document, err = jsonDocument(planned.document); err != nil {
		return OperatorResult{}, err
	}
	if err := p.tx.AddBreakGlass(p.ctx, b); err != nil {
		return OperatorResult{}, err
	}
	p.emit(generated.BreakGlassRequestedV1{RequestID: b.ID, Command: string(b.Command), Subject: b.Subject,
		Person: b.Person, Before: b.Before, After: b.After, Reason: b.Reason, EffectAt: b.EffectAt})
	return OperatorResult{Request: &b}, nil
}

// SignBreakGlass adds the signature of an operator's key to a request. With the second key it takes
// effect.
func (svc *Service) SignBreakGlass(ctx context.Context, id domain.ID, signature []byte) (domain.BreakGlass,
	error) {
	return svc.changeBreakGlass(ctx, domain.SystemActor(), "signBreakGlass", Once{}, id,
		func(p *permissionChange, b domain.BreakGlass) error {
			if b.Status != domain.BreakGlassRequested {
				return notRequested(b)
			}
			keys, err := p.tx.OperatorKeys(p.ctx)
			if err != nil {
				return err
			}
			at := slices.IndexFunc(keys, func(key domain.OperatorKey) bool {
				return key.RevokedAt.IsZero() && ed25519.Verify(key.PublicKey, b.Statement(), signature)
			})
			if at < 0 {
				return domain.Errorf(domain.NotPermitted, "The request is not signed with the key of an operator.").
					WithRemedy("Use a key that is enrolled: countersign operator keys.")
			}
			if added, err := p.tx.SignBreakGlass(p.ctx, id, keys[at].ID, signature); err != nil || !added {
				return firstError(err, domain.Errorf(domain.FourEyes, "The key %s has signed this request already.",
					keys[at].Name).WithRemedy("Another operator signs with another key."))
			}
			valid, err := p.validSignatures(b)
			if err != nil {
				return err
			}
			p.emit(generated.BreakGlassSignedV1{RequestID: id, Key: keys[at].Name, Signatures: int64(valid)})
			if valid < domain.BreakGlassReviewers {
				return nil
			}
			return p.putBreakGlassInEffect(b, "keys")
		})
}

func notRequested(b domain.BreakGlass) error {
	return domain.Errorf(domain.StateMismatch, "The request is already %s.",
		strings.ReplaceAll(string(b.Status), "_", " "))
}

// validSignatures counts the keys whose signatures of the request are valid.
func (p *permissionChange) validSignatures(b domain.BreakGlass) (int, error) {
	signatures, err := p.tx.BreakGlassSignatures(p.ctx, b.ID)
	valid := 0
	for _, one := range signatures {
		if ed25519.Verify(one.PublicKey, b.Statement(), one.Signature) {
			valid++
		}
	}
	return valid, err
}

// changeBreakGlass runs a command on a locked request and returns it as it is afterwards.
func (svc *Service) changeBreakGlass(ctx context.Context, actor domain.Actor, operation string, once Once,
	id domain.ID, fn func(*permissionChange, domain.BreakGlass) error) (domain.BreakGlass, error) {
	spec := permissionCommand{operation: operation, stream: domain.PeopleStream, once: once,
		action: domain.ActManagePeople, request: []any{operation, id}}
	return runPermissionChange(ctx, svc, actor, spec, func(p *permissionChange) (domain.BreakGlass, error) {
		b, err := p.tx.LockBreakGlass(p.ctx, id)
		if err != nil {
			return b, err
		}
		if err := fn(p, b); err != nil {
			return b, err
		}
		return p.tx.BreakGlass(p.ctx, id)
	})
}

// AdvanceBreakGlass puts requests into effect whose delay has passed, and takes back what has expired. A
// request that cannot take effect any more is withdrawn.
func (svc *Service) AdvanceBreakGlass(ctx context.Context) error {
	ends, err := svc.db.Reader().SetupEnd(ctx)
	if err == nil && ends.IsZero() {
		err = svc.watchSetup(ctx)
	}
	if err != nil {
		return err
	}
	due, err := svc.db.Reader().DueBreakGlass(ctx)
	for _, id := range due {
		_, failed := svc.changeBreakGlass(ctx, domain.SystemActor(), "advanceBreakGlass", Once{}, id,
			func(p *permissionChange, b domain.BreakGlass) error { return p.advanceBreakGlass(b) })
		if failed != nil && !domain.HasCode(failed, domain.Internal) {
			_, failed = svc.changeBreakGlass(ctx, domain.SystemActor(), "advanceBreakGlass", Once{}, id,
				func(p *permissionChange, b domain.BreakGlass) error {
					return p.endBreakGlass(b, failed.Error())
				})
		}
		err = firstError(err, failed)
	}
	return err
}

// watchSetup records the end of the setup if two administrators exist now.
func (svc *Service) watchSetup(ctx context.Context) error {
	people, err := svc.db.Reader().PeopleOfRole(ctx, domain.RoleAdmin, "")
	if err != nil || len(people) < domain.BreakGlassReviewers {
		return err
	}
	spec := permissionCommand{operation: "watchSetup", stream: domain.PeopleStream}
	_, err = runPermissionChange(ctx, svc, domain.SystemActor(), spec,
		func(p *permissionChange) (bool, error) { return true, p.noteSetup() })
	return err
}

func (p *permissionChange) advanceBreakGlass(b domain.BreakGlass) error {
	now, err := p.tx.Clock(p.ctx)
	switch {
	case err != nil:
		return err
	case b.Status == domain.BreakGlassRequested && !now.Before(b.EffectAt):
		return p.putBreakGlassInEffect(b, "delay")
	case b.Status == domain.BreakGlassInEffect && !b.ExpiresAt.IsZero() && !now.Before(b.ExpiresAt):
		return p.takeBreakGlassBack(b, "expired", "")
	}
	return nil
}

// RevokeOperatorKey ends the key of an operator immediately.
func (svc *Service) RevokeOperatorKey(ctx context.Context, name string) error {
	spec := permissionCommand{operation: "revokeOperatorKey", stream: domain.PeopleStream}
	_, err := runPermissionChange(ctx, svc, domain.SystemActor(), spec, func(p *permissionChange) (bool, error) {
		revoked, err := p.tx.RevokeOperatorKey(p.ctx, name)
		if err == nil && !revoked {
			err = domain.Errorf(domain.NotFound, "No valid key has the name %s.", name)
		}
		p.emit(generated.OperatorActedV1{Command: string(domain.BreakGlassKey), Subject: name})
		return revoked, err
	})
	return err
}

// OperatorKeys returns the keys of operators, for their command line.
func (svc *Service) OperatorKeys(ctx context.Context) ([]domain.OperatorKey, error) {
	return svc.db.Reader().OperatorKeys(ctx)
}

// presentUser reads a user; false if there is none.
func presentUser(ctx context.Context, r store.Reader, id domain.ID) (domain.User, bool, error) {
	if id == domain.NoID {
		return domain.User{}, false, nil
	}
	user, err := r.User(ctx, id)
	if domain.HasCode(err, domain.NotFound) {
		return user, false, nil
	}
	return user, err == nil, err
}
