/* eslint-disable */
import * as types from './graphql';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  subscription Waiting {\n    notifications {\n      available\n      mine\n      incidents\n      at\n    }\n  }\n": typeof types.WaitingDocument,
    "\n  fragment CaseLive on Case {\n    id\n    version\n    updatedAt\n    reference\n    processKey\n    documentType\n    channel\n    status\n    final\n    counterparty\n    country\n    amount {\n      amount\n      currency\n    }\n    risk\n    createdAt\n    cursor\n  }\n": typeof types.CaseLiveFragmentDoc,
    "\n  fragment CaseEventLine on CaseEvent {\n    cursor\n    seq\n    type\n    schemaVersion\n    at\n    status\n    sentence\n    body\n    actor {\n      id\n      name\n    }\n  }\n": typeof types.CaseEventLineFragmentDoc,
    "\n  subscription CaseEvents($caseId: ID!, $after: Cursor) {\n    caseEvents(caseId: $caseId, after: $after) {\n      ...CaseEventLine\n      case {\n        ...CaseLive\n      }\n    }\n  }\n": typeof types.CaseEventsDocument,
    "\n  query CaseAgain($id: ID!) {\n    case(id: $id) {\n      ...CaseLive\n    }\n  }\n": typeof types.CaseAgainDocument,
};
const documents: Documents = {
    "\n  subscription Waiting {\n    notifications {\n      available\n      mine\n      incidents\n      at\n    }\n  }\n": types.WaitingDocument,
    "\n  fragment CaseLive on Case {\n    id\n    version\n    updatedAt\n    reference\n    processKey\n    documentType\n    channel\n    status\n    final\n    counterparty\n    country\n    amount {\n      amount\n      currency\n    }\n    risk\n    createdAt\n    cursor\n  }\n": types.CaseLiveFragmentDoc,
    "\n  fragment CaseEventLine on CaseEvent {\n    cursor\n    seq\n    type\n    schemaVersion\n    at\n    status\n    sentence\n    body\n    actor {\n      id\n      name\n    }\n  }\n": types.CaseEventLineFragmentDoc,
    "\n  subscription CaseEvents($caseId: ID!, $after: Cursor) {\n    caseEvents(caseId: $caseId, after: $after) {\n      ...CaseEventLine\n      case {\n        ...CaseLive\n      }\n    }\n  }\n": types.CaseEventsDocument,
    "\n  query CaseAgain($id: ID!) {\n    case(id: $id) {\n      ...CaseLive\n    }\n  }\n": types.CaseAgainDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription Waiting {\n    notifications {\n      available\n      mine\n      incidents\n      at\n    }\n  }\n"): (typeof documents)["\n  subscription Waiting {\n    notifications {\n      available\n      mine\n      incidents\n      at\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment CaseLive on Case {\n    id\n    version\n    updatedAt\n    reference\n    processKey\n    documentType\n    channel\n    status\n    final\n    counterparty\n    country\n    amount {\n      amount\n      currency\n    }\n    risk\n    createdAt\n    cursor\n  }\n"): (typeof documents)["\n  fragment CaseLive on Case {\n    id\n    version\n    updatedAt\n    reference\n    processKey\n    documentType\n    channel\n    status\n    final\n    counterparty\n    country\n    amount {\n      amount\n      currency\n    }\n    risk\n    createdAt\n    cursor\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment CaseEventLine on CaseEvent {\n    cursor\n    seq\n    type\n    schemaVersion\n    at\n    status\n    sentence\n    body\n    actor {\n      id\n      name\n    }\n  }\n"): (typeof documents)["\n  fragment CaseEventLine on CaseEvent {\n    cursor\n    seq\n    type\n    schemaVersion\n    at\n    status\n    sentence\n    body\n    actor {\n      id\n      name\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription CaseEvents($caseId: ID!, $after: Cursor) {\n    caseEvents(caseId: $caseId, after: $after) {\n      ...CaseEventLine\n      case {\n        ...CaseLive\n      }\n    }\n  }\n"): (typeof documents)["\n  subscription CaseEvents($caseId: ID!, $after: Cursor) {\n    caseEvents(caseId: $caseId, after: $after) {\n      ...CaseEventLine\n      case {\n        ...CaseLive\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CaseAgain($id: ID!) {\n    case(id: $id) {\n      ...CaseLive\n    }\n  }\n"): (typeof documents)["\n  query CaseAgain($id: ID!) {\n    case(id: $id) {\n      ...CaseLive\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;