/** Streams as servers write them, after their documentation and sources, shortened. What they become: `response.test.ts`. */

const lines = (...values: readonly string[]) => values.map((value) => `data: ${value}\n\n`).join('');

const openai = (choices: string, usage = 'null') =>
  `{"id":"chatcmpl-CdXyZ","object":"chat.completion.chunk","created":1763650000,"model":"gpt-4.1-2025-04-14","service_tier":"default","system_fingerprint":"fp_b3f1157249","choices":${choices},"usage":${usage},"obfuscation":"x7Qp"}`;

export const openaiText = lines(
  openai(
    '[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}]',
  ),
  openai('[{"index":0,"delta":{"content":"Keas"},"logprobs":null,"finish_reason":null}]'),
  openai('[{"index":0,"delta":{"content":" are \\"parrots\\".\\n"},"logprobs":null,"finish_reason":null}]'),
  openai('[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]'),
  openai(
    '[]',
    '{"prompt_tokens":1120,"completion_tokens":7,"total_tokens":1127,"prompt_tokens_details":{"cached_tokens":1024,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}',
  ),
  '[DONE]',
);

export const openaiCalls = lines(
  openai(
    '[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_q9Zr1","type":"function","function":{"name":"get_weather","arguments":""}}],"refusal":null},"logprobs":null,"finish_reason":null}]',
  ),
  openai(
    '[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"ci"}}]},"logprobs":null,"finish_reason":null}]',
  ),
  openai(
    '[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"ty\\":\\"Bern\\"}"}}]},"logprobs":null,"finish_reason":null}]',
  ),
  openai(
    '[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_w2Xs2","type":"function","function":{"name":"get_weather","arguments":""}}]},"logprobs":null,"finish_reason":null}]',
  ),
  openai(
    '[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{\\"city\\":\\"Rom\\"}"}}]},"logprobs":null,"finish_reason":null}]',
  ),
  openai('[{"index":0,"delta":{},"logprobs":null,"finish_reason":"tool_calls"}]'),
  openai('[]', '{"prompt_tokens":80,"completion_tokens":42,"total_tokens":122}'),
  '[DONE]',
);

export const azureText = lines(
  '{"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}}]}',
  '{"choices":[{"content_filter_results":{},"delta":{"content":"","refusal":null,"role":"assistant"},"finish_reason":null,"index":0,"logprobs":null}],"created":1763650000,"id":"chatcmpl-A1","model":"gpt-4o-2024-11-20","object":"chat.completion.chunk","system_fingerprint":"fp_1"}',
  '{"choices":[{"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}},"delta":{"content":"Parrots."},"finish_reason":null,"index":0,"logprobs":null}],"created":1763650000,"id":"chatcmpl-A1","model":"gpt-4o-2024-11-20","object":"chat.completion.chunk"}',
  '{"choices":[{"content_filter_results":{},"delta":{},"finish_reason":"content_filter","index":0,"logprobs":null}],"created":1763650000,"id":"chatcmpl-A1","model":"gpt-4o-2024-11-20","object":"chat.completion.chunk"}',
  '{"choices":[],"created":1763650000,"id":"chatcmpl-A1","model":"gpt-4o-2024-11-20","object":"chat.completion.chunk","usage":{"completion_tokens":3,"prompt_tokens":20,"total_tokens":23}}',
  '[DONE]',
);

const vllm = (choice: string, rest = '') =>
  `{"id":"chatcmpl-2f1c","object":"chat.completion.chunk","created":1763650000,"model":"Qwen/Qwen3-8B","choices":[${choice}]${rest}}`;

export const vllmReasoning = lines(
  vllm(
    '{"index":0,"delta":{"role":"assistant","content":"","reasoning_content":null},"logprobs":null,"finish_reason":null}',
    ',"prompt_token_ids":null',
  ),
  vllm(
    '{"index":0,"delta":{"reasoning_content":"The user"},"logprobs":null,"finish_reason":null,"token_ids":null}',
  ),
  vllm(
    '{"index":0,"delta":{"reasoning":" asks.","reasoning_content":" asks."},"logprobs":null,"finish_reason":null,"token_ids":null}',
  ),
  vllm(
    '{"index":0,"delta":{"content":"\\n\\nA parrot"},"logprobs":null,"finish_reason":null,"token_ids":null}',
  ),
  vllm(
    '{"index":0,"delta":{"content":""},"logprobs":null,"finish_reason":"stop","stop_reason":"END","token_ids":null}',
  ),
  vllm(
    '',
    ',"usage":{"prompt_tokens":18,"total_tokens":40,"completion_tokens":22,"prompt_tokens_details":null}',
  ),
  '[DONE]',
);

