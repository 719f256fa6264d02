package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"countersign/audit"
	"countersign/checkpoint"
	"countersign/checkpoint/places"
	"countersign/domain"
	"countersign/views"
)

// auditCommands verify and export the log.
type auditCommands struct {
	Verify auditVerify `cmd:"" default:"withargs" help:"Verify every hash chain, and report the first altered event of each broken one."`
	Export auditExport `cmd:"" help:"Export the log to a file that can be verified without the database."`
	Pack   auditPack   `cmd:"" help:"Write the evidence pack of one case: document, page images, events, decisions, proofs, and a page to read."`
	Keygen auditKeygen `cmd:"" help:"Make a key that signs checkpoints of the audit log, or the key of a witness."`

	Witness auditWitness `cmd:"" help:"Run a witness: a program that keeps and confirms the checkpoints of the installation of another organization."`
}

// auditVerify verifies the hash chains.
type auditVerify struct {
	File        string   `type:"existingfile" help:"Verify an export instead of the database."`
	Pack        string   `type:"existingfile" help:"Verify the evidence pack of a case instead of the database."`
	Case        string   `help:"Verify only the case with this reference."`
	Trust       string   `type:"existingfile" help:"File with the public keys of the log; without it the one of COUNTERSIGN_CHECKPOINT_TRUST."`
	Checkpoints []string `type:"existingdir" help:"Folder of checkpoints that were kept outside of the database, to compare with. May be repeated."`
}

// Validate refuses a case together with a file, of which every stream is verified. Kong calls it.
func (v *auditVerify) Validate() error {
	if v.File+v.Pack != "" && v.Case != "" || v.File != "" && v.Pack != "" {
		return domain.Invalid("case", "The options --file, --pack and --case cannot be used together.")
	}
	return nil
}

// Run verifies.
func (v *auditVerify) Run(ctx context.Context, c *console) error {
	if v.Pack != "" {
		return v.verifyPack(ctx, c)
	}
	if v.File != "" {
		return v.offline(ctx, c)
	}
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	only := domain.NoID
	if v.Case != "" {
		found, err := o.db.Reader().CaseByReference(ctx, strings.ToUpper(v.Case))
		if domain.HasCode(err, domain.NotFound) {
			return caseNotFound(v.Case)
		}
		if err != nil {
			return err
		}
		only = found.ID
	}
	trust, err := v.trust(ctx, c)
	if err != nil {
		return err
	}
	read := views.New(o.db.Reader(), o.service.Authorizer)
	read.TrustLog(trust)
	verdict, err := read.Verify(ctx, only)
	if err != nil {
		return err
	}
	result := verificationResult{Streams: verdict.Streams, Cases: verdict.Cases,
		Events: verdict.Events, Erased: verdict.Erased, Unrecorded: verdict.Unrecorded,
		Broken: []brokenStream{}}
	if verdict.Log != nil {
		result.Log = newVerifiedLog(verdict.Log.LogReport, verdict.Log.Verified)
		result.Log.Away = verdict.Log.Away
		result.Log.OpenEvents, result.Log.OpenAccesses = verdict.Log.OpenEvents,
			verdict.Log.OpenAccesses
	}
	for _, problem := range verdict.Problems {
		result.Broken = append(result.Broken, brokenStream{problem.Reference, problem.Seq,
			problem.Message})
	}
	return result.printTo(c)
}

// trust returns the keys and the places that the options or the settings name.
func (v *auditVerify) trust(ctx context.Context, c *console) (views.LogTrust, error) {
	settings := c.settings
	if v.Trust != "" {
		settings.Audit.TrustFile = v.Trust
	}
	var trust views.LogTrust
	var err error
	if trust.Keys, err = places.Keys(settings.Audit); err != nil {
		return trust, err
	}
	if v.File == "" && v.Pack == "" {
		kept, err := places.Open(ctx, settings)
		if err != nil {
			return trust, err
		}
		for _, place := range kept {
			trust.Places = append(trust.Places, place)
		}
	}
	for _, path := range v.Checkpoints {
		folder, err := checkpoint.OpenFolder(path)
		if err != nil {
			return trust, err
		}
		trust.Places = append(trust.Places, givenFolder{folder, path})
	}
	if len(v.Checkpoints) > 0 && trust.Keys.Origin() == "" {
		return trust, domain.Invalid("checkpoints",
			"Checkpoints can be compared only with the public key of the log.").
			WithRemedy("Name the file with the key by --trust.")
	}
	return trust, nil
}

// givenFolder is a folder of checkpoints from the command line, perhaps a copy of an earlier time.
type givenFolder struct {
	*checkpoint.Folder
	path string
}

// Name returns the path.
func (g givenFolder) Name() string { return g.path }

func countText(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// exportCheck returns the keys and the external checkpoints with which a file is verified.
func (v *auditVerify) exportCheck(ctx context.Context, c *console) (audit.ExportCheck, error) {
	trust, err := v.trust(ctx, c)
	if err != nil {
		return audit.ExportCheck{}, err
	}
	check := audit.ExportCheck{Keys: trust.Keys}
	for _, place := range trust.Places {
		notes, err := place.Notes(ctx)
		if err != nil {
			return check, err
		}
		check.External = append(check.External, notes...)
	}
	return check, nil
}

func (v *auditVerify) offline(ctx context.Context, c *console) error {
	check, err := v.exportCheck(ctx, c)
	if err != nil {
		return err
	}
	file, err := os.Open(filepath.Clean(v.File))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	report, err := audit.VerifyExport(file, check)
	if err != nil {
		return err
	}
	result := verificationResult{Streams: report.Streams, Cases: report.Cases,
		Events: report.Events, Erased: report.Erased, Signatures: report.Signatures,
		Unrecorded: report.Unrecorded, Broken: []brokenStream{},
		Log: newVerifiedLog(report.Log, report.Signed)}
	for _, erased := range report.ErasedBodies {
		result.ErasedBodies = append(result.ErasedBodies, fmt.Sprintf("event %d (%s) of %s", erased.Seq,
			erased.Type, erased.Stream))
	}
	for _, found := range report.Breaks {
		name := "the log"
		if found.Stream != domain.NoID {
			name = found.Stream.String()
		}
		result.Broken = append(result.Broken, brokenStream{name, found.Seq, found.Message})
	}
	return result.printTo(c)
}
