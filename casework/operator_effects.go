package casework

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"countersign/domain"
	"countersign/events/generated"
)

// operatorDocument is what a request of the operator changes, as JSON. Of an account it has the
// differences, so that it fits if the account changes meanwhile.
type operatorDocument struct {
	Person *operatorPerson     `json:"person,omitempty"`
	Limit  *domain.Limit       `json:"limit,omitempty"`
	Token  *domain.APIToken    `json:"token,omitempty"`
	Hash   []byte              `json:"hash,omitempty"` // of the token
	Key    *domain.OperatorKey `json:"key,omitempty"`
}

type operatorPerson struct {
	ID           domain.ID     `json:"id"`
	Created      bool          `json:"created,omitempty"`
	Email        string        `json:"email,omitempty"` // of a new account, as the next two
	Name         string        `json:"name,omitempty"`
	Locale       string        `json:"locale,omitempty"`
	AddRoles     []domain.Role `json:"addRoles,omitempty"`
	DropRoles    []domain.Role `json:"dropRoles,omitempty"`
	AddQueues    []string      `json:"addQueues,omitempty"`
	DropQueues   []string      `json:"dropQueues,omitempty"`
	Disabled     *bool         `json:"disabled,omitempty"`
	EmployeeID   *string       `json:"employeeId,omitempty"`
	PasswordHash string        `json:"passwordHash,omitempty"`
}

// operatorUndo is what is taken back when a request ends, as JSON.
type operatorUndo struct {
	Disable  bool          `json:"disable,omitempty"`
	Roles    []domain.Role `json:"roles,omitempty"`
	Queues   []string      `json:"queues,omitempty"`
	Password *passwordUndo `json:"password,omitempty"`
	Employee *employeeUndo `json:"employee,omitempty"`
	Limit    *PutLimit     `json:"limit,omitempty"`
	Token    domain.ID     `json:"token,omitzero"`
}

type passwordUndo struct{ Before string }

type employeeUndo struct{ Before, After string }

// takesBack reports whether the request gave something that ends.
func (u operatorUndo) takesBack() bool {
	return u.Disable || len(u.Roles) > 0 || len(u.Queues) > 0 || u.Password != nil || u.Employee != nil ||
		u.Limit != nil || u.Token != domain.NoID
}

// operatorPlan is a change that the operator asks for, before it is decided whether it waits.
type operatorPlan struct {
	document operatorDocument
	request  domain.BreakGlass // its subject, person and words
	waits    bool              // it raises power, or leaves too few administrators
}

// operatorDone is an applied change.
type operatorDone struct {
	id, person domain.ID
	undo       operatorUndo
}

func (p *permissionChange) planOperatorChange(in OperatorChange) (operatorPlan, error) {
	switch in.Command {
	case domain.BreakGlassPerson:
		return p.planPerson(in)
	case domain.BreakGlassLimit:
		limit := PutLimit{Limit: in.Limit}
		if err := firstError(checkLimitValue(in.Limit), p.checkLimit(limit)); err != nil {
			return operatorPlan{}, err
		}
		before, known, err := p.presentLimit(in.Limit)
		return operatorPlan{document: operatorDocument{Limit: &in.Limit}, waits: !lowersLimit(limit, before, known),
			request: domain.BreakGlass{Subject: limitKey(in.Limit), Before: limitWords(before, known),
				After: limitWords(in.Limit, true)}}, err
	case domain.BreakGlassToken:
		owner, err := p.tx.User(p.ctx, in.Token.OwnerID)
		if err == nil && owner.Disabled {
			err = domain.Errorf(domain.Unauthenticated, "This account does not exist or is disabled.")
		}
		token := domain.APIToken{ID: domain.NewID(), UserID: owner.ID, Name: strings.TrimSpace(in.Token.Name),
			Scopes: in.Token.Scopes, ExpiresAt: in.Token.ExpiresAt}
		err = firstError(err, checkToken(p.ctx, p.tx.Reader, p.actor, token))
		return operatorPlan{document: operatorDocument{Token: &token, Hash: in.Token.Hash}, waits: true,
			request: domain.BreakGlass{Subject: owner.Email, Person: owner.ID,
				After: "API token " + token.Name + "; " + strings.Join(token.Scopes, ", ")}}, err
	case domain.BreakGlassKey:
		in.Key.ID = domain.NewID()
		return operatorPlan{document: operatorDocument{Key: &in.Key}, waits: true,
			request: domain.BreakGlass{Subject: in.Key.Name, After: "key"}}, nil
	}
	return operatorPlan{}, domain.Invalid("command", "Unknown command %q.", in.Command)
}

