import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Json, SoakClient } from './soak-client.ts';
import { answerTo, slowAnswer, wordOf, type SoakUpstream } from './soak-upstream.ts';

export interface SoakParts {
  readonly client: SoakClient;
  readonly upstream: SoakUpstream;
  readonly adminKey: string;
  /** Of the site in the index. */
  readonly sourceId: string;
  /** In [0, 1), seeded. */
  readonly random: () => number;
}

/** One kind of work, done again and again; a wrong answer throws. */
export interface Work {
  readonly name: string;
  /** So many at once. */
  readonly count: number;
  /** Between the end of one and the beginning of the next. Unit: ms. */
  readonly pauseMs: number;
  /** What it met that is not wrong. */
  readonly notes?: readonly string[];
  run(mark: string): Promise<void>;
}

const model = 'bench/talker';
const questions = 40;

export function soakWork(parts: SoakParts): readonly Work[] {
  return [
    decisions(parts),
    chatStreams(parts),
    slowStreams(parts),
    leftStreams(parts),
    agentSearches(parts),
    agentCode(parts),
    storedRuns(parts),
    jobs(parts),
    searches(parts),
    embeddings(parts),
    keys(parts),
    refreshes(parts),
  ];
}

const pick = (random: () => number, count: number): number => Math.floor(random() * count);
const at = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>(
    (inner, name) => (inner as Record<string | number, unknown> | undefined)?.[name],
    value,
  );

function textAt(value: unknown, ...path: (string | number)[]): string {
  const text = at(value, ...path);
  return typeof text === 'string' ? text : '';
}

/** The same question always has the same answer, whatever was asked in between. */
function decisions({ client, random }: SoakParts): Work {
  const first = new Map<string, unknown>();
  return {
    name: 'decisions',
    count: 2,
    pauseMs: 60,
    async run() {
      const number = pick(random, questions);
      const path = pick(random, 2) === 0 ? '/v1/decisions' : '/v1/systemone';
      const { answers } = await client.json(
        path,
        {
          model: 'svc-decider-v1-27b',
          state: `Ticket ${number}: I was charged ${number} times, please look at order ${number * 7}.`,
          questions: {
            refund: { type: 'noul', instructions: 'Is the customer asking for money back?' },
            topic: { type: 'choice', criteria: { billing: 'charges', technical: null, other: null } },
            anger: { type: 'score', instructions: 'How angry?', criteria: ['calm', 'annoyed', 'furious'] },
          },
        },
        { isBilled: true },
      );
      const known = first.get(String(number));
      if (known === undefined) first.set(String(number), answers);
      else deepEqual(answers, known, 'a decision changed');
    },
  };
}

function chatStreams({ client, random }: SoakParts): Work {
  return {
    name: 'chat streams',
    count: 2,
    pauseMs: 400,
    async run(mark) {
      const content = `What of the ${wordOf(pick(random, questions))}? #key:${mark}`;
      const wire = await client.text('/chat/completions', {
        model: 'svc',
        stream: true,
        messages: [{ role: 'user', content }],
      });
      ok(wire.endsWith('\n\ndata: [DONE]\n\n'), 'a chat stream ends with [DONE]');
      const chunks = dataOf(wire);
      equal(chunks.filter(({ type }) => type === 'end_of_stream').length, 1);
      equal(at(chunks.at(-1), 'choices', 0, 'message', 'content'), answerTo(mark));
      equal(chunks.map((chunk) => textAt(chunk, 'choices', 0, 'delta', 'content')).join(''), answerTo(mark));
    },
  };
}

/** Long streams at the same time. */
function slowStreams({ client }: SoakParts): Work {
  return {
    name: 'slow streams',
    count: 16,
    pauseMs: 200,
    async run(mark) {
      const body = {
        model,
        max_tokens: 128,
        stream: true,
        messages: [{ role: 'user', content: `#slow:${mark}` }],
      };
      const wire = await client.text('/router/v1/messages', body);
      const texts = dataOf(wire).map((event) => textAt(event, 'delta', 'text'));
      equal(texts.join(''), slowAnswer(mark));
      ok(wire.endsWith('event: message_stop\ndata: {"type":"message_stop"}\n\n'));
    },
  };
}

