// Package graph is the GraphQL adapter: the schema, resolvers that parse their arguments and call
// casework or views once, the table that presents errors, and loaders that read for many objects in
// one statement.
//
// What may enter: the API's types, ids, cursors and versions, and how results and refusals look to
// a client. What never happens here: rules, permissions, transactions and SQL. A resolver that has
// to decide belongs in casework.
package graph

//go:generate go tool -modfile=../tools/go.mod gqlgen generate --config gqlgen.yml
