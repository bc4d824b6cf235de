import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import OpenAI from 'openai';
import { scriptedProvider } from '../support/providers.ts';
import { startServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { itemOf, mcp, model, startMcp, type Mcp } from './openai-mcp.fixture.ts';

/** What servers of tools do wrong, and requests that ask for what nobody allowed. */

const { asked, birds, liar, pages, client } = await startMcp({ after });

suite('MCP servers that fail, lie and hang', () => {
  test('that fail are told to the model and to the caller, and the run goes on', async () => {
    const made = await client.responses.create({ model, tools: [mcp()], input: 'birds__fail {}' });
    const failed = itemOf(made, 'mcp_call');
    assert.deepEqual(
      [failed.status, failed.error, failed.output],
      [
        'failed',
        { type: 'mcp_tool_execution_error', content: [{ type: 'text', text: 'the net is torn' }] },
        null,
      ],
    );
    assert.match(made.output_text, /the net is torn/);
    const wrong = await client.responses.create({ model, tools: [mcp()], input: 'birds__count {"kind":5}' });
    const { error } = itemOf(wrong, 'mcp_call');
    assert.equal(error?.type, 'mcp_protocol_error');
    const late = await client.responses.create({
      model,
      tools: [mcp({ server_label: 'half' })],
      input: 'half__wait {}',
    });
    assert.deepEqual(itemOf(late, 'mcp_call').error, {
      type: 'http_error',
      code: 504,
      message: 'The server did not answer in time.',
    });
  });

  test('of a server that cannot be asked end the response with an error that names it', async () => {
    const failing = [
      [mcp({ server_label: 'hangs' }), /'hangs'.*did not answer in time/],
      [mcp({ server_label: 'page', server_url: `http://${liar}/page` }), /'page'.*did not answer in JSON/],
      [mcp({ server_label: 'gone', server_url: `http://${liar}/gone` }), /'gone'/],
      [mcp({ server_label: 'many', server_url: `http://${liar}/many` }), /'many'.*more than 128 tools/],
    ] as const;
    for (const [tool, message] of failing) {
      await assert.rejects(
        client.responses.create({ model, tools: [tool], input: 'Hi' }),
        (error) => error instanceof OpenAI.APIError && error.status === 424 && message.test(error.message),
      );
      const events: string[] = [];
      for await (const { type } of await client.responses.create({
        model,
        tools: [tool],
        input: 'Hi',
        stream: true,
      }))
        events.push(type);
      assert.deepEqual(events.slice(-3), [
        'response.mcp_list_tools.failed',
        'response.output_item.done',
        'response.failed',
      ]);
    }
  });

  test('of a server that lies about them reach no model as it described them', async () => {
    const tool = mcp({ server_label: 'liar', server_url: `http://${liar}/schemas` });
    const made = await client.responses.create({ model, tools: [tool], input: 'liar__props {}' });
    assert.equal(itemOf(made, 'mcp_call').output, '[image image/png]');
    const given = asked.at(-1)?.tools ?? [];
    assert.equal(given.length, 3);
    for (const { name, parameters } of given) {
      assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
      assert.deepEqual(parameters, { type: 'object', properties: {} });
    }
    const endless = mcp({ server_label: 'endless', server_url: `http://${liar}/endless` });
    await client.responses.create({ model, tools: [endless], input: 'Hi' });
    // Its greeting, and a bounded number of pages.
    assert.equal(pages['/endless'], 17);
  });

  test('are refused where nobody allowed their server', async () => {
    const refused = (tool: object, message: RegExp) =>
      assert.rejects(
        client.responses.create({ model, input: 'Hi', tools: [tool as Mcp] }),
        (error) => error instanceof OpenAI.BadRequestError && message.test(error.message),
      );
    await refused(mcp({ server_label: 'nobody' }), /'nobody' is not allowed/);
    await refused(mcp({ server_label: 'inside', server_url: 'http://10.0.0.1/mcp' }), /'inside'.*Private/);
    await refused(mcp({ server_label: 'port', server_url: 'https://example.com:8443/' }), /'port'.*ports/);
    await refused(mcp({ connector_id: 'connector_gmail' }), /connectors are not available/);
    await refused({ type: 'mcp' }, /server_label/);
    await refused({ type: 'mcp', server_label: '9 lives' }, /server_label must be/);
    await refused(mcp({ headers: { Host: 'other' } }), /"Host" cannot be sent/);
    await refused(mcp({ headers: { 'x-a': 'b\r\nc: d' } }), /"x-a" cannot be sent/);
    const closed = await startServer({ after }, { providers: [scriptedProvider('lab', { caller: {} })] });
    const other = new OpenAI({ baseURL: `${closed.url}/openai/v1`, apiKey: closed.key, maxRetries: 0 });
    await assert.rejects(
      other.responses.create({
        model,
        input: 'Hi',
        tools: [mcp({ server_url: 'https://mcp.example.com/' })],
      }),
      /'birds' is not allowed on this server/,
    );
  });

  test('survive a server that forgets its sessions, and say goodbye to it', async () => {
    const goodbyes = () => birds.heard.filter(({ method }) => method === 'DELETE').length;
    const before = goodbyes();
    const made = client.responses.stream({ model, tools: [mcp()], input: 'birds__count {"kind":"kea"}' });
    for await (const { type } of made) if (type === 'response.mcp_list_tools.completed') birds.forget();
    assert.equal(itemOf(await made.finalResponse(), 'mcp_call').output, '12 of kea');
    await until(() => goodbyes() > before);
  });
});
