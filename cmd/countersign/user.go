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

// userCommands keep people.
type userCommands struct {
	Add     userAdd     `cmd:"" help:"Make a person; the password is read from standard input, or made up and shown once."`
	List    userList    `cmd:"" default:"1" help:"Everybody, with roles and queues."`
	Set     userSet     `cmd:"" help:"Change a person's roles and queues."`
	Disable userDisable `cmd:"" help:"Keep a person out from now on; open pages are closed."`
	Enable  userEnable  `cmd:"" help:"Let a disabled person in again."`
}

// roleFlags are the roles and queues of a person.
type roleFlags struct {
	Role  []string `help:"Roles; several are separated by commas: submitter, reviewer_l1, reviewer_senior, reviewer_l2, reviewer_aml, manager, auditor, administrator, external_worker."`
	Queue []string `help:"Work queues, such as L1,L2."`
}

func (p roleFlags) roles() []domain.Role {
	var roles []domain.Role
	for _, name := range p.Role {
		roles = append(roles, domain.Role(name))
	}
	return roles
}

// userAdd makes a person.
type userAdd struct {
	Email         string `arg:"" help:"E-mail address to sign in with."`
	Name          string `required:"" help:"Name that others see."`
	Locale        string `default:"en" enum:"en,zh" help:"Language: en or zh."`
	PasswordStdin bool   `help:"Read the password from standard input."`
	roleFlags
}

// Run makes the person.
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
		c.printLine("password, shown this once: %s", password)
	}
	return nil
}

func (u *userAdd) password() (string, error) {
	if !u.PasswordStdin {
		return madeUpPassword(), nil
	}
	lines := bufio.NewScanner(os.Stdin)
	if !lines.Scan() {
		return "", domain.Invalid("password", "no password came from standard input")
	}
	return lines.Text(), nil
}

// madeUpPassword is a random password.
func madeUpPassword() string {
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
	rows := [][]string{}
	for _, user := range users {
		state := "active"
		if user.Disabled {
			state = "disabled"
		}
		rows = append(rows, []string{user.Email, user.Name, orDash(joinRoles(user.Roles)),
			orDash(strings.Join(user.Queues, ", ")), state})
	}
	return c.printTable(users, []string{"E-MAIL", "NAME", "ROLES", "QUEUES", "STATE"}, rows)
}

// changeUser reads a person, alters the copy and keeps it.
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
		casework.PutUser{User: user}); err != nil {
		return err
	}
	state := "active"
	if user.Disabled {
		state = "disabled"
	}
	c.printLine("%s  roles: %s  queues: %s  %s", user.Email, orDash(joinRoles(user.Roles)),
		orDash(strings.Join(user.Queues, ", ")), state)
	return nil
}

// userSet changes roles and queues.
type userSet struct {
	Email string `arg:"" help:"Who."`
	roleFlags
}

// Run replaces the roles and the queues that were given; what was not given stays.
func (u *userSet) Run(ctx context.Context, c *console) error {
	return c.changeUser(ctx, u.Email, func(user *domain.User) {
		if u.Role != nil {
			user.Roles = u.roles()
		}
		if u.Queue != nil {
			user.Queues = slices.DeleteFunc(slices.Clone(u.Queue),
				func(q string) bool { return q == "" })
		}
	})
}

// userDisable keeps a person out.
type userDisable struct {
	Email string `arg:"" help:"Who."`
}

// Run disables.
func (u *userDisable) Run(ctx context.Context, c *console) error {
	return c.changeUser(ctx, u.Email, func(user *domain.User) { user.Disabled = true })
}

// userEnable lets a person in again.
type userEnable struct {
	Email string `arg:"" help:"Who."`
}

// Run enables.
func (u *userEnable) Run(ctx context.Context, c *console) error {
	return c.changeUser(ctx, u.Email, func(user *domain.User) { user.Disabled = false })
}
