import { once } from 'node:events';
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { RunRegistry, type RunsOptions } from '../../src/features/agent/runs.ts';
import { Bodies } from '../../src/kernel/http/bodies.ts';
import type { Principal } from '../../src/kernel/http/operation.ts';
import { createTransport } from '../../src/kernel/http/transport.ts';
import { fullBucket } from '../../src/kernel/kit/bucket.ts';
import { systemClock, type Clock } from '../../src/kernel/kit/clock.ts';
import { randomIds } from '../../src/kernel/kit/ids.ts';
import { openStructuredChecks } from '../../src/features/models/open-structured-checks.ts';
import { agentOperations } from '../../src/features/agent/wire/operation.ts';
import { endAbandoned } from '../../src/features/agent/wire/run-error.ts';
import type { FetchMedia } from '../../src/features/models/media.ts';
import type { RunRecord } from '../../src/features/accounts/ledger/reports.ts';
import type { Services, Settings } from '../../src/kernel/feature.ts';
import { SkillService } from '../../src/features/skills/skills.ts';
import type { Database } from '../../src/kernel/store/database.ts';
import { openMadeStore } from './made-store.ts';
import { openPubSub } from '../../src/kernel/store/pub-sub.ts';
import { createResponses } from '../../src/features/agent/store/responses.ts';
import { createSkills } from '../../src/features/skills/store.ts';
import type { ToolDependencies, ToolSet } from '../../src/features/tools/feature.ts';
import { parseEvents, readRun, type Json, type ReadRun } from './agent-wire.ts';
import { call, finish, says, text, type Script, type ScriptedModels } from './models.ts';
import type { TestScope } from './server.ts';
import { quotaOf } from './quota.ts';
import { settings } from './settings.ts';
import { toolDependencies } from './tools.ts';

export interface AgentOptions {
  readonly models: ScriptedModels;
  readonly tools?: Partial<ToolDependencies>;
  /** Those of the house by default. */
  readonly toolSet?: ToolSet;
  readonly fetchMedia?: FetchMedia;
  /** Of another server, so that both share a store. */
  readonly database?: Database;
  readonly runs?: Partial<RunsOptions>;
  readonly agent?: Partial<Settings['agent']>;
  readonly clock?: Clock;
  /** Of an account; 1 GiB by default. */
  readonly storageBytesMax?: number;
}

export interface TestAgent {
  readonly url: string;
  readonly database: Database;
  readonly runs: RunRegistry;
  readonly records: readonly RunRecord[];
  readonly errors: readonly unknown[];
  /** Codes of faults that ended runs and are no defects. */
  readonly failures: readonly string[];
  readonly skills: Services['skills'];
  readonly send: (method: string, path: string, body?: unknown, more?: RequestInit) => Promise<Response>;
  /** The response object of a request that began. */
  readonly ask: (body: object, path?: string) => Promise<Json>;
  readonly stream: (body: object) => Promise<ReadRun>;
  /** The error of a request that was refused. */
  readonly refused: (body: unknown, status?: number) => Promise<Json>;
  /** Aborts what runs, as a server that has waited long enough. */
  readonly stop: (reason: Error) => void;
  readonly close: () => Promise<void>;
}

/** Two accounts by their keys. */
export const keys = { acme: 'agent-key-0123456789', other: 'other-key-0123456789' };