func (p *permissionChange) planPerson(in OperatorChange) (operatorPlan, error) {
	before, known, err := presentUser(p.ctx, p.tx.Reader, in.User.ID)
	if err != nil {
		return operatorPlan{}, err
	}
	wanted := in.User
	change := operatorPerson{ID: wanted.ID, PasswordHash: in.PasswordHash}
	if !known {
		if _, _, err := p.tx.UserByEmail(p.ctx, wanted.Email); !domain.HasCode(err, domain.NotFound) {
			return operatorPlan{}, firstError(err,
				domain.Invalid("email", "%s already has an account.", wanted.Email))
		}
		change.ID, change.Created = domain.NewID(), true
		change.Email, change.Name, change.Locale = wanted.Email, wanted.Name, wanted.Locale
		wanted.ID = change.ID
	}
	if err := p.checkUserChange(before, wanted); err != nil {
		return operatorPlan{}, err
	}
	change.AddRoles, change.DropRoles = exclude(wanted.Roles, before.Roles), exclude(before.Roles, wanted.Roles)
	change.AddQueues, change.DropQueues = exclude(wanted.Queues, before.Queues), exclude(before.Queues, wanted.Queues)
	if wanted.Disabled != before.Disabled {
		change.Disabled = &wanted.Disabled
	}
	if wanted.EmployeeID != before.EmployeeID {
		change.EmployeeID = &wanted.EmployeeID
	}
	plan := operatorPlan{document: operatorDocument{Person: &change},
		request: domain.BreakGlass{Subject: wanted.Email, Before: userWords(before, known),
			After: userWords(wanted, true)}}
	if known {
		plan.request.Person = wanted.ID
	}
	if in.PasswordHash != "" {
		plan.request.After += "; another password"
	}
	tooFew, err := p.leavesTooFew(wanted)
	plan.waits = !known || in.PasswordHash != "" || tooFew || raises(lowered(before, wanted), wanted)
	return plan, err
}

func exclude[T comparable](all, others []T) []T {
	var rest []T
	for _, one := range all {
		if !slices.Contains(others, one) {
			rest = append(rest, one)
		}
	}
	return rest
}

// userWords and limitWords describe values for the page of requests.
func userWords(user domain.User, exists bool) string {
	if !exists {
		return ""
	}
	parts := []string{strings.Join(roleNames(user.Roles), ", "), strings.Join(user.Queues, ", ")}
	if user.Disabled {
		parts = append(parts, "disabled")
	}
	if user.EmployeeID != "" {
		parts = append(parts, "employee id "+user.EmployeeID)
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}

func limitWords(limit domain.Limit, exists bool) string {
	if !exists || limit.Unlimited {
		return limitText(limit, exists)
	}
	return domain.Money{Minor: limit.BaseMinor, Currency: domain.BaseCurrency}.String()
}

// readRequest reads a part of a stored request.
func readRequest(text string, into any) error {
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return domain.Errorf(domain.Internal, "The request of the operator cannot be read.").WithCause(err)
	}
	return nil
}

