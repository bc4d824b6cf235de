import { mkdtemp, rm, chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunnerUnfit, type Baits, type SandboxLimits, type SandboxRunner } from './runner.ts';

const limits: SandboxLimits = {
  wallMs: 30_000,
  cpuMs: 20_000,
  memoryBytesMax: 536_870_912,
  outputBytesMax: 65_536,
  filesBytesMax: 1_048_576,
  filesMax: 10,
  processesMax: 16,
};

export async function withBaits<Result>(use: (baits: Baits) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'nestor-probe-'));
  let reached = false;
  const server = createServer((socket) => {
    reached = true;
    socket.destroy();
  });
  try {
    const file = join(folder, 'bait');
    await writeFile(file, 'bait');
    await chmod(folder, 0o755);
    const listening = Promise.withResolvers<void>();
    server.once('error', listening.reject);
    server.listen(0, '127.0.0.1', listening.resolve);
    await listening.promise;
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return await use({ file, port, isReached: () => reached });
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A real run that computes, and tries what must be refused. Throws `RunnerUnfit`. */
export async function probe(runner: SandboxRunner, baits: Baits, signal: AbortSignal): Promise<void> {
  const run = { language: 'python', code: toCode(baits), files: [], readOnlyFiles: [] } as const;
  const { status, stdout, stderr, files } = await runner.run(run, limits, signal);
  if (baits.isReached()) throw new RunnerUnfit('code in it reached the network');
  if (status === 'timed_out') throw new RunnerUnfit('it does not run in time', false);
  if (status !== 'completed') throw new RunnerUnfit(`it does not run: ${stderr.trim().slice(-200)}`, false);
  const text = stdout.trim();
  if (text !== '42 []') throw new RunnerUnfit(`code in it could do what it must not: ${text.slice(0, 200)}`);
  const [file] = files;
  if (file?.path !== 'made' || Buffer.from(file.bytes).toString('utf8') !== 'here')
    throw new RunnerUnfit('files do not come back');
}

function toCode({ file, port }: Baits): string {
  return `
import os, socket
found = []
def attempt(name, what):
    try:
        what()
        found.append(name)
    except Exception:
        pass
attempt('file', lambda: open(${JSON.stringify(file)}).read())
attempt('link', lambda: open('/proc/1/root' + ${JSON.stringify(file)}).read())
attempt('write', lambda: open('/usr/bin/nestor-probe', 'w'))
attempt('tcp', lambda: socket.create_connection(('127.0.0.1', ${port}), 1))
open('/work/made', 'w').write('here')
print(6 * 7, found)
`;
}
