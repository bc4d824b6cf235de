import { Type } from 'typebox';
import { unknownRun } from '../runs.ts';
import { Fault } from '../../../kernel/faults.ts';
import {
  bytes,
  defineOperation,
  ok,
  perMinute,
  stream,
  type Operation,
  type Principal,
} from '../../../kernel/http/operation.ts';
import { accountOf } from '../../../kernel/http/caller.ts';
import type { Services } from '../../../kernel/feature.ts';
import { AgentResponse, Cancelling, Deleted, FileList } from './response-schema.ts';

/** Every path of an operation on responses; `rest` follows the collection. */
export function responsePaths(rest: string): [string, ...string[]] {
  return [`/v1/agent${rest}`, `/v1/responses${rest}`, `/responses${rest}`, `/openai/v1/responses${rest}`];
}

/** Those of them on which a client may send its key as `x-api-key`. */
export function apiKeyPaths(rest: string): readonly string[] {
  return [`/v1/responses${rest}`];
}

const shared = {
  group: 'agent',
  surface: 'agent',
  credentials: 'bearer',
  buckets: [perMinute('agent_objects', 6_000)],
} as const;

const Query = Type.Object({
  stream: Type.Optional(Type.String({ description: '`true` for the events of the response.' })),
  starting_after: Type.Optional(
    Type.String({ description: 'With `stream`: only events with a higher sequence number.' }),
  ),
});
const Nothing = Type.Object({});
const bodyBytesMax = 1_048_576;

const getResponse = defineOperation({
  ...shared,
  id: 'getResponse',
  summary: 'A stored response, or its events from a place on',
  method: 'GET',
  paths: responsePaths('/{response_id}'),
  apiKeyPaths: apiKeyPaths('/{response_id}'),
  query: Query,
  responses: { 200: AgentResponse },
  async handle({ params, query, principal, signal }, { runs }: Services) {
    const id = params['response_id'] ?? '';
    const accountId = accountOf(principal);
    if (query.stream === 'true') {
      const { events, rest } = await runs.read(accountId, id, toCursor(query.starting_after), signal);
      return stream(events, ({ code }) => rest(code !== 'client_closed'));
    }
    const response = await runs.get(accountId, id);
    if (response === null) throw unknownRun(id);
    return bytes(Buffer.from(response), 'application/json; charset=utf-8');
  },
});

/** Null for what is no number. */
function toCursor(text: string | undefined): number | null {
  if (text === undefined) return -1;
  return /^-?\d{1,15}$/.test(text) ? Number(text) : null;
}

const deleteResponse = defineOperation({
  ...shared,
  id: 'deleteResponse',
  summary: 'Deletes a response with its files; one that runs is cancelled first',
  method: 'DELETE',
  paths: responsePaths('/{response_id}'),
  apiKeyPaths: apiKeyPaths('/{response_id}'),
  responses: { 200: Deleted },
  async handle({ params, principal }, { runs }: Services) {
    const id = params['response_id'] ?? '';
    if (!(await runs.remove(accountOf(principal), id))) throw unknownRun(id);
    return ok({ id, object: 'response', deleted: true });
  },
});

const cancelResponse = defineOperation({
  ...shared,
  id: 'cancelResponse',
  summary: 'Ends a response that is being made',
  method: 'POST',
  paths: responsePaths('/{response_id}/cancel'),
  apiKeyPaths: apiKeyPaths('/{response_id}/cancel'),
  body: { schema: Nothing, bytesMax: bodyBytesMax, emptyAllowed: true },
  responses: { 200: Cancelling },
  async handle({ params, principal }, { runs }: Services) {
    const id = params['response_id'] ?? '';
    const outcome = await runs.cancel(accountOf(principal), id);
    if (outcome === 'unknown') throw unknownRun(id);
    if (outcome === 'over') throw new Fault('already_finished');
    return ok({ response_id: id, status: 'cancelling' });
  },
});

const listFiles = defineOperation({
  ...shared,
  id: 'listResponseFiles',
  summary: 'Files that a response shared',
  method: 'GET',
  paths: responsePaths('/{response_id}/files'),
  apiKeyPaths: apiKeyPaths('/{response_id}/files'),
  responses: { 200: FileList },
  async handle({ params, principal }, { runs }: Services) {
    const id = await storedId(params, principal, runs);
    const files = await runs.store.listFiles(id);
    return ok({
      object: 'list',
      data: files.map(({ id: fileId, filename, bytes: size, createdAtMs }) => ({
        id: fileId,
        object: 'file',
        filename,
        bytes: size,
        created_at: Math.floor(createdAtMs / 1_000),
      })),
    });
  },
});

const readFile = defineOperation({
  ...shared,
  id: 'readResponseFile',
  summary: 'The bytes of a file that a response shared',
  method: 'GET',
  paths: responsePaths('/{response_id}/files/{file_id}/content'),
  apiKeyPaths: apiKeyPaths('/{response_id}/files/{file_id}/content'),
  responses: { 200: Type.Unsafe({ type: 'string', contentMediaType: 'application/octet-stream' }) },
  async handle({ params, principal }, { runs }: Services) {
    const id = await storedId(params, principal, runs);
    const fileId = params['file_id'] ?? '';
    const file = await runs.store.readFile(id, fileId);
    if (file === undefined) throw new Fault('not_found', `file "${fileId.slice(0, 100)}" not found`);
    return bytes(file.content, 'application/octet-stream', {
      'content-disposition': toDisposition(file.filename),
      'x-content-type-options': 'nosniff',
    });
  },
});

async function storedId(
  params: Readonly<Record<string, string>>,
  principal: Principal | null,
  runs: Services['runs'],
): Promise<string> {
  const id = params['response_id'] ?? '';
  const run = await runs.find(accountOf(principal), id);
  if (run === null || !run.isStored) throw unknownRun(id);
  return id;
}

/** The name for old readers, and the whole of it for those that know RFC 6266. */
function toDisposition(path: string): string {
  const name = path.split('/').at(-1) ?? path;
  const plain = name.replaceAll(/[^ -~]|["\\]/g, '_');
  const coded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return plain === name
    ? `attachment; filename="${plain}"`
    : `attachment; filename="${plain}"; filename*=UTF-8''${coded}`;
}

/** What can be done with a response that exists. Contract 7.7. */
export const lifecycleOperations: readonly Operation<Services>[] = [
  getResponse,
  deleteResponse,
  cancelResponse,
  listFiles,
  readFile,
];
