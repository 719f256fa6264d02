// Command countersign is the tool of operators and integrators: it submits and follows documents,
// reviews from a terminal, repairs incidents, migrates, keeps people and limits, proves the log,
// names what does not fit together, and runs the demo.
//
// What may enter: arguments, one call of the API or of the service layer a command, tables and
// sentences for a terminal. What never happens here: a rule, a permission, SQL. Commands of people
// go through the server's API like everyone else's; only an operator's own commands open the
// database, and they act as the system.
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

// commands is everything that can be typed.
type commands struct {
	JSON bool `name:"json" help:"Print JSON for programs instead of tables for people."`

	Submit   submitCommand   `cmd:"" help:"Upload documents, and follow them if wanted."`
	Watch    watchCommand    `cmd:"" help:"Follow a case until a person or an end is reached."`
	Resubmit resubmitCommand `cmd:"" help:"Answer a return: bring a case back into the process."`
	Case     caseCommands    `cmd:"" help:"List and show cases."`
	Review   reviewCommands  `cmd:"" help:"Work on reviews."`
	Incident incidentCommand `cmd:"" help:"Repair what failed."`

	Process processCommands `cmd:"" help:"Keep process definitions: propose, publish by a second person, restore."`

	Migrate  migrateCommand   `cmd:"" help:"Bring the database's schema and the built-in processes up to date."`
	User     userCommands     `cmd:"" help:"Keep people."`
	Token    tokenCommands    `cmd:"" help:"Keep API tokens."`
	Limit    limitCommands    `cmd:"" help:"Keep approval limits."`
	Rate     rateCommands     `cmd:"" help:"Keep exchange rates."`
	Country  countryCommands  `cmd:"" help:"Keep which countries carry a risk."`
	Conflict conflictCommands `cmd:"" help:"Keep conflicts of interest."`
	Audit    auditCommands    `cmd:"" help:"Prove and export the event log."`
	Doctor   doctorCommand    `cmd:"" help:"Compare rows, queue and files, and name each difference."`
	Settings settingsCommand  `cmd:"" help:"List every setting of the environment."`
	Version  versionCommand   `cmd:"" help:"Print the version."`

	Demo    demoCommand    `cmd:"" help:"Run everything on this machine, with made-up people and documents."`
	Samples samplesCommand `cmd:"" help:"Draw sample documents into a folder."`
}

func main() {
	ocr.Child()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], &console{out: os.Stdout, errs: os.Stderr,
		clock: domain.SystemClock{}})
	stop()
	os.Exit(code)
}

// run does one command and returns the exit code.
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
