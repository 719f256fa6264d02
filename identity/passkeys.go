package identity

import (
	"context"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"slices"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
	"github.com/go-webauthn/webauthn/webauthn"

	"countersign/audit"
	"countersign/domain"
	"countersign/store"
)

// RelyingPartyOf returns the domain of the address that people type, for which authenticators make keys.
// They accept domains by HTTPS and localhost, not IP addresses: the loopback address becomes localhost,
// and with another one passkeys are off, which is "".
func RelyingPartyOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	host := parsed.Hostname()
	if ip := net.ParseIP(host); ip != nil {
		if !ip.IsLoopback() {
			return ""
		}
		return "localhost"
	}
	if parsed.Scheme != "https" && host != "localhost" {
		return ""
	}
	return host
}

// challengeLifetime is how long an authenticator has to sign.
const challengeLifetime = 5 * time.Minute

// The purposes of challenges.
const (
	purposeSignIn   = "sign_in"
	purposeConfirm  = "confirm"
	purposeRegister = "register"
)

// maxExcluded bounds the credentials that a registration excludes.
const maxExcluded = 500

// RelyingParty returns the domain for which passkeys are made, "" if they are off.
func (g *Authenticator) RelyingParty() string { return g.settings.RelyingParty }

func (g *Authenticator) requirePasskeys() error {
	if g.settings.RelyingParty != "" {
		return nil
	}
	return domain.Errorf(domain.StateMismatch,
		"Passkeys need a domain name and HTTPS: they do not work for an IP address.").
		WithRemedy("Ask the operator to set COUNTERSIGN_PUBLIC_URL to an https address with a name.")
}

// BeginRegistration returns the options with which the browser asks an authenticator for a new key, as
// JSON (PublicKeyCredentialCreationOptionsJSON).
func (g *Authenticator) BeginRegistration(ctx context.Context, actor domain.Actor,
	proof RegisteringProof) (json.RawMessage, error) {
	if err := g.requirePasskeys(); err != nil {
		return nil, err
	}
	proved, err := g.checkRegistering(ctx, actor, proof)
	if err != nil {
		return nil, err
	}
	user, err := g.db.Reader().User(ctx, actor.UserID)
	if err != nil {
		return nil, err
	}
	known, err := g.db.Reader().ActiveCredentials(ctx, maxExcluded)
	if err != nil {
		return nil, err
	}
	excluded := make([]protocol.CredentialDescriptor, len(known))
	for i, id := range known {
		excluded[i] = protocol.CredentialDescriptor{Type: protocol.PublicKeyCredentialType,
			CredentialID: id}
	}
	relying, err := g.relyingParty("https://" + g.settings.RelyingParty)
	if err != nil {
		return nil, err
	}
	options, session, err := relying.BeginRegistration(registrant{user},
		webauthn.WithExclusions(excluded), webauthn.WithCredentialParameters(signatureAlgorithms),
		webauthn.WithConveyancePreference(protocol.PreferNoAttestation),
		webauthn.WithAuthenticatorSelection(protocol.AuthenticatorSelection{
			ResidentKey:        protocol.ResidentKeyRequirementRequired,
			RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification:   protocol.VerificationRequired}))
	if err != nil {
		return nil, fmt.Errorf("identity: begin registration: %w", err)
	}
	data, err := json.Marshal(registration{*session, proved})
	if err != nil {
		return nil, fmt.Errorf("identity: begin registration: %w", err)
	}
	if err := g.addChallenge(ctx, session.Challenge, purposeRegister, user.ID, data); err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(options.Response)
	if err != nil {
		return nil, fmt.Errorf("identity: begin registration: %w", err)
	}
	return encoded, nil
}

// registration is a registration in progress, as its challenge keeps it.
type registration struct {
	Session webauthn.SessionData `json:"session"`
	Proof   domain.PasskeyProof  `json:"proof"`
}

