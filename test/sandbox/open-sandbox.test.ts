import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { openSandbox } from '../../src/features/sandbox/open-sandbox.ts';
import { probe, withBaits } from '../../src/features/sandbox/probe.ts';
import {
  defineRunner,
  RunnerUnfit,
  type RunnerDeclaration,
  type SandboxResult,
  type SandboxRun,
  type SandboxRunner,
} from '../../src/features/sandbox/runner.ts';

const slots = { runsMax: 1, waitingMax: 1 };
const never = new AbortController().signal;

test('off opens nothing', async () => {
  const sandbox = openSandbox({ config: { runner: 'off' }, ...slots });
  assert.deepEqual(await sandbox.settled, { runner: null, unfit: [] });
  assert.equal(sandbox.current(), null);
  await sandbox.close();
});

test('there is no runner until one was tried, and closing while it is tried ends that', async () => {
  const sandbox = openSandbox({ config: { runner: 'auto' }, ...slots });
  assert.equal(sandbox.current(), null);
  await sandbox.close();
  assert.equal(sandbox.current(), null);
  const { unfit } = await sandbox.settled;
  for (const { reason } of unfit) assert.notEqual(reason, '');
});

test('what one was found, or why none, is told', async () => {
  const sandbox = openSandbox({ config: { runner: 'auto' }, ...slots });
  const { runner, unfit } = await sandbox.settled;
  assert.equal(sandbox.current()?.name ?? null, runner);
  if (runner === null) assert.equal(unfit.length, 2);
  await sandbox.close();
});

/** Opens what the script says, and fails with what it says. */
function scripted(name: string, script: readonly (SandboxRunner | Error)[]): RunnerDeclaration {
  const left = [...script];
  return defineRunner({
    name,
    needs: 'nothing',
    open() {
      const next = left.shift();
      if (next === undefined) throw new Error('tried too often');
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
  });
}

function named(name: string): SandboxRunner {
  return { ...answering({}, nothing), name };
}

const busy = new RunnerUnfit('it does not run in time', false);
const absent = new RunnerUnfit('bubblewrap is not installed');

test('a runner that failed at a busy start is tried again, after growing waits, and then used', async () => {
  const found = Promise.withResolvers<void>();
  const waits: number[] = [];
  const sandbox = openSandbox({
    config: { runner: 'bubblewrap' },
    ...slots,
    runners: [
      scripted('bubblewrap', [busy, busy, new Error('EAGAIN'), named('found')]),
      scripted('pyodide', []),
    ],
    onReport: ({ runner }) => (runner === null ? undefined : found.resolve()),
    pause: async (ms) => void waits.push(ms),
  });
  assert.equal((await sandbox.settled).runner, null);
  await found.promise;
  assert.equal(sandbox.current()?.name, 'found');
  assert.deepEqual(waits, [5_000, 10_000, 20_000]);
  await sandbox.close();
});

test('a better runner takes over once it works, and what can never work is not tried again', async () => {
  const found = Promise.withResolvers<void>();
  const late = openSandbox({
    config: { runner: 'auto' },
    ...slots,
    runners: [scripted('bubblewrap', [busy, named('better')]), scripted('pyodide', [named('lesser')])],
    onReport: ({ runner }) => (runner === 'better' ? found.resolve() : undefined),
    pause: nothing,
  });
  assert.equal((await late.settled).runner, 'lesser');
  await found.promise;
  assert.equal(late.current()?.name, 'better');
  await late.close();

  const waits: number[] = [];
  const lasting = openSandbox({
    config: { runner: 'auto' },
    ...slots,
    runners: [scripted('bubblewrap', [absent]), scripted('pyodide', [named('lesser')])],
    pause: async (ms) => void waits.push(ms),
  });
  assert.equal((await lasting.settled).runner, 'lesser');
  await lasting.close();
  assert.deepEqual(waits, []);
});

test('closing ends the wait for the next try', async () => {
  const sandbox = openSandbox({
    config: { runner: 'bubblewrap' },
    ...slots,
    runners: [scripted('bubblewrap', [busy]), scripted('pyodide', [])],
  });
  await sandbox.settled;
  await sandbox.close();
  assert.equal(sandbox.current(), null);
});

/** A runner that answers what the test wants, whatever the code. */
function answering(result: Partial<SandboxResult>, onRun: (run: SandboxRun) => Promise<void>): SandboxRunner {
  return {
    name: 'answering',
    languages: ['python'],
    async run(run) {
      await onRun(run);
      return {
        status: 'completed',
        stdout: '42 []\n',
        stderr: '',
        exitCode: 0,
        durationMs: 1,
        files: [{ path: 'made', bytes: Buffer.from('here') }],
        gone: [],
        ...result,
      };
    },
    close: () => Promise.resolve(),
  };
}

const nothing = () => Promise.resolve();
const unfitResults: Readonly<Record<string, [Partial<SandboxResult>, RegExp]>> = {
  'does not compute': [{ stdout: '41 []\n' }, /must not/],
  'lets a file be read': [{ stdout: "42 ['file']\n" }, /could do what it must not: 42 \['file'\]/],
  fails: [{ status: 'failed', stderr: 'bwrap: No permissions' }, /does not run: bwrap: No permissions/],
  'loses files': [{ files: [] }, /files do not come back/],
  'changes files': [{ files: [{ path: 'made', bytes: Buffer.from('else') }] }, /files do not come back/],
};
for (const [name, [result, reason]] of Object.entries(unfitResults))
  test(`a runner that ${name} is not used`, () =>
    withBaits((baits) =>
      assert.rejects(
        probe(answering(result, nothing), baits, never),
        (error) => error instanceof RunnerUnfit && reason.test(error.message),
      ),
    ));

test('a runner whose code reaches the network is not used, whatever it answers', () =>
  withBaits(async (baits) => {
    const leaky = answering({}, async () => {
      await fetch(`http://127.0.0.1:${baits.port}/`).catch(() => {});
    });
    await assert.rejects(probe(leaky, baits, never), /reached the network/);
  }));

test('a runner that computes and refuses is used', () =>
  withBaits((baits) => probe(answering({}, nothing), baits, never)));

test('baits are gone afterwards', async () => {
  const [name] = await withBaits(({ file }) => Promise.resolve(file.split('/').slice(-2)));
  assert.ok(!(await readdir(tmpdir())).includes(name ?? ''));
});
