#!/usr/bin/env node
// The command line. Runs under the Node that the project pins, whatever Node the machine has.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));

const oldestNode = 24;
if (Number(process.versions.node.split('.')[0]) >= oldestNode) {
  // From the second start on nothing is compiled and no types are stripped: 120 ms and 32 MB less (measured; the
  // stripper is a WebAssembly module that is then not loaded at all). The variable is for worker threads.
  process.env.NODE_COMPILE_CACHE ||= pathOf('../node_modules/.cache/nestor');
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import('./relative-imports.mjs');
  // A clone has the source; the published package has it without types, which Node does not take off below
  // node_modules.
  await import(existsSync(pathOf('../src/main.ts')) ? '../src/main.ts' : '../dist/main.js');
} else {
  runPinned();
}

function runPinned() {
  const pinned = pathOf('../node_modules/.bin/node');
  if (!existsSync(pinned)) {
    process.stderr.write(`nestor: needs Node ${oldestNode} or newer, this is ${process.versions.node}\n`);
    process.exitCode = 1;
    return;
  }
  const child = spawn(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
    // Two heaps of glibc in place of eight for each core: 35 to 55 MB less after the encoder was compiled (measured).
    env: { MALLOC_ARENA_MAX: '2', ...process.env },
  });
  // A terminal and a supervisor give a signal to both; the child takes the two as one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    // As a shell tells it: 130 after Ctrl-C.
    process.exitCode = signal === null ? (code ?? 1) : 128 + (constants.signals[signal] ?? 0);
  });
}
