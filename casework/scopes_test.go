package casework_test

import (
	"reflect"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// scopeless are the methods that take an actor and ask for no scope, with the reason.
var scopeless = map[string]string{"RecordRead": "notes in the access log what was read by another right"}

// Every command, whatever adapter it is called from, asks for the token's scope before anything else: by a token of a scope
// that no command has, each is refused, with an input that says nothing. A new command that does not ask fails the test.
func TestEveryCommandAsksForTheScope(t *testing.T) {
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
		if !domain.HasCode(err, domain.NotPermitted) || !strings.Contains(err.Error(), "does not have the scope") {
			t.Errorf("%s by a token without its scope: %v", name, err)
		}
	}
	if commands < 50 {
		t.Errorf("only %d commands were asked", commands)
	}
}

// argumentsFor are the context, the actor and zero values.
func argumentsFor(env *testEnv, of reflect.Type, actor domain.Actor) (arguments []reflect.Value, takesActor bool) {
	for i := range of.NumIn() {
		switch in := of.In(i); {
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

// What a command does about oneself and about others are two scopes; neither stands for the other.
func TestActingOnOneselfIsAScopeOfItsOwn(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	admin := env.person("admin", domain.RoleAdmin)
	junior, senior := env.person("junior", domain.RoleL1), env.person("senior", domain.RoleSenior)
	_ = junior
	by := func(actor domain.Actor, scopes ...string) domain.Actor {
		actor.TokenID, actor.Scopes = domain.NewID(), scopes
		return actor
	}
	until := env.now().Add(3600e9)
	for name, act := range map[string]func(actor domain.Actor, person domain.ID) error{
		"a conflict": func(actor domain.Actor, person domain.ID) error {
			_, err := env.svc.DeclareConflict(env.ctx, actor, casework.DeclareConflict{Person: person, Party: "Kin GmbH"})
			return err
		},
		"an account": func(actor domain.Actor, person domain.ID) error {
			return env.svc.SetOwnAccount(env.ctx, actor, casework.SetOwnAccount{Person: person, Account: "DE89370400440532013000"})
		},
		"a delegation": func(actor domain.Actor, person domain.ID) error {
			_, err := env.svc.CreateDelegation(env.ctx, actor, casework.CreateDelegation{Giver: person, Taker: junior.UserID, Until: until})
			return err
		},
	} {
		for _, scope := range []string{"read", "manage_people"} {
			wantCode(t, act(by(senior, scope), senior.UserID), domain.NotPermitted)
		}
		wantCode(t, act(by(admin, "account"), senior.UserID), domain.NotPermitted)
		if err := act(by(senior, "account"), senior.UserID); err != nil {
			t.Errorf("%s of one's own, by the scope account: %v", name, err)
		}
		wantCode(t, act(by(senior, "account"), junior.UserID), domain.NotPermitted)
	}
	if _, err := env.svc.DeclareConflict(env.ctx, by(admin, "manage_people"), casework.DeclareConflict{Person: junior.UserID, Party: "Kin GmbH"}); err != nil {
		t.Errorf("another's conflict, by the scope manage_people: %v", err)
	}
}
