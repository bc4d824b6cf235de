import { skillZip } from './zip.ts';

/** A small valid body for each operation that takes one; the matrix refuses to run without it. */
export const model = 'svc-decider-v1-27b';

export const nativeQuestions = {
  refund: { type: 'noul', instructions: 'Is the customer asking for money back?' },
  topic: { type: 'choice', criteria: { billing: 'charges, invoices', technical: null, other: null } },
  anger: { type: 'score', instructions: 'How angry?', criteria: ['calm', 'annoyed', 'furious'] },
};

export const state = 'I was charged twice for order 4411, please fix this today.';

export const openAiBody = {
  model,
  input: state,
  questions: [
    { type: 'predicate', name: 'refund', instructions: 'Is the customer asking for money back?' },
    { type: 'choice', instructions: 'Topic?', choices: [{ value: 'billing' }, { value: true }] },
    { type: 'score', instructions: 'How angry?', levels: [{ label: 'calm' }, { label: 'furious' }] },
  ],
};

const messages = [{ role: 'user', content: state }];

export const exampleBodies: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  createDecision: { model, state, questions: nativeQuestions },
  createSystemOne: { model, state, questions: nativeQuestions },
  createOpenAiDecision: openAiBody,
  putDecider: { engine: 'words', abstain: 0.2 },
  addExamples: {
    examples: [{ state, question: nativeQuestions.topic, answer: 'billing' }],
  },
  fitDecider: { wait: true },
  createResponse: { model: 'svc/svc', input: state },
  cancelResponse: { ignored: true },
  createOpenAiChatCompletion: { model: 'svc/svc', messages },
  createOpenAiResponse: { model: 'svc/svc', input: state },
  compactOpenAiResponse: { model: 'svc/svc', input: state },
  countOpenAiInputTokens: { model: 'svc/svc', input: state },
  cancelOpenAiResponse: { ignored: true },
  createOpenAiConversation: { items: messages },
  updateOpenAiConversation: { metadata: { topic: 'refunds' } },
  createOpenAiConversationItems: { items: messages },
  createMessage: { model: 'svc/svc', max_tokens: 64, messages },
  countMessageTokens: { model: 'svc/svc', messages },
  createAnthropicMessage: { model: 'svc/svc', max_tokens: 64, messages },
  countAnthropicTokens: { model: 'svc/svc', messages },
  createRouterChatCompletion: { model: 'svc/svc', messages },
  callMcp: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  createChatCompletion: { model: 'svc', messages },
  createAsyncChatCompletion: { request: { model: 'svc', messages } },
  generateAuthToken: { token_name: 'ci' },
  createSearch: { query: 'How do I revoke a token?' },
  putIndexDocument: { title: 'Returns', text: 'Parcels that come back are put on shelf seven.' },
  addIndexSource: { location: 'https://docs.example.com/', depth: 2 },
  createEmbeddings: { model: 'svc-embed-v1-0.6b', input: ['How do I get my money back?'] },
  createOpenAiEmbeddings: { model: 'svc-embed-v1-0.6b', input: ['How do I get my money back?'] },
  createContextualizedEmbeddings: {
    model: 'svc-embed-context-v1-0.6b',
    input: [['A parrot.', 'It is green.']],
  },
};

/** What stands in the place of `{name}` in a path. */
export const exampleParams: Readonly<Record<string, string>> = {
  provider: 'svc',
  model: 'svc%2Fsvc',
  name: 'svc',
  more: 'long',
  page: 'no-such-page',
  decider: 'careful',
  example_id: 'ex_0123456789abcdefghijklmn',
  fit_id: 'fit_0123456789abcdefghijklmn',
  skill_id: 'skill_0123456789abcdefghijklmn',
  response_id: 'resp_00000000-0000-4000-8000-000000000000',
  conversation_id: 'conv_00000000-0000-4000-8000-000000000000',
  item_id: 'msg_00000000-0000-4000-8000-000000000000',
  file_id: 'file_00000000-0000-4000-8000-000000000000',
  key_id: '0123456789ab',
  batch_id: 'batch_0123456789abcdefghijklmn',
  receipt_id: 'rcpt_00000000-0000-4000-8000-000000000000',
  source_id: '0123456789abcdef0123456789abcdef',
  document_id: 'doc_00000000-0000-4000-8000-000000000000',
  job_id: '5a1c3c9e-0f52-4c0a-8d8e-2f7f0e1a9b11',
  api_request: '00000000-0000-4000-8000-000000000000',
};