// putBreakGlassInEffect applies a request.
func (p *permissionChange) putBreakGlassInEffect(b domain.BreakGlass, by string) error {
	var document operatorDocument
	if err := readRequest(b.Document, &document); err != nil {
		return err
	}
	done, err := p.applyOperatorDocument(document, b.Lifetime)
	if err != nil {
		return err
	}
	expires := time.Time{}
	if done.undo.takesBack() {
		now, err := p.tx.Clock(p.ctx)
		if err != nil {
			return err
		}
		expires = now.Add(b.Lifetime)
	}
	undo, err := jsonDocument(done.undo)
	if err != nil {
		return err
	}
	if b.Person == domain.NoID {
		b.Person = done.person
	}
	body := generated.BreakGlassTookEffectV1{RequestID: b.ID, Command: string(b.Command), Subject: b.Subject,
		Person: b.Person, By: by}
	if !expires.IsZero() {
		body.ExpiresAt = expires
	}
	p.emit(body)
	return p.tx.PutBreakGlassInEffect(p.ctx, b.ID, done.person, undo, expires)
}

// applyOperatorDocument writes the change. A token gets the lifetime, if there is one.
func (p *permissionChange) applyOperatorDocument(document operatorDocument, lifetime time.Duration) (
	operatorDone, error) {
	switch {
	case document.Person != nil:
		return p.applyOperatorPerson(*document.Person)
	case document.Limit != nil:
		limit := PutLimit{Limit: *document.Limit}
		before, known, err := p.presentLimit(limit.Limit)
		if err != nil {
			return operatorDone{}, err
		}
		undo := operatorUndo{Limit: &PutLimit{Limit: before, Drop: !known}}
		undo.Limit.Limit.Role, undo.Limit.Limit.Action = limit.Limit.Role, limit.Limit.Action
		undo.Limit.Limit.DocumentType = limit.Limit.DocumentType
		if lowersLimit(limit, before, known) {
			undo.Limit = nil
		}
		return operatorDone{undo: undo}, p.writeLimit(limit, before, known)
	case document.Token != nil:
		token := *document.Token
		now, err := p.tx.Clock(p.ctx)
		if err != nil {
			return operatorDone{}, err
		}
		if until := now.Add(lifetime); token.ExpiresAt.IsZero() || token.ExpiresAt.After(until) {
			token.ExpiresAt = until
		}
		owner, err := p.tx.User(p.ctx, token.UserID)
		if err == nil && owner.Disabled {
			err = domain.Errorf(domain.Unauthenticated, "This account does not exist or is disabled.")
		}
		if err != nil {
			return operatorDone{}, err
		}
		_, err = p.tx.PutToken(p.ctx, token, document.Hash)
		return operatorDone{id: token.ID, undo: operatorUndo{Token: token.ID}}, err
	}
	return operatorDone{}, p.tx.AddOperatorKey(p.ctx, *document.Key)
}

func (p *permissionChange) applyOperatorPerson(change operatorPerson) (operatorDone, error) {
	done := operatorDone{id: change.ID, person: change.ID}
	before, known, err := presentUser(p.ctx, p.tx.Reader, change.ID)
	if err != nil {
		return done, err
	}
	user := before
	if change.Created {
		user = domain.User{ID: change.ID, Email: change.Email, Name: change.Name, Locale: change.Locale}
	} else if !known {
		return done, domain.NewNotFound()
	}
	done.undo.Roles = exclude(change.AddRoles, before.Roles)
	done.undo.Queues = exclude(change.AddQueues, before.Queues)
	user.Roles = append(exclude(before.Roles, change.DropRoles), done.undo.Roles...)
	user.Queues = append(exclude(before.Queues, change.DropQueues), done.undo.Queues...)
	if change.Disabled != nil {
		user.Disabled = *change.Disabled
	}
	if change.EmployeeID != nil {
		user.EmployeeID = *change.EmployeeID
	}
	if user.EmployeeID != before.EmployeeID && user.EmployeeID != "" {
		done.undo.Employee = &employeeUndo{before.EmployeeID, user.EmployeeID}
	}
	done.undo.Disable = change.Created || before.Disabled && !user.Disabled
	if err := p.checkUserChange(before, user); err != nil {
		return done, err
	}
	if change.PasswordHash != "" && known {
		done.undo.Password = &passwordUndo{}
		if done.undo.Password.Before, err = p.tx.PasswordHash(p.ctx, change.ID); err != nil {
			return done, err
		}
		if err := p.removeAllPasskeys(change.ID); err != nil {
			return done, err
		}
	}
	return done, p.writeUser(before, user, change.PasswordHash, change.Created)
}

