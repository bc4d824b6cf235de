import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import type { CommandContext } from '../../src/kernel/commands/command.ts';
import { systemClock, type Clock } from '../../src/kernel/kit/clock.ts';
import { openBackups } from '../../src/features/service/backup-tools.ts';
import { openIndexTools } from '../../src/features/index/open-index.ts';
import { findAdapter, openBareDecisions } from '../../src/features/decisions/open-decisions.ts';
import { doctorTools } from '../../src/features/service/doctor-tools.ts';
import { findModels, type KnownLocalServer } from '../../src/features/models/feature.ts';
import { openModelTools } from '../../src/features/models/open-server-models.ts';
import { commands } from '../../src/commands.ts';
import { configuration } from '../../src/configuration.ts';
import { openServer, openServices } from '../../src/server.ts';
import { readIfThere, withoutWeights } from '../support/without-weights.ts';
import { openStoreTools } from '../../src/features/service/store-tools.ts';

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Console {
  readonly folder: string;
  /** Runs a command of this process, as `nestor` would. Rejects with what `nestor` would tell and exit with 1. */
  readonly nestor: (argv: readonly string[], more?: RunOptions) => Promise<Ended>;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Readable;
  /** A person types what stands in `stdin`. */
  readonly isTyped?: boolean;
  readonly isTerminal?: boolean;
  readonly isPlain?: boolean;
  /** The server that commands call, and as whom. */
  readonly api?: CommandContext['api'];
  readonly signal?: AbortSignal;
  /** Progress is told by its time, which stands still where none is given: no command is so slow that it tells of itself. */
  readonly clock?: Clock;
  /** Where servers of models are looked for. */
  readonly localServers?: readonly KnownLocalServer[];
  readonly hub?: CommandContext['hub'];
}

/** The command line over a data folder of its own. */
export function openConsole(t: TestContext): Console {
  const folder = mkdtempSync(join(tmpdir(), 'nestor-commands-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return {
    folder,
    async nestor([name = '', ...argv], more = {}) {
      const { env = {}, stdin = '', isTyped = false, isTerminal = false, isPlain = false, signal } = more;
      const { api = { url: undefined, key: undefined } } = more;
      const { clock = { ...systemClock, monotonic: () => 0 } } = more;
      const written = { out: '', err: '' };
      const terminal = (to: 'out' | 'err') => ({
        isTTY: isTerminal,
        columns: 80,
        write: (text: string) => void (written[to] += text),
      });
      const context: CommandContext = {
        cwd: folder,
        api,
        usualFolder: join(folder, 'data'),
        isPlain,
        version: '0.0.0',
        commands,
        doctor: () => Promise.resolve(doctorTools),
        load: async (file) => {
          const light = withoutWeights(env, readIfThere(join(folder, file ?? 'nestor.yaml')));
          const variables = { NESTOR_DATA: join(folder, 'data'), ...light, ...env };
          return configuration.load({ env: variables, cwd: folder, file });
        },
        configuration: () => Promise.resolve(configuration),
        open: openBareDecisions,
        findAdapter,
        openStore: openStoreTools,
        openBackups: (config) => Promise.resolve(openBackups(config)),
        openModels: openModelTools,
        findModels: (config, stop) => findModels(config, more.localServers ?? [], stop),
        openIndex: openIndexTools,
        async openServer(config) {
          const server = await openServer(config, { log: pino({ level: 'silent' }) });
          const { newRootKey, decisions, models, sandbox } = server.services;
          const url = await server.listen();
          return {
            url,
            metricsUrl: server.metricsUrl,
            newRootKey,
            engineName: decisions.name,
            models: models.list().map(({ id }) => id),
            sandboxRunner: sandbox.current()?.name ?? null,
            close: () => server.close(),
          };
        },
        hasRootKeyVariable: false,
        openWorker: (config) => openServices(['jobs'], config, { log: pino({ level: 'silent' }) }),
        hub: more.hub ?? { endpoint: undefined, token: undefined, proxy: undefined },
        out: terminal('out'),
        err: terminal('err'),
        stdin: Object.assign(
          typeof stdin === 'string' ? Readable.from([Buffer.from(stdin)]) : stdin,
          isTyped && { isTTY: true },
        ),
        stdout: new Writable({
          write(chunk: Buffer, _encoding, done) {
            written.out += chunk.toString();
            done();
          },
        }),
        clock,
        signal: signal ?? new AbortController().signal,
      };
      const run = await commands.find((one) => one.name === name)?.load();
      if (run === undefined) throw new Error(`no command ${name}`);
      const code = await run(argv, context);
      return { code, ...written };
    },
  };
}

/** The caller says what it expects; tests check it. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function jsonOf<Value>({ out }: Pick<Ended, 'out'>): Value {
  return JSON.parse(out) as Value;
}

const entry = fileURLToPath(new URL('../../bin/nestor.mjs', import.meta.url));

/** Runs the command line as a process of its own. */
export function spawnNestor(argv: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [entry, ...argv],
      { env: { PATH: process.env['PATH'] ?? '', ...env } },
      (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code), out, err });
      },
    );
  });
}