const sglang = (delta: string, rest = '"finish_reason":null,"matched_stop":null') =>
  `{"id":"5d0e","object":"chat.completion.chunk","created":1763650000,"model":"default","choices":[{"index":0,"delta":${delta},"logprobs":null,${rest}}],"usage":null}`;

export const sglangCalls = lines(
  sglang('{"role":"assistant","content":"","reasoning_content":null,"tool_calls":null}'),
  sglang('{"role":null,"content":"Let me see.","reasoning_content":null,"tool_calls":null}'),
  sglang(
    '{"role":null,"content":null,"reasoning_content":null,"tool_calls":[{"id":"call_7d1","index":0,"type":"function","function":{"name":"get_weather","arguments":""}}]}',
  ),
  sglang(
    '{"role":null,"content":null,"reasoning_content":null,"tool_calls":[{"id":null,"index":0,"type":"function","function":{"name":null,"arguments":"{\\"city\\": \\"Bern\\"}"}}]}',
  ),
  sglang(
    '{"role":null,"content":null,"reasoning_content":null,"tool_calls":null}',
    '"finish_reason":"tool_calls","matched_stop":null',
  ),
  '{"id":"5d0e","object":"chat.completion.chunk","created":1763650000,"model":"default","choices":[],"usage":{"prompt_tokens":200,"total_tokens":230,"completion_tokens":30,"prompt_tokens_details":{"cached_tokens":150},"reasoning_tokens":0}}',
  '[DONE]',
);

const llama = (choices: string, rest = '') =>
  `{"choices":${choices},"created":1763650000,"id":"chatcmpl-L1","model":"gpt-3.5-turbo","system_fingerprint":"b7000-abc","object":"chat.completion.chunk"${rest}}`;

export const llamaServerText = lines(
  llama('[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}]'),
  llama('[{"finish_reason":null,"index":0,"delta":{"reasoning_content":"Hm."}}]'),
  llama('[{"finish_reason":null,"index":0,"delta":{"content":"Par"}}]'),
  llama('[{"finish_reason":null,"index":0,"delta":{"content":"rots"}}]'),
  llama('[{"finish_reason":"length","index":0,"delta":{}}]'),
  llama(
    '[]',
    ',"usage":{"completion_tokens":4,"prompt_tokens":21,"total_tokens":25},"timings":{"cache_n":20,"prompt_n":1,"prompt_ms":30.1,"predicted_n":4,"predicted_ms":160.2}',
  ),
  '[DONE]',
);

const ollama = (delta: string, finish = 'null') =>
  `{"id":"chatcmpl-681","object":"chat.completion.chunk","created":1763650000,"model":"qwen3:8b","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":${delta},"finish_reason":${finish}}]}`;

export const ollamaCalls = lines(
  ollama('{"role":"assistant","content":"","reasoning":"Two cities."}'),
  ollama(
    '{"role":"assistant","content":"","tool_calls":[{"id":"call_h1","index":0,"type":"function","function":{"name":"get_weather","arguments":"{\\"city\\":\\"Bern\\"}"}}]}',
  ),
  ollama(
    '{"role":"assistant","content":"","tool_calls":[{"id":"call_h2","index":0,"type":"function","function":{"name":"get_weather","arguments":"{\\"city\\":\\"Rom\\"}"}}]}',
  ),
  ollama('{"role":"assistant","content":""}', '"tool_calls"'),
  '{"id":"chatcmpl-681","object":"chat.completion.chunk","created":1763650000,"model":"qwen3:8b","system_fingerprint":"fp_ollama","choices":[],"usage":{"prompt_tokens":160,"completion_tokens":120,"total_tokens":280}}',
  '[DONE]',
);

const openrouter = (delta: string, finish = 'null', rest = '') =>
  `{"id":"gen-1763650000-x","provider":"Anthropic","model":"anthropic/claude-sonnet-4.5","object":"chat.completion.chunk","created":1763650000,"choices":[{"index":0,"delta":${delta},"finish_reason":${finish},"native_finish_reason":${finish},"logprobs":null}]${rest}}`;

