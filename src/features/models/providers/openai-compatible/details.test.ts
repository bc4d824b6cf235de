import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Json } from '../../../../kernel/kit/json.ts';
import { withDetails, type CallBeside } from './details.ts';
import { unlisted } from './listing.ts';
import type { ServerFamily } from './quirks.ts';

const answering =
  (answers: Readonly<Record<string, Json>>, asked: string[] = []): CallBeside =>
  (path, json) => {
    asked.push(`${path} ${json ?? ''}`.trim());
    const body = answers[json === null ? path : `${path} ${(JSON.parse(json) as { model: string }).model}`];
    const failed = {
      ok: false,
      failure: 'status',
      status: 404,
      headers: {},
      body: null,
      cause: null,
    } as const;
    return Promise.resolve(body === undefined ? failed : { ok: true, status: 200, headers: {}, body });
  };

const details = (names: readonly string[], family: ServerFamily, answers: Readonly<Record<string, Json>>) =>
  withDetails(names.map(unlisted), family, answering(answers));

suite('details of models', () => {
  test('llama-server publishes the window that it serves, and whether it reads images', async () => {
    const props = {
      default_generation_settings: { n_ctx: 8_192 },
      total_slots: 4,
      modalities: { vision: false, audio: false },
    };
    const [model] = await withDetails(
      [{ ...unlisted('x'), contextTokensMax: 131_072 }],
      'llama-server',
      answering({ '/props': props }),
    );
    assert.deepEqual([model?.contextTokensMax, model?.images], [8_192, false]);
  });

  test('Ollama publishes what each model can do, and drops what cannot chat', async () => {
    const models = await details(['qwen3:8b', 'nomic-embed-text', 'new'], 'ollama', {
      '/api/show qwen3:8b': {
        capabilities: ['completion', 'tools', 'thinking'],
        parameters:
          'stop                           "<|im_end|>"\nnum_ctx                        16384\ntop_k 20',
        model_info: { 'qwen3.context_length': 40_960 },
      },
      '/api/show nomic-embed-text': { capabilities: ['embedding'] },
    });
    assert.deepEqual(
      models.map(({ name, contextTokensMax, tools, images, reasoning }) => [
        name,
        contextTokensMax,
        tools,
        images,
        reasoning,
      ]),
      [
        ['qwen3:8b', 16_384, true, false, true],
        ['new', null, null, null, null],
      ],
    );
  });

  test('LM Studio publishes windows and whether models read images, and its embedding models are dropped', async () => {
    const models = await details(['a', 'b', 'c'], 'lm-studio', {
      '/api/v0/models': {
        data: [
          { id: 'a', type: 'vlm', max_context_length: 131_072, loaded_context_length: 4_096 },
          { id: 'b', type: 'embeddings' },
        ],
      },
    });
    assert.deepEqual(
      models.map(({ name, contextTokensMax, images }) => [name, contextTokensMax, images]),
      [
        ['a', 4_096, true],
        ['c', null, null],
      ],
    );
  });

  test('without answers the list stays as it is', async () => {
    for (const family of ['llama-server', 'ollama', 'lm-studio', 'unknown'] as const) {
      assert.deepEqual(await details(['a'], family, {}), [unlisted('a')]);
    }
  });

  test('no more models are asked for than a machine has', async () => {
    const asked: string[] = [];
    const models = Array.from({ length: 200 }, (_, i) => unlisted(`m${i}`));
    assert.equal((await withDetails(models, 'ollama', answering({}, asked))).length, 200);
    assert.equal(asked.length, 64);
  });
});