/** Parameters that a request needs. */
export const exampleQueries: Readonly<Record<string, string>> = {
  updateSkill: 'expected_revision=rev_x',
  deleteSkill: 'expected_revision=rev_x',
};

/** Operations whose example names what another one makes and deletes: there, or not. */
export const comesAndGoes: ReadonlySet<string> = new Set([
  'getDecider',
  'deleteDecider',
  'addExamples',
  'listExamples',
  'deleteExamples',
  'listFits',
]);

/** Operations whose example names an object that is not there, so that they can be asked again and again. */
export const namesNothing: ReadonlySet<string> = new Set([
  'getIndexDocument',
  'deleteIndexDocument',
  'refreshIndexSource',
  'removeIndexSource',
  'getReceipt',
  'getDecisionBatch',
  'getDecisionBatchResults',
  'cancelDecisionBatch',
  'deleteDecisionBatch',
  'retryAccountJob',
  'cancelAccountJob',
  'getResponse',
  'deleteResponse',
  'cancelResponse',
  'getOpenAiResponse',
  'deleteOpenAiResponse',
  'cancelOpenAiResponse',
  'listOpenAiInputItems',
  'getOpenAiConversation',
  'updateOpenAiConversation',
  'deleteOpenAiConversation',
  'createOpenAiConversationItems',
  'listOpenAiConversationItems',
  'getOpenAiConversationItem',
  'deleteOpenAiConversationItem',
  'listResponseFiles',
  'readResponseFile',
  'getDocument',
  'getReferencePage',
  'deleteExample',
  'fitDecider',
  'getFit',
  'cancelFit',
  'rollbackDecider',
  'getDeciderCoverage',
  'getSkill',
  'updateSkill',
  'deleteSkill',
  'listSkillRevisions',
  'downloadSkill',
  'openSkillBundle',
  'getAsyncChatCompletion',
  'revokeAccountKey',
]);

const boundary = 'example-boundary';
const bundleForm = {
  body: Buffer.concat([
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="skill.zip"\r\n` +
        'content-type: application/zip\r\n\r\n',
    ),
    skillZip(),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]),
  headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
};

const batchForm = {
  body: Buffer.from(
    [
      ['name="model"', model],
      ['name="questions"', JSON.stringify({ q: { type: 'noul', instructions: 'Is it late?' } })],
      ['name="file"; filename="rows.jsonl"', '{"id":"a","state":"x"}\n{"state":"y"}\n'],
    ]
      .map(([about, text]) => `--${boundary}\r\ncontent-disposition: form-data; ${about}\r\n\r\n${text}\r\n`)
      .join('') + `--${boundary}--\r\n`,
  ),
  headers: bundleForm.headers,
};

/** A valid upload for each operation that takes one. */
export const exampleForms: Readonly<
  Record<string, { readonly body: Buffer; readonly headers: Record<string, string> }>
> = {
  createDecisionBatch: batchForm,
  createSkill: bundleForm,
  updateSkill: bundleForm,
};

/** A native body with one question. */
export function ask(question: unknown, more: Readonly<Record<string, unknown>> = {}) {
  return { model, state: 'x', questions: { q: question }, ...more };
}

interface Poster {
  post(path: string, body: unknown): Promise<Response>;
}

/** Examples that name something which has to exist. Revoking again is no error, so one token serves all tests. */
export async function liveBodies(server: Poster): Promise<typeof exampleBodies> {
  const { auth_token } = (await (await server.post('/generate_auth_token', '')).json()) as {
    auth_token: string;
  };
  return { ...exampleBodies, revokeAuthToken: { auth_token } };
}