/** Streams of every surface whose reader goes away. */
function leftStreams({ client, random }: SoakParts): Work {
  return {
    name: 'left streams',
    count: 2,
    pauseMs: 500,
    async run(mark) {
      const content = `#slow:${mark}`;
      const messages = { model, stream: true, messages: [{ role: 'user', content }] };
      const bodies: readonly [string, object][] = [
        ['/router/v1/messages', { ...messages, max_tokens: 128 }],
        ['/router/v1/chat/completions', messages],
        ['/chat/completions', { ...messages, model: 'svc', disable_search: true }],
        ['/v1/agent', { model, stream: true, input: content }],
      ];
      const [path, body] = bodies[pick(random, bodies.length)] ?? ['', {}];
      await client.leave(path, body);
    },
  };
}

function agentSearches({ client, random }: SoakParts): Work {
  return {
    name: 'agent searches',
    count: 2,
    pauseMs: 1_000,
    async run(mark) {
      const page = pick(random, questions);
      const events = dataOf(
        await client.text('/v1/agent', {
          model,
          stream: true,
          store: false,
          max_steps: 2,
          tools: [{ type: 'web_search' }],
          input: `#search:${wordOf(page)} #key:${mark}`,
        }),
      );
      const response = checkRun(events, mark);
      const url = String(at(response, 'output', 0, 'results', 0, 'url'));
      ok(url.endsWith(`/${page}.html`), `searching for page ${page} found ${url}`);
    },
  };
}

/** Code in the real sandbox. */
function agentCode({ client, random }: SoakParts): Work {
  return {
    name: 'agent code',
    count: 1,
    pauseMs: 3_000,
    async run(mark) {
      const number = pick(random, 1_000);
      const body = { model, max_steps: 2, tools: [{ type: 'sandbox' }] };
      const input = `#code:${number} #key:${mark}`;
      const response = await client.json('/v1/responses', { ...body, input }, { isBilled: true });
      equal(at(response, 'output', 0, 'stdout'), `${number * number}\n`, JSON.stringify(response));
      equal(at(response, 'output', 1, 'content', 0, 'text'), answerTo(mark));
    },
  };
}

/** A run in the background is read from its start and from its middle, continued, and deleted. */
function storedRuns({ client }: SoakParts): Work {
  return {
    name: 'stored runs',
    count: 1,
    pauseMs: 2_000,
    async run(mark) {
      const input = `#key:${mark}`;
      const begun = await client.json('/v1/agent', { model, input, background: true }, { isBilled: true });
      const path = `/v1/agent/${String(begun['id'])}`;
      const all = dataOf(await client.get(`${path}?stream=true`));
      checkRun(all, mark);
      const rest = dataOf(await client.get(`${path}?stream=true&starting_after=2`));
      deepEqual(rest, all.slice(3), 'what is read again is what was sent');
      equal(at(await client.json(path), 'status'), 'completed');
      const next = { model, input: `#key:${mark}.next`, previous_response_id: begun['id'], store: false };
      const followed = await client.json('/v1/agent', next, { isBilled: true });
      equal(at(followed, 'output', 0, 'content', 0, 'text'), answerTo(`${mark}.next`));
      await client.json(path, undefined, { method: 'DELETE' });
      await client.json(path, undefined, { status: 404 });
    },
  };
}

function jobs({ client }: SoakParts): Work {
  return {
    name: 'jobs',
    count: 2,
    pauseMs: 1_500,
    async run(mark) {
      const request = { model: 'svc', messages: [{ role: 'user', content: `A job. #key:${mark}` }] };
      const body = { request, idempotency_key: mark };
      const created = await client.json('/async/chat/completions', body);
      equal((await client.json('/v1/async/svc', body))['id'], created['id'], 'one key is one job');
      const path = `/async/chat/completions/${String(created['id'])}`;
      let job = created;
      for (let tries = 0; job['status'] !== 'COMPLETED'; tries++) {
        ok(job['status'] !== 'FAILED' && tries < 600, JSON.stringify(job));
        await pause(100);
        job = await client.json(path);
      }
      equal(at(job, 'response', 'choices', 0, 'message', 'content'), answerTo(mark));
      client.jobDone(String(job['id']));
    },
  };
}

