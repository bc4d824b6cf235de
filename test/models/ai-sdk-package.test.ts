import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { collect, faultOf, firstModel, plainRequest } from './suite.ts';
import { hang, startWire, type WireAnswer } from '../support/upstream-chat.ts';
import { mistralAnswer, mistralError, openMistral } from '../support/upstream-messages-mistral.ts';
import { reached } from '../support/upstream-messages-model.ts';

/** A folder whose `node_modules` holds these packages: the manifest, and what `index.js` is. */
async function folderWith(
  t: TestContext,
  packages: Readonly<Record<string, { readonly manifest?: object; readonly code: string }>>,
): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'packages-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  for (const [name, { manifest = { exports: './index.js' }, code }] of Object.entries(packages)) {
    const home = path.join(folder, 'node_modules', name);
    await mkdir(home, { recursive: true });
    await writeFile(path.join(home, 'package.json'), JSON.stringify({ name, type: 'module', ...manifest }));
    await writeFile(path.join(home, 'index.js'), code);
  }
  return folder;
}

/** A package of the version before: it says what it was asked with. */
const older = `
export function createOther() { throw new Error('the wrong factory'); }
export const createThing = (settings) => ({
  languageModel: (modelId) => ({
    specificationVersion: 'v3',
    provider: 'thing.chat',
    modelId,
    supportedUrls: Promise.resolve({}),
    async doStream({ prompt }) {
      const delta = JSON.stringify({ modelId, prompt, apiKey: settings.apiKey, baseURL: settings.baseURL });
      const parts = [
        { type: 'text-delta', id: '0', delta },
        { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: {} },
      ];
      return { stream: ReadableStream.from(parts) };
    },
  }),
});
export const createThingy = () => null;
`;

test('the package installed with Nestor is found, and reads PDF files if it says so', async (t) => {
  const provider = await openMistral(t, 'http://127.0.0.1:9/v1', { models: ['a', 'b'] });
  assert.deepEqual(
    provider.models().map(({ model }) => model.name),
    ['a', 'b'],
  );
  assert.ok(firstModel(provider).capabilities.documents);
  assert.equal(provider.health(), 'ok');
});

test('a package in a folder of the operator comes first, also one of the version before', async (t) => {
  const folder = await folderWith(t, {
    'ai-thing': { manifest: { exports: { '.': { import: './index.js' } } }, code: older },
  });
  const change = { package: 'ai-thing', folders: ['/nowhere', folder], models: ['m'], key: 'k' };
  const answer = await collect(firstModel(await openMistral(t, 'http://127.0.0.1:9/v1', change)));
  assert.deepEqual(JSON.parse(answer.text), {
    modelId: 'm',
    prompt: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'What is a kea?' }] },
    ],
    apiKey: 'k',
    baseURL: 'http://127.0.0.1:9/v1',
  });
  assert.ok(answer.usage.input > 0 && answer.usage.output > 0);
});

test('a package that cannot be used is refused with what to do', async (t) => {
  const code = (version: string) =>
    `export const createOld = () => () => ({ specificationVersion: '${version}', doStream() {} });`;
  const folder = await folderWith(t, {
    'ai-none': { code: 'export const other = 1;' },
    'ai-old': { code: code('v2') },
    'ai-new': { code: code('v9') },
  });
  const refused = {
    '@acme/absent': /the package @acme\/absent is not installed: run "npm install @acme\/absent"/,
    'ai-none': /no AI SDK provider/,
    'ai-old': /version v2 of the interface/,
    'ai-new': /version v9 of the interface/,
    '../secrets': /not the name of an npm package/,
    'node:fs': /not the name of an npm package/,
  };
  for (const [name, message] of Object.entries(refused)) {
    await assert.rejects(openMistral(t, 'http://127.0.0.1:9/v1', { package: name, folders: [folder] }), {
      message,
    });
  }
});

const weather = {
  name: 'weather',
  description: 'Tells the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: false,
} as const;

