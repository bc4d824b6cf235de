import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { shareEncoder, type OpenEncoder } from '../../src/features/models/feature.ts';
import { rootKey, startServer, untilDocs, type TestScope } from '../support/server.ts';
import type { Example } from './examples.ts';
import { root } from './pages.ts';

const run = promisify(execFile);
/** Where the documents say that the server is. */
const documentedUrl = 'http://127.0.0.1:8787';
const docsAt = () => documentedUrl;
const compileCache = process.env['NODE_COMPILE_CACHE'];
const admin = { NESTOR_ADMIN_KEY: 'admin-key-of-the-documents' };

/** The Python that has what test/docs/requirements.txt names; undefined for none. */
export const python = process.env['NESTOR_TEST_PYTHON'];

/** A server and a folder of somebody who follows one page from its first example to its last. */
export interface Reader {
  /** What the example prints. Rejects when it fails. */
  follow(example: Example): Promise<string>;
}

/**
 * A data folder whose index has the documentation, where the documents say that the server is: taken in once, and not
 * for each reader.
 */
export async function prepareData(t: TestScope): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), 'nestor-docs-'));
  const server = await startServer(t, { data, docsAt, withDocs: true });
  await untilDocs(server);
  await server.close();
  return data;
}

/** The encoder that ships, for all pages: reading its weights costs a second of CPU. */
export async function openEncoder(t: TestScope): Promise<OpenEncoder> {
  const open = shareEncoder();
  const held = await open();
  t.after(() => held.close());
  return open;
}

/** Begins with a copy of the prepared data. */
export async function openReader(t: TestScope, prepared: string, encoder: OpenEncoder): Promise<Reader> {
  const folder = await openProject(t);
  const data = join(folder, 'data');
  await cp(prepared, data, { recursive: true });
  // As a reader's own server, a moment after its start; the index of its data was made by words.
  const engines = { NESTOR_DECISIONS_ENGINE: 'encoder', NESTOR_EMBEDDINGS_ENGINE: 'words' };
  const server = await startServer(t, {
    env: { NESTOR_DATA: data, ...engines, ...admin },
    docsAt,
    withDocs: true,
    openEncoder: encoder,
  });
  const env = {
    PATH: [join(folder, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
    HOME: folder,
    NESTOR_URL: server.url,
    NESTOR_ROOT_KEY: rootKey,
    NESTOR_DATA: data,
    NESTOR_EMBEDDINGS_ENGINE: 'words',
    NESTOR_DETECT: 'false',
    NESTOR_SANDBOX_RUNNER: 'off',
    // Packages that examples import are compiled once.
    ...(compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache }),
    ...admin,
  };
  return {
    async follow({ language, code }) {
      const source = code.replaceAll(documentedUrl, server.url);
      const options = { cwd: folder, env, timeout: 60_000 };
      if (language === 'sh') return (await run('sh', ['-euc', source], options)).stdout;
      const file = language === 'ts' ? 'example.ts' : 'example.py';
      await writeFile(join(folder, file), source);
      return (await run(language === 'ts' ? process.execPath : pythonPath(), [file], options)).stdout;
    },
  };
}

function pythonPath(): string {
  if (python === undefined)
    throw new Error('NESTOR_TEST_PYTHON has to name a Python; see test/docs/requirements.txt');
  return python;
}

/** A folder in which the packages of the repository are installed, as they would be in a reader's project. */
export async function openProject(t: TestScope): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nestor-docs-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'bin'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const command = `node ${JSON.stringify(join(root, 'bin', 'nestor.mjs'))}`;
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ type: 'module', scripts: { nestor: command } }),
  );
  await writeFile(join(folder, 'bin', 'nestor'), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
  return folder;
}
