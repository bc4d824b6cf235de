import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { configuration } from '../../src/configuration.ts';
import { openServer } from '../../src/server.ts';
import type { Overrides } from '../../src/kernel/feature.ts';
import { processEncoder } from './held-encoder.ts';
import { putStore } from './made-store.ts';
import { until } from './until.ts';

export const rootKey = 'test-root-key-0123456789';

export interface TestServer {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly key: string;
  /** The key that the start made; null where one was configured. */
  readonly firstKey: string | null;
  /** The data folder. */
  readonly data: string;
  /** Lines of the log so far, as objects. */
  readonly log: readonly Record<string, unknown>[];
  /** Before another one begins on the same folder; otherwise the end of the test closes it. */
  readonly close: () => Promise<void>;
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>;
}

export interface TestServerOptions extends Partial<Omit<Overrides, 'log'>> {
  /**
   * Environment variables of the configuration, for example `{ NESTOR_RATE_LIMITS_ENABLED: 'false' }`. Detection is off
   * unless NESTOR_DETECT says otherwise, so that no test depends on what runs on this machine; so is the sandbox, whose
   * search for a runner costs seconds of CPU.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** The configuration file, as YAML. */
  readonly config?: string;
  /** The data folder of another server, in place of a new one. */
  readonly data?: string;
  /** Takes Nestor's own documentation into the index, as servers do: more than a second of CPU. */
  readonly withDocs?: boolean;
  /** Has the encoder that ships, as servers do: a second of CPU, unless a file holds it. Without it words answer. */
  readonly withEncoder?: boolean;
}

/** A test, or `{ after }` of node:test for a whole file. */
export interface TestScope {
  after(close: () => Promise<void>): void;
}

/** Resolves once the documentation is in the index, which happens behind the start. */
export async function untilDocs({ log }: Pick<TestServer, 'log'>): Promise<void> {
  await until(() => log.some(({ msg }) => msg === 'the documentation is in the index'));
}

/** A whole server on a port of its own with a store of its own; closed when the test ends. */
export async function startServer(t: TestScope, options: TestServerOptions = {}): Promise<TestServer> {
  const { env = {}, config: file, data: given, withDocs = false, withEncoder = false, ...parts } = options;
  const data = given ?? (await mkdtemp(join(tmpdir(), 'nestor-test-')));
  if (given === undefined) await putStore(data, 'bare');
  if (file !== undefined) await writeFile(join(data, 'nestor.yaml'), file);
  const config = configuration.load({
    env: {
      NESTOR_PORT: '0',
      NESTOR_DATA: data,
      NESTOR_ROOT_KEY: rootKey,
      NESTOR_DETECT: 'false',
      NESTOR_SANDBOX_RUNNER: 'off',
      ...env,
    },
    cwd: data,
  });
  const log: Record<string, unknown>[] = [];
  const sink = { write: (line: string) => void log.push(JSON.parse(line) as Record<string, unknown>) };
  const docs = withDocs ? {} : { docsAt: () => null };
  const encoder = { openEncoder: withEncoder ? processEncoder : null };
  const server = await openServer(config, {
    ...docs,
    ...encoder,
    ...parts,
    log: pino({ level: 'debug' }, sink),
  });
  const url = await server.listen();
  t.after(async () => {
    await server.close();
    await rm(data, { recursive: true, force: true });
  });
  return {
    url,
    key: rootKey,
    firstKey: server.services.newRootKey,
    data,
    log,
    close: () => server.close(),
    post: (path, body, headers = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${rootKey}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}
