package casework

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"countersign/domain"
	"countersign/store"
)

// maxTokenName bounds the display name of a token, in characters.
const maxTokenName = 100

// CreateToken asks for an API token. Hash is the SHA-256 of the secret; the secret itself is never
// passed to this package.
type CreateToken struct {
	Name      string
	Scopes    []string  // from domain.Scopes; empty = everything that the owner may do
	ExpiresAt time.Time // zero = never
	Hash      []byte
	// OwnerID is the token's owner; NoID = the actor. Only the system actor, at the operator's
	// command line, may create a token for another user: an administrator who could would be able
	// to decide on behalf of that user.
	OwnerID domain.ID
}

// CreateToken stores a new API token. A token created with another token cannot have broader scopes
// or a later expiry than that one. Errors: InvalidInput, NotPermitted, Unauthenticated.
func (svc *Service) CreateToken(
	ctx context.Context, actor domain.Actor, in CreateToken,
) (domain.APIToken, error) {
	if err := svc.inScope(ctx, actor, "createToken", domain.ScopeAccount); err != nil {
		return domain.APIToken{}, err
	}
	token := domain.APIToken{ID: domain.NewID(), UserID: actor.UserID,
		Name: strings.TrimSpace(in.Name), Scopes: in.Scopes, ExpiresAt: in.ExpiresAt}
	if in.OwnerID != domain.NoID {
		token.UserID = in.OwnerID
	}
	stored := token
	err := svc.runTokenChange(ctx, actor, "createToken", token.ID, lockNone,
		func(tx *store.Tx) error {
			// Locks the authority with the owner, who may differ from the actor, so that the
			// account
			// cannot be disabled between this check and the insert.
			if err := lockTokenOwner(ctx, tx, actor, token.UserID); err != nil {
				return err
			}
			if err := checkToken(ctx, tx.Reader, actor, token); err != nil {
				return err
			}
			var err error
			stored, err = tx.PutToken(ctx, token, in.Hash)
			return err
		})
	return stored, err
}

// RevokeToken revokes an API token immediately, which ends its subscriptions. Users may revoke
// their own; those who manage people may revoke any. It returns NotFound for a token that the actor
// may not revoke.
func (svc *Service) RevokeToken(
	ctx context.Context, actor domain.Actor, id domain.ID,
) (domain.APIToken, error) {
	if err := svc.inScope(ctx, actor, "revokeToken", domain.ScopeAccount,
		domain.ActManagePeople); err != nil {
		return domain.APIToken{}, err
	}
	var revoked domain.APIToken
	err := svc.runTokenChange(ctx, actor, "revokeToken", id, lockExclusive,
		func(tx *store.Tx) error {
			token, err := tx.Token(ctx, id)
			if err != nil && !domain.HasCode(err, domain.NotFound) {
				return err
			}
			if err == nil && token.UserID == actor.UserID {
				if refusal := checkScope(actor, domain.ScopeAccount); refusal != nil {
					return refusal
				}
				// A missing token is checked like another person's, so that response times do not
				// reveal which ids exist.
			} else if !actor.System {
				if refusal := svc.authorizeAction(ctx, tx.Reader, actor,
					domain.ActManagePeople); refusal != nil {
					return domain.NewNotFound().WithCause(refusal)
				}
			}
			if err != nil {
				return err
			}
			revoked, err = tx.RevokeToken(ctx, id)
			return err
		})
	return revoked, err
}

// maxTokenRequests bounds the requests per minute that an administrator can grant to a token.
const maxTokenRequests = 100_000

// SetTokenRequests gives an API token its own number of requests per minute; 0 counts its requests
// with those of its owner again. It requires the right to manage people, and is never permitted for
// one's own token. It returns NotFound for a token that the actor may not change.
func (svc *Service) SetTokenRequests(
	ctx context.Context, actor domain.Actor, id domain.ID, perMinute int64,
) (domain.APIToken, error) {
	if err := svc.inScope(ctx, actor, "setTokenRequests", domain.ActManagePeople); err != nil {
		return domain.APIToken{}, err
	}
	if perMinute < 0 || perMinute > maxTokenRequests {
		return domain.APIToken{}, domain.Invalid("requestsPerMinute",
			"The number of requests per minute must be between 1 and %d.", maxTokenRequests)
	}
	var changed domain.APIToken
	err := svc.runTokenChange(ctx, actor, "setTokenRequests", id, lockNone,
		func(tx *store.Tx) error {
			token, err := tx.Token(ctx, id)
			if err != nil && !domain.HasCode(err, domain.NotFound) {
				return err
			}
			own := err == nil && token.UserID == actor.UserID
			if !actor.System {
				// A missing token is checked like another person's, so that response times do not
				// reveal which ids exist.
				if refusal := svc.authorizeAction(ctx, tx.Reader, actor,
					domain.ActManagePeople); refusal != nil {
					if own {
						return refusal
					}
					return domain.NewNotFound().WithCause(refusal)
				}
				if own {
					return domain.Errorf(domain.FourEyes,
						"You cannot change the requests per minute of your own token.").
						WithRemedy(askAnotherAdministrator)
				}
			}
			if err != nil {
				return err
			}
			changed, err = tx.SetTokenRequests(ctx, id, perMinute)
			return err
		})
	return changed, err
}

