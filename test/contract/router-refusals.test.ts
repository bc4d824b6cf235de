import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { basic, image, models, openMessagesRouter, tool } from './router.fixture.ts';

/** Contract 14.1 and 14.5: what is refused, before any model is asked. */

const { refused } = await openMessagesRouter({ after });

suite('a request that breaks a rule', () => {
  const user = (...content: object[]) => ({ messages: [{ role: 'user', content }] });
  const url = (address: string) => ({ type: 'image', source: { type: 'url', url: address } });
  const result = { type: 'tool_result', tool_use_id: 'toolu_x', content: 'x' };
  const cache_control = { type: 'ephemeral' };
  const used = { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_x', name: 'a', input: {} }] };
  const refusals: readonly (readonly [string, object, string])[] = [
    ['no max_tokens', { max_tokens: undefined }, 'max_tokens'],
    ['max_tokens 0', { max_tokens: 0 }, 'max_tokens'],
    ['max_tokens over 31 bits', { max_tokens: 2_147_483_648 }, 'max_tokens'],
    ['max_tokens 1.5', { max_tokens: 1.5 }, 'max_tokens'],
    ['no model', { model: undefined }, 'model'],
    ['an unknown model', { model: 'lab/none' }, 'model'],
    ['a model in another letter case', { model: 'Lab/echo' }, 'model'],
    ['a model that the router does not serve', { model: 'lab/hidden' }, 'model'],
    ['no messages', { messages: [] }, 'messages'],
    ['an assistant first', { messages: [used] }, 'messages.0.role'],
    ['another role', { messages: [{ role: 'system', content: 'x' }] }, 'messages.0.role'],
    ['content of another kind', { messages: [{ role: 'user', content: 1 }] }, 'messages.0.content'],
    ['an unknown block', user({ type: 'video' }), 'messages.0.content.0.type'],
    ['a block without a type', user({ text: 'x' }), 'messages.0.content.0.type'],
    [
      'a call of a user',
      user({ type: 'tool_use', id: 'a', name: 'b', input: {} }),
      'messages.0.content.0.type',
    ],
    [
      'an image of an assistant',
      { messages: [...basic.messages, { role: 'assistant', content: [image] }] },
      'messages.1.content.0.type',
    ],
    ['a result without its call', user(result), 'messages.0.content.0.tool_use_id'],
    [
      'a result of another call',
      { messages: [...basic.messages, used, { role: 'user', content: [{ ...result, tool_use_id: 'b' }] }] },
      'messages.2.content.0.tool_use_id',
    ],
    [
      'a document in a result',
      {
        messages: [
          ...basic.messages,
          used,
          { role: 'user', content: [{ ...result, content: [{ type: 'document' }] }] },
        ],
      },
      'messages.2.content.0.content.0.type',
    ],
    [
      'an image of another type',
      user({ ...image, source: { ...image.source, media_type: 'image/tiff' } }),
      'messages.0.content.0.source.media_type',
    ],
    [
      'an image that is no base64',
      user({ ...image, source: { ...image.source, data: 'a b' } }),
      'messages.0.content.0.source.data',
    ],
    ['an image by address', user(url('https://example.com/a.png')), 'messages.0.content.0.source.url'],
    ['an image by plain http', user(url('http://example.com/a.png')), 'messages.0.content.0.source.url'],
    [
      'a file of an assistant source',
      user({ ...image, source: { type: 'file', file_id: 'x' } }),
      'messages.0.content.0.source.type',
    ],
    ['temperature 1.1', { temperature: 1.1 }, 'temperature'],
    ['top_p -1', { top_p: -1 }, 'top_p'],
    ['stream as a word', { stream: 'yes' }, 'stream'],
    ['an empty stop sequence', { stop_sequences: [''] }, 'stop_sequences.0'],
    ['65 stop sequences', { stop_sequences: Array.from({ length: 65 }, String) }, 'stop_sequences'],
    ['top_k', { top_k: 5 }, 'top_k'],
    ['service_tier', { service_tier: 'auto' }, 'service_tier'],
    ['thinking that is enabled', { thinking: { type: 'enabled', budget_tokens: 1_024 } }, 'thinking'],
    ['adaptive thinking', { thinking: { type: 'adaptive' } }, 'thinking'],
    ['an unknown field', { container: 'x' }, 'container'],
    ['cache_control at the top', { cache_control }, 'cache_control'],
    [
      'cache_control in a block',
      user({ type: 'text', text: 'x' }, { type: 'text', text: 'x', cache_control }),
      'messages.0.content.1.cache_control',
    ],
    [
      'cache_control in system',
      { system: [{ type: 'text', text: 'x', cache_control }] },
      'system.0.cache_control',
    ],
    [
      'cache_control in a result',
      {
        messages: [
          ...basic.messages,
          used,
          { role: 'user', content: [{ ...result, content: [{ type: 'text', text: 'x', cache_control }] }] },
        ],
      },
      'messages.2.content.0.content.0.cache_control',
    ],
    ['cache_control in a tool', { tools: [{ ...tool, cache_control }] }, 'tools.0.cache_control'],
    ['a tool without description', { tools: [{ ...tool, description: undefined }] }, 'tools.0.description'],
    ['a tool with an empty description', { tools: [{ ...tool, description: '' }] }, 'tools.0.description'],
    ['a tool with a name that is none', { tools: [{ ...tool, name: 'a b' }] }, 'tools.0.name'],
    ['two tools of one name', { tools: [tool, tool] }, 'tools.1.name'],
    [
      'a tool of the server',
      { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      'tools.0.type',
    ],
    [
      'a tool whose schema is no object',
      { tools: [{ ...tool, input_schema: { type: 'string' } }] },
      'tools.0.input_schema.type',
    ],
    ['a choice that is none', { tools: [tool], tool_choice: { type: 'maybe' } }, 'tool_choice.type'],
    [
      'a choice of an absent tool',
      { tools: [tool], tool_choice: { type: 'tool', name: 'x' } },
      'tool_choice.name',
    ],
    ['any tool of none', { tool_choice: { type: 'any' } }, 'tool_choice'],
    ['tools for a model without', { model: 'lab/plain', tools: [tool] }, 'tools'],
    ['an image for a model without', { ...user(image), model: 'lab/plain' }, 'messages'],
  ];
  for (const [about, more, param] of refusals) {
    test(`${about} is 400 and names ${param}`, async () => {
      const asked = models.requests.length;
      const error = await refused({ ...basic, ...more });
      assert.equal(error.type, 'invalid_request_error');
      assert.equal(error.code, null);
      assert.equal(error.param, param);
      assert.equal(models.requests.length, asked, 'no model was asked');
    });
  }
});
