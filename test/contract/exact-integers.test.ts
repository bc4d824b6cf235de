import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { unlimited } from '../support/decisions.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { chunk, done, usageChunk } from '../support/upstream-chat.ts';
import { llamaHandler } from '../support/upstream-local-servers.ts';
import { textAnswer } from '../support/upstream-messages.ts';
import { systemOneHandler } from '../support/upstream-systemone.ts';
import { startUpstream, type Upstream, type UpstreamHandler } from '../support/upstream.ts';

/** Contract 20.6, inward: what a backend is sent, byte for byte. */

const id = '12345678901234567890';
const negative = '-9007199254740993';
/** Around the large ones a body is more than 1 MiB, which is read in a thread: of many small values, of few large ones. */
const paddings = {
  'a small body': '""',
  'a large body of many values': `[${'{"n":1},'.repeat(15_000)}${' '.repeat(1_200_000)}1]`,
  'a large body of long texts': `["${'x'.repeat(1_000_000)}","${'y'.repeat(1_000_000)}"]`,
} as const;

const sse = { 'content-type': 'text/event-stream' };
const messagesHandler: UpstreamHandler = () => ({ text: textAnswer('done').steps.join(''), headers: sse });
const chatHandler: UpstreamHandler = () => ({
  text: [chunk({ role: 'assistant', content: 'done' }), chunk({}, 'stop'), usageChunk(1, 1), done].join(''),
  headers: sse,
});

interface Started {
  readonly server: TestServer;
  readonly upstream: Upstream;
  /** Sends a request that has to succeed, and returns what the backend was sent for it. */
  readonly sent: (path: string, body: string) => Promise<string>;
}

async function start(
  t: TestContext,
  handler: UpstreamHandler,
  configOf: (url: string) => object,
): Promise<Started> {
  const upstream = await startUpstream(t, handler);
  const server = await startServer(t, { env: unlimited, config: JSON.stringify(configOf(upstream.url)) });
  return {
    server,
    upstream,
    async sent(path, body) {
      const before = upstream.requests.length;
      const response = await server.post(path, body);
      assert.equal(response.status, 200, await response.text());
      return upstream.requests
        .slice(before)
        .map(({ text }) => text)
        .join('\n');
    },
  };
}

const backends = {
  anthropic: messagesHandler,
  'openai-compatible': chatHandler,
} as const;

function startRouter(t: TestContext, type: keyof typeof backends): Promise<Started> {
  return start(t, backends[type], (url) => ({
    providers: [{ name: 'lab', type, base_url: `${url}/v1`, key: 'k', models: ['claude-sonnet-4-5'] }],
  }));
}

/** As it stands in the arguments of a call, which one of the wires sends as text. */
const bare = (text: string) => text.replaceAll('\\"', '"');

const schema = (padding: string) =>
  `{"type":"object","maxProperties":${id},"x-padding":${padding},"properties":{"id":{"type":"integer","const":${id}},"n":{"enum":[1,${negative},{"deep":[${id}]}]}},"required":["id","n"],"additionalProperties":false}`;

for (const type of ['anthropic', 'openai-compatible'] as const) {
  suite(`integers beyond 2^53 keep their digits on the way to a backend: ${type}`, () => {
    for (const [name, padding] of Object.entries(paddings)) {
      test(`input of a tool call and schema of a tool: ${name}`, async (t) => {
        const { sent } = await startRouter(t, type);
        const input = `{"padding":${padding},"id":${id},"list":[${negative},{"toJSON":${id}},1],"toJSON":{"id":${id}},"safe":9007199254740991}`;
        const text = bare(
          await sent(
            '/router/v1/messages',
            `{"model":"lab/claude-sonnet-4-5","max_tokens":64,"tools":[{"name":"find","description":"Finds.","input_schema":${schema(padding)}}],"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"find","input":${input}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"done"}]}]}`,
          ),
        );
        assert.ok(
          text.includes(
            `"id":${id},"list":[${negative},{"toJSON":${id}},1],"toJSON":{"id":${id}},"safe":9007199254740991`,
          ),
        );
        assert.ok(text.includes(`"maxProperties":${id}`));
        assert.ok(text.includes(`"const":${id}`));
        assert.ok(text.includes(`"enum":[1,${negative},{"deep":[${id}]}]`));
      });
    }

    test('schema of structured output', async (t) => {
      const { sent } = await startRouter(t, type);
      const text = await sent(
        '/router/v1/chat/completions',
        `{"model":"lab/claude-sonnet-4-5","messages":[{"role":"user","content":"go"}],"response_format":{"type":"json_schema","json_schema":{"name":"found","strict":true,"schema":${schema('1')}}}}`,
      );
      assert.match(text, new RegExp(String.raw`"const\\?":${id}`));
      assert.ok(text.includes(`[1,${negative},{`));
    });
  });
}

