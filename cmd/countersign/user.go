package main

import (
	"bufio"
	"context"
	"os"
	"slices"
	"strings"

	"countersign/casework"
	"countersign/domain"
	"countersign/identity"
)

// userCommands manage people.
type userCommands struct {
	Add     userAdd     `cmd:"" help:"Add a person. The password is read from standard input, or generated and shown once."`
	List    userList    `cmd:"" default:"1" help:"List everyone with roles and queues."`
	Set     userSet     `cmd:"" help:"Change the roles, queues and employee id of a person."`
	Disable userDisable `cmd:"" help:"Disable an account. Open sessions end."`
	Enable  userEnable  `cmd:"" help:"Enable a disabled account."`
}

// roleFlags are the flags for roles and queues of a person.
type roleFlags struct {
	Role  []string `help:"Roles, separated by commas: submitter, reviewer_l1, reviewer_senior, reviewer_l2, reviewer_aml, manager, auditor, administrator, external_worker."`
	Queue []string `help:"Queues, separated by commas, such as L1,L2."`
}

func (p roleFlags) roles() []domain.Role {
	var roles []domain.Role
	for _, name := range p.Role {
		roles = append(roles, domain.Role(name))
	}
	return roles
}

// userAdd adds a person.
type userAdd struct {
	Email         string `arg:"" help:"E-mail address to sign in with."`
	Name          string `required:"" help:"Full name."`
	Locale        string `default:"en" enum:"en,zh" help:"Language: en or zh."`
	EmployeeID    string `help:"Id by which the person signs in through a provider."`
	PasswordStdin bool   `help:"Read the password from standard input."`
	roleFlags
}

// Run adds the person.
func (u *userAdd) Run(ctx context.Context, c *console) error {
	password, err := u.password()
	if err != nil {
		return err
	}
	hash, err := identity.HashPassword(password)
	if err != nil {
		return err
	}
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	id, err := o.service.PutUser(ctx, domain.SystemActor(), casework.PutUser{PasswordHash: hash,
		EmployeeID: &u.EmployeeID,
		User: domain.User{Email: u.Email, Name: u.Name, Locale: u.Locale, Roles: u.roles(),
			Queues: u.Queue}})
	if err != nil {
		return err
	}
	shown := map[string]any{"id": id, "email": u.Email}
	if !u.PasswordStdin {
		shown["password"] = password
	}
	if c.json {
		return c.printJSON(shown)
	}
	c.printLine("%s  %s", id, u.Email)
	if !u.PasswordStdin {
		c.printLine("password, shown only once: %s", password)
	}
	return nil
}

func (u *userAdd) password() (string, error) {
	if !u.PasswordStdin {
		return randomPassword(), nil
	}
	lines := bufio.NewScanner(os.Stdin)
	if !lines.Scan() {
		return "", domain.Invalid("password", "Standard input contains no password.")
	}
	return lines.Text(), nil
}

// randomPassword generates a password.
func randomPassword() string {
	secret, _ := identity.NewToken()
	return secret[len(secret)-20:]
}

// userList lists all users.
type userList struct{}

// Run prints the list.
func (userList) Run(ctx context.Context, c *console) error {
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	users, err := o.db.Reader().Users(ctx, nil)
	if err != nil {
		return err
	}
	rows, list := [][]string{}, []userRow{}
	for _, user := range users {
		list = append(list, newUserRow(user))
		state := "active"
		if user.Disabled {
			state = "disabled"
		}
		rows = append(rows, []string{user.Email, user.Name, orDash(joinRoles(user.Roles)),
			orDash(strings.Join(user.Queues, ", ")), state})
	}
	return c.printTable(list, []string{"E-MAIL", "NAME", "ROLES", "QUEUES", "STATE"}, rows)
}

// userRow is a person in JSON; no roles and no queues are empty lists.
type userRow struct {
	ID                  domain.ID
	Email, Name, Locale string
	Disabled            bool
	Roles               []domain.Role
	Queues              []string
	Limits              []domain.Limit
	Version             int64
	EmployeeID          string `json:",omitempty"`
}

func newUserRow(u domain.User) userRow {
	return userRow{ID: u.ID, Email: u.Email, Name: u.Name, Locale: u.Locale, Disabled: u.Disabled,
		Roles: append([]domain.Role{}, u.Roles...), Queues: append([]string{}, u.Queues...),
		Limits: append([]domain.Limit{}, u.Limits...), Version: u.Version, EmployeeID: u.EmployeeID}
}

// changeUser reads a person, applies the change and saves the result.
func (c *console) changeUser(ctx context.Context, email string, alter func(*domain.User)) error {
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	user, err := o.personOf(ctx, email)
	if err != nil {
		return err
	}
	alter(&user)
	if _, err := o.service.PutUser(ctx, domain.SystemActor(),
		casework.PutUser{User: user, EmployeeID: &user.EmployeeID}); err != nil {
		return err
	}
	if user, err = o.db.Reader().User(ctx, user.ID); err != nil {
		return err
	}
	state := "active"
	if user.Disabled {
		state = "disabled"
	}
	return c.printDone(newUserRow(user), "%s  roles: %s  queues: %s  %s", user.Email,
		orDash(joinRoles(user.Roles)), orDash(strings.Join(user.Queues, ", ")), state)
}

// userSet changes roles and queues.
type userSet struct {
	Email      string  `arg:"" help:"E-mail address of the person."`
	EmployeeID *string `help:"Id by which the person signs in through a provider; empty removes it."`
	roleFlags
}

// Run replaces the given roles and queues. What is not given stays unchanged.
func (u *userSet) Run(ctx context.Context, c *console) error {
	return c.changeUser(ctx, u.Email, func(user *domain.User) {
		if u.Role != nil {
			user.Roles = u.roles()
		}
		if u.EmployeeID != nil {
			user.EmployeeID = *u.EmployeeID
		}
		if u.Queue != nil {
			user.Queues = slices.DeleteFunc(slices.Clone(u.Queue),
				func(q string) bool { return q == "" })
		}
	})
}

// userDisable disables an account.
type userDisable struct {
	Email string `arg:"" help:"E-mail address of the person."`
}

// Run disables.
func (u *userDisable) Run(ctx context.Context, c *console) error {
	return c.changeUser(ctx, u.Email, func(user *domain.User) { user.Disabled = true })
}

// userEnable enables an account.
type userEnable struct {
	Email string `arg:"" help:"E-mail address of the person."`
}

// Run enables.
func (u *userEnable) Run(ctx context.Context, c *console) error {
	return c.changeUser(ctx, u.Email, func(user *domain.User) { user.Disabled = false })
}