export const openrouterReasoning =
  ': OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n' +
  lines(
    openrouter(
      '{"role":"assistant","content":"","reasoning":"Birds.","reasoning_details":[{"type":"reasoning.text","text":"Birds.","format":"anthropic-claude-v1","index":0}]}',
    ),
    openrouter('{"role":"assistant","content":"A parrot."}'),
    openrouter('{"role":"assistant","content":""}', '"stop"'),
    openrouter(
      '{"role":"assistant","content":""}',
      'null',
      ',"usage":{"prompt_tokens":100,"completion_tokens":30,"total_tokens":130,"cost":0.00075,"is_byok":false,"prompt_tokens_details":{"cached_tokens":40,"cache_write_tokens":20,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":12}}',
    ),
    '[DONE]',
  );

const deepseek = (delta: string, finish = 'null', usage = 'null') =>
  `{"id":"f02a","object":"chat.completion.chunk","created":1763650000,"model":"deepseek-reasoner","system_fingerprint":"fp_8a","choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}],"usage":${usage}}`;

export const deepseekReasoning =
  ': keep-alive\n\n' +
  lines(
    deepseek('{"role":"assistant","content":null,"reasoning_content":""}'),
    deepseek('{"content":null,"reasoning_content":"Birds"}'),
    deepseek('{"content":null,"reasoning_content":"?"}'),
    deepseek('{"content":"鹦鹉","reasoning_content":null}'),
    deepseek(
      '{"content":"","reasoning_content":null}',
      '"stop"',
      '{"prompt_tokens":70,"completion_tokens":25,"total_tokens":95,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":20},"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":6}',
    ),
    '[DONE]',
  );

const groq = (delta: string, finish = 'null', rest = '') =>
  `{"id":"chatcmpl-G1","object":"chat.completion.chunk","created":1763650000,"model":"openai/gpt-oss-120b","system_fingerprint":"fp_2","choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}]${rest}}`;

export const groqText = lines(
  groq('{"role":"assistant","content":""}', 'null', ',"x_groq":{"id":"req_01","seed":7}'),
  groq('{"channel":"analysis","reasoning":"Birds."}'),
  groq('{"content":"A parrot."}'),
  groq(
    '{}',
    '"stop"',
    ',"x_groq":{"id":"req_01","usage":{"queue_time":0.04,"prompt_tokens":75,"prompt_time":0.003,"completion_tokens":15,"completion_time":0.03,"total_tokens":90,"total_time":0.03}}',
  ),
  '[DONE]',
);

const gemini = (delta: string, finish = '', usage = '') =>
  `{"choices":[{"delta":${delta},${finish}"index":0}],"created":1763650000,"id":"kzA","model":"gemini-3-pro","object":"chat.completion.chunk"${usage}}`;

export const geminiCalls = lines(
  gemini(
    '{"role":"assistant","tool_calls":[{"extra_content":{"google":{"thought_signature":"EjQKMg=="}},"function":{"arguments":"{\\"city\\":\\"Bern\\"}","name":"get_weather"},"id":"function-call-1","type":"function"}]}',
  ),
  gemini(
    '{"role":"assistant","tool_calls":[{"function":{"arguments":"{\\"city\\":\\"Rom\\"}","name":"get_weather"},"id":"function-call-2","type":"function"}]}',
    '"finish_reason":"stop",',
    ',"usage":{"completion_tokens":34,"prompt_tokens":80,"total_tokens":250}',
  ),
  '[DONE]',
);

const mistral = (delta: string, finish = 'null', usage = '') =>
  `{"id":"0b1c","object":"chat.completion.chunk","created":1763650000,"model":"magistral-medium-2509","choices":[{"index":0,"delta":${delta},"finish_reason":${finish},"logprobs":null}]${usage}}`;

export const mistralThinking = lines(
  mistral('{"role":"assistant","content":""}'),
  mistral('{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Birds."}],"closed":false}]}'),
  mistral('{"content":[{"type":"text","text":"A "}]}'),
  mistral('{"content":"parrot."}'),
  mistral(
    '{"content":""}',
    '"stop"',
    ',"usage":{"prompt_tokens":15,"total_tokens":45,"completion_tokens":30}',
  ),
  '[DONE]',
);
