import type { AddressInfo } from 'node:net';
import { Bodies } from '../../src/kernel/http/bodies.ts';
import type { Principal } from '../../src/kernel/http/operation.ts';
import type { RequestRecord } from '../../src/kernel/http/request-record.ts';
import { createTransport } from '../../src/kernel/http/transport.ts';
import { fullBucket } from '../../src/kernel/kit/bucket.ts';
import { systemClock } from '../../src/kernel/kit/clock.ts';
import { randomIds } from '../../src/kernel/kit/ids.ts';
import type { Models } from '../../src/features/models/registry.ts';
import { anthropicModelsOperations } from '../../src/features/router/wire/anthropic/models.ts';
import { anthropicMessagesOperations } from '../../src/features/router/wire/anthropic/operation.ts';
import { routerChatOperations } from '../../src/features/router/wire/chat/operation.ts';
import { routerMessagesOperations } from '../../src/features/router/wire/messages/operation.ts';
import { routerModelsOperations } from '../../src/features/router/wire/models/operation.ts';
import type { FetchMedia } from '../../src/features/models/media.ts';
import type { RouterServices } from '../../src/features/router/wire/router.ts';
import { openGuardedClient } from '../../src/kernel/kit/guarded-client.ts';
import { openStructuredChecks } from '../../src/features/models/open-structured-checks.ts';
import { openPageReader } from '../../src/features/search/page/open-page-reader.ts';
import { toolDependencies } from './tools.ts';
import type { TestScope } from './server.ts';
import { settings } from './settings.ts';

export interface RouterOptions {
  readonly models: Models;
  readonly lenient?: boolean;
  /** Of the interface for clients of Anthropic. */
  readonly defaultModel?: string | null;
  readonly fetchMedia?: FetchMedia;
}

export interface TestRouter {
  readonly url: string;
  readonly key: string;
  /** What happened to each request, in the order in which they ended. */
  readonly records: readonly RequestRecord[];
  readonly post: (path: string, body: unknown, more?: RequestInit) => Promise<Response>;
}

const key = 'router-key-0123456789';
const principal: Principal = { accountId: 'default', keyId: 'test', tier: 5, denied: [] };

/** The operations of the router on a port of their own, over any models; closed when the test ends. */
export async function startRouter(
  t: TestScope,
  { models, lenient = false, defaultModel = null, fetchMedia }: RouterOptions,
): Promise<TestRouter> {
  const ours = { ...settings, router: { ...settings.router, lenient, defaultModel } };
  const client = openGuardedClient({ allowHosts: [], userAgent: 'Nestor' });
  const pages = openPageReader({ client, clock: systemClock, timeoutMs: 60_000 });
  const structured = openStructuredChecks();
  const services: RouterServices = {
    models,
    structured,
    pages,
    tools: toolDependencies(),
    clock: systemClock,
    ids: randomIds,
    ...(fetchMedia === undefined ? {} : { fetchMedia }),
  };
  const records: RequestRecord[] = [];
  const stopping = new AbortController();
  const app = createTransport(
    [
      ...routerMessagesOperations(ours),
      ...routerChatOperations(ours),
      ...routerModelsOperations,
      ...anthropicMessagesOperations(ours),
      ...anthropicModelsOperations(ours),
    ],
    {
      services,
      authenticate: (sent) => (sent === key ? principal : null),
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
      record: (record) => void records.push(record),
      clock: systemClock,
      ids: randomIds,
      stopping: stopping.signal,
    },
    { corsOrigins: [] },
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(async () => {
    stopping.abort(new Error('the test is over'));
    app.server.closeAllConnections();
    await app.close();
    await structured.close();
    await pages.close();
    await client.close();
  });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return {
    url,
    key,
    records,
    post: (path, body, more = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...more,
      }),
  };
}
