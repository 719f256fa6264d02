package casework

import (
	"go/ast"
	"testing"
)

// structType is a struct of the package: the types it embeds, and its fields and methods.
type structType struct {
	embeds  []string
	members map[string]bool
}

// restoredKey is the key of the restored definition, which cannot be renamed: stored request hashes
// contain the name of the field.
const restoredKey = "Restore.Key"

// TestEmbeddedMembersAreNotHidden checks that no struct declares a field or method with the name of
// one that it gets from an embedded type, so that every name leads to one declaration.
func TestEmbeddedMembersAreNotHidden(t *testing.T) {
	t.Parallel()
	types := packageStructs(t)
	embeddings := 0
	var check func(outer, embedded string)
	check = func(outer, embedded string) {
		inner, ok := types[embedded]
		if !ok {
			return
		}
		embeddings++
		for name := range inner.members {
			if types[outer].members[name] && outer+"."+name != restoredKey {
				t.Errorf("%s.%s hides %s.%s", outer, name, embedded, name)
			}
		}
		for _, deeper := range inner.embeds {
			check(outer, deeper)
		}
	}
	for name, s := range types {
		for _, embedded := range s.embeds {
			check(name, embedded)
		}
	}
	if embeddings == 0 || len(types["command"].embeds) == 0 {
		t.Error("no embedded types were found")
	}
}

func packageStructs(t *testing.T) map[string]*structType {
	t.Helper()
	types := map[string]*structType{}
	named := func(name string) *structType {
		if types[name] == nil {
			types[name] = &structType{members: map[string]bool{}}
		}
		return types[name]
	}
	for _, file := range parseSources(t, ".") {
		for _, declaration := range file.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					named(baseName(d.Recv.List[0].Type)).members[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if spec, ok := spec.(*ast.TypeSpec); ok {
						addFields(named(spec.Name.Name), spec.Type)
					}
				}
			}
		}
	}
	return types
}

func addFields(s *structType, definition ast.Expr) {
	fields, ok := definition.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range fields.Fields.List {
		if len(field.Names) == 0 {
			s.embeds = append(s.embeds, baseName(field.Type))
		}
		for _, name := range field.Names {
			s.members[name.Name] = true
		}
	}
}

// baseName returns the name of a type without pointer and type parameters.
func baseName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return baseName(e.X)
	case *ast.IndexExpr:
		return baseName(e.X)
	case *ast.IndexListExpr:
		return baseName(e.X)
	}
	return exprText(e)
}
