// Package testpasskey is an authenticator for tests: it registers passkeys and signs as a phone or a
// security key does.
//
// What may enter: what a browser and an authenticator do together. What never happens here: a use by a
// program that is shipped.
package testpasskey

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/descope/virtualwebauthn"

	"countersign/domain"
)

// Authenticator holds one key for one domain.
type Authenticator struct {
	Device virtualwebauthn.Authenticator
	Key    virtualwebauthn.Credential
	Site   virtualwebauthn.RelyingParty

	publicKey []byte
}

// New returns an authenticator with a new key for the domain, used on pages of the origin.
func New(domainName, origin string) *Authenticator {
	key := newKey()
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		panic(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		panic(err)
	}
	return &Authenticator{Device: virtualwebauthn.NewAuthenticator(),
		Key:       virtualwebauthn.NewCredentialWithImportedKey(virtualwebauthn.KeyTypeEC2, private),
		Site:      virtualwebauthn.RelyingParty{ID: domainName, Name: "Countersign", Origin: origin},
		publicKey: public}
}

// newKey returns a key whose coordinates have no leading zero byte. virtualwebauthn leaves such bytes out, and a
// registration with fewer than 32 bytes is refused: one of 128 keys.
func newKey() *ecdsa.PrivateKey {
	for {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			panic(err) // crypto/rand never fails
		}
		point, err := key.PublicKey.Bytes() // 4, x, y
		if err != nil {
			panic(err)
		}
		if point[1] != 0 && point[33] != 0 {
			return key
		}
	}
}

// Passkey returns the passkey as its registration records it.
func (a *Authenticator) Passkey(name string) domain.Passkey {
	return domain.Passkey{Name: name, RelyingParty: a.Site.ID, CredentialID: a.Key.ID,
		PublicKey: a.publicKey, Algorithm: -7, AAGUID: a.Device.Aaguid[:]}
}

// Register answers the options of a registration (PublicKeyCredentialCreationOptionsJSON).
func (a *Authenticator) Register(options []byte) ([]byte, error) {
	parsed, err := virtualwebauthn.ParseAttestationOptions(string(options))
	if err != nil {
		return nil, fmt.Errorf("options of a registration: %w", err)
	}
	if a.Key.IsExcludedForAttestation(*parsed) {
		return nil, fmt.Errorf("the authenticator is registered already")
	}
	return []byte(virtualwebauthn.CreateAttestationResponse(a.Site, a.Device, a.Key, *parsed)), nil
}

// Response signs a challenge and returns the browser's AuthenticationResponseJSON. Each signature counts.
func (a *Authenticator) Response(challenge []byte) []byte {
	a.Key.Counter++
	return []byte(virtualwebauthn.CreateAssertionResponse(a.Site, a.Device, a.Key,
		virtualwebauthn.AssertionOptions{Challenge: challenge, RelyingPartyID: a.Site.ID}))
}

// Sign signs a challenge.
func (a *Authenticator) Sign(challenge []byte) domain.PasskeyAssertion {
	var response struct {
		RawID    string `json:"rawId"`
		Response struct {
			ClientDataJSON, AuthenticatorData, Signature string
		} `json:"response"`
	}
	if err := json.Unmarshal(a.Response(challenge), &response); err != nil {
		panic(err) // the library's own JSON
	}
	decode := func(text string) []byte {
		raw, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil {
			panic(err)
		}
		return raw
	}
	return domain.PasskeyAssertion{CredentialID: decode(response.RawID),
		ClientData:        decode(response.Response.ClientDataJSON),
		AuthenticatorData: decode(response.Response.AuthenticatorData),
		Signature:         decode(response.Response.Signature)}
}
