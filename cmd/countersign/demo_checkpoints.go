package main

import (
	"crypto/rand"
	"os"
	"path/filepath"

	"countersign/audit"
	"countersign/domain"
	"countersign/internal/devservices"
)

// checkpointsFolder is the demo's folder of keys and checkpoints, outside of its database.
const checkpointsFolder = "checkpoints"

// witness is the demo's witness of checkpoints. In an installation it runs at another organization.
type witness struct {
	address string
	keys    string // file with its private key
	log     string // file with the keys of the log
	public  string // its public key
}

// prepareCheckpoints makes the keys of the log and of the witness if there are none.
func (d *demo) prepareCheckpoints() error {
	folder := filepath.Join(d.folder, checkpointsFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	d.witness.log = filepath.Join(folder, "log.key")
	d.witness.keys = filepath.Join(folder, "witness.key")
	// Another database needs another log, so the name is new with each key.
	suffix := domain.NewID().String()[24:]
	if _, err := keyIn(d.witness.log, "demo.countersign/"+suffix); err != nil {
		return err
	}
	var err error
	if d.witness.public, err = keyIn(d.witness.keys, "witness.demo.countersign"); err != nil {
		return err
	}
	free, err := devservices.FreeAddress()
	d.witness.address = free.String()
	return err
}

// keyIn returns the public key of a file, which it makes if it is missing.
func keyIn(path, name string) (public string, err error) {
	text, err := os.ReadFile(path + ".pub")
	if err == nil {
		return firstLine(string(text)), nil
	}
	private, public, err := audit.NewSigningKey(rand.Reader, name)
	if err != nil {
		return "", err
	}
	if err := writeSecret(path, private+"\n"+public+"\n"); err != nil {
		return "", err
	}
	return public, os.WriteFile(path+".pub", []byte(public+"\n"), 0o644)
}

// checkpointSettings are the settings with which the programs and the tool use the checkpoints. Only
// the worker gets the private key.
func (d *demo) checkpointSettings() [][2]string {
	return [][2]string{{"COUNTERSIGN_CHECKPOINT_TRUST", d.witness.log + ".pub"},
		{"COUNTERSIGN_CHECKPOINT_DIR", filepath.Join(d.folder, checkpointsFolder, "kept")},
		{"COUNTERSIGN_WITNESS_URL", "http://" + d.witness.address},
		{"COUNTERSIGN_WITNESS_TRUST", d.witness.public}}
}

// witnessProgram is the child process of the witness.
func (d *demo) witnessProgram(child func(name, ready string) *program) *program {
	p := child("witness", d.witness.address)
	p.path, _ = os.Executable()
	p.readyURL = "http://" + d.witness.address + "/readyz"
	p.arguments = []string{"audit", "witness", "--listen", d.witness.address, "--key", d.witness.keys,
		"--log", d.witness.log + ".pub", "--folder", filepath.Join(d.folder, checkpointsFolder, "witness")}
	return p
}
