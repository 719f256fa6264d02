// A GraphQL server of mercurius with its just-in-time compiler, over the same rows as the product:
// one statement for the cases, one for their fields. It asks for no rights.
import Fastify from "fastify"
import mercurius from "mercurius"
import pg from "pg"

const pool = new pg.Pool({ connectionString: process.env.LISTS_DATABASE, max: 8 })

const schema = `
  type Money { amount: String! currency: String! }
  type Field { name: String! raw: String! normalised: String! page: Int! confidence: Float! source: String! grounded: Boolean! }
  type Case {
    id: ID! reference: String! processKey: String! documentType: String! channel: String! status: String!
    final: Boolean! counterparty: String! country: String! amount: Money createdAt: String! fields: [Field!]!
  }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type CaseConnection { nodes: [Case!]! pageInfo: PageInfo! }
  type Query { cases(first: Int!): CaseConnection! }
`

const globalID = (id) => Buffer.from(`c:${id}`).toString("base64url")
const decimal = (minor) => {
  const digits = String(minor).padStart(3, "0")
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

const resolvers = {
  Query: {
    async cases(_, { first }) {
      const { rows } = await pool.query({
        name: "cases",
        text: `SELECT id, reference, process_key, document_type, channel, status, counterparty, country, amount_known,
          amount_minor, currency, created_at FROM cases ORDER BY id DESC LIMIT $1`,
        values: [first + 1]
      })
      const shown = rows.slice(0, first)
      const fields = await pool.query({
        name: "fields",
        text: `SELECT case_id, name, raw, normalised, page, confidence, source, grounded FROM fields
          WHERE case_id = ANY($1) ORDER BY case_id, name`,
        values: [shown.map((row) => row.id)]
      })
      const byCase = new Map()
      for (const field of fields.rows) {
        const list = byCase.get(field.case_id)
        if (list) list.push(field)
        else byCase.set(field.case_id, [field])
      }
      const nodes = shown.map((row) => ({
        id: globalID(row.id),
        reference: row.reference,
        processKey: row.process_key,
        documentType: row.document_type,
        channel: row.channel.toUpperCase(),
        status: row.status.toUpperCase(),
        final: row.status === "archived" || row.status === "abandoned",
        counterparty: row.counterparty,
        country: row.country,
        amount: row.amount_known ? { amount: decimal(row.amount_minor), currency: row.currency } : null,
        createdAt: row.created_at.toISOString(),
        fields: byCase.get(row.id) ?? []
      }))
      const last = nodes.at(-1)
      return { nodes, pageInfo: { hasNextPage: rows.length > first, endCursor: last ? last.id : null } }
    }
  },
  Field: { source: (field) => field.source.toUpperCase(), page: (field) => field.page ?? 0 }
}

const app = Fastify()
app.register(mercurius, { schema, resolvers, jit: 1 })
const address = await app.listen({ host: "127.0.0.1", port: 0 })
console.log(address)
process.stdin.resume().on("end", () => process.exit(0))
