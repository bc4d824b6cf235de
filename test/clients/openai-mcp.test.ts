import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type OpenAI from 'openai';
import { itemOf, key, mcp, model, startMcp, type Mcp } from './openai-mcp.fixture.ts';

/** Tools of servers of the official MCP package, asked for with the unmodified OpenAI client. */

const { asked, birds, plain, server, client } = await startMcp({ after });

suite('tools of MCP servers on /openai/v1/responses', () => {
  test('are listed, called and told, streamed as whole, over both forms of an answer', async () => {
    for (const tool of [mcp(), mcp({ server_label: 'plain', server_url: plain.url })]) {
      const body = { model, tools: [tool], input: `${tool.server_label}__count {"kind":"kea"}` };
      const whole = await client.responses.create(body);
      assert.deepEqual(
        whole.output.map(({ type }) => type),
        ['mcp_list_tools', 'mcp_call', 'message'],
      );
      const listed = itemOf(whole, 'mcp_list_tools');
      assert.deepEqual(
        listed.tools.map(({ name }) => name),
        ['count', 'ring', 'fail', 'headers', 'web_search'],
      );
      assert.deepEqual(listed.tools[0]?.annotations, { readOnlyHint: true });
      const { id, ...called } = itemOf(whole, 'mcp_call');
      assert.match(id, /^mcp_/);
      assert.deepEqual(called, {
        type: 'mcp_call',
        approval_request_id: null,
        arguments: '{"kind":"kea"}',
        error: null,
        name: 'count',
        output: '12 of kea',
        server_label: tool.server_label,
        status: 'completed',
      });
      assert.match(whole.output_text, /told: <output>[^]*12 of kea/);

      const events: string[] = [];
      const stream = client.responses.stream(body);
      for await (const { type } of stream) events.push(type);
      const streamed = await stream.finalResponse();
      assert.deepEqual(
        streamed.output.map(({ type }) => type),
        whole.output.map(({ type }) => type),
      );
      assert.deepEqual(events.slice(2, 12), [
        'response.output_item.added',
        'response.mcp_list_tools.in_progress',
        'response.mcp_list_tools.completed',
        'response.output_item.done',
        'response.output_item.added',
        'response.mcp_call.in_progress',
        'response.mcp_call_arguments.delta',
        'response.mcp_call_arguments.done',
        'response.mcp_call.completed',
        'response.output_item.done',
      ]);
    }
  });

  test('need the caller to approve by default, and run once it did', async () => {
    const tools = [mcp({ require_approval: 'always' })];
    const first = await client.responses.create({
      model,
      tools,
      input: 'birds__ring {"bird":9007199254740993}',
    });
    assert.equal(first.status, 'completed');
    const request = itemOf(first, 'mcp_approval_request');
    assert.deepEqual(
      [request.name, request.server_label, request.arguments],
      ['ring', 'birds', '{"bird":9007199254740993}'],
    );
    assert.equal(
      first.output.some(({ type }) => type === 'mcp_call'),
      false,
    );
    const approval = { type: 'mcp_approval_response', approval_request_id: request.id } as const;

    const yes = await client.responses.create({
      model,
      tools,
      previous_response_id: first.id,
      input: [{ ...approval, approve: true }],
    });
    const called = itemOf(yes, 'mcp_call');
    assert.deepEqual([called.approval_request_id, called.status], [request.id, 'completed']);
    // An integer keeps its digits up to the server; what that makes of it is its own.
    assert.equal(called.arguments, '{"bird":9007199254740993}');
    assert.match(yes.output_text, /ring: ."bird":900719925474099\d/);

    const no = await client.responses.create({
      model,
      tools,
      previous_response_id: first.id,
      input: [{ ...approval, approve: false, reason: 'Too cold.' }],
    });
    assert.match(no.output_text, /told: The user did not approve this call\. Too cold\./);
    assert.equal(
      no.output.some(({ type }) => type === 'mcp_call'),
      false,
    );

    // The whole history of a client that stores nothing here: what was approved before is not called again.
    const before = birds.heard.filter(({ rpc }) => rpc === 'tools/call').length;
    const replayed = await client.responses.create({
      model,
      tools,
      store: false,
      input: [
        { role: 'user', content: 'ring' },
        ...(first.output as OpenAI.Responses.ResponseInputItem[]),
        { ...approval, approve: true },
        ...(yes.output as OpenAI.Responses.ResponseInputItem[]),
        { role: 'user', content: 'and now' },
      ],
    });
    assert.equal(replayed.output_text, 'nothing to do');
    assert.equal(birds.heard.filter(({ rpc }) => rpc === 'tools/call').length, before);
    const calls = asked.at(-1)?.turns.flatMap((turn) => (turn.role === 'tool' ? turn.results : [])) ?? [];
    assert.deepEqual(
      calls.map(({ name, isError }) => [name, isError]),
      [['birds__ring', false]],
    );
    await assert.rejects(
      client.responses.create({
        model,
        tools,
        input: [
          { ...approval, approve: true },
          { role: 'user', content: 'x' },
        ],
      }),
      /No approval request found with id/,
    );
  });

  test('are asked about as the request says, by name and by what the server calls read-only', async () => {
    const asks = async (require_approval: NonNullable<Mcp['require_approval']>, name: string) => {
      const { output } = await client.responses.create({
        model,
        tools: [mcp({ require_approval })],
        input: `birds__${name} {"kind":"kea","bird":1}`,
      });
      return output.some(({ type }) => type === 'mcp_approval_request');
    };
    assert.equal(await asks({ never: { tool_names: ['count'] } }, 'count'), false);
    assert.equal(await asks({ never: { tool_names: ['count'] } }, 'ring'), true);
    assert.equal(await asks({ never: { read_only: true } }, 'count'), false);
    assert.equal(await asks({ never: { read_only: true } }, 'ring'), true);
    assert.equal(await asks({ always: { tool_names: ['count'] }, never: {} }, 'count'), true);
  });

  test('are those that both the operator and the request allow', async () => {
    const names = async (tool: Mcp) => {
      const made = await client.responses.create({ model, tools: [tool], input: 'Hi' });
      return itemOf(made, 'mcp_list_tools').tools.map(({ name }) => name);
    };
    assert.deepEqual(await names(mcp({ allowed_tools: ['count', 'ring', 'gone'] })), ['count', 'ring']);
    assert.deepEqual(await names(mcp({ allowed_tools: { read_only: true } })), ['count']);
    assert.deepEqual(await names(mcp({ server_label: 'few', allowed_tools: ['count', 'ring'] })), ['count']);
    assert.deepEqual(await names(mcp({ server_label: 'mine', server_url: `${birds.url}?few` })), ['count']);
  });

  test('keep the secrets of the operator, and those of a caller out of what is stored', async () => {
    const tool = mcp({
      headers: { 'x-mine': 'my-own-secret', 'X-Net': 'mine' },
      authorization: 'my-token-here',
    });
    const made = await client.responses.create({ model, tools: [tool], input: 'birds__headers {}' });
    const { output = '' } = itemOf(made, 'mcp_call');
    // What the operator sends stands over what the request asks for.
    assert.match(output ?? '', /"authorization":"\[redacted\]"/);
    assert.match(output ?? '', /"x-net":"\[redacted\]"/);
    assert.match(output ?? '', /"x-mine":"my-own-secret"/);
    const heard = birds.heard.findLast(({ rpc }) => rpc === 'tools/call');
    assert.equal(heard?.headers['authorization'], `Bearer ${key}`);
    assert.equal(heard?.headers['x-net'], 'secret-net-name');
    const stored = JSON.stringify(await client.responses.retrieve(made.id));
    for (const secret of [key, 'secret-net-name', 'my-token-here'])
      assert.equal(stored.includes(secret), false);
    assert.deepEqual(made.tools[0], {
      ...tool,
      headers: { 'x-mine': '<redacted>', 'X-Net': '<redacted>' },
      authorization: '<redacted>',
    });
    const secret = mcp({ server_label: 'plain', server_url: `${plain.url}?token=my-secret` });
    const [told] = (await client.responses.create({ model, tools: [secret], input: 'Hi' })).tools;
    assert.equal(told?.type === 'mcp' && told.server_url, `http://${plain.host}/<redacted>`);
    assert.equal(JSON.stringify(server.log).includes('secret'), false);
  });

  test('share no name with functions and tools of the server', async () => {
    const made = await client.responses.create({
      model,
      tools: [
        { type: 'function', name: 'birds__count', parameters: {}, strict: false },
        { type: 'web_search' },
        mcp(),
      ],
      input: 'birds__count {}',
    });
    assert.equal(itemOf(made, 'function_call').name, 'birds__count');
    const names = asked.at(-1)?.tools.map(({ name }) => name) ?? [];
    assert.equal(new Set(names).size, names.length);
    for (const name of ['web_search', 'birds__web_search', 'birds__count', 'birds__count_2'])
      assert.ok(names.includes(name), `${name} in ${names.join()}`);
  });

  test('obey the choice and the number of calls of a request', async () => {
    const tools = [mcp()];
    const none = await client.responses.create({
      model,
      tools,
      tool_choice: 'none',
      input: 'birds__count {}',
    });
    assert.deepEqual(
      none.output.map(({ type }) => type),
      ['message'],
    );
    await client.responses.create({
      model,
      tools,
      tool_choice: { type: 'mcp', server_label: 'birds', name: 'count' },
      input: 'Hi',
    });
    assert.deepEqual(asked.at(-1)?.toolChoice, { name: 'birds__count' });
    await client.responses.create({ model, tools, tool_choice: 'required', input: 'Hi' });
    assert.equal(asked.at(-1)?.toolChoice, 'required');
    const never = await client.responses.create({
      model,
      tools,
      max_tool_calls: 0,
      input: 'birds__count {}',
    });
    assert.deepEqual(
      never.output.map(({ type }) => type),
      ['message'],
    );
    await assert.rejects(
      client.responses.create({
        model,
        tools,
        tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'mcp', server_label: 'birds' }] },
        input: 'Hi',
      }),
      /'allowed_tools' cannot be combined with mcp/,
    );
    const reply = await server.post('/openai/v1/responses', {
      model,
      input: 'Hi',
      tools: [{ ...mcp(), server_description: 'Birds.', brand_new: 1 }],
    });
    assert.equal(reply.headers.get('x-nestor-ignored'), 'tools.0.server_description,tools.0.brand_new');
    const mute = await server.post('/openai/v1/responses', { model: 'lab/mute', input: 'Hi', tools });
    assert.equal(mute.headers.get('x-nestor-ignored'), 'tools');
  });
});
