// Package places opens the places of checkpoints and the keys that the settings name, for the
// programs.
//
// What may enter: one branch per kind of place, and reading the files with keys. What never happens
// here: keeping or verifying a checkpoint.
package places

import (
	"context"
	"os"
	"path/filepath"

	"countersign/audit"
	"countersign/blob/s3"
	"countersign/checkpoint"
	"countersign/domain"
	"countersign/internal/config"
)

// Open opens all places of the settings.
func Open(ctx context.Context, settings config.Config) ([]checkpoint.Place, error) {
	var places []checkpoint.Place
	if path := settings.Audit.Dir; path != "" {
		folder, err := checkpoint.OpenFolder(path)
		if err != nil {
			return nil, err
		}
		places = append(places, folder)
	}
	if name := settings.Audit.Bucket; name != "" {
		bucket, err := s3.Open(ctx, s3.Settings{Endpoint: settings.S3.Endpoint, Region: settings.S3.Region,
			Bucket: name, Prefix: settings.S3.Prefix, AccessKey: settings.S3.AccessKey,
			SecretKey: settings.S3.SecretKey, LockDays: settings.Audit.LockDays,
			TempDir: settings.Storage.TempDir})
		if err != nil {
			return nil, err
		}
		places = append(places, checkpoint.NewBucket(bucket))
	}
	if address := settings.Audit.WitnessURL; address != "" {
		witness, err := checkpoint.NewWitnessClient(address, settings.Audit.Witness)
		if err != nil {
			return nil, err
		}
		places = append(places, witness)
	}
	return places, nil
}

// Keys reads the public keys; without a file it returns none.
func Keys(settings config.Audit) (audit.Keys, error) {
	if settings.TrustFile == "" {
		return audit.Keys{}, nil
	}
	text, err := os.ReadFile(filepath.Clean(settings.TrustFile))
	if err != nil {
		return audit.Keys{}, unreadable("COUNTERSIGN_CHECKPOINT_TRUST", settings.TrustFile, err)
	}
	keys, err := audit.ParseKeys(string(text))
	if err != nil {
		return audit.Keys{}, unreadable("COUNTERSIGN_CHECKPOINT_TRUST", settings.TrustFile, err)
	}
	return keys, nil
}

// Signer reads the private key; the file must be set.
func Signer(settings config.Audit) (audit.Signer, error) {
	text, err := os.ReadFile(filepath.Clean(settings.SignerFile))
	if err != nil {
		return audit.Signer{}, unreadable("COUNTERSIGN_CHECKPOINT_SIGNER", settings.SignerFile, err)
	}
	signer, err := audit.ParseSigner(string(text))
	if err != nil {
		return audit.Signer{}, unreadable("COUNTERSIGN_CHECKPOINT_SIGNER", settings.SignerFile, err)
	}
	return signer, nil
}

func unreadable(setting, path string, cause error) error {
	return domain.Invalid(setting, "The keys in %s cannot be read: %v.", path, cause).
		WithRemedy("Make a key with countersign audit keygen, and set %s to its file.", setting)
}
