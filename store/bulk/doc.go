// Package bulk builds statements about any number of rows, with one array parameter for each
// column.
//
// The text of a statement does not depend on the number of rows, so Postgres prepares and plans it
// once.
//
// What may enter: arguments and their placeholders, common table expressions, rows as a table for a
// FROM clause.
// What never happens here: a connection, the execution of a statement, a table or a column of the
// schema.
package bulk