// takeBreakGlassBack ends the effect of a request.
func (p *permissionChange) takeBreakGlassBack(b domain.BreakGlass, cause, reason string) error {
	var undo operatorUndo
	var document operatorDocument
	if err := firstError(readRequest(b.Undo, &undo), readRequest(b.Document, &document)); err != nil {
		return err
	}
	err := p.undoOperatorPerson(b, undo)
	if err == nil && undo.Limit != nil {
		present, known, readErr := p.presentLimit(*document.Limit)
		if err = readErr; err == nil && known && present == *document.Limit {
			err = p.writeLimit(*undo.Limit, present, known)
		}
	}
	if err == nil && undo.Token != domain.NoID {
		_, err = p.tx.RevokeToken(p.ctx, undo.Token)
	}
	if err != nil {
		return err
	}
	p.emitBreakGlassEnded(b, cause, reason)
	return p.tx.EndBreakGlass(p.ctx, b.ID, domain.BreakGlassEnded)
}

// undoOperatorPerson takes back what an account got, with the ways to sign in that it made meanwhile.
func (p *permissionChange) undoOperatorPerson(b domain.BreakGlass, undo operatorUndo) error {
	if !undo.Disable && len(undo.Roles)+len(undo.Queues) == 0 && undo.Password == nil &&
		undo.Employee == nil {
		return nil
	}
	before, err := p.tx.User(p.ctx, b.Person)
	if err != nil {
		return err
	}
	user := before
	user.Roles, user.Queues = exclude(before.Roles, undo.Roles), exclude(before.Queues, undo.Queues)
	user.Disabled = before.Disabled || undo.Disable
	if undo.Employee != nil && user.EmployeeID == undo.Employee.After {
		// This ends the identities at providers that signed in with the granted id, and their sessions.
		user.EmployeeID = undo.Employee.Before
		if _, err := p.tx.EndSessionsOf(p.ctx, user.ID); err != nil {
			return err
		}
	}
	if err := p.writeUser(before, user, "", false); err != nil || undo.Password == nil {
		return err
	}
	restored, err := p.tx.RestorePasswordHash(p.ctx, user.ID, undo.Password.Before, b.EffectiveAt)
	if err != nil || !restored { // the person has chosen another password by a link of two people
		return err
	}
	if err := p.removeAllPasskeys(user.ID); err != nil {
		return err
	}
	if err := p.tx.RevokeTokensSince(p.ctx, user.ID, b.EffectiveAt); err != nil {
		return err
	}
	p.emit(generated.UserChangedV1{UserID: user.ID, Changed: []string{"password"},
		RolesBefore: roleNames(user.Roles), RolesAfter: roleNames(user.Roles), QueuesBefore: user.Queues,
		QueuesAfter: user.Queues})
	_, err = p.tx.EndSessionsOf(p.ctx, user.ID)
	return err
}

func (p *permissionChange) emitBreakGlassEnded(b domain.BreakGlass, cause, reason string) {
	body := generated.BreakGlassEndedV1{RequestID: b.ID, Command: string(b.Command), Subject: b.Subject,
		Person: b.Person, Cause: cause, Reason: reason}
	if !p.actor.System {
		body.By = p.actor.UserID
	}
	p.emit(body)
}
