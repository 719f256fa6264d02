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

// maxTokenName bounds the name by which a person tells their tokens apart, in characters.
const maxTokenName = 100

// CreateToken asks for an API token whose secret's SHA-256 is Hash; the secret itself never comes here.
type CreateToken struct {
	Name      string
	Scopes    []string  // of domain.Scopes; empty = all that the person may
	ExpiresAt time.Time // zero = none
	Hash      []byte
	// OwnerID is whose token it is; NoID = the actor's own. Only the system, at the operator's command line, makes one for
	// somebody else: an administrator who could would decide on behalf of another user.
	OwnerID domain.ID
}

// CreateToken keeps a new API token. One made with a token never reaches further or lasts longer than that token.
// Errors: InvalidInput, NotPermitted.
func (svc *Service) CreateToken(ctx context.Context, actor domain.Actor, in CreateToken) (domain.APIToken, error) {
	if err := svc.inScope(ctx, actor, "createToken", domain.ScopeAccount); err != nil {
		return domain.APIToken{}, err
	}
	token := domain.APIToken{ID: domain.NewID(), UserID: actor.UserID, Name: strings.TrimSpace(in.Name), Scopes: in.Scopes, ExpiresAt: in.ExpiresAt}
	if in.OwnerID != domain.NoID {
		token.UserID = in.OwnerID
	}
	kept := token
	err := svc.runTokenChange(ctx, actor, "createToken", token.ID, func(tx *store.Tx) error {
		// Held, so that nobody is disabled between the question and the token.
		if err := lockTokenOwner(ctx, tx, actor, token.UserID); err != nil {
			return err
		}
		if err := checkToken(ctx, tx.Reader, actor, token); err != nil {
			return err
		}
		var err error
		kept, err = tx.PutToken(ctx, token, in.Hash)
		return err
	})
	return kept, err
}