function searches({ client, random }: SoakParts): Work {
  return {
    name: 'searches',
    count: 1,
    pauseMs: 400,
    async run() {
      const page = pick(random, questions);
      const query = `where does the ${wordOf(page)} live`;
      const found = await client.json('/search', { query, max_results: 5 }, { isBilled: true });
      const url = String(at(found, 'results', 0, 'url'));
      ok(url.endsWith(`/${page}.html`), `searching for page ${page} found ${url}`);
    },
  };
}

function embeddings({ client, random }: SoakParts): Work {
  const first = new Map<number, unknown>();
  return {
    name: 'embeddings',
    count: 1,
    pauseMs: 500,
    async run() {
      const number = pick(random, questions);
      const body = { model: 'svc-embed-v1-0.6b', input: [`text ${number}`, wordOf(number)] };
      const { data } = await client.json('/v1/embeddings', body, { isBilled: true });
      if (first.has(number)) deepEqual(data, first.get(number), 'a vector changed');
      else first.set(number, data);
    },
  };
}

/** A new key works at once and is refused right after it was revoked. */
function keys({ client }: SoakParts): Work {
  return {
    name: 'keys',
    count: 1,
    pauseMs: 1_000,
    async run(mark) {
      const made = await client.json('/generate_auth_token', { token_name: mark });
      const key = String(made['auth_token']);
      const body = { query: wordOf(0) };
      await client.json('/search', body, { key, isBilled: true });
      await client.json('/revoke_auth_token', { auth_token: key });
      await client.json('/search', body, { key, status: 401 });
    },
  };
}

/** The source of this id, as the list has it. */
export async function readSource(client: SoakClient, key: string, id: string): Promise<Json> {
  const { data } = await client.json('/admin/v1/index/sources', undefined, { key });
  return (data as readonly Json[]).find((source) => source['id'] === id) ?? {};
}

const refreshesMax = 3;

/**
 * A page of the site changes, the index reads it again, and the new word is found on it. A refresh that says that it
 * could not read the page has kept the old text, and is asked for again.
 */
function refreshes({ client, upstream, adminKey, sourceId, random }: SoakParts): Work {
  const admin = { key: adminKey };
  const notes: string[] = [];
  const refresh = async (): Promise<Json> => {
    await client.json(`/admin/v1/index/sources/${sourceId}/refresh`, {}, admin);
    for (let tries = 0; ; tries++) {
      await pause(200);
      const source = await readSource(client, adminKey, sourceId);
      const state = String(source['state']);
      if (state === 'ready') return source['outcome'] as Json;
      ok(['queued', 'running'].includes(state) && tries < 600, state);
    }
  };
  return {
    name: 'index refreshes',
    count: 1,
    pauseMs: 15_000,
    notes,
    async run() {
      const page = pick(random, upstream.pages);
      const word = upstream.change(page);
      const isPage = (url: unknown) => String(url).endsWith(`/${page}.html`);
      let outcome = await refresh();
      for (let again = 1; again < refreshesMax && failuresOf(outcome).some(isPage); again++) {
        notes.push(`page ${page} was not read, and is read again after ${JSON.stringify(outcome)}`);
        outcome = await refresh();
      }
      const found = await client.json('/search', { query: word }, { isBilled: true });
      const url = at(found, 'results', 0, 'url');
      ok(isPage(url), `${word} of page ${page} was found on ${String(url)} after ${JSON.stringify(outcome)}`);
    },
  };
}

/** Addresses that a refresh could not read. */
function failuresOf(outcome: Json): readonly unknown[] {
  return (outcome['failures'] as readonly Json[]).map(({ url }) => url);
}

/** Every event of a run, numbered without gaps, with one end that holds the answer. Returns the response. */
function checkRun(events: readonly Json[], mark: string): unknown {
  deepEqual(
    events.map((event) => event['sequence_number']),
    events.map((_, index) => index),
  );
  const ends = events.filter(({ type }) => type === 'response.completed' || type === 'response.failed');
  equal(ends.length, 1);
  const last = events.at(-1);
  equal(last?.['type'], 'response.completed', JSON.stringify(last));
  const output = at(last, 'response', 'output') as readonly unknown[];
  equal(at(output.at(-1), 'content', 0, 'text'), answerTo(mark));
  return at(last, 'response');
}

function dataOf(wire: string): Json[] {
  return [...wire.matchAll(/^data: (?<json>\{.*\})$/gm)].map(
    ({ groups }) => JSON.parse(groups?.['json'] ?? '') as Json,
  );
}
