import { backendSecret, scriptedSuite, type Refusal, type Said, type Script } from './suite.ts';
import {
  cut,
  data,
  done,
  drip,
  hang,
  startWire,
  type WireAnswer,
  type WireStep,
} from '../support/upstream-chat.ts';
import {
  mistralChunk,
  mistralError,
  mistralUsage,
  openMistral,
} from '../support/upstream-messages-mistral.ts';

/** The family suite over a package of the AI SDK and the wire that it speaks. */
scriptedSuite({
  name: 'ai-sdk',
  async open(t, answer, timeoutMs, totalTimeoutMs = 60_000) {
    const server = await startWire(t, () =>
      typeof answer === 'string' ? refusals[answer] : toAnswer(answer),
    );
    const url = answer === 'down' ? 'http://127.0.0.1:9/v1' : server.url;
    const provider = await openMistral(t, url, { timeoutMs, totalTimeoutMs });
    return { provider, asked: () => server.requests.length, released: server.idle };
  },
});

const refusals: Readonly<Record<Refusal, WireAnswer>> = {
  busy: mistralError(backendSecret, 429, { 'retry-after': '7' }),
  overloaded: mistralError(backendSecret, 503, { 'retry-after': '30' }),
  broken: mistralError(backendSecret, 500),
  'too-long': mistralError(
    `Prompt contains 40000 tokens, too large for model with 32768 maximum context length ${backendSecret}`,
    400,
  ),
  invalid: mistralError(backendSecret, 422),
  key: mistralError(backendSecret, 401),
  page: { headers: { 'content-type': 'text/html' }, steps: [`<!doctype html>${backendSecret}`] },
  down: { steps: [hang] },
  hang: { steps: [hang] },
  drip: { steps: [drip(': still here\n\n')] },
};

const reasons = {
  end: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
} as const;

function toAnswer({ says, ends, usage }: Script): WireAnswer {
  let calls = 0;
  const begun: readonly WireStep[] = [
    mistralChunk({ role: 'assistant', content: '' }),
    ...says.flatMap((said) => toChunks(said, 'call' in said ? calls++ : 0)),
  ];
  switch (ends) {
    case 'cut':
      return { steps: [...begun, cut] };
    case 'silence':
      return { steps: [...begun, hang] };
    case 'drip':
      return { steps: [...begun, drip(': still here\n\n')] };
    case 'endless':
      return { steps: [...begun, drip(mistralChunk({ content: ' more' }))] };
    case 'error':
      return { steps: [...begun, data({ object: 'error', message: backendSecret }), done] };
    case 'end':
    case 'length':
    case 'tool-calls':
    case 'content-filter': {
      const last = mistralChunk({ content: '' }, reasons[ends], mistralUsage(usage.input, usage.output));
      return { steps: [...begun, last, done] };
    }
  }
}

function toChunks(said: Said, index: number): string[] {
  if ('text' in said) return [mistralChunk({ content: said.text })];
  if ('reasoning' in said) {
    const thinking = [{ type: 'text', text: said.reasoning }];
    return [mistralChunk({ content: [{ type: 'thinking', thinking }] })];
  }
  const { id, name, pieces } = said.call;
  const [first = '', ...rest] = pieces;
  return [
    mistralChunk({ tool_calls: [{ index, id, function: { name, arguments: first } }] }),
    ...rest.map((piece) =>
      mistralChunk({ tool_calls: [{ index, id, function: { name, arguments: piece } }] }),
    ),
  ];
}
