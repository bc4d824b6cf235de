import type { Json, JsonObject } from '../../src/kernel/kit/json.ts';
import { backendSecret, scriptedSuite, type Refusal, type Said, type Script } from './suite.ts';
import { cut, drip, hang, startWire, type WireAnswer, type WireStep } from '../support/upstream-chat.ts';
import {
  delta,
  endMessage,
  event,
  inputDelta,
  json,
  messagesError,
  startBlock,
  startMessage,
  stopBlock,
  stopMessage,
  ping,
  textDelta,
} from '../support/upstream-messages.ts';
import { openAt } from '../support/upstream-messages-model.ts';

/** The family suite over the Messages wire. */
scriptedSuite({
  name: 'anthropic',
  async open(t, answer, timeoutMs, totalTimeoutMs = 60_000) {
    const server = await startWire(t, ({ path, body }) => {
      if (path === '/v1/messages/count_tokens') return json({ input_tokens: countWords(body) });
      return typeof answer === 'string' ? refusals[answer] : toReply(answer);
    });
    const url = answer === 'down' ? 'http://127.0.0.1:9/v1' : server.url;
    const asked = () => server.requests.filter(({ path }) => path === '/v1/messages').length;
    return { provider: openAt(t, url, { timeoutMs, totalTimeoutMs }), asked, released: server.idle };
  },
});

function countWords({ messages, system }: JsonObject): number {
  return JSON.stringify([messages, system]).split(/\W+/).length;
}

const refusals: Readonly<Record<Refusal, WireAnswer>> = {
  busy: { ...messagesError('rate_limit_error', 429, backendSecret), headers: { 'retry-after': '7' } },
  overloaded: messagesError('overloaded_error', 529, backendSecret),
  broken: messagesError('api_error', 500, backendSecret),
  'too-long': messagesError(
    'invalid_request_error',
    400,
    `prompt is too long: 210000 tokens > 200000 maximum ${backendSecret}`,
  ),
  invalid: messagesError('invalid_request_error', 400, `messages.0: ${backendSecret}`),
  key: messagesError('authentication_error', 401, backendSecret),
  page: { headers: { 'content-type': 'text/html' }, steps: [`<!doctype html>${backendSecret}`] },
  down: json({}),
  hang: { steps: [hang] },
  drip: { steps: [drip(ping)] },
};

function toReply({ says, ends, usage }: Script): WireAnswer {
  const content = says.flatMap((said, index) => [
    startOf(said, index),
    ...piecesOf(said, index),
    stopBlock(index),
  ]);
  const begun: readonly WireStep[] = [
    startMessage({ input_tokens: usage.input, output_tokens: 1 }),
    ...content,
  ];
  const secret: JsonObject = { type: 'overloaded_error', message: backendSecret };
  const received: Json = { output_tokens: usage.output };
  switch (ends) {
    case 'cut':
      return { steps: [...begun, cut] };
    case 'silence':
      return { steps: [...begun, hang] };
    case 'drip':
      return { steps: [...begun, drip(ping)] };
    case 'endless':
      return { steps: [...begun, drip(textDelta(0, ' more'))] };
    case 'error':
      return { steps: [...begun, event({ type: 'error', error: secret })] };
    case 'end':
    case 'length':
    case 'tool-calls':
    case 'content-filter':
      return { steps: [...begun, endMessage(reasons[ends], null, received), stopMessage] };
  }
}

const reasons = {
  end: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
} as const;

function startOf(said: Said, index: number): string {
  if ('text' in said) return startBlock(index, { type: 'text', text: '' });
  if ('reasoning' in said) return startBlock(index, { type: 'thinking', thinking: '', signature: '' });
  return startBlock(index, { type: 'tool_use', id: said.call.id, name: said.call.name, input: {} });
}

function piecesOf(said: Said, index: number): string[] {
  if ('text' in said) return [textDelta(index, said.text)];
  if ('reasoning' in said) {
    const { reasoning } = said;
    return [
      delta(index, { type: 'thinking_delta', thinking: reasoning }),
      delta(index, { type: 'signature_delta', signature: 'c2lnbmF0dXJl' }),
    ];
  }
  return said.call.pieces.map((piece) => inputDelta(index, piece));
}