/** The operations of the agent on a port of their own, over models, tools and a store in memory. */
export async function startAgent(t: TestScope, options: AgentOptions): Promise<TestAgent> {
  const { models, tools, fetchMedia, clock = systemClock } = options;
  const { toolSet = settings.tools } = options;
  const ours = { ...settings, tools: toolSet, agent: { ...settings.agent, ...options.agent } };
  const database = options.database ?? (await openMadeStore());
  const storageQuota = quotaOf(database, options.storageBytesMax);
  const pubSub = await openPubSub(database);
  const errors: unknown[] = [];
  const failures: string[] = [];
  const records: RunRecord[] = [];
  const runs = new RunRegistry({
    store: createResponses(database.db),
    pubSub,
    clock,
    owner: randomIds.uuid(),
    isAlone: database.store === 'sqlite' && options.database === undefined,
    retentionMs: 30 * 86_400_000,
    endAbandoned,
    onError: (error) => void errors.push(error),
    onFailure: (fault) => void failures.push(fault.code),
    fullAccounts: (accountIds) => storageQuota.full(accountIds),
    ...options.runs,
  });
  const skills = new SkillService({
    skills: createSkills(database.db),
    secret: 'secret',
    skillsMax: 100,
    clock,
    ids: randomIds,
  });
  const structured = openStructuredChecks();
  const services = {
    models,
    structured,
    tools: toolDependencies(tools),
    skills,
    runs,
    storageQuota,
    verifier: { forRun: () => null },
    reserveRunRow: () => ({ keep: (record: RunRecord) => void records.push(record), release: () => {} }),
    clock,
    ids: randomIds,
    ...(fetchMedia === undefined ? {} : { fetchMedia }),
  } as unknown as Services;
  const stopping = new AbortController();
  const app = createTransport(
    agentOperations(ours),
    {
      services,
      authenticate: toPrincipal,
      admit: () => ({
        allowed: true,
        capacity: 33,
        remaining: 32,
        fullInMs: 30,
        retryInMs: 0,
        fill: fullBucket,
      }),
      bodies: new Bodies({ heapBytes: 512 * 1_048_576 }),
      reserveBilling: () => ({ keep: () => undefined, release: () => {} }),
      record: () => {},
      clock,
      ids: randomIds,
      stopping: stopping.signal,
    },
    { corsOrigins: [] },
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  let closed: Promise<void> | null = null;
  const end = async () => {
    stopping.abort(new Error('the test is over'));
    app.server.closeAllConnections();
    await app.close();
    await runs.close();
    await structured.close();
    await pubSub.close();
    if (options.database === undefined) await database.close();
  };
  const close = () => (closed ??= end());
  t.after(close);
  const send: TestAgent['send'] = (method, path, body, more = {}) =>
    fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${keys.acme}` },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...more,
    });
  return {
    url,
    database,
    runs,
    records,
    errors,
    failures,
    skills,
    send,
    async ask(body, path = '/v1/agent') {
      const response = await send('POST', path, body);
      const told = (await response.json()) as Json;
      assert.equal(response.status, 200, JSON.stringify(told));
      return told;
    },
    async stream(body) {
      const response = await send('POST', '/v1/agent', { ...body, stream: true });
      const wire = await response.text();
      assert.equal(response.status, 200, wire);
      assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
      return readRun(parseEvents(wire));
    },
    async refused(body, status = 400) {
      const response = await send('POST', '/v1/agent', body);
      const told = (await response.json()) as { readonly error: Json };
      assert.equal(response.status, status, JSON.stringify(told));
      assert.deepEqual(Object.keys(told.error), ['message', 'type', 'code', 'param']);
      return told.error;
    },
    stop: (reason) => stopping.abort(reason),
    close,
  };
}

function toPrincipal(sent: string): Principal | null {
  const account = Object.entries(keys).find(([, key]) => key === sent)?.[0];
  return account === undefined ? null : { accountId: account, keyId: 'test', tier: 5, denied: [] };
}

/** Turns of one model, one after the other; the last one again and again. */
export function turns(...scripts: readonly Script[]): Script {
  let at = 0;
  return (request, signal) => {
    const script = scripts[Math.min(at++, scripts.length - 1)];
    assert.ok(script);
    return script(request, signal);
  };
}

/** Searches once, then answers with what was found. */
export const searching = (answer = 'The kea is a parrot [1] and green [7].') =>
  turns(
    says([text('Let me look.')], call('call_1', 'web_search', '{"queries":["kea"]}'), finish('tool-calls')),
    says([text(answer.slice(0, 9))], [text(answer.slice(9))], finish()),
  );

/** Tells `count` pieces, each when it is allowed to, until it is aborted. */
export function slow(count: number, pauseMs = 5): Script {
  return async function* answer(_request, signal) {
    for (let n = 0; n < count; n++) {
      yield [text(`piece ${n}. `)];
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      signal.throwIfAborted();
    }
    yield finish();
  };
}

/** An answer that goes on until it is aborted; `nextRead` resolves when the first piece of the next one was read. */
export function lastingAnswer(): { readonly script: Script; readonly nextRead: () => Promise<void> } {
  let read = Promise.withResolvers<void>();
  const script: Script = async function* (_request, signal) {
    yield [text('a piece. ')];
    // Whoever asks for more has read the first piece.
    read.resolve();
    await once(signal, 'abort');
  };
  return { script, nextRead: () => (read = Promise.withResolvers()).promise };
}
