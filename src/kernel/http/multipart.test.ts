import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { operationOf, serve } from './made-up.fixture.ts';
import { defineOperation, ok } from './operation.ts';

const bytesMax = 100_000;
const envelopeBytesMax = 2_000;
const spec = { multipart: { part: 'file', bytesMax, envelopeBytesMax } };

const upload = defineOperation({
  ...operationOf(() => ok({})),
  method: 'POST',
  surface: 'skills',
  body: spec,
  handle: ({ body }) => ok({ size: body.file.length, hash: hashOf(body.file) }),
});

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

type Part = readonly [name: string, content: Uint8Array | string, type?: 'file' | 'field'];

function formOf(...parts: readonly Part[]): FormData {
  const form = new FormData();
  for (const [name, content, type = 'file'] of parts) {
    if (type === 'field') form.append(name, String(content));
    else form.append(name, new Blob([typeof content === 'string' ? content : Buffer.from(content)]), 'a.zip');
  }
  return form;
}

async function open(t: Parameters<typeof serve>[0]) {
  const { url } = await serve(t, upload);
  return async (body: FormData | string | Buffer, headers: Record<string, string> = {}) => {
    const sent = typeof body === 'string' || body instanceof FormData ? body : new Uint8Array(body);
    const response = await fetch(`${url}/made`, { method: 'POST', body: sent, headers });
    const told = (await response.json()) as { size?: number; hash?: string; error?: { message: string } };
    return { status: response.status, ...told, message: told.error?.message };
  };
}

test('the one file of the name arrives byte for byte; other parts are ignored', async (t) => {
  const post = await open(t);
  const content = Buffer.alloc(bytesMax, Uint8Array.from([0, 13, 10, 45, 45, 255, 7]));
  for (const bytes of [content, Buffer.alloc(0), Buffer.from('\r\n--'), content.subarray(0, 65_536)]) {
    const { status, size, hash } = await post(formOf(['file', bytes]));
    assert.deepEqual([status, size, hash], [200, bytes.length, hashOf(bytes)]);
  }
  const among = formOf(['note', 'x', 'field'], ['other', 'y'], ['file', 'z'], ['file', 'a text', 'field']);
  assert.deepEqual((await post(among)).hash, hashOf(Buffer.from('z')));
});

test('a missing, a repeated and a misnamed file are 400', async (t) => {
  const post = await open(t);
  for (const form of [
    formOf(),
    formOf(['other', 'x']),
    formOf(['file', 'x', 'field']),
    formOf(['File', 'x']),
    formOf(['file', 'x'], ['file', 'y']),
  ]) {
    const { status, message } = await post(form);
    assert.equal(status, 400, String(message));
  }
});

test('a file above the limit is 413 and names the limit; at the limit it passes', async (t) => {
  const post = await open(t);
  assert.equal((await post(formOf(['file', Buffer.alloc(bytesMax)]))).status, 200);
  for (const size of [bytesMax + 1, bytesMax + 1_500]) {
    const { status, message } = await post(formOf(['file', Buffer.alloc(size)]));
    assert.equal(status, 413);
    assert.equal(message, `request body exceeds the maximum allowed size of ${bytesMax} bytes`);
  }
});

test('file and envelope together at their limit are 413 and name it', async (t) => {
  const post = await open(t);
  const { status, message } = await post(
    formOf(['file', Buffer.alloc(bytesMax)], ['other', Buffer.alloc(envelopeBytesMax)]),
  );
  assert.equal(status, 413);
  assert.equal(
    message,
    `request body exceeds the maximum allowed size of ${bytesMax + envelopeBytesMax} bytes`,
  );
});

test('what is no multipart body is 400, however it is broken', async (t) => {
  const post = await open(t);
  const typed = (type: string) => ({ 'content-type': type });
  const boundary = typed('multipart/form-data; boundary=b');
  const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc';
  const broken: readonly (readonly [string, Record<string, string>])[] = [
    ['{}', typed('application/json')],
    ['file=x', typed('application/x-www-form-urlencoded')],
    ['x', typed('multipart/form-data')],
    ['x', typed('multipart/form-data; boundary=')],
    ['x', typed('multipart/mixed; boundary=b')],
    ['', boundary],
    ['x', boundary],
    [part, boundary],
    [`${part}\r\n`, boundary],
    [`${part}\r\n--b`, boundary],
    ['--b\r\n', boundary],
    ['--b--', boundary],
    ['--b\r\ncontent-disposition: form-data; filename="a"\r\n\r\nabc\r\n--b--\r\n', boundary],
    [`--b\r\nx: ${'y'.repeat(90_000)}\r\n\r\nabc\r\n--b--\r\n`, boundary],
    [`${'--b\r\n\r\n\r\n'.repeat(5_000)}--b--`, boundary],
  ];
  for (const [body, headers] of broken) {
    const { status, message } = await post(body, headers);
    assert.equal(status, 400, `${body.slice(0, 80)}: ${message}`);
  }
  assert.equal((await post(`${part}\r\n--b--\r\n`, boundary)).status, 200);
});

test('an encoded body is 400', async (t) => {
  const post = await open(t);
  const { status, message } = await post('x', {
    'content-type': 'multipart/form-data; boundary=b',
    'content-encoding': 'gzip',
  });
  assert.deepEqual([status, message], [400, 'Content-Encoding is not supported, send the body as it is']);
});
