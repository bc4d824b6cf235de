/** A body that is fine. */
export const base = { model: 'lab/a', input: 'x' };
const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const user = (...content: unknown[]) => ({ ...base, input: [{ role: 'user', content }] });
const format = { name: 'n', schema: { type: 'object' } };
const fn = (name: string) => ({ type: 'function', name });
const many = (count: number) => Array.from({ length: count }, (_, n) => String(n));

export type Row = readonly [body: object, code: string, message: string | RegExp, param: string];
/** What is refused, with the code, the message and the field that are told. */
export const rows: Readonly<Record<string, readonly Row[]>> = {
  fields: [
    [{ ...base, foo: 1 }, 'unknown_field', 'unknown field "foo"', 'foo'],
    [{ ...base, reasoning: { foo: 1 } }, 'unknown_field', 'unknown field "foo"', 'reasoning.foo'],
    [{ ...base, text: { foo: 1 } }, 'unknown_field', 'unknown field "foo"', 'text.foo'],
    [
      { ...base, response_format: { type: 'text', foo: 1 } },
      'unknown_field',
      'unknown field "foo"',
      'response_format.foo',
    ],
    [
      { ...base, tools: [{ type: 'web_search', foo: 1 }] },
      'unknown_field',
      'unknown field "foo"',
      'tools.0.foo',
    ],
    [
      { ...base, tools: [{ type: 'web_search', filters: { foo: 1 } }] },
      'unknown_field',
      'unknown field "foo"',
      'tools.0.filters.foo',
    ],
    [
      { ...base, skills: [{ type: 'custom', id: 'x', foo: 1 }] },
      'unknown_field',
      'unknown field "foo"',
      'skills.0.foo',
    ],
    [{ model: 'lab/a' }, 'missing_field', 'input must be a string or an array of items', 'input'],
    [{ input: 'x' }, 'missing_field', 'one of model, models or preset is required', 'model'],
    [{ ...base, conversation: 'c' }, 'invalid_value', 'conversation is not supported', 'conversation'],
    [{ ...base, prompt: {} }, 'invalid_value', 'prompt is not supported', 'prompt'],
  ],
  ranges: [
    ...[0, 11, 1.5, '3'].map((value): Row => [
      { ...base, max_steps: value },
      'invalid_value',
      'max_steps must be between 1 and 10',
      'max_steps',
    ]),
    [{ ...base, max_output_tokens: 0 }, 'invalid_value', /^max_output_tokens must/, 'max_output_tokens'],
    [{ ...base, max_tool_calls: -1 }, 'invalid_value', /^max_tool_calls must/, 'max_tool_calls'],
    [{ ...base, temperature: 2.1 }, 'invalid_value', 'temperature must be between 0 and 2', 'temperature'],
    [{ ...base, top_p: 1.1 }, 'invalid_value', 'top_p must be between 0 and 1', 'top_p'],
    [
      { ...base, presence_penalty: -2.1 },
      'invalid_value',
      'presence_penalty must be between -2 and 2',
      'presence_penalty',
    ],
    [
      { ...base, frequency_penalty: 3 },
      'invalid_value',
      'frequency_penalty must be between -2 and 2',
      'frequency_penalty',
    ],
    [
      { ...base, reasoning: { effort: 'huge' } },
      'invalid_value',
      /^reasoning.effort must be/,
      'reasoning.effort',
    ],
    [{ ...base, truncation: 'x' }, 'invalid_value', /^truncation must be/, 'truncation'],
    [{ ...base, language_preference: 'german' }, 'invalid_value', /ISO 639-1/, 'language_preference'],
    [{ ...base, language_preference: 'qz' }, 'invalid_value', /ISO 639-1/, 'language_preference'],
    [
      { ...base, metadata: Object.fromEntries(many(17).map((key) => [key, ''])) },
      'invalid_value',
      'metadata must be an object of at most 16 pairs',
      'metadata',
    ],
    [{ ...base, metadata: { ['k'.repeat(65)]: '' } }, 'invalid_value', /64 characters/, 'metadata'],
    [{ ...base, metadata: { k: 'v'.repeat(513) } }, 'invalid_value', /512 characters/, 'metadata.k'],
    [
      { ...base, skills: many(17).map((name) => ({ type: 'builtin', name })) },
      'invalid_value',
      /16/,
      'skills',
    ],
    [{ ...base, background: true, store: false }, 'invalid_value', 'background needs store', 'store'],
  ],
  models: [
    [{ ...base, model: 'gpt' }, 'invalid_model', 'model "gpt" is not in provider/model format', 'model'],
    [{ ...base, model: 'lab/x' }, 'invalid_model', 'model "lab/x" is not supported', 'model'],
    [{ ...base, models: ['lab/a', 'lab/x'] }, 'invalid_model', 'model "lab/x" is not supported', 'models.1'],
    [{ ...base, models: [] }, 'invalid_value', 'models must have between 1 and 5 entries', 'models'],
    [{ ...base, models: many(6) }, 'invalid_value', 'models must have between 1 and 5 entries', 'models'],
    [{ input: 'x', preset: 'turbo' }, 'invalid_preset', 'unknown preset "turbo"', 'preset'],
    [
      { ...base, model: 'lab/plain', tools: [fn('f')] },
      'invalid_value',
      'model "lab/plain" does not call functions',
      'tools',
    ],
    [
      { ...user({ type: 'input_image', image_url: pixel }), model: 'lab/plain' },
      'invalid_value',
      'model "lab/plain" does not accept images',
      'input',
    ],
  ],
  formats: [
    [
      {
        ...base,
        response_format: { type: 'json_schema', json_schema: format },
        text: { format: { type: 'text' } },
      },
      'invalid_value',
      'response_format and text.format are different',
      'response_format',
    ],
    [
      { ...base, response_format: { type: 'json_object' } },
      'invalid_value',
      'response_format.type must be text or json_schema',
      'response_format.type',
    ],
    [
      { ...base, text: { format: { type: 'json_schema', name: 'a b', schema: {} } } },
      'invalid_value',
      /^name must be/,
      'text.format.name',
    ],
    [
      { ...base, text: { format: { type: 'json_schema', name: 'a', schema: { type: 'bogus' } } } },
      'invalid_value',
      /is not a valid JSON Schema/,
      'text.format.schema',
    ],
  ],
  input: [
    [{ ...base, input: '' }, 'invalid_value', 'input must not be empty', 'input'],
    [{ ...base, input: [] }, 'invalid_value', 'input must not be empty', 'input'],
    [{ ...base, input: 7 }, 'invalid_value', 'input must be a string or an array of items', 'input'],
    [
      { ...base, input: [{ role: 'system', content: 'x' }] },
      'invalid_value',
      'input must hold a message of the user',
      'input',
    ],
    [user({ type: 'input_audio' }), 'invalid_value', 'invalid type "input_audio"', 'input.0.content.0.type'],
    [user({ type: 'input_video' }), 'invalid_value', 'invalid type "input_video"', 'input.0.content.0.type'],
    [
      { ...base, input: [{ type: 'computer_call' }] },
      'invalid_value',
      'invalid type "computer_call"',
      'input.0.type',
    ],
    [{ ...base, input: [{ role: 'tool', content: 'x' }] }, 'invalid_value', /^role must be/, 'input.0.role'],
    [{ ...base, input: [{ role: 'user' }] }, 'missing_field', 'content is required', 'input.0.content'],
    [
      user({ type: 'input_file', file_id: 'file_1' }),
      'invalid_value',
      'file_id is not supported, send file_data or file_url',
      'input.0.content.0.file_id',
    ],
    [
      user({ type: 'input_file' }),
      'invalid_value',
      'input_file needs exactly one of file_data and file_url',
      'input.0.content.0',
    ],
    [
      user({ type: 'input_file', file_url: 'http://a.example/x' }),
      'invalid_value',
      'file_url must be an https address',
      'input.0.content.0.file_url',
    ],
    [
      user({ type: 'input_image', image_url: 'http://a.example/x.png' }),
      'invalid_value',
      /^image_url must be/,
      'input.0.content.0.image_url',
    ],
    [
      user({ type: 'input_image', image_url: 'data:image/tiff;base64,AAAA' }),
      'invalid_value',
      /^image_url must be/,
      'input.0.content.0.image_url',
    ],
    [
      user({ type: 'input_image', image_url: `https://a.example/${'x'.repeat(2_048)}` }),
      'invalid_value',
      /2048 characters/,
      'input.0.content.0.image_url',
    ],
    [
      { ...base, input: [{ type: 'function_call_output', call_id: 'c1', output: '1' }] },
      'invalid_value',
      'no function call found for call_id "c1"',
      'input.0.call_id',
    ],
    [
      { ...base, input: [{ type: 'item_reference', id: 'msg_x' }] },
      'invalid_value',
      'item "msg_x" not found',
      'input.0.id',
    ],
    [{ ...base, input: [{ id: 'msg_x' }] }, 'invalid_value', 'item "msg_x" not found', 'input.0.id'],
    [
      { ...base, previous_response_id: 'resp_x' },
      'invalid_previous_response',
      'previous response "resp_x" not found',
      'previous_response_id',
    ],
  ],
  tools: [
    ...['mcp', 'connector', 'web_search_preview'].map((type): Row => [
      { ...base, tools: [{ type }] },
      'invalid_tool',
      `unknown discriminator value: "${type}"`,
      'tools.0.type',
    ]),
    [
      { ...base, tools: [{ type: 'web_search' }, { type: 'web_search' }] },
      'invalid_tool',
      'only one "web_search" tool is allowed',
      'tools.1.type',
    ],
    ...['people_search', 'finance_search', 'sandbox'].map((type): Row => [
      { ...base, tools: [{ type }] },
      'invalid_tool',
      `tool "${type}" is not available on this server`,
      'tools.0.type',
    ]),
    ...[
      'web_search',
      'search_web',
      'people_search',
      'search_people',
      'fetch_url',
      'finance_search',
      'sandbox',
      'load_skill',
    ].map((name): Row => [
      { ...base, tools: [fn(name)] },
      'invalid_tool',
      `function name "${name}" is reserved`,
      'tools.0.name',
    ]),
    [
      { ...base, tools: [fn('f'), fn('f')] },
      'invalid_tool',
      'function name "f" is used twice',
      'tools.1.name',
    ],
    [{ ...base, tools: [fn('a b')] }, 'invalid_tool', /^name must be/, 'tools.0.name'],
    [
      { ...base, tools: [{ type: 'web_search', max_results: 51 }] },
      'invalid_value',
      'max_results must be between 1 and 50',
      'tools.0.max_results',
    ],
    [
      { ...base, tools: [{ type: 'fetch_url', max_urls: 11 }] },
      'invalid_value',
      'max_urls must be between 1 and 10',
      'tools.0.max_urls',
    ],
    [
      { ...base, tools: [{ type: 'fetch_url', total_budget_tokens: 120_001 }] },
      'invalid_value',
      'total_budget_tokens must be between 1 and 120000',
      'tools.0.total_budget_tokens',
    ],
    [
      { ...base, tools: [{ type: 'web_search', filters: { search_after_date_filter: '02/30/2026' } }] },
      'invalid_value',
      /date/,
      'tools.0.filters.search_after_date_filter',
    ],
    [
      {
        ...base,
        tools: [
          {
            type: 'web_search',
            filters: { search_recency_filter: 'day', search_after_date_filter: '2026-01-01' },
          },
        ],
      },
      'invalid_value',
      /recency/,
      'tools.0.filters.search_recency_filter',
    ],
    [
      { ...base, tools: [{ type: 'web_search', filters: { search_domain_filter: ['https://a.example/'] } }] },
      'invalid_value',
      /host name/,
      'tools.0.filters.search_domain_filter.0',
    ],
    [{ ...base, tool_choice: 'maybe' }, 'invalid_value', /^tool_choice must be/, 'tool_choice'],
    [{ ...base, tool_choice: 'required' }, 'invalid_value', /needs tools/, 'tool_choice'],
    [
      { ...base, tool_choice: { type: 'function', name: 'f' } },
      'invalid_value',
      'tool_choice names "f", which is not among the tools',
      'tool_choice',
    ],
    [
      { ...base, tool_choice: { type: 'web_search' } },
      'invalid_value',
      'tool_choice names "web_search", which is not among the tools',
      'tool_choice',
    ],
  ],
  skills: [
    [
      { ...base, skills: [{ type: 'builtin', name: 'x' }] },
      'invalid_value',
      'unknown builtin skill "x"',
      'skills.0.name',
    ],
    [
      { ...base, skills: [{ type: 'custom', id: 'skill_x' }] },
      'invalid_value',
      'unknown skill "skill_x"',
      'skills.0.id',
    ],
    [
      { ...base, skills: [{ type: 'bogus' }] },
      'invalid_value',
      'unknown discriminator value: "bogus"',
      'skills.0.type',
    ],
    [
      { ...base, skills: [{ type: 'inline', name: 'A', description: '', instructions: '' }] },
      'invalid_value',
      /^name must be/,
      'skills.0.name',
    ],
    [
      { ...base, skills: [{ type: 'inline', name: 'a', description: 'é'.repeat(513), instructions: '' }] },
      'invalid_value',
      'description must be at most 1024 bytes',
      'skills.0.description',
    ],
    [
      { ...base, skills: [{ type: 'inline', name: 'a', description: '', instructions: 'x'.repeat(65_537) }] },
      'invalid_value',
      'instructions must be at most 65536 bytes',
      'skills.0.instructions',
    ],
    [
      {
        ...base,
        skills: many(5).map((name) => ({
          type: 'inline',
          name,
          description: '',
          instructions: 'x'.repeat(60_000),
        })),
      },
      'invalid_value',
      'instructions of skills must be at most 262144 bytes in all',
      'skills',
    ],
  ],
};
