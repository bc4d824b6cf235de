import type { AddressInfo } from 'node:net';
import { createChat } from '../../src/features/chat/chat.ts';
import { Bodies } from '../../src/kernel/http/bodies.ts';
import type { Principal } from '../../src/kernel/http/operation.ts';
import type { RequestRecord } from '../../src/kernel/http/request-record.ts';
import { createTransport } from '../../src/kernel/http/transport.ts';
import { fullBucket } from '../../src/kernel/kit/bucket.ts';
import { systemClock } from '../../src/kernel/kit/clock.ts';
import type { OnFailure } from '../../src/kernel/kit/failure-log.ts';
import { randomIds } from '../../src/kernel/kit/ids.ts';
import { openStructuredChecks } from '../../src/features/models/open-structured-checks.ts';
import type { Models } from '../../src/features/models/registry.ts';
import type { RunVerification } from '../../src/features/verification/feature.ts';
import type { FetchMedia } from '../../src/features/models/media.ts';
import { chatOperations } from '../../src/features/chat/wire/chat/operation.ts';
import type { ChatServices } from '../../src/features/chat/wire/chat-request.ts';
import type { Settings } from '../../src/kernel/feature.ts';
import type { PageReader } from '../../src/features/search/page.ts';
import type { Search } from '../../src/features/search/search.ts';
import { scriptedModels, type Script, type ScriptedModel } from './models.ts';
import type { TestScope } from './server.ts';
import { settings } from './settings.ts';
import { found, scriptedPages, scriptedSearch } from './tools.ts';

export interface ChatOptions {
  readonly models: Models;
  readonly search?: Search;
  readonly pages?: PageReader;
  readonly fetchMedia?: FetchMedia;
  readonly settings?: Partial<Settings['chat']>;
  readonly aliases?: Settings['aliases'];
  readonly thinkPreamble?: boolean;
  readonly verification?: RunVerification;
  readonly onFailure?: OnFailure;
}

export interface TestChat {
  readonly url: string;
  readonly key: string;
  /** What happened to each request, in the order in which they ended. */
  readonly records: readonly RequestRecord[];
  readonly post: (body: unknown, more?: RequestInit) => Promise<Response>;
}

export const chatKey = 'chat-key-0123456789';
const principal: Principal = { accountId: 'default', keyId: 'test', tier: 5, denied: [] };

/** Two pages for whatever is asked. */
export const twoPages = () =>
  scriptedSearch(() => [
    found('https://kea.example/', { title: 'Kea', snippet: 'The kea is a parrot.', date: '2026-01-02' }),
    found('https://birds.example/', { title: 'Birds', snippet: 'Birds of the south.' }),
  ]);

/** The same model behind every chat name. */
export function chatModels(model: ScriptedModel | Script) {
  const names = ['svc', 'svc-pro', 'svc-reasoning-pro', 'svc-deep-research'];
  return scriptedModels(Object.fromEntries(names.map((name) => [`svc/${name}`, model])));
}

/** Chat completions on a port of their own, over any models and any search; closed when the test ends. */
export async function startChat(t: TestScope, options: ChatOptions): Promise<TestChat> {
  const {
    models,
    search = twoPages(),
    pages = scriptedPages({}),
    fetchMedia,
    onFailure = () => {},
  } = options;
  const ours: Settings = {
    ...settings,
    chat: { ...settings.chat, ...options.settings },
    aliases: options.aliases ?? settings.aliases,
  };
  const clock = systemClock;
  const structured = openStructuredChecks();
  const services: ChatServices = {
    chat: createChat({
      models,
      search,
      pages,
      clock,
      thinkPreamble: options.thinkPreamble ?? true,
      verification: options.verification ?? null,
      onFailure,
    }),
    models,
    structured,
    pages,
    clock,
    ids: randomIds,
    ...(fetchMedia === undefined ? {} : { fetchMedia }),
  };
  const records: RequestRecord[] = [];
  const stopping = new AbortController();
  const admission = {
    allowed: true,
    capacity: 50,
    remaining: 49,
    fullInMs: 30,
    retryInMs: 0,
    fill: fullBucket,
  };
  const app = createTransport(
    chatOperations(ours),
    {
      services,
      authenticate: (sent) => (sent === chatKey ? principal : null),
      admit: () => admission,
      bodies: new Bodies({ heapBytes: 512 * 1_048_576 }),
      reserveBilling: () => ({ keep: () => undefined, release: () => {} }),
      record: (record) => void records.push(record),
      clock,
      ids: randomIds,
      stopping: stopping.signal,
    },
    { corsOrigins: [] },
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(async () => {
    stopping.abort();
    app.server.closeAllConnections();
    await app.close();
    await structured.close();
  });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return {
    url,
    key: chatKey,
    records,
    post: (body, more = {}) =>
      fetch(`${url}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${chatKey}`, 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...more,
      }),
  };
}

/** The values of a stream; the last line is `[DONE]`, no line names an event. */
export function readChunks(wire: string): Record<string, unknown>[] {
  const lines = wire.split('\n\n').filter((line) => line !== '' && !line.startsWith(':'));
  if (lines.pop() !== 'data: [DONE]') throw new Error('the stream has no end');
  return lines.map((line) => {
    if (!line.startsWith('data: ')) throw new Error(`not a data line: ${line}`);
    return JSON.parse(line.slice('data: '.length)) as Record<string, unknown>;
  });
}
