import assert from 'node:assert/strict';
import { pollEnd } from './until.ts';

export interface Uploaded {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** Empty where it was refused. */
  readonly id: string;
}

export type BatchClient = ReturnType<typeof createBatches>;

const path = '/v1/decisions/batches';

/** Batches of a server as a client makes them. */
export function createBatches({ url, key }: { readonly url: string; readonly key: string }) {
  const headers = { authorization: `Bearer ${key}` };
  const call = async (method: string, way: string, json?: object) => {
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const response = await fetch(`${url}${way}`, { method, headers, ...body });
    const text = await response.text();
    return { status: response.status, text, body: toObject(text) };
  };
  const send = async (form: FormData): Promise<Uploaded> => {
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: form });
    const body = toObject(await response.text());
    return { status: response.status, body, id: typeof body['id'] === 'string' ? body['id'] : '' };
  };
  return {
    call,
    send,
    /** Fields that are no text are sent as JSON. */
    upload(fields: Readonly<Record<string, unknown>>, rows: string | Blob): Promise<Uploaded> {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields))
        form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
      form.set('file', typeof rows === 'string' ? new Blob([rows]) : rows, 'rows.jsonl');
      return send(form);
    },
    find: async (id: string) => (await call('GET', `${path}/${id}`)).body,
  };
}

export const resultsOf = ({ call }: BatchClient, id: string, query = '') =>
  call('GET', `${path}/${id}/results${query}`);

/** Resolves to the batch when it is neither queued nor runs. */
export function untilOver({ find }: Pick<BatchClient, 'find'>, id: string) {
  return pollEnd(
    () => find(id),
    (batch) => {
      const { status } = batch;
      assert.ok(typeof status === 'string', `no batch: ${JSON.stringify(batch)}`);
      return status !== 'queued' && status !== 'running';
    },
    'the batch does not end',
  );
}

function toObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
