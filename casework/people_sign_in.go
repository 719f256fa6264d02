package casework

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"countersign/domain"
	"countersign/store"
)

// independencePeriod is how long people who made or reset an account and that account cannot confirm
// for each other.
const independencePeriod = 24 * time.Hour

// signInLinkLifetime is how long a link to choose a password is valid.
const signInLinkLifetime = 72 * time.Hour

// SignInLink is the secret of a one-time link by which a person chooses their password. It is shown
// once.
type SignInLink struct {
	Secret    string
	ExpiresAt time.Time
}

// SignInLinkSender sends the link to the person whose it is.
type SignInLinkSender interface {
	SendSignInLink(ctx context.Context, person domain.User, secret string, expires time.Time) error
}

// sendAttempts is how often a link is sent before the e-mail counts as failed.
const sendAttempts = 2

// sendLink sends the link of a confirmed change, so that the person who confirmed does not see it.
// Without a mail server it stays in the result. A link that could not be sent is never shown, because
// the person who confirms could be the one who keeps the mail server away.
func (svc *Service) sendLink(ctx context.Context, result *ControlResult) {
	if result.Link == nil || svc.ports.SignInLinks == nil {
		return
	}
	link := *result.Link
	result.Link, result.LinkFailed = nil, true
	id, err := domain.ParseID(result.Key)
	if err != nil {
		return
	}
	person, err := svc.db.Reader().User(ctx, id)
	for range sendAttempts {
		if err == nil {
			err = svc.ports.SignInLinks.SendSignInLink(ctx, person, link.Secret, link.ExpiresAt)
		}
		if err == nil {
			result.LinkSentTo, result.LinkFailed = person.Email, false
			return
		}
	}
	svc.log.WarnContext(ctx, "sign-in link not sent", "user", id, "error", err)
}

// ResetSignIn asks to give a person a new way to sign in.
type ResetSignIn struct {
	Once     Once
	PersonID domain.ID
	Reason   string
}

// ResetSignIn proposes a link by which a person chooses another password. Another administrator must
// confirm it. The present password stays valid until the link is used.
func (svc *Service) ResetSignIn(ctx context.Context, actor domain.Actor, in ResetSignIn) (ControlResult,
	error) {
	const operation = "resetSignIn"
	if err := svc.beginControlChange(ctx, actor, operation, domain.ActManagePeople); err != nil {
		return ControlResult{}, err
	}
	reason, err := checkControlChanges("personId", []string{in.PersonID.String()}, in.Reason)
	if err != nil {
		return ControlResult{}, err
	}
	spec := permissionCommand{operation, domain.PeopleStream, domain.ActManagePeople, in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec, func(p *permissionChange) (ControlResult, error) {
		user, err := p.tx.User(p.ctx, in.PersonID)
		if err != nil {
			return ControlResult{}, err
		}
		if user.ID == domain.SystemUserID {
			return ControlResult{}, domain.Invalid("personId", "The system does not sign in.")
		}
		if svc.settings.PasswordsOff && user.EmployeeID == "" {
			return ControlResult{}, domain.Errorf(domain.StateMismatch,
				"Without passwords, a person without an employee id could not sign in.").
				WithRemedy("Set the person's employee id first.")
		}
		return p.proposeControl(domain.ControlSignIn, user.ID.String(), reason,
			domain.ControlDocument{Name: user.Name, Person: user.ID})
	})
}

func (p *permissionChange) applySignIn(proposal domain.Proposal, _ domain.ControlDocument) error {
	id, err := domain.ParseID(proposal.Key)
	if err != nil {
		return domain.Errorf(domain.Internal, "The person of the proposal cannot be read.").WithCause(err)
	}
	return p.renewSignIn(proposal, id)
}

// renewSignIn makes a link for the person, and records who is behind it. The link is in the result of
// the command, for the person who confirmed.
//
// Without passwords there is no link: the present ways to sign in end immediately, and the person
// signs in through a provider.
func (p *permissionChange) renewSignIn(proposal domain.Proposal, person domain.ID) error {
	if p.svc.settings.PasswordsOff {
		if err := p.endSignIn(person); err != nil {
			return err
		}
		return p.tx.VouchForUser(p.ctx, person, proposal.ProposedBy, p.actor.UserID)
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // it never fails
	text := base64.RawURLEncoding.EncodeToString(secret)
	expires, err := p.tx.AddSignInLink(p.ctx, store.SignInLink{TokenHash: linkHash(text), User: person,
		Proposal: proposal.ID, Lifetime: signInLinkLifetime})
	if err != nil {
		return err
	}
	p.link = &SignInLink{text, expires.UTC()}
	return p.tx.VouchForUser(p.ctx, person, proposal.ProposedBy, p.actor.UserID)
}

// endSignIn ends the passkeys, the identities at providers and the sessions of a person who gets a new
// way to sign in.
func (p *permissionChange) endSignIn(person domain.ID) error {
	if err := p.removeAllPasskeys(person); err != nil {
		return err
	}
	if err := p.unlinkIdentities(person); err != nil {
		return err
	}
	_, err := p.tx.EndSessionsOf(p.ctx, person)
	return err
}

func linkHash(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// ChoosePassword sets the password of the person whose link it is, removes their passkeys and ends their
// sessions. It needs no session. NotFound for a link that is unknown, used or expired.
func (svc *Service) ChoosePassword(ctx context.Context, secret, passwordHash string) error {
	if svc.settings.PasswordsOff {
		return domain.Errorf(domain.NotPermitted, "No one signs in by password here.").
			WithRemedy("Sign in through your provider or with a passkey.")
	}
	person, err := svc.db.Reader().SignInLinkUser(ctx, linkHash(secret))
	if domain.HasCode(err, domain.NotFound) {
		return unknownLink()
	}
	if err != nil {
		return err
	}
	spec := permissionCommand{operation: "choosePassword", stream: domain.PeopleStream}
	actor := domain.Actor{UserID: person, Channel: domain.ChannelWeb}
	_, err = runPermissionChange(ctx, svc, actor, spec, func(p *permissionChange) (bool, error) {
		err := p.tx.UseSignInLink(p.ctx, linkHash(secret))
		if domain.HasCode(err, domain.NotFound) {
			return false, unknownLink()
		}
		if err != nil {
			return false, err
		}
		user, err := p.tx.User(p.ctx, person)
		if err != nil {
			return false, err
		}
		if err := p.endSignIn(person); err != nil {
			return false, err
		}
		return true, p.writeUser(user, user, passwordHash, false)
	})
	return err
}

func unknownLink() error {
	return domain.Errorf(domain.NotFound, "This link is not valid: it was used, or it has expired.").
		WithRemedy("Ask an administrator for a new one.")
}
