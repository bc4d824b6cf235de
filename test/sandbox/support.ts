import type { TestContext } from 'node:test';
import { openSandbox, type Sandbox } from '../../src/features/sandbox/open-sandbox.ts';
import type {
  RunnerDeclaration,
  SandboxLimits,
  SandboxResult,
  SandboxRun,
  SandboxRunner,
  SharedRunner,
} from '../../src/features/sandbox/runner.ts';
import { sandboxRunners } from '../../src/features/sandbox/runners/index.ts';

export const limits: SandboxLimits = {
  wallMs: 120_000,
  cpuMs: 60_000,
  memoryBytesMax: 536_870_912,
  outputBytesMax: 65_536,
  filesBytesMax: 16_777_216,
  filesMax: 50,
  processesMax: 32,
};

export interface Tried {
  readonly sandbox: Sandbox;
  readonly runner: SharedRunner;
  /** Python without files, unless said otherwise. */
  readonly run: (
    code: string,
    over?: Partial<SandboxRun>,
    caps?: Partial<SandboxLimits>,
    signal?: AbortSignal,
    account?: string,
  ) => Promise<SandboxResult>;
}

const opened = new Map<string, Promise<SandboxRunner>>();

/** Opened with the first test of a process that asks for it: pyodide keeps a state for its runs, which costs 4 s of CPU. */
const openOnce = (runner: RunnerDeclaration): RunnerDeclaration => ({
  ...runner,
  async open(context) {
    let own = opened.get(runner.name);
    if (own === undefined) opened.set(runner.name, (own = runner.open(context)));
    return { ...(await own), close: () => Promise.resolve() };
  },
});

/**
 * The runner under its word of the configuration, probed as a server does it. Null where it does not work here, with
 * the reason as the skip of the test; with `NESTOR_TEST_ALL=1` that fails.
 */
export async function tryRunner(
  name: string,
  t: TestContext,
  slots = { runsMax: 4, waitingMax: 64 },
): Promise<Tried | null> {
  const sandbox = openSandbox({ config: { runner: name }, runners: sandboxRunners.map(openOnce), ...slots });
  t.after(() => sandbox.close());
  const { unfit } = await sandbox.settled;
  const runner = sandbox.current();
  if (runner === null) {
    leaveOut(t, unfit.map((one) => `${one.runner}: ${one.reason}`).join('; '));
    return null;
  }
  return {
    sandbox,
    runner,
    run: (code, over = {}, caps = {}, signal = new AbortController().signal, account = 'acme') =>
      runner.run(
        { language: 'python', code, files: [], readOnlyFiles: [], ...over },
        { ...limits, ...caps },
        signal,
        account,
      ),
  };
}

/** Throws where nothing may be left out. */
export function leaveOut(t: TestContext, reason: string): void {
  if (process.env['NESTOR_TEST_ALL'] === '1') throw new Error(reason);
  t.skip(reason);
}

export function text(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}
