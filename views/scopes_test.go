package views_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"countersign/authz"
	"countersign/domain"
	"countersign/internal/pgtest"
	"countersign/store"
	"countersign/views"
)

// Every read that takes an actor checks the token's scope first. The test covers new methods
// through reflection.
func TestEveryReadChecksTheScope(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), pgtest.New(t).AppURL, 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	v := reflect.ValueOf(views.New(db.Reader(), func(context.Context) (*authz.Authority, error) {
		t.Error("the policy was loaded before the scope was checked")
		return nil, domain.Errorf(domain.Internal, "")
	}))
	actor := domain.Actor{UserID: domain.SystemUserID, TokenID: domain.NewID(),
		Scopes: []string{"nothing"}}
	reads := 0
	for i := range v.NumMethod() {
		method, name := v.Method(i), v.Type().Method(i).Name
		var arguments []reflect.Value
		takesActor := false
		for k := range method.Type().NumIn() {
			switch in := method.Type().In(k); {
			case k == 0 && in.String() == "context.Context":
				arguments = append(arguments, reflect.ValueOf(t.Context()))
			case in == reflect.TypeFor[domain.Actor]():
				arguments, takesActor = append(arguments, reflect.ValueOf(actor)), true
			case method.Type().IsVariadic() && k == method.Type().NumIn()-1:
			default:
				arguments = append(arguments, reflect.Zero(in))
			}
		}
		if !takesActor {
			continue
		}
		reads++
		results := method.Call(arguments)
		err, _ := results[len(results)-1].Interface().(error)
		if name == "ConflictsOf" { // nil for actors who may not read conflicts
			if !results[0].IsNil() || err != nil {
				t.Errorf("%s: %v %v", name, results[0], err)
			}
			continue
		}
		if !domain.HasCode(err, domain.NotPermitted) ||
			!strings.Contains(err.Error(), "does not have the scope") {
			t.Errorf("%s by a token without its scope: %v", name, err)
		}
	}
	if reads < 30 {
		t.Errorf("only %d reads were checked", reads)
	}
}