// runTokenChange runs a change of a token as a unit of work that also writes an access log entry.
func (svc *Service) runTokenChange(ctx context.Context, actor domain.Actor, operation string,
	id domain.ID, lock authorityLock, fn func(*store.Tx) error,
) error {
	spec := workSpec{operation: operation, lock: lock, accessObject: "token:" + id.String()}
	return svc.runUnitOfWork(ctx, actor, spec, func(w *unitOfWork) error { return fn(w.tx) })
}

// lockTokenOwner locks the authority and the token's owner. It refuses an owner other than the
// actor, and an owner whose account is missing or disabled.
func lockTokenOwner(ctx context.Context, tx *store.Tx, actor domain.Actor, owner domain.ID) error {
	if owner != actor.UserID && !actor.System {
		return domain.Errorf(domain.NotPermitted, "You can create API tokens only for yourself.").
			WithRemedy("Ask the person to sign in and create it.")
	}
	_, users, err := tx.LockAuthority(ctx, owner)
	if err != nil {
		return err
	}
	if len(users) != 1 || users[0].Disabled {
		return domain.Errorf(domain.Unauthenticated, "This account does not exist or is disabled.")
	}
	return nil
}

// checkToken refuses a token that has an invalid name or scope, has already expired, or is broader
// than the token the actor acts with.
func checkToken(
	ctx context.Context, r store.Reader, actor domain.Actor, token domain.APIToken,
) error {
	if n := utf8.RuneCountInString(token.Name); n == 0 || n > maxTokenName {
		return domain.Invalid("name", "Enter a name (1 to %d characters).", maxTokenName)
	}
	for _, scope := range token.Scopes {
		if !slices.Contains(domain.Scopes(), domain.Action(scope)) {
			return domain.Invalid("scopes", "Unknown scope %q.", scope).
				WithRemedy("Leave the scopes out to include all of your rights.")
		}
	}
	now, err := r.Clock(ctx)
	if err != nil {
		return err
	}
	if !token.ExpiresAt.IsZero() && !token.ExpiresAt.After(now) {
		return domain.Invalid("expiresAt", "The expiry must be in the future.")
	}
	if actor.TokenID == domain.NoID {
		return nil
	}
	acting, err := r.Token(ctx, actor.TokenID)
	if err != nil {
		return err
	}
	if !acting.RevokedAt.IsZero() || (!acting.ExpiresAt.IsZero() && !acting.ExpiresAt.After(now)) {
		return domain.Errorf(domain.Unauthenticated, "This API token has expired or was revoked.")
	}
	return checkTokenScope(acting, token)
}

// checkTokenScope refuses a token with broader scopes or a later expiry than the acting token.
func checkTokenScope(acting, token domain.APIToken) error {
	if len(acting.Scopes) > 0 {
		missing := slices.IndexFunc(token.Scopes,
			func(scope string) bool { return !slices.Contains(acting.Scopes, scope) })
		if len(token.Scopes) == 0 || missing >= 0 {
			return domain.Errorf(domain.NotPermitted,
				"The new token would have more scopes than the current one (%s).",
				strings.Join(acting.Scopes, ", ")).
				WithRemedy("Choose from these scopes, or sign in and create the token there.")
		}
	}
	if !acting.ExpiresAt.IsZero() && (token.ExpiresAt.IsZero() ||
		token.ExpiresAt.After(acting.ExpiresAt)) {
		return domain.Errorf(domain.NotPermitted,
			"The new token would expire later than the current one.").
			WithRemedy("Choose an expiry no later than %s, or sign in and create the token there.",
				acting.ExpiresAt.Format(time.RFC3339))
	}
	return nil
}