// FinishRegistration verifies the authenticator's answer (RegistrationResponseJSON) and returns the new
// passkey, without id and name.
func (g *Authenticator) FinishRegistration(ctx context.Context, actor domain.Actor,
	response []byte) (domain.Passkey, error) {
	if err := g.requirePasskeys(); err != nil {
		return domain.Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(response)
	if err != nil {
		return domain.Passkey{}, badRegistration(err)
	}
	data, err := g.takeChallenge(ctx, parsed.Response.CollectedClientData.Challenge, purposeRegister,
		actor.UserID)
	if err != nil {
		return domain.Passkey{}, err
	}
	var begun registration
	if err := json.Unmarshal(data, &begun); err != nil {
		return domain.Passkey{}, fmt.Errorf("identity: finish registration: %w", err)
	}
	origin := parsed.Response.CollectedClientData.Origin
	if !audit.IsOriginOf(origin, g.settings.RelyingParty) {
		return domain.Passkey{}, badRegistration(fmt.Errorf("it was made for the address %q", origin))
	}
	relying, err := g.relyingParty(origin)
	if err != nil {
		return domain.Passkey{}, err
	}
	created, err := relying.CreateCredential(registrant{domain.User{ID: actor.UserID}}, begun.Session, parsed)
	if err != nil {
		return domain.Passkey{}, badRegistration(err)
	}
	key, algorithm, err := publicKeyOf(created.PublicKey)
	if err != nil {
		return domain.Passkey{}, badRegistration(err)
	}
	return domain.Passkey{UserID: actor.UserID, RelyingParty: g.settings.RelyingParty,
		CredentialID: created.ID, PublicKey: key, Algorithm: algorithm,
		AAGUID: created.Authenticator.AAGUID, SignCount: created.Authenticator.SignCount,
		Synced: created.Flags.BackupEligible, Proof: begun.Proof}, nil
}

func badRegistration(cause error) *domain.Error {
	return domain.Errorf(domain.SignatureInvalid, "The authenticator's answer is not valid.").
		WithRemedy("Try again, or use another authenticator.").WithCause(cause)
}

// signatureAlgorithms are those that the standard library verifies.
var signatureAlgorithms = []protocol.CredentialParameter{
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgES256},
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgEdDSA},
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgRS256},
}

// publicKeyOf converts a COSE key into the form that the standard library reads.
func publicKeyOf(cose []byte) (der []byte, algorithm int, err error) {
	parsed, err := webauthncose.ParsePublicKey(cose)
	if err != nil {
		return nil, 0, err
	}
	var key any
	switch k := parsed.(type) {
	case webauthncose.EC2PublicKeyData:
		algorithm = int(k.Algorithm)
		key, err = k.ToECDSA()
	case webauthncose.OKPPublicKeyData:
		algorithm, key = int(k.Algorithm), ed25519.PublicKey(k.XCoord)
	case webauthncose.RSAPublicKeyData:
		algorithm = int(k.Algorithm)
		key = &rsa.PublicKey{N: new(big.Int).SetBytes(k.Modulus),
			E: int(new(big.Int).SetBytes(k.Exponent).Int64())}
	}
	if err != nil {
		return nil, 0, err
	}
	if !slices.ContainsFunc(signatureAlgorithms, func(p protocol.CredentialParameter) bool {
		return int(p.Algorithm) == algorithm
	}) {
		return nil, 0, fmt.Errorf("the algorithm %d of the key is not supported", algorithm)
	}
	der, err = x509.MarshalPKIXPublicKey(key)
	return der, algorithm, err
}

// relyingParty returns the library's view of this installation, for a page of it.
func (g *Authenticator) relyingParty(origin string) (*webauthn.WebAuthn, error) {
	relying, err := webauthn.New(&webauthn.Config{RPID: g.settings.RelyingParty,
		RPDisplayName: "Countersign", RPOrigins: []string{origin}})
	if err != nil {
		return nil, fmt.Errorf("identity: relying party: %w", err)
	}
	return relying, nil
}

// registrant is a person as the library registers them. Its id is stored in the authenticator, so it
// contains no name.
type registrant struct{ user domain.User }

// WebAuthnID implements webauthn.User.
func (r registrant) WebAuthnID() []byte { return r.user.ID[:] }

// WebAuthnName implements webauthn.User.
func (r registrant) WebAuthnName() string { return r.user.Email }

// WebAuthnDisplayName implements webauthn.User.
func (r registrant) WebAuthnDisplayName() string { return r.user.Name }

// WebAuthnCredentials implements webauthn.User.
func (r registrant) WebAuthnCredentials() []webauthn.Credential { return nil }

func (g *Authenticator) addChallenge(ctx context.Context, challenge, purpose string, user domain.ID,
	data []byte) error {
	return g.db.InTx(ctx, func(tx *store.Tx) error {
		return tx.AddChallenge(ctx, store.PasskeyChallenge{Challenge: challenge, Purpose: purpose,
			User: user, Data: data}, challengeLifetime)
	})
}

// takeChallenge ends a challenge and returns its data; SignatureInvalid if it does not exist.
func (g *Authenticator) takeChallenge(ctx context.Context, challenge, purpose string, user domain.ID) (
	data []byte, err error) {
	if domain.CheckText("challenge", challenge) != nil {
		challenge = ""
	}
	err = g.db.InTx(ctx, func(tx *store.Tx) error {
		data, err = tx.TakeChallenge(ctx, challenge, purpose, user)
		return err
	})
	if domain.HasCode(err, domain.NotFound) {
		return nil, domain.Errorf(domain.SignatureInvalid,
			"This request to the authenticator was used already, or has expired.").
			WithRemedy("Try again.")
	}
	return data, err
}

// challengeOf returns the challenge that the browser says was signed.
func challengeOf(signed domain.PasskeyAssertion) (text string, raw []byte) {
	var client struct {
		Challenge string `json:"challenge"`
	}
	if json.Unmarshal(signed.ClientData, &client) != nil {
		return "", nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(client.Challenge)
	if err != nil {
		return "", nil
	}
	return client.Challenge, raw
}
