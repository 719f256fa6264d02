package main

import (
	"os"
	"regexp"
	"strings"

	"countersign/domain"
	"countersign/internal/config"
	"countersign/web"
)

// demoPeople reads whom the sign-in page offers from the file that the demo has written: one person
// a line, with e-mail, name (blanks as underscores), roles, queues and password. nil outside the
// demo, where naming such a file is refused.
func demoPeople(settings config.Config) (func() ([]web.DemoPerson, error), error) {
	path := settings.HTTP.DemoPeople
	switch {
	case path == "":
		return nil, nil
	case settings.Environment != config.Demo:
		return nil, domain.Invalid("COUNTERSIGN_DEMO_PEOPLE",
			"The sign-in page offers passwords in the demo only.").
			WithRemedy("Unset COUNTERSIGN_DEMO_PEOPLE.")
	}
	return func() ([]web.DemoPerson, error) {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, domain.Errorf(domain.Unavailable,
				"The demo's people cannot be read at the moment.").WithCause(err)
		}
		return parsePeople(string(text)), nil
	}, nil
}

// columnSeparator separates the cells of the demo's table.
var columnSeparator = regexp.MustCompile(` {2,}`)

// parsePeople reads the lines after the heading.
func parsePeople(text string) []web.DemoPerson {
	var people []web.DemoPerson
	for line := range strings.Lines(text) {
		words := columnSeparator.Split(strings.TrimSpace(line), -1)
		if len(words) < 5 || !strings.Contains(words[0], "@") {
			continue
		}
		person := web.DemoPerson{Email: words[0], Name: strings.ReplaceAll(words[1], "_", " "),
			Password: words[4]}
		for role := range strings.SplitSeq(words[2], ", ") {
			person.Roles = append(person.Roles, domain.Role(role))
		}
		people = append(people, person)
	}
	return people
}
