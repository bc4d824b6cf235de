/**
 * Runs as a process of its own, never in the server: an interpreter of Python in WebAssembly. Its boundary is this
 * process, which Node starts without rights to files, network, processes and threads. Code of strangers can reach every
 * object of JavaScript that is left here, so what is left has to be harmless.
 */
import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { closeSync, constants, fstatSync, readFileSync, readSync, writeSync } from 'node:fs';
import * as inspector from 'node:inspector';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { loadPyodide } from 'pyodide';
import { driver, inputPath, reportPath, warmUp } from './driver.ts';
import { lockDown } from './lock-down.ts';

const reportDescriptor = 3;
const snapshotDescriptor = 4;
const answerMs = 2_000;

/** Keeps the state of a started interpreter, after a look at what this process may do. */
async function makeSnapshot(file: string, port: number): Promise<void> {
  const allowed = await findAllowed(file, port);
  const python = await loadPyodide({ _makeSnapshot: true });
  python.runPython(warmUp);
  writeAll(reportDescriptor, Buffer.from(`${JSON.stringify({ allowed })}\n`));
  writeAll(reportDescriptor, python.makeMemorySnapshot());
}

/** What is not refused, although it has to be. */
async function findAllowed(file: string, port: number): Promise<readonly string[]> {
  const tries: Readonly<Record<string, () => unknown>> = {
    files: () => readFileSync(file),
    processes: () => {
      const { error } = spawnSync(process.execPath, ['--version']);
      if (error !== undefined) throw error;
    },
    threads: () => new Worker('', { eval: true }),
    inspector: () => inspector.open(0),
    tcp: () =>
      new Promise((resolve, reject) => {
        connect({ port, host: '127.0.0.1' }, () => resolve(null)).on('error', reject);
      }),
    udp: () =>
      new Promise((resolve, reject) => {
        const socket = createSocket('udp4').on('error', reject);
        socket.send('x', port, '127.0.0.1', (error) => (error === null ? resolve(null) : reject(error)));
      }),
  };
  const allowed: string[] = [];
  for (const [name, attempt] of Object.entries(tries)) if (await succeeds(attempt)) allowed.push(name);
  return allowed;
}

async function succeeds(attempt: () => unknown): Promise<boolean> {
  try {
    await Promise.race([
      Promise.resolve(attempt()),
      new Promise((_, reject) => setTimeout(() => reject(new Error('no answer')), answerMs)),
    ]);
    return true;
  } catch {
    return false;
  }
}

async function run(): Promise<void> {
  const python = await loadPyodide({ _loadSnapshot: readSnapshot() });
  python.FS.mkdirTree('/work');
  python.FS.mkdirTree('/tmp');
  python.FS.writeFile(inputPath, readFileSync(0));
  python.setStdin({ stdin: () => null });
  python.setStdout({ write: (bytes: Uint8Array) => writeAll(1, bytes) });
  python.setStderr({ write: (bytes: Uint8Array) => writeAll(2, bytes) });
  lockDown((words) => writeAll(2, Buffer.from(`${words}\n`)));
  await python.runPythonAsync(driver, { globals: python.toPy({}) });
  writeAll(reportDescriptor, python.FS.readFile(reportPath));
}

function readSnapshot(): Uint8Array {
  const snapshot = new Uint8Array(fstatSync(snapshotDescriptor).size);
  // By position: several processes read from one open file.
  for (let at = 0; at < snapshot.length;) {
    const count = readSync(snapshotDescriptor, snapshot, at, snapshot.length - at, at);
    if (count === 0) break;
    at += count;
  }
  closeSync(snapshotDescriptor);
  return snapshot;
}

function writeAll(descriptor: number, bytes: Uint8Array): number {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
  return bytes.length;
}

/** An interpreter that is broken, or code that breaks this process, ends it without a report. */
function end(): never {
  writeAll(2, Buffer.from('The interpreter has ended.\n'));
  process.exit(1);
}

/** The interpreter asks for this once, for the numbers of flags of files. Node refuses it under its permissions. */
function giveConstants(): void {
  Object.defineProperty(process, 'binding', { value: () => ({ fs: constants }), configurable: true });
}

const [, , mode, file = '', port = ''] = process.argv;
giveConstants();
if (mode === 'snapshot') await makeSnapshot(file, Number(port));
else {
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
  await run().catch(end);
}
process.exit(0);
