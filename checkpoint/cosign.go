package checkpoint

import (
	"strings"

	formats "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"

	"countersign/domain"
)

// cosign returns the line with which a witness confirms a note (cosignature/v1).
func cosign(opened *note.Note, signer *formats.Signer) (string, error) {
	both, err := note.Sign(&note.Note{Text: opened.Text}, signer)
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(string(both), opened.Text+"\n"), nil
}

// WitnessKey is the public key of a witness.
type WitnessKey struct{ verifier note.Verifier }

// ParseWitnessKey reads the public key of a witness (name+hash+key).
func ParseWitnessKey(text string) (WitnessKey, error) {
	verifier, err := formats.NewVerifierForCosignatureV1(strings.TrimSpace(text))
	if err != nil {
		return WitnessKey{}, domain.Invalid("COUNTERSIGN_WITNESS_KEY",
			"%.100q is not the public key of a witness.", text).
			WithRemedy("Enter the line that countersign audit witness prints.")
	}
	return WitnessKey{verifier}, nil
}

// confirms reports whether the witness has confirmed the note.
func (k WitnessKey) confirms(signed []byte) bool {
	opened, err := note.Open(signed, note.VerifierList(k.verifier))
	return err == nil && len(opened.Sigs) > 0
}
