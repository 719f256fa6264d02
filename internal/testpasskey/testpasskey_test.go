package testpasskey_test

import (
	"crypto/ecdsa"
	"crypto/x509"
	"testing"

	"countersign/internal/testpasskey"
)

// Every key can be registered: without its loop, one of 128 could not.
func TestKeysHaveWholeCoordinates(t *testing.T) {
	t.Parallel()
	for range 2000 {
		public, err := x509.ParsePKIXPublicKey(testpasskey.New("localhost", "http://localhost").Passkey("key").PublicKey)
		if err != nil {
			t.Fatal(err)
		}
		point, err := public.(*ecdsa.PublicKey).Bytes()
		if err != nil || point[1] == 0 || point[33] == 0 {
			t.Fatalf("%x, %v", point, err)
		}
	}
}
