// Package graph is the GraphQL adapter: the schema, resolvers that parse, make one call of casework or views and return,
// the table that shows errors, and loaders that read for many objects at once.
//
// What may enter: the API's types, ids, cursors and versions; how a result or refusal looks to a client.
// What never happens here: a rule, a permission, a transaction, SQL. A resolver that decides belongs in casework.
package graph

//go:generate go tool -modfile=../tools/go.mod gqlgen generate --config gqlgen.yml
