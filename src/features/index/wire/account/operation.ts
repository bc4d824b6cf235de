import { Type } from 'typebox';
import {
  accountOf,
  created,
  defineOperation,
  noContent,
  ok,
  perMinute,
  type Operation,
} from '../../../../kernel/http/operation.ts';
import type { Services } from '../../../../kernel/feature.ts';
import { listOf, page, toList, toPageRequest } from '../../../accounts/feature.ts';
import { toDocument, toIndex, toWholeDocument } from '../convert.ts';
import {
  AccountIndex,
  InDocument,
  IndexDocument,
  IndexDocumentRequest,
  WholeIndexDocument,
} from './schema.ts';
import { sourceOperations } from '../source-operations.ts';
import { AddSourceRequest } from '../source-schema.ts';

const common = {
  group: 'documents',
  credentials: 'bearer',
  surface: 'plain',
  buckets: [perMinute('index', 600)],
} as const;
const documentsPath = '/v1/index/documents';
const documentPath = '/v1/index/documents/{document_id}';
/** Text of so many passages as a document may have. */
const bytesMax = 4_194_304;

/** The documents that an account has beside those of all, and that no other account finds. */
export const accountIndexOperations: readonly Operation<Services>[] = [
  defineOperation({
    ...common,
    id: 'getIndex',
    summary: 'How much of its own the account has in the index, and how much it may have',
    method: 'GET',
    paths: ['/v1/index'],
    responses: { 200: AccountIndex },
    async handle({ principal }, { index }: Services) {
      return ok(toIndex(await index.texts.use(accountOf(principal))));
    },
  }),
  defineOperation({
    ...common,
    id: 'listIndexDocuments',
    summary: 'Lists the documents that the account sent, oldest first',
    method: 'GET',
    paths: [documentsPath],
    query: Type.Object(page),
    responses: { 200: listOf(IndexDocument) },
    async handle({ query, principal }, { index }: Services) {
      return ok(toList(await index.texts.list(accountOf(principal), toPageRequest(query)), toDocument));
    },
  }),
  defineOperation({
    ...common,
    id: 'putIndexDocument',
    summary: 'Adds a document that only the account finds, or replaces the one at its address',
    method: 'POST',
    paths: [documentsPath],
    body: { schema: IndexDocumentRequest, bytesMax },
    responses: { 200: IndexDocument, 201: IndexDocument },
    async handle({ body, principal, signal }, { index, storageQuota }: Services) {
      const accountId = accountOf(principal);
      await storageQuota.admit(accountId, Buffer.byteLength(body.text));
      const { text, isNew } = await index.texts.put(accountId, body, signal);
      return isNew ? created(toDocument(text)) : ok(toDocument(text));
    },
  }),
  defineOperation({
    ...common,
    id: 'getIndexDocument',
    summary: 'One document that the account sent, with its text',
    method: 'GET',
    paths: [documentPath],
    params: InDocument,
    responses: { 200: WholeIndexDocument },
    async handle({ params, principal }, { index }: Services) {
      return ok(toWholeDocument(await index.texts.get(accountOf(principal), params.document_id)));
    },
  }),
  defineOperation({
    ...common,
    id: 'deleteIndexDocument',
    summary: 'Deletes a document that the account sent, also from the index',
    method: 'DELETE',
    paths: [documentPath],
    params: InDocument,
    responses: { 204: Type.Undefined() },
    async handle({ params, principal }, { index }: Services) {
      await index.texts.remove(accountOf(principal), params.document_id);
      return noContent();
    },
  }),
  ...sourceOperations({
    common,
    path: '/v1/index/sources',
    names: {
      list: ['listIndexSources', 'Lists the sources of the account with their documents, oldest first'],
      add: [
        'addIndexSource',
        'Adds an address to the index of the account, or changes its options, and begins to read it',
      ],
      refresh: ['refreshIndexSource', 'Begins to read what changed in a source of the account'],
      remove: ['removeIndexSource', 'Removes a source of the account and all of its documents'],
    },
    body: AddSourceRequest,
    ownerOf: (principal) => ({ accountId: accountOf(principal) }),
  }),
];