test('a conversation with tools reaches the wire of the service', async (t) => {
  const server = await startWire(t, () => mistralAnswer('Sunny.'));
  const model = firstModel(await openMistral(t, server.url, { headers: { 'x-team': 'parrots' } }));
  const call = { type: 'tool-call', id: 'abcdefghi', name: 'weather', arguments: '{"city":"Bern"}' } as const;
  const result = {
    callId: 'abcdefghi',
    name: 'weather',
    parts: [{ type: 'text', text: 'Sun' }],
    isError: false,
  } as const;
  const answer = await collect(model, {
    turns: [...plainRequest.turns, { role: 'assistant', parts: [call] }, { role: 'tool', results: [result] }],
    tools: [weather],
    toolChoice: 'required',
    parallelToolCalls: false,
    outputTokensMax: 50,
    temperature: 0.5,
  });
  assert.equal(answer.text, 'Sunny.');
  assert.deepEqual(answer.usage, { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0 });
  const [sent] = server.requests;
  assert.equal(sent?.path, '/v1/chat/completions');
  assert.equal(sent.headers.authorization, 'Bearer key-of-the-operator');
  assert.equal(sent.headers['x-team'], 'parrots');
  const { name, description, parameters } = weather;
  assert.deepEqual(sent.body, {
    model: 'mistral-small-latest',
    max_tokens: 50,
    temperature: 0.5,
    stream: true,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'What is a kea?' }] },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: call.id, type: 'function', function: { name, arguments: call.arguments } }],
      },
      { role: 'tool', name, tool_call_id: call.id, content: 'Sun' },
    ],
    tools: [{ type: 'function', function: { name, description, parameters } }],
    tool_choice: 'any',
    parallel_tool_calls: false,
  });
});

test('what failed for the moment is tried again by us alone', async (t) => {
  const replies: WireAnswer[] = [mistralError('busy', 503), mistralError('broken', 500)];
  const server = await startWire(t, () => replies.shift() ?? mistralAnswer('Hello'));
  assert.equal((await collect(firstModel(await openMistral(t, server.url)))).text, 'Hello');
  assert.equal(server.requests.length, 3);
  const refused = await startWire(t, () => mistralError('no', 400));
  await faultOf(collect(firstModel(await openMistral(t, refused.url))));
  assert.equal(refused.requests.length, 1);
});

test('a redirect is not followed, so that the key stays', async (t) => {
  const elsewhere = await startWire(t, () => mistralAnswer('Stolen'));
  const location = `${elsewhere.url}/chat/completions`;
  const server = await startWire(t, () => ({ status: 307, headers: { location }, steps: [''] }));
  const fault = await faultOf(collect(firstModel(await openMistral(t, server.url))));
  assert.equal(fault.code, 'bad_gateway');
  assert.equal(elsewhere.requests.length, 0);
});

test('an abort closes the connection, before and after the first output', async (t) => {
  const [, first = ''] = mistralAnswer('Hel').steps;
  for (const steps of [[hang], [first, hang]] as const) {
    const server = await startWire(t, () => steps);
    const aborting = new AbortController();
    const model = firstModel(await openMistral(t, server.url));
    const work = collect(model, {}, aborting.signal);
    await reached(server);
    await pause(20);
    aborting.abort(new Error('gone'));
    await assert.rejects(work, { message: 'gone' });
    // Measured: under 5 ms. Nothing else would close it.
    await server.idle();
  }
});

/** Its stream has nothing to do with its call: only the signal ends that. */
const detached = `
export const createDetached = ({ baseURL, fetch }) => (modelId) => ({
  specificationVersion: 'v4',
  provider: 'detached',
  modelId,
  supportedUrls: {},
  async doStream({ abortSignal }) {
    fetch(baseURL, { method: 'POST', body: '{}', signal: abortSignal }).catch(() => {});
    return { stream: ReadableStream.from([{ type: 'text-delta', id: '0', delta: 'Hi' }, {}]) };
  },
});
`;

test('a consumer that leaves ends the call of a package whose stream would not', async (t) => {
  const server = await startWire(t, () => [hang]);
  const folder = await folderWith(t, { 'ai-detached': { code: detached } });
  const provider = await openMistral(t, server.url, { package: 'ai-detached', folders: [folder] });
  const { signal } = new AbortController();
  for await (const batch of firstModel(provider).stream(plainRequest, signal)) {
    assert.equal(batch.length, 1);
    await reached(server);
    break;
  }
  const late = pause(10_000, 'late', { ref: false });
  assert.notEqual(await Promise.race([server.idle(), late]), 'late');
});
