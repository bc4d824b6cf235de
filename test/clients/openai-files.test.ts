import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import OpenAI from 'openai';
import { call, finish, says, text } from '../support/models.ts';
import { scriptedProvider, type Answer } from '../support/providers.ts';
import { startServer } from '../support/server.ts';
import { poll } from '../support/until.ts';

/** The unmodified OpenAI client searches sources of the index as its vector stores. */

const adminKey = 'admin-key-of-a-test-0123456789';
const asked: Parameters<Answer>[0][] = [];
/** Searches where it can, and cites the first source. */
const searcher: Answer = (request, signal) => {
  asked.push(request);
  const tool = request.tools.find(({ name }) => name.endsWith('file_search'));
  if (tool === undefined || request.turns.at(-1)?.role === 'tool')
    return says([text('Keas open bins [1].')], finish())(request, signal);
  const args = '{"queries":["kea bins"]}';
  return says(call('c1', tool.name, args), finish('tool-calls'))(request, signal);
};

const server = await startServer(
  { after },
  {
    providers: [
      scriptedProvider('lab', {
        searcher: { answer: searcher },
        mute: { answer: searcher, capabilities: { tools: false } },
      }),
    ],
    env: { NESTOR_ADMIN_KEY: adminKey },
  },
);
const client = new OpenAI({ baseURL: `${server.url}/openai/v1`, apiKey: server.key, maxRetries: 0 });
const model = 'lab/searcher';

/** A folder in the index; resolves to the id of the source. */
async function index(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vendor-files-'));
  after(() => rm(folder, { recursive: true }));
  for (const [name, body] of Object.entries(files)) await writeFile(join(folder, name), body);
  const admin = { authorization: `Bearer ${adminKey}` };
  const added = await server.post('/admin/v1/index/sources', { location: folder }, admin);
  const { id } = (await added.json()) as { readonly id: string };
  await poll(
    async () => {
      const listed = await fetch(`${server.url}/admin/v1/index/sources`, { headers: admin });
      const { data } = (await listed.json()) as { data: { id: string; refreshed_at: number | null }[] };
      return data.find((one) => one.id === id)?.refreshed_at ?? null;
    },
    (refreshed) => refreshed !== null,
  );
  return id;
}

const parrots = await index({
  'kea handbook.md': '# Kea\n\nThe kea opens bins and steals food from cars.',
  'kakapo.md': '# Kakapo\n\nThe kakapo walks at night.',
});
const others = await index({
  'bins.md': '# Bins\n\nBins are emptied on Mondays, also those that a kea opened.',
});

type Item = OpenAI.Responses.ResponseOutputItem;
function searchOf({ output }: { output: Item[] }) {
  const found = output.find((item) => item.type === 'file_search_call');
  assert.ok(found?.type === 'file_search_call', JSON.stringify(output));
  return found;
}
const fileSearch = (
  more: Partial<OpenAI.Responses.FileSearchTool> = {},
): OpenAI.Responses.FileSearchTool => ({
  type: 'file_search',
  vector_store_ids: [parrots],
  ...more,
});

suite('file_search on /openai/v1/responses', () => {
  test('searches the sources that it names alone, and cites their files', async () => {
    const made = await client.responses.create({
      model,
      input: 'Who opens bins?',
      tools: [fileSearch()],
      include: ['file_search_call.results'],
    });
    const search = searchOf(made);
    assert.deepEqual([search.status, search.queries], ['completed', ['kea bins']]);
    const [first] = search.results ?? [];
    assert.equal(first?.filename, 'kea handbook.md');
    assert.match(first?.file_id ?? '', /^file-[0-9a-f]{24}$/);
    assert.match(first?.text ?? '', /opens bins/);
    assert.ok((first?.score ?? 0) > 0 && (first?.score ?? 2) <= 1);
    assert.equal(
      search.results?.some(({ filename }) => filename === 'bins.md'),
      false,
    );
    const message = made.output.find((item) => item.type === 'message');
    const [part] = message?.type === 'message' ? message.content : [];
    assert.deepEqual(part?.type === 'output_text' && part.annotations, [
      { type: 'file_citation', file_id: first?.file_id, filename: 'kea handbook.md', index: 15 },
    ]);

    const both = await client.responses.create({
      model,
      input: 'Who opens bins?',
      tools: [fileSearch({ vector_store_ids: [parrots, others] })],
      include: ['file_search_call.results'],
    });
    assert.ok(searchOf(both).results?.some(({ filename }) => filename === 'bins.md'));
  });

  test('tells of it as it goes, and hides what it found unless asked', async () => {
    const events: string[] = [];
    const stream = client.responses.stream({ model, input: 'Who opens bins?', tools: [fileSearch()] });
    for await (const { type } of stream) if (type.includes('file_search')) events.push(type);
    assert.deepEqual(events, [
      'response.file_search_call.in_progress',
      'response.file_search_call.searching',
      'response.file_search_call.completed',
    ]);
    assert.equal(searchOf(await stream.finalResponse()).results, null);
  });

  test('obeys the bounds, the choice and the names of a request', async () => {
    const countOf = async (more: Partial<OpenAI.Responses.FileSearchTool>) => {
      const made = await client.responses.create({
        model,
        input: 'x',
        tools: [fileSearch({ vector_store_ids: [parrots, others], ...more })],
        include: ['file_search_call.results'],
      });
      return searchOf(made).results?.length;
    };
    assert.equal(await countOf({ max_num_results: 1 }), 1);
    assert.equal(await countOf({ ranking_options: { score_threshold: 1.1 } }), 0);
    await client.responses.create({
      model,
      input: 'x',
      tools: [fileSearch(), { type: 'function', name: 'file_search', parameters: {}, strict: false }],
      tool_choice: { type: 'file_search' },
    });
    assert.deepEqual(asked.at(-2)?.toolChoice, { name: 'server_file_search' });
    const none = await client.responses.create({
      model,
      input: 'x',
      tools: [fileSearch()],
      tool_choice: 'none',
    });
    assert.deepEqual(
      none.output.map(({ type }) => type),
      ['message'],
    );
    const reply = await server.post('/openai/v1/responses', {
      model,
      input: 'x',
      tools: [
        { ...fileSearch(), filters: { type: 'eq', key: 'a', value: 1 }, ranking_options: { ranker: 'auto' } },
      ],
    });
    assert.equal(reply.headers.get('x-nestor-ignored'), 'tools.0.filters,tools.0.ranking_options.ranker');
  });

  test('is done with the question for a model that calls nothing', async () => {
    const made = await client.responses.create({
      model: 'lab/mute',
      input: 'kea bins',
      tools: [fileSearch()],
    });
    assert.deepEqual(
      made.output.map(({ type }) => type),
      ['file_search_call', 'message'],
    );
    assert.match(JSON.stringify(asked.at(-1)?.turns), /The kea opens bins/);
  });

  test('refuses a source that is not there', async () => {
    for (const vector_store_ids of [['vs_nobody'], [parrots, 'vs_nobody']])
      await assert.rejects(
        client.responses.create({ model, input: 'x', tools: [fileSearch({ vector_store_ids })] }),
        (error) =>
          error instanceof OpenAI.BadRequestError &&
          /Vector store with id 'vs_nobody' not found/.test(error.message),
      );
    await assert.rejects(
      client.responses.create({ model, input: 'x', tools: [fileSearch({ max_num_results: 51 })] }),
      /max_num_results must be between 1 and 50/,
    );
  });
});
