package main

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"countersign/domain"
	"countersign/internal/config"
	"countersign/web"
)

const peopleTable = `E-MAIL               NAME       ROLE                    QUEUES  PASSWORD    API TOKEN
submitter1@demo.test  Sara_Lind  submitter               -       blue-fox-1  cs_one
both@demo.test        Bo         manager, administrator  L1,L2   red-owl-2   cs_two
`

func TestTheDemoOffersItsPeople(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "people.txt")
	if err := os.WriteFile(file, []byte(peopleTable), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := config.Config{Environment: config.Demo}
	settings.HTTP.DemoPeople = file
	read, err := demoPeople(settings)
	if err != nil {
		t.Fatal(err)
	}
	got, err := read()
	want := []web.DemoPerson{{Email: "submitter1@demo.test", Name: "Sara Lind",
		Roles: []domain.Role{domain.RoleSubmitter}, Password: "blue-fox-1"},
		{Email: "both@demo.test", Name: "Bo", Roles: []domain.Role{domain.RoleManager,
			domain.RoleAdmin}, Password: "red-owl-2"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("people %+v %v", got, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := read(); !domain.HasCode(err, domain.Unavailable) {
		t.Errorf("without its file: %v", err)
	}
}

func TestPasswordsAreOfferedInTheDemoOnly(t *testing.T) {
	t.Parallel()
	for _, environment := range []config.Environment{config.Production, config.Development} {
		settings := config.Config{Environment: environment}
		settings.HTTP.DemoPeople = "people.txt"
		if read, err := demoPeople(settings); read != nil ||
			!domain.HasCode(err, domain.InvalidInput) {
			t.Errorf("%s: %v", environment, err)
		}
	}
	if read, err := demoPeople(config.Config{Environment: config.Production}); read != nil ||
		err != nil {
		t.Errorf("where none is named: %v", err)
	}
}
