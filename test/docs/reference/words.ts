/** What a page says beyond the description: its title, its page of the guide and what an operation cannot declare. */
export interface GroupWords {
  readonly title: string;
  /** One or two sentences. Links go from `docs/reference/`. */
  readonly intro: string;
}

/** In the order of the index. A group that is not here comes last, under its own name. */
export const groupWords: Readonly<Record<string, GroupWords>> = {
  decisions: {
    title: 'Decisions',
    intro:
      'Questions about a state, answered with probabilities, in three shapes of request. The guide: [decisions](../guide/decisions.md).',
  },
  agent: {
    title: 'Agent',
    intro:
      'An input is answered with tools and sources, at once, as a stream or in the background. The guide: [the agent](../guide/agent.md).',
  },
  chat: {
    title: 'Chat completions',
    intro:
      'A conversation is answered from what a search finds, with citations. The guide: [chat completions](../guide/chat.md).',
  },
  async: {
    title: 'Asynchronous chat completions',
    intro:
      'A chat completion that runs on its own and is fetched later. Jobs and results are deleted seven days after they were created. The guide: [jobs](../guide/jobs.md).',
  },
  search: {
    title: 'Search',
    intro: 'Pages, with the passages of them that fit a query. The guide: [search](../guide/search.md).',
  },
  documents: {
    title: 'Documents of an account',
    intro:
      'Documents and sources that only your account finds, beside those of all. The guide: [the search index](../guide/search-index.md#who-finds-what).',
  },
  embeddings: {
    title: 'Embeddings',
    intro: 'Texts as vectors. The guide: [embeddings](../guide/embeddings.md).',
  },
  router: {
    title: 'Router',
    intro:
      'Any model of this server behind the interfaces of Messages and chat completions. The guide: [the router](../guide/router.md).',
  },
  models: {
    title: 'Models',
    intro: 'What the agent can run. The guide: [models](../guide/models.md).',
  },
  skills: {
    title: 'Skills',
    intro:
      'Bundles of instructions and files that the agent loads when it needs them. A bundle is a zip file of at most 8 MiB with one `SKILL.md`. The guide: [the agent](../guide/agent.md#tools).',
  },
  tokens: {
    title: 'Tokens',
    intro:
      'Further keys of the account that asks, made and revoked by the caller. The guide: [keys](../guide/keys.md).',
  },
  account: {
    title: 'Account',
    intro: 'What the account of the key has and uses. The guide: [accounts](../guide/accounts.md).',
  },
  admin: {
    title: 'Administration',
    intro:
      'Accounts, their credits, keys and usage. Served only where `admin_key` is set, and opened by that key alone. The guide: [accounts](../guide/accounts.md).',
  },
  mcp: {
    title: 'Model Context Protocol',
    intro: 'The operations of this server as tools. The guide: [MCP](../guide/mcp.md).',
  },
  service: {
    title: 'Service',
    intro:
      'What a person, a load balancer and a tool ask a server about itself. The guide: [operations](../guide/operations.md).',
  },
};

export interface OperationWords {
  /** Sentences after the summary. */
  readonly more?: string;
  /** Statuses that follow from no part of the declaration, with what they mean. */
  readonly statuses?: Readonly<Record<number, string>>;
  /** Headers of a success, beside those of every response. */
  readonly headers?: Readonly<Record<string, string>>;
}

const engineHeader = { 'x-nestor-engine': 'the engine that answered' };
const askedHeaders = {
  'x-nestor-search-engines':
    'only where something was searched, and in streams only where the search is over when they begin: the search engines that were asked, as a list of RFC 9651 such as `searxng;hits=10, brave;hits=0;failed=timeout`',
};
const decisionHeaders = {
  ...engineHeader,
  'x-nestor-state-windows':
    'only where the state is longer than the model reads at once: how many of its windows decide a question, and into how many it was cut',
  'x-nestor-rules': 'only where rules answered: how many of the questions, as `2 of 5`',
};
const download = {
  'content-disposition': 'the name of the file',
};

export const operationWords: Readonly<Record<string, OperationWords>> = {
  createDecision: { headers: decisionHeaders },
  createSystemOne: { headers: decisionHeaders },
  createOpenAiDecision: { headers: decisionHeaders },
  createEmbeddings: { headers: engineHeader },
  createContextualizedEmbeddings: { headers: engineHeader },
  createSearch: { headers: askedHeaders },
  createResponse: {
    headers: askedHeaders,
    more: 'A request names a `model`, up to five `models` or a `preset`. With `"stream": true` the answer is a stream of [events](#events). A run that fails after it began answers 200 with `status` `failed`.',
  },
  getResponse: {
    more: 'With `stream=true` the answer is the stream of [events](#events), while the response is made and for an hour afterwards.',
  },
  readResponseFile: { headers: download },
  createChatCompletion: {
    headers: askedHeaders,
    more: 'With `"stream": true` the answer is a stream of [chunks](#streams).',
  },
  createAsyncChatCompletion: {
    more: '`stream` and `stream_mode` of the request have no effect.',
    statuses: { 409: 'the `idempotency_key` was used with another request' },
  },
  createSkill: { statuses: { 409: 'the account has as many skills as it may have' } },
  updateSkill: { statuses: { 409: '`expected_revision` is not the latest revision; nothing changed' } },
  deleteSkill: { statuses: { 409: '`expected_revision` is not the latest revision; nothing changed' } },
  openSkillBundle: {
    more: 'The address is that of `download_url`, and is not put together by hand.',
    headers: download,
  },
  createMessage: {
    more: 'With `"stream": true` the answer is a stream of [events](#events-of-messages). An assistant message at the end is a prefill that the answer continues.',
    headers: {
      'x-nestor-ignored':
        'with [`router.lenient`](../guide/router.md#strict-and-lenient): fields that were dropped',
    },
  },
  countMessageTokens: { more: 'The count is exact where the backend can count, else an estimate.' },
  createAnthropicMessage: {
    more: 'With `"stream": true` the answer is a stream of [events](#events-of-messages). The guide: [Claude Code and clients of Anthropic](../guide/claude-code.md).',
    headers: { 'x-nestor-ignored': 'what was sent and did not reach the model, 20 entries at most' },
    statuses: { 529: 'every backend of the model is busy or away' },
  },
  countAnthropicTokens: { more: 'The count is exact where the backend can count, else an estimate.' },
  getAnthropicModel: { more: 'A slash in the id is written as `%2F` or as it is.' },
  createRouterChatCompletion: {
    more: 'With `"stream": true` the answer is a stream of [chunks](#chunks-of-chat-completions).',
  },
  listModels: {
    headers: {
      'x-nestor-prices':
        '`configured` where the operator has set prices, or a model of a provider has one; `default` where all are the built-in ones, by which usage is recorded and nobody is billed',
    },
    more: 'With the header `x-typesafe-sdk`, which System One clients send, the answer also has `models`.',
  },
  adminCreateAccount: { statuses: { 409: 'an account of this id exists' } },
  adminCreatePurchase: {
    more: '201 books it; 200 says that it was booked before.',
    statuses: { 409: 'another purchase has this id' },
  },
  callMcp: {
    more: 'A notification, which has no `id`, is answered with 202 and no body. A client that accepts `text/event-stream` and asks for progress gets a stream whose last event is the reply.',
  },
  getReadiness: { more: '503 when the store or a configured backend is down.' },
};

/** A heading as GitHub makes an anchor of it. */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
