package casework_test

import (
	"reflect"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// scopeless lists the methods that take an actor but check no scope, with the reason.
var scopeless = map[string]string{
	"RecordRead": "records in the access log a read that was already authorized"}

// Every command checks the token's scope first, whichever adapter calls it. The test calls each
// with a token that has an unknown scope and with zero values as input. A new command that does not
// check the scope fails the test.
func TestEveryCommandChecksTheScope(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada := env.person("ada", domain.RoleManager, domain.RoleAdmin, domain.RoleSubmitter)
	ada.TokenID, ada.Scopes = domain.NewID(), []string{"nothing"}
	svc, commands := reflect.ValueOf(env.svc), 0
	for i := range svc.NumMethod() {
		method, name := svc.Method(i), svc.Type().Method(i).Name
		arguments, takesActor := argumentsFor(env, method.Type(), ada)
		if !takesActor || scopeless[name] != "" {
			continue
		}
		commands++
		results := method.Call(arguments)
		err, _ := results[len(results)-1].Interface().(error)
		if !domain.HasCode(err, domain.NotPermitted) ||
			!strings.Contains(err.Error(), "does not have the scope") {
			t.Errorf("%s with a token without its scope: %v", name, err)
		}
	}
	if commands < 50 {
		t.Errorf("only %d commands were called", commands)
	}
}

// argumentsFor returns the context, the actor and zero values.
func argumentsFor(
	env *testEnv, method reflect.Type, actor domain.Actor,
) (arguments []reflect.Value, takesActor bool) {
	for i := range method.NumIn() {
		switch in := method.In(i); {
		case i == 0 && in.String() == "context.Context":
			arguments = append(arguments, reflect.ValueOf(env.ctx))
		case in == reflect.TypeFor[domain.Actor]():
			arguments, takesActor = append(arguments, reflect.ValueOf(actor)), true
		default:
			arguments = append(arguments, reflect.Zero(in))
		}
	}
	return arguments, takesActor
}

// A command about oneself and the same command about others require different scopes; neither
// includes the other.
func TestAccountScopeIsForOneself(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	admin := env.person("admin", domain.RoleAdmin)
	junior, senior := env.person("junior", domain.RoleL1), env.person("senior", domain.RoleSenior)
	_ = junior
	withScopes := func(actor domain.Actor, scopes ...string) domain.Actor {
		actor.TokenID, actor.Scopes = domain.NewID(), scopes
		return actor
	}
	until := env.now().Add(3600e9)
	for name, command := range map[string]func(actor domain.Actor, person domain.ID) error{
		"a conflict": func(actor domain.Actor, person domain.ID) error {
			_, err := env.svc.DeclareConflict(env.ctx, actor,
				casework.DeclareConflict{Person: person, Party: "Beispiel GmbH"})
			return err
		},
		"an account": func(actor domain.Actor, person domain.ID) error {
			return env.svc.SetOwnAccount(env.ctx, actor,
				casework.SetOwnAccount{Person: person, Account: "DE89370400440532013000"})
		},
		"a delegation": func(actor domain.Actor, person domain.ID) error {
			_, err := env.svc.CreateDelegation(env.ctx, actor,
				casework.CreateDelegation{Delegator: person, Delegate: junior.UserID, Until: until})
			return err
		},
	} {
		for _, scope := range []string{"read", "manage_people"} {
			wantCode(t, command(withScopes(senior, scope), senior.UserID), domain.NotPermitted)
		}
		wantCode(t, command(withScopes(admin, "account"), senior.UserID), domain.NotPermitted)
		if err := command(withScopes(senior, "account"), senior.UserID); err != nil {
			t.Errorf("%s about oneself, with the scope account: %v", name, err)
		}
		wantCode(t, command(withScopes(senior, "account"), junior.UserID), domain.NotPermitted)
	}
	if _, err := env.svc.DeclareConflict(env.ctx, withScopes(admin, "manage_people"),
		casework.DeclareConflict{Person: junior.UserID, Party: "Beispiel GmbH"}); err != nil {
		t.Errorf("another user's conflict, with the scope manage_people: %v", err)
	}
}