// RevokeToken ends an API token immediately: a person's own, or anybody's by those who manage people. Running subscriptions
// end with it. A token one may not revoke is NotFound.
func (svc *Service) RevokeToken(ctx context.Context, actor domain.Actor, id domain.ID) (domain.APIToken, error) {
	if err := svc.inScope(ctx, actor, "revokeToken", domain.ScopeAccount, domain.ActManagePeople); err != nil {
		return domain.APIToken{}, err
	}
	var revoked domain.APIToken
	err := svc.runTokenChange(ctx, actor, "revokeToken", id, func(tx *store.Tx) error {
		if _, err := tx.IncrementAuthority(ctx); err != nil {
			return err
		}
		token, err := tx.Token(ctx, id)
		if err != nil && !domain.HasCode(err, domain.NotFound) {
			return err
		}
		if err == nil && token.UserID == actor.UserID {
			if refusal := checkScope(actor, domain.ScopeAccount); refusal != nil {
				return refusal
			}
			// A missing one is asked about like another's, so that both take the same time.
		} else if !actor.System {
			if refusal := svc.authorizeAction(ctx, tx.Reader, actor, domain.ActManagePeople); refusal != nil {
				return noSuchCase().WithCause(refusal)
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

// maxTokenRequests bounds what an administrator can give a token, a minute.
const maxTokenRequests = 100_000

// SetTokenRequests gives an API token a number of requests a minute of its own; 0 makes it count as its person's again. It is
// for those who manage people, and never for the token's own holder. A token that one may not change is NotFound.
func (svc *Service) SetTokenRequests(ctx context.Context, actor domain.Actor, id domain.ID, perMinute int64) (domain.APIToken, error) {
	if err := svc.inScope(ctx, actor, "setTokenRequests", domain.ActManagePeople); err != nil {
		return domain.APIToken{}, err
	}
	if perMinute < 0 || perMinute > maxTokenRequests {
		return domain.APIToken{}, domain.Invalid("requestsPerMinute", "Between 1 and %d requests a minute can be given.", maxTokenRequests)
	}
	var changed domain.APIToken
	err := svc.runTokenChange(ctx, actor, "setTokenRequests", id, func(tx *store.Tx) error {
		token, err := tx.Token(ctx, id)
		if err != nil && !domain.HasCode(err, domain.NotFound) {
			return err
		}
		own := err == nil && token.UserID == actor.UserID
		if !actor.System {
			// A missing one is asked about like another's, so that both take the same time.
			if refusal := svc.authorizeAction(ctx, tx.Reader, actor, domain.ActManagePeople); refusal != nil {
				if own {
					return refusal
				}
				return noSuchCase().WithCause(refusal)
			}
			if own {
				return domain.Errorf(domain.FourEyes, "You cannot give more requests to a token of your own.").
					WithRemedy("Ask another administrator.")
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

// runTokenChange runs a change of tokens, with its line of the access log; a refusal is written before it is answered.
func (svc *Service) runTokenChange(ctx context.Context, actor domain.Actor, operation string, id domain.ID, fn func(*store.Tx) error) error {
	line := store.AccessEntry{Actor: actor.UserID, Action: operation, Object: "token:" + id.String(), RequestID: actor.RequestID}
	err := svc.db.InTx(ctx, func(tx *store.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return tx.LogAccess(ctx, line)
	})
	if err != nil {
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
	}
	return err
}

// lockTokenOwner locks the authority and the token's person and refuses when they are somebody else, gone or disabled.
func lockTokenOwner(ctx context.Context, tx *store.Tx, actor domain.Actor, holder domain.ID) error {
	if holder != actor.UserID && !actor.System {
		return domain.Errorf(domain.NotPermitted, "An API token can be made by its own holder only.").
			WithRemedy("Ask the person to sign in and make it.")
	}
	_, users, err := tx.LockAuthority(ctx, holder)
	if err != nil {
		return err
	}
	if len(users) != 1 || users[0].Disabled {
		return domain.Errorf(domain.Unauthenticated, "This account does not exist or is disabled.")
	}
	return nil
}

// checkToken refuses a token that says nothing, was over before it began, or reaches further than the one acted with.
func checkToken(ctx context.Context, r store.Reader, actor domain.Actor, token domain.APIToken) error {
	if n := utf8.RuneCountInString(token.Name); n == 0 || n > maxTokenName {
		return domain.Invalid("name", "A name of 1 to %d characters is needed.", maxTokenName)
	}
	for _, wanted := range token.Scopes {
		if !slices.Contains(domain.Scopes(), domain.Action(wanted)) {
			return domain.Invalid("scopes", "There is no scope %q.", wanted).WithRemedy("Leave the scopes out for all that you may.")
		}
	}
	now, err := r.Clock(ctx)
	if err != nil {
		return err
	}
	if !token.ExpiresAt.IsZero() && !token.ExpiresAt.After(now) {
		return domain.Invalid("expiresAt", "The token would have expired already.")
	}
	if actor.TokenID == domain.NoID {
		return nil
	}
	acting, err := r.Token(ctx, actor.TokenID)
	if err != nil {
		return err
	}
	if !acting.RevokedAt.IsZero() || (!acting.ExpiresAt.IsZero() && !acting.ExpiresAt.After(now)) {
		return domain.Errorf(domain.Unauthenticated, "This API token no longer holds.")
	}
	return checkTokenScope(acting, token)
}

// checkTokenScope refuses a token that is wider than, or outlasts, the one it is made with.
func checkTokenScope(acting, token domain.APIToken) error {
	if len(acting.Scopes) > 0 {
		missing := slices.IndexFunc(token.Scopes, func(wanted string) bool { return !slices.Contains(acting.Scopes, wanted) })
		if len(token.Scopes) == 0 || missing >= 0 {
			return domain.Errorf(domain.NotPermitted, "The new token would reach further than the one you act with (%s).", strings.Join(acting.Scopes, ", ")).
				WithRemedy("Name scopes out of these, or sign in and make the token there.")
		}
	}
	if !acting.ExpiresAt.IsZero() && (token.ExpiresAt.IsZero() || token.ExpiresAt.After(acting.ExpiresAt)) {
		return domain.Errorf(domain.NotPermitted, "The new token would outlast the one you act with.").
			WithRemedy("Let it expire by %s, or sign in and make the token there.", acting.ExpiresAt.Format(time.RFC3339))
	}
	return nil
}
