import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { configuration } from '../../src/configuration.ts';
import { openServer } from '../../src/server.ts';
import { scriptedEngine } from '../support/engines.ts';
import { exampleBodies } from '../support/examples.ts';
import { openSocket, readSocket } from '../support/http.ts';

/** Contract 3.2 and 4.2: a key is in no log line, no response and no file. */

test('neither a configured nor a generated key leaves the server, nor what callers wrote', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nestor-test-'));
  const configured = 'configured-key-0123456789-secret';
  const wrong = 'wrong-key-that-nobody-may-read-again';
  const written = 'sentence-of-a-caller-that-is-private';
  const lines: string[] = [];
  const seen: string[] = [];
  const keep = async (response: Response) => {
    seen.push(JSON.stringify([...response.headers]), await response.text());
    return response.status;
  };
  const secrets = [configured, wrong, written];

  for (const env of [{}, { NESTOR_ROOT_KEY: configured }]) {
    const config = configuration.load({
      env: { NESTOR_PORT: '0', NESTOR_DATA: folder, ...env },
      cwd: folder,
    });
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    let fails = false;
    const decisions = scriptedEngine({
      score: (_state, questions) => {
        if (fails) throw new Error('the engine broke');
        return Promise.resolve(questions.map(({ options }) => options.map(() => 1 / options.length)));
      },
    });
    const server = await openServer(config, { log, decisions });
    const key = server.services.newRootKey ?? configured;
    secrets.push(key);
    const url = await server.listen();
    const ask = async (secret: string, body: unknown, path = '/v1/decisions') =>
      keep(
        await fetch(url + path, {
          method: 'POST',
          headers: { authorization: `Bearer ${secret}`, 'x-api-key': secret, cookie: `a=${secret}` },
          body: JSON.stringify(body),
        }),
      );
    const body = { ...exampleBodies['createDecision'], state: written };
    assert.equal(await ask(key, body), 200);
    assert.equal(await ask(wrong, body), 401);
    assert.equal(await ask(key, { ...body, model: 'nope' }), 400);
    assert.equal(await ask(key, body, `/nothing?key=${key}`), 404);
    assert.equal(await ask(key, body, `/v1/decisions?key=${key}`), 200);
    fails = true;
    assert.equal(await ask(key, body), 500);
    assert.equal(await keep(await fetch(`${url}/openapi.json`)), 200);
    assert.equal(await keep(await fetch(`${url}/readyz`)), 200);
    const socket = await openSocket(url);
    const reading = readSocket(socket);
    socket.write(`GARBAGE Authorization: Bearer ${key}\r\n\r\n`);
    seen.push(await reading);
    socket.destroy();
    await server.close();
  }

  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const contents = await Promise.all(
    files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'latin1')),
  );
  assert.ok(
    contents.some((content) => content.startsWith('SQLite format 3')),
    'the store was looked at',
  );
  assert.ok(lines.length >= 10, 'the log was looked at');
  assert.equal(new Set(secrets).size, 4);
  for (const secret of secrets) {
    for (const text of [...lines, ...seen, ...contents]) {
      assert.ok(!text.includes(secret), `${secret} in ${text.slice(0, 200)}`);
      const encoded = Buffer.from(secret).toString('base64').slice(0, 20);
      assert.ok(!text.includes(encoded), `${secret} encoded in ${text.slice(0, 200)}`);
    }
  }
  await rm(folder, { recursive: true, force: true });
});
