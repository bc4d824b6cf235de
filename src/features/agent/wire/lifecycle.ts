import { Type, type Static } from 'typebox';
import { unknownRun } from '../runs.ts';
import type { StoredRun } from '../run-store.ts';
import { Fault } from '../../../kernel/faults.ts';
import type { Call, Operation, Reply } from '../../../kernel/http/operation.ts';
import { accountOf, bytes, defineOperation, ok, perMinute, stream } from '../../../kernel/http/operation.ts';
import type { Services } from '../../../kernel/feature.ts';
import { AgentResponse, Cancelling, Deleted, FileList } from './response-schema.ts';

/** Every path of an operation on responses; `rest` follows the collection. */
export function responsePaths(rest: string): [string, ...string[]] {
  return [`/v1/agent${rest}`, `/v1/responses${rest}`, `/responses${rest}`];
}

/** Those of them on which a client may send its key as `x-api-key`. */
export function apiKeyPaths(rest: string): readonly string[] {
  return [`/v1/responses${rest}`];
}

/** What the operations on one response share; `rest` follows its id in the paths. */
const onResponse = (rest = '') =>
  ({
    group: 'agent',
    surface: 'agent',
    credentials: 'bearer',
    buckets: [perMinute('agent_objects', 6_000)],
    paths: responsePaths(`/{response_id}${rest}`),
    apiKeyPaths: apiKeyPaths(`/{response_id}${rest}`),
  }) as const;

export const idOf = ({ params }: Pick<Call, 'params'>): string => params['response_id'] ?? '';

export const ReadQuery = Type.Object({
  stream: Type.Optional(Type.String({ description: '`true` for the events of the response.' })),
  starting_after: Type.Optional(
    Type.String({ description: 'With `stream`: only events with a higher sequence number.' }),
  ),
});

/** A stored response, or its events from a place on. */
export async function readResponse(
  call: Call<unknown, Static<typeof ReadQuery>>,
  { runs }: Pick<Services, 'runs'>,
): Promise<Reply> {
  const { query, signal } = call;
  if (query.stream !== 'true') return wholeResponse(call, runs);
  const cursor = toCursor(query.starting_after);
  const { events, rest } = await runs.read(accountOf(call.principal), idOf(call), cursor, signal);
  return stream(events, ({ code }) => rest(code !== 'client_closed'));
}

/** Throws Fault `not_found`. */
export async function wholeResponse(
  call: Pick<Call, 'params' | 'principal'>,
  runs: Services['runs'],
): Promise<Reply> {
  const id = idOf(call);
  const response = await runs.get(accountOf(call.principal), id);
  if (response === null) throw unknownRun(id);
  return bytes(Buffer.from(response), 'application/json; charset=utf-8');
}

export async function deleteResponse(call: Call, { runs }: Pick<Services, 'runs'>): Promise<Reply> {
  const id = idOf(call);
  if (!(await runs.remove(accountOf(call.principal), id))) throw unknownRun(id);
  return ok({ id, object: 'response', deleted: true });
}

/** What can be done with a response that exists. Contract 7.7. */
export const lifecycleOperations: readonly Operation<Services>[] = [
  defineOperation({
    ...onResponse(),
    id: 'getResponse',
    summary: 'A stored response, or its events from a place on',
    method: 'GET',
    query: ReadQuery,
    responses: { 200: AgentResponse },
    handle: readResponse,
  }),
  defineOperation({
    ...onResponse(),
    id: 'deleteResponse',
    summary: 'Deletes a response with its files; one that runs is cancelled first',
    method: 'DELETE',
    responses: { 200: Deleted },
    handle: deleteResponse,
  }),
  defineOperation({
    ...onResponse('/cancel'),
    id: 'cancelResponse',
    summary: 'Ends a response that is being made',
    method: 'POST',
    body: { schema: Type.Object({}), bytesMax: 1_048_576, emptyAllowed: true },
    responses: { 200: Cancelling },
    async handle(call, { runs }: Services) {
      const id = idOf(call);
      const outcome = await runs.cancel(accountOf(call.principal), id);
      if (outcome === 'unknown') throw unknownRun(id);
      if (outcome === 'over') throw new Fault('already_finished');
      return ok({ response_id: id, status: 'cancelling' });
    },
  }),
  defineOperation({
    ...onResponse('/files'),
    id: 'listResponseFiles',
    summary: 'Files that a response shared',
    method: 'GET',
    responses: { 200: FileList },
    async handle(call, { runs }: Services) {
      const files = await runs.store.listFiles((await storedRun(call, runs)).id);
      return ok({
        object: 'list',
        data: files.map(({ id, filename, bytes: size, createdAtMs }) => ({
          id,
          object: 'file',
          filename,
          bytes: size,
          created_at: Math.floor(createdAtMs / 1_000),
        })),
      });
    },
  }),
  defineOperation({
    ...onResponse('/files/{file_id}/content'),
    id: 'readResponseFile',
    summary: 'The bytes of a file that a response shared',
    method: 'GET',
    responses: { 200: Type.Unsafe({ type: 'string', contentMediaType: 'application/octet-stream' }) },
    async handle(call, { runs }: Services) {
      const fileId = call.params['file_id'] ?? '';
      const file = await runs.readFile(await storedRun(call, runs), fileId, call.signal);
      if (file === undefined) throw new Fault('not_found', `file "${fileId.slice(0, 100)}" not found`);
      return bytes(file.bytes, 'application/octet-stream', {
        'content-disposition': toDisposition(file.filename),
        'x-content-type-options': 'nosniff',
      });
    },
  }),
];

/** Null for what is no number. */
function toCursor(text: string | undefined): number | null {
  if (text === undefined) return -1;
  return /^-?\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Throws Fault `not_found` for a response that is not stored. */
export async function storedRun(
  call: Pick<Call, 'params' | 'principal'>,
  runs: Services['runs'],
): Promise<StoredRun> {
  const id = idOf(call);
  const run = await runs.find(accountOf(call.principal), id);
  if (run === null || !run.isStored) throw unknownRun(id);
  return run;
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
