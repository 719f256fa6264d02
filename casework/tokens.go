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
	Scopes    []string  // actions; empty = all that the person may
	ExpiresAt time.Time // zero = none
	Hash      []byte
	// For is whose token it is; NoID = the actor's own. Only the system, at the operator's command line, makes one for
	// somebody else: an administrator who could would decide in another's name.
	For domain.ID
}

// CreateToken keeps a new API token. One made with a token never reaches further or lasts longer than that token.
// Errors: InvalidInput, NotPermitted.
func (h *Hall) CreateToken(ctx context.Context, actor domain.Actor, in CreateToken) (domain.APIToken, error) {
	token := domain.APIToken{ID: domain.NewID(), UserID: actor.UserID, Name: strings.TrimSpace(in.Name), Scopes: in.Scopes, ExpiresAt: in.ExpiresAt}
	if in.For != domain.NoID {
		token.UserID = in.For
	}
	kept := token
	err := h.onTokens(ctx, actor, "createToken", token.ID, func(tx *store.Tx) error {
		// Held, so that nobody is disabled between the question and the token.
		if err := holdHolder(ctx, tx, actor, token.UserID); err != nil {
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

// RevokeToken ends an API token at once: a person's own, or anybody's by those who manage people. Running subscriptions
// notice by the authority's version. A token one may not revoke is NotFound.
func (h *Hall) RevokeToken(ctx context.Context, actor domain.Actor, id domain.ID) (domain.APIToken, error) {
	var revoked domain.APIToken
	err := h.onTokens(ctx, actor, "revokeToken", id, func(tx *store.Tx) error {
		if _, err := tx.RaiseAuthority(ctx); err != nil {
			return err
		}
		token, err := tx.Token(ctx, id)
		if err != nil {
			return err
		}
		if token.UserID != actor.UserID && !actor.System {
			if err := h.mayPlain(ctx, tx.Reader, actor, domain.ActManagePeople); err != nil {
				return domain.Fail(domain.NotFound, "There is no such thing, or you may not see it.").Because(err)
			}
		}
		revoked, err = tx.RevokeToken(ctx, id)
		return err
	})
	return revoked, err
}

// onTokens runs a change of tokens, with its line of the access log; a refusal is written before it is answered.
func (h *Hall) onTokens(ctx context.Context, actor domain.Actor, operation string, id domain.ID, fn func(*store.Tx) error) error {
	line := store.Access{Actor: actor.UserID, Action: operation, Object: "token:" + id.String(), RequestID: actor.RequestID}
	err := h.db.InTx(ctx, func(tx *store.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return tx.LogAccess(ctx, line)
	})
	if err != nil {
		h.refused(ctx, actor, operation, domain.NoID, err)
	}
	return err
}

// holdHolder locks the authority and the token's person and refuses when they are somebody else, gone or disabled.
func holdHolder(ctx context.Context, tx *store.Tx, actor domain.Actor, holder domain.ID) error {
	if holder != actor.UserID && !actor.System {
		return domain.Fail(domain.NotPermitted, "An API token can be made by its own holder only.").
			WithWayOut("Ask the person to sign in and make it.")
	}
	_, users, err := tx.HoldAuthority(ctx, holder)
	if err != nil {
		return err
	}
	if len(users) != 1 || users[0].Disabled {
		return domain.Fail(domain.Unauthenticated, "This account does not exist or is disabled.")
	}
	return nil
}

// checkToken refuses a token that says nothing, was over before it began, or reaches further than the one acted with.
func checkToken(ctx context.Context, r store.Reader, actor domain.Actor, token domain.APIToken) error {
	if n := utf8.RuneCountInString(token.Name); n == 0 || n > maxTokenName {
		return domain.Invalid("name", "A name of 1 to %d characters is needed.", maxTokenName)
	}
	for _, wanted := range token.Scopes {
		if !slices.Contains(domain.Actions(), domain.Action(wanted)) {
			return domain.Invalid("scopes", "There is no action %q.", wanted).WithWayOut("Leave the scopes out for all that you may.")
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
		return domain.Fail(domain.Unauthenticated, "This API token no longer holds.")
	}
	return within(acting, token)
}

// within refuses a token that is wider than, or outlasts, the one it is made with.
func within(acting, token domain.APIToken) error {
	if len(acting.Scopes) > 0 {
		missing := slices.IndexFunc(token.Scopes, func(wanted string) bool { return !slices.Contains(acting.Scopes, wanted) })
		if len(token.Scopes) == 0 || missing >= 0 {
			return domain.Fail(domain.NotPermitted, "The new token would reach further than the one you act with (%s).", strings.Join(acting.Scopes, ", ")).
				WithWayOut("Name scopes out of these, or sign in and make the token there.")
		}
	}
	if !acting.ExpiresAt.IsZero() && (token.ExpiresAt.IsZero() || token.ExpiresAt.After(acting.ExpiresAt)) {
		return domain.Fail(domain.NotPermitted, "The new token would outlast the one you act with.").
			WithWayOut("Let it expire by %s, or sign in and make the token there.", acting.ExpiresAt.Format(time.RFC3339))
	}
	return nil
}
