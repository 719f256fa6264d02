// Command countersign is the tool of operators and integrators: it submits and follows documents,
// reviews from a terminal, repairs incidents, migrates the database, manages people and limits,
// verifies the log, reports inconsistencies, and runs the demo.
//
// What may enter: arguments, one call of the API or of the service layer per command, tables and
// sentences for a terminal. What never happens here: a rule, a permission, SQL. Commands of users
// call the server's API with the operations of the folder operations; only the operator's commands
// open the database, and they act as the system.
package main

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/alecthomas/kong"

	"countersign/domain"
	"countersign/internal/config"
	"countersign/reading/ocr"
)

// commands is the set of all commands.
type commands struct {
	JSON bool `name:"json" help:"Print JSON instead of tables."`

	Submit   submitCommand   `cmd:"" help:"Upload documents, and optionally follow them."`
	Watch    watchCommand    `cmd:"" help:"Follow a case until it waits for a person or is closed."`
	Resubmit resubmitCommand `cmd:"" help:"Resubmit a returned case."`
	Case     caseCommands    `cmd:"" help:"List and show cases."`
	Views    viewsCommand    `cmd:"" help:"List the saved views of cases and of the queue."`
	Copy     copyCommand     `cmd:"" name:"archive-copy" help:"Write the archive copy of a document: a PDF of its page images with searchable text."`
	Review   reviewCommands  `cmd:"" help:"Work on reviews."`
	Note     noteCommands    `cmd:"" help:"Read and write notes about cases, and watch cases."`
	Search   searchCommands  `cmd:"" help:"Search cases, and rebuild the search index."`
	Incident incidentCommand `cmd:"" help:"List and repair incidents."`
	Export   exportCommands  `cmd:"" help:"Export cases, the queue and audit trails as CSV or JSON lines."`

	Doctype doctypeCommands `cmd:"" help:"Manage document types: propose, publish as a second administrator, restore."`
	Process processCommands `cmd:"" help:"Manage process definitions: propose, publish as a second administrator, restore."`

	Rehearse rehearse `cmd:"" help:"Show what a process, a rule set or a policy would have done to past cases, without saving it."`

	Migrate   migrateCommand    `cmd:"" help:"Update the database schema and the built-in processes."`
	User      userCommands      `cmd:"" help:"Manage people."`
	Passkeys  passkeyCommands   `cmd:"" help:"List and remove passkeys."`
	Operator  operatorCommands  `cmd:"" help:"Manage the keys of operators, and approve what raises power after the setup."`
	Token     tokenCommands     `cmd:"" help:"Manage API tokens."`
	Limit     limitCommands     `cmd:"" help:"Manage approval limits."`
	Rate      rateCommands      `cmd:"" help:"Manage exchange rates."`
	Country   countryCommands   `cmd:"" help:"Manage country risks."`
	Mark      markCommands      `cmd:"" help:"Manage the amounts from which reviewers are drawn."`
	Proxy     proxyCommands     `cmd:"" help:"Manage the trusted proxies."`
	Connector connectorCommands `cmd:"" help:"Manage the receivers of events: propose, test, pause, resume, replay, retry and skip deliveries."`
	Quality   qualityCommands   `cmd:"" help:"Manage the quality sample."`
	Vendors   vendorCommands    `cmd:"" help:"Manage the memory of confirmed vendors."`
	Conflict  conflictCommands  `cmd:"" help:"Manage conflicts of interest."`
	Change    changeCommands    `cmd:"" help:"Confirm or withdraw proposed changes of country risks, exchange rates and conflicts."`
	Audit     auditCommands     `cmd:"" help:"Verify and export the event log."`
	Blobs     blobsCommands     `cmd:"" help:"Move the stored files between the folder and a bucket."`
	Doctor    doctorCommand     `cmd:"" help:"Compare database, queue and files, and list the differences."`
	Settings  settingsCommand   `cmd:"" help:"List the environment variables that configure Countersign."`
	Version   versionCommand    `cmd:"" help:"Print the version."`

	Demo    demoCommand    `cmd:"" help:"Run everything on this machine, with demo people and documents."`
	Samples samplesCommand `cmd:"" help:"Generate sample documents in a folder."`
}

func main() {
	ocr.Child()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], &console{out: os.Stdout, errs: os.Stderr,
		clock: domain.SystemClock{}})
	stop()
	os.Exit(code)
}

// run executes one command and returns the exit code.
func run(ctx context.Context, args []string, c *console) int {
	var all commands
	helped := false
	parser, err := kong.New(&all, kong.Name("countersign"), kong.Writers(c.out, c.errs),
		kong.Bind(c), kong.Exit(func(int) { helped = true }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Description("Document review: upload, read, check, decide, archive."))
	if err != nil {
		return c.printError(err)
	}
	if len(args) == 0 || args[0] == "help" { // help, help submit, help review claim
		args = append(slices.Clone(args[min(len(args), 1):]), "--help")
	}
	chosen, err := parser.Parse(args)
	if helped {
		return exitDone
	}
	if err != nil {
		return c.printUsage(err)
	}
	c.json = all.JSON
	if c.settings, err = config.Load(); err != nil {
		return c.printUsage(err)
	}
	return c.printError(chosen.Run())
}
