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

	Password userPassword `cmd:"" help:"Give a person another password, which is read from standard input, or generated and shown once. Their passkeys end."`
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
	waitFlags
}

// Run adds the person.
func (u *userAdd) Run(ctx context.Context, c *console) error {
	password, hash, err := newPassword(u.PasswordStdin)
	if err != nil {
		return err
	}
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	err = u.change(ctx, c, o, casework.OperatorChange{Command: domain.BreakGlassPerson, PasswordHash: hash,
		User: domain.User{Email: u.Email, Name: u.Name, Locale: u.Locale, Roles: u.roles(),
			Queues: u.Queue, EmployeeID: u.EmployeeID}}, func(done casework.OperatorResult) error {
		shown := map[string]any{"id": done.ID, "email": u.Email}
		if !u.PasswordStdin {
			shown["password"] = password
		}
		if c.json {
			return c.printJSON(shown)
		}
		c.printLine("%s  %s", done.ID, u.Email)
		if !u.PasswordStdin {
			c.printLine("password, shown only once: %s", password)
		}
		return nil
	})
	c.notePassword(err, password, u.PasswordStdin)
	return err
}

// notePassword shows the generated password of an account or a password that waits.
func (c *console) notePassword(outcome error, password string, given bool) {
	if outcome == error(exitStatus(exitWaiting)) && !given {
		c.printNote("password from then on, shown only once: %s", password)
	}
}

// newPassword reads or generates a password.
func newPassword(fromStdin bool) (password, hash string, err error) {
	password = randomPassword()
	if fromStdin {
		lines := bufio.NewScanner(os.Stdin)
		if !lines.Scan() {
			return "", "", domain.Invalid("password", "Standard input contains no password.")
		}
		password = lines.Text()
	}
	hash, err = identity.HashPassword(password)
	return password, hash, err
}

// userPassword gives a person another password.
type userPassword struct {
	Email         string `arg:"" help:"E-mail address of the person."`
	PasswordStdin bool   `help:"Read the password from standard input."`
	waitFlags
}

// Run sets it.
func (u *userPassword) Run(ctx context.Context, c *console) error {
	password, hash, err := newPassword(u.PasswordStdin)
	if err != nil {
		return err
	}
	err = c.changeUser(ctx, u.Email, u.waitFlags, hash, func(*domain.User) {})
	if err == nil && !u.PasswordStdin {
		c.printNote("password, shown only once: %s", password)
	}
	c.notePassword(err, password, u.PasswordStdin)
	return err
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

// changeUser reads a person, applies the change and saves the result. With a hash they get another password.
func (c *console) changeUser(ctx context.Context, email string, wait waitFlags, hash string,
	alter func(*domain.User)) error {
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
	return wait.change(ctx, c, o, casework.OperatorChange{Command: domain.BreakGlassPerson, User: user,
		PasswordHash: hash}, func(casework.OperatorResult) error {
		if user, err = o.db.Reader().User(ctx, user.ID); err != nil {
			return err
		}
		state := "active"
		if user.Disabled {
			state = "disabled"
		}
		return c.printDone(newUserRow(user), "%s  roles: %s  queues: %s  %s", user.Email,
			orDash(joinRoles(user.Roles)), orDash(strings.Join(user.Queues, ", ")), state)
	})
}

// userSet changes roles and queues.
type userSet struct {
	Email      string  `arg:"" help:"E-mail address of the person."`
	EmployeeID *string `help:"Id by which the person signs in through a provider; empty removes it."`
	roleFlags
	waitFlags
}

// Run replaces the given roles and queues. What is not given stays unchanged.
func (u *userSet) Run(ctx context.Context, c *console) error {
	return c.changeUser(ctx, u.Email, u.waitFlags, "", func(user *domain.User) {
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
	waitFlags
}

// Run disables.
func (u *userDisable) Run(ctx context.Context, c *console) error {
	return c.changeUser(ctx, u.Email, u.waitFlags, "", func(user *domain.User) { user.Disabled = true })
}

// userEnable enables an account.
type userEnable struct {
	Email string `arg:"" help:"E-mail address of the person."`
	waitFlags
}

// Run enables.
func (u *userEnable) Run(ctx context.Context, c *console) error {
	return c.changeUser(ctx, u.Email, u.waitFlags, "", func(user *domain.User) { user.Disabled = false })
}
