import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import type { TestScope } from './server.ts';

const python = process.env['NESTOR_TEST_PYTHON'];
const program = join(import.meta.dirname, '..', 'weights', 'llama-server.py');

/** Why a test of llama.cpp's server is left out; false where it can be started. */
export const skipsLlamaServer = reason();

function reason(): string | false {
  if (python === undefined) return 'NESTOR_TEST_PYTHON names no Python; .ci/run makes one';
  const find = "import importlib.util, sys; sys.exit(importlib.util.find_spec('xllamacpp') is None)";
  return (
    spawnSync(python, ['-c', find]).status !== 0 &&
    'that Python has no xllamacpp; test/weights/requirements-llama-server.txt names it'
  );
}

/** llama.cpp's own server over one GGUF file. Returns its address. */
export async function startLlamaServer(t: TestScope, file: string, alias: string, kind?: 'embedding') {
  const child = spawn(python ?? '', ['-B', program, file, alias, ...(kind === undefined ? [] : [kind])], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  t.after(async () => {
    child.kill();
    await exited;
  });
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then(([code]) => Promise.reject(new Error(`llama.cpp's server ended with ${String(code)}`))),
  ]);
  return String(line);
}