suite('integers beyond 2^53 keep their digits on the way to a decision engine', () => {
  const question = `{"type":"choice","instructions":{"about":${id}},"criteria":{"yes":{"id":${id}},"no":[${negative}]}}`;
  const body = (padding: string) =>
    `{"model":"svc-decider-v1-27b","state":{"padding":${padding},"id":${id},"rows":[{"id":${negative}}]},"questions":{"q":${question},"s":{"type":"score","instructions":"x","criteria":[{"low":${id}},{"high":[${negative}]}]}}}`;

  test('a model that reads a prompt', async (t) => {
    const { sent } = await start(t, llamaHandler(), (url) => ({
      decisions: { engine: 'logprobs', upstreams: [{ url, model: 'local-model' }] },
    }));
    const text = bare(await sent('/v1/decisions', body('""')));
    for (const part of [
      `"id": ${id}, "rows": [{"id": ${negative}}]`,
      `{"about": ${id}}`,
      `{"id": ${id}}`,
      `[${negative}]`,
      `{"low": ${id}}`,
    ])
      assert.ok(text.includes(part), part);
  });

  for (const [name, padding] of Object.entries(paddings)) {
    test(`a System One server: ${name}`, async (t) => {
      const { sent } = await start(t, systemOneHandler(), (url) => ({
        decisions: { engine: 'systemone', upstreams: [{ url }] },
      }));
      const text = bare(await sent('/v1/decisions', body(padding)));
      assert.ok(text.includes(`"id":${id},"rows":[{"id":${negative}}]`));
      assert.ok(text.includes(`{"id": ${id}}`));
      assert.ok(text.includes(`{"low": ${id}}`));
    });
  }

  test('the legend of a score is told with the digits that it was asked with', async (t) => {
    const server = await startServer(t, { env: unlimited });
    const response = await server.post('/v1/decisions', body('""'));
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.ok(text.includes(`"legend":{"0":{"low":${id}},"1":{"high":[${negative}]}}`), text);
  });
});

suite('what is validated is the number', () => {
  test('a limit beyond 2^53 is held against its bounds', async (t) => {
    const { server, upstream } = await startRouter(t, 'openai-compatible');
    const ask = (field: string, value: string) =>
      server.post(
        '/router/v1/messages',
        `{"model":"lab/claude-sonnet-4-5","max_tokens":64,"${field}":${value},"messages":[{"role":"user","content":"go"}]}`.replace(
          field === 'max_tokens' ? '"max_tokens":64,' : '',
          '',
        ),
      );
    for (const [field, value] of [
      ['max_tokens', id],
      ['max_tokens', negative],
      ['temperature', id],
    ] as const) {
      const response = await ask(field, value);
      const { error } = (await response.json()) as { error: { message: string } };
      assert.equal(response.status, 400);
      assert.match(error.message, new RegExp(`^${field} must be`));
    }
    assert.ok(upstream.requests.every(({ method }) => method === 'GET'));
    assert.equal((await ask('max_tokens', '64')).status, 200);
  });
});

suite('integers beyond 2^53 keep their digits on the way through', () => {
  const chatConfig = (url: string) => ({
    providers: [
      { name: 'lab', type: 'openai-compatible', base_url: `${url}/v1`, key: 'k', models: ['talker'] },
    ],
  });

  test('a function of an agent, told back as well', async (t) => {
    const { server, upstream } = await start(t, chatHandler, chatConfig);
    const response = await server.post(
      '/v1/responses',
      `{"model":"lab/talker","input":"go","tools":[{"type":"function","name":"find","parameters":${schema('1')}}]}`,
    );
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.ok(text.includes(`"const":${id}`), text);
    const sent = upstream.requests.map((request) => request.text).join('\n');
    assert.ok(sent.includes(`"const":${id}`) && sent.includes(`"maxProperties":${id}`), sent);
  });
});
