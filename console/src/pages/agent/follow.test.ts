import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer, Api, Request } from '../../api/call.ts';
import { ApiFailure } from '../../api/failure.ts';
import { followNew, followStored } from './follow.ts';
import { createRun, type Run } from './run.ts';
import type { AgentEvent, AgentResponse } from './wire.ts';

const response = { id: 'resp_1', status: 'in_progress', output: [] } as unknown as AgentResponse;
const events: readonly AgentEvent[] = [
  { type: 'response.created', sequence_number: 0, response },
  {
    type: 'response.output_item.added',
    sequence_number: 1,
    output_index: 0,
    item: { type: 'message', id: 'm', content: [] },
  },
  { type: 'response.output_text.delta', sequence_number: 2, output_index: 0, delta: 'a' },
  { type: 'response.completed', sequence_number: 3, response: { ...response, status: 'completed' } },
];

/** An API whose streams break after so many events, one after the other. */
function breakingApi(...counts: readonly (number | Error)[]): { api: Api; asked: Request[] } {
  const asked: Request[] = [];
  const api: Api = {
    call: async <Body>(_request: Request): Promise<Answer<Body>> => ({
      body: response as Body,
      headers: new Headers(),
    }),
    download: () => Promise.reject(new Error('not asked for')),
    async *stream<Event>(request: Request) {
      const after = Number(request.query?.['starting_after'] ?? -1);
      const count = counts[asked.length] ?? 0;
      asked.push(request);
      if (count instanceof Error) throw count;
      yield* events.slice(after + 1, after + 1 + count) as Event[];
      if (after + 1 + count < events.length) throw new TypeError('network error');
    },
  };
  return { api, asked };
}

const signal = new AbortController().signal;

test('a stream that breaks is taken up after the last event, and the run is whole', async () => {
  const { api, asked } = breakingApi(2, 1, 4);
  const runs: Run[] = [];
  await followNew(
    createRun('Why?'),
    { model: 'lab/a' },
    { api, signal, onRun: (run) => void runs.push(run) },
  );
  assert.deepEqual(
    asked.map(({ path, query }) => [path, query?.['starting_after']]),
    [
      ['/v1/agent', undefined],
      ['/v1/agent/resp_1', 1],
      ['/v1/agent/resp_1', 2],
    ],
  );
  assert.equal(runs.at(-1)?.response?.status, 'completed');
  assert.equal(runs.length, 4);
});

test('a response that is still being made is read from its first event', async () => {
  const { api, asked } = breakingApi(4);
  const runs: Run[] = [];
  await followStored('resp_1', { api, signal, onRun: (run) => void runs.push(run) });
  assert.deepEqual(asked[0]?.query, { stream: 'true', starting_after: -1 });
  assert.equal(runs.at(-1)?.response?.status, 'completed');
});

test('a refusal is told at once, before a run has begun and while it is followed', async () => {
  const refusal = new ApiFailure('no', 400, null, null);
  for (const counts of [[refusal], [2, refusal]]) {
    const { api } = breakingApi(...counts);
    await assert.rejects(followNew(createRun(''), {}, { api, signal, onRun: () => {} }), refusal);
  }
});

test('a run that is left is not followed any more', async () => {
  const left = new AbortController();
  const { api, asked } = breakingApi(2, 4);
  const onRun = () => {
    left.abort();
  };
  await assert.rejects(followNew(createRun(''), {}, { api, signal: left.signal, onRun }));
  assert.equal(asked.length, 1);
});
