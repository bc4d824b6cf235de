import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { createClient, jsonOf } from '../support/http.ts';
import { queueExamples, queueQuestion } from '../support/queues.ts';
import type { Moment } from './kill-at-fit-end.ts';
import { learnerIn, rootKey } from './learner.ts';
import { spawnServer, type ServerProcess } from './server-process.ts';

/** Whole servers, killed at the end of a fit: the moment at which what was learned is stored and put in use. */
const killer = new URL('kill-at-fit-end.ts', import.meta.url).href;

/** What is learned second: the same texts under other labels, so that both have to be there. */
const shelfQuestion = {
  type: 'choice',
  instructions: 'Which shelf?',
  criteria: { s1: null, s2: null, s3: null },
};
const lessons = [
  queueExamples,
  queueExamples.map(({ state, answer }) => ({
    state,
    question: shelfQuestion,
    answer: answer.replace('q', 's'),
  })),
] as const;

/** `told`: by the test, once the server has told the end. */
const moments: readonly (Moment | 'told')[] = ['within', 'after', 'amid', 'before', 'told'];
const outcomes: Readonly<Record<Moment | 'told', readonly ('old' | 'new')[]>> = {
  before: ['old'],
  within: ['old'],
  amid: ['old', 'new'],
  after: ['new'],
  told: ['new'],
};

interface Fit {
  readonly id: string;
  readonly state: string;
}

function createDesk({ url }: Pick<ServerProcess, 'url'>, name: string) {
  const send = createClient(url);
  const headers = { authorization: `Bearer ${rootKey}` };
  const place = `/v1/deciders/${name}`;
  const call = async (method: string, path: string, body?: object) => {
    const received = await send({ method, path, headers, ...(body && { body: JSON.stringify(body) }) });
    assert.ok(received.status < 300, received.text);
    return received;
  };
  return {
    close: () => send.close(),
    make: () => call('PUT', place, { engine: 'encoder' }),
    give: async (examples: readonly object[]): Promise<readonly string[]> =>
      jsonOf<{ ids: readonly string[] }>(await call('POST', `${place}/examples`, { examples })).ids,
    async fit(): Promise<string> {
      const begun = jsonOf<{ id: string; state: string }>(await call('POST', `${place}/fit`, { wait: true }));
      let { state } = begun;
      // A busy machine takes longer than a request waits.
      while (state === 'running')
        ({ state } = jsonOf<{ state: string }>(await call('GET', `${place}/fits/${begun.id}`)));
      return state;
    },
    /** The newest. One of a process that is gone runs until its lease is over, and no other of the account beside it. */
    async lastFit(): Promise<Fit | undefined> {
      const [last] = jsonOf<{ fits: readonly Fit[] }>(await call('GET', `${place}/fits`)).fits;
      if (last?.state === 'running') await call('DELETE', `${place}/fits/${last.id}`);
      return last;
    },
    async answers(): Promise<unknown> {
      const questions = { queue: queueQuestion, shelf: shelfQuestion };
      const body = { model: name, state: 'I was billed two times for one parcel', questions };
      return jsonOf(await call('POST', '/v1/decisions', body))['answers'];
    },
  };
}
type Desk = ReturnType<typeof createDesk>;

/** What a decider answers that learned nothing, the first lesson, and both. */
async function learnWhole(server: ServerProcess): Promise<readonly unknown[]> {
  const desk = createDesk(server, 'whole');
  try {
    await desk.make();
    const answers = [await desk.answers()];
    for (const lesson of lessons) {
      await desk.give(lesson);
      assert.equal(await desk.fit(), 'taken');
      answers.push(await desk.answers());
    }
    assert.equal(new Set(answers.map((one) => JSON.stringify(one))).size, answers.length);
    return answers;
  } finally {
    desk.close();
  }
}

/** Gives examples to another decider of the account until the server is gone. Resolves to the ids that it was told. */
async function giveUntilGone({ url }: ServerProcess, name: string): Promise<readonly string[]> {
  const send = createClient(url);
  const told: string[] = [];
  try {
    // One at a time: a decider has room for 5,000, and the fit is over before.
    for (let n = 0; ; n++) {
      const examples = queueExamples.slice(0, 1).map((one) => ({ ...one, state: `${n}: ${one.state}` }));
      const { status, text } = await send({
        method: 'POST',
        path: `/v1/deciders/${name}/examples`,
        headers: { authorization: `Bearer ${rootKey}` },
        body: JSON.stringify({ examples }),
      }).catch(() => ({ status: 0, text: '' }));
      if (status !== 201) return told;
      told.push(...(JSON.parse(text) as { ids: readonly string[] }).ids);
    }
  } finally {
    send.close();
  }
}

interface Round {
  readonly data: string;
  readonly env: Readonly<Record<string, string>>;
  readonly moment: Moment | 'told';
  /** Lessons that are learned before the fit at whose end the server is killed. */
  readonly known: number;
}

interface Killed {
  /** Ids of examples that were acknowledged. */
  readonly given: readonly string[];
  /** The end of the fit was acknowledged too. */
  readonly isTold: boolean;
}

async function killOnce({ data, env, moment, known }: Round, name: string): Promise<Killed> {
  const server = await spawnServer(data, {
    ...env,
    NODE_OPTIONS: `--import=${killer}`,
    KILL_AT_FIT_END: `${moment} ${known}`,
  });
  const desk = createDesk(server, name);
  const other = createDesk(server, `${name}-other`);
  try {
    await desk.make();
    await other.make();
    const told: string[] = [];
    for (const lesson of lessons.slice(0, known)) {
      told.push(...(await desk.give(lesson)));
      assert.equal(await desk.fit(), 'taken');
    }
    told.push(...(await desk.give(lessons[known] ?? [])));
    const given = giveUntilGone(server, `${name}-other`);
    const ended = server.ended();
    const fitted = desk.fit().catch(() => 'unanswered');
    const answer = await fitted;
    // Who kills while it is committed may come after the answer.
    if (moment !== 'amid') assert.equal(answer, moment === 'told' ? 'taken' : 'unanswered', moment);
    if (moment === 'told') await server.end('SIGKILL');
    assert.equal(await ended, null);
    return { given: [...told, ...(await given)], isTold: answer === 'taken' };
  } finally {
    desk.close();
    other.close();
    await server.end('SIGKILL');
  }
}

/** Afterwards a decider answers by the old or the new version, whole, and no example is lost. */
export async function killAtEnds(t: TestContext, database: string): Promise<void> {
  const { data, env } = learnerIn(t, database);
  let server = await spawnServer(data, env);
  t.after(() => server.end('SIGKILL'));
  const whole = await learnWhole(server);
  const seen: string[] = [];
  for (const [index, { moment, known }] of rounds.entries()) {
    await server.end('SIGKILL');
    const { given, isTold } = await killOnce({ data, env, moment, known }, `desk-${index}`);
    server = await spawnServer(data, env);
    const desk = createDesk(server, `desk-${index}`);
    const version = await checkAfter(desk, moment, [whole[known], whole[known + 1]]);
    seen.push(`${moment}, ${known} known: ${version}`);
    if (isTold) assert.equal(version, 'new');
    await assertThere(database, data, given);
  }
  t.diagnostic(seen.join(', '));
}

/** It answers as before or as after, by every byte, as its fits say. Resolves to which. */
async function checkAfter(desk: Desk, moment: Moment | 'told', [before, after]: readonly unknown[]) {
  try {
    const last = await desk.lastFit();
    const version = last?.state === 'taken' ? 'new' : 'old';
    assert.ok(outcomes[moment].includes(version), `${moment}: ${JSON.stringify(last)}`);
    // On PostgreSQL another process could still hold its lease.
    if (version === 'old')
      assert.ok(last?.state === 'failed' || last?.state === 'running', JSON.stringify(last));
    assert.deepEqual(await desk.answers(), version === 'new' ? after : before);
    return version;
  } finally {
    desk.close();
  }
}

async function assertThere(database: string, dataFolder: string, told: readonly string[]): Promise<void> {
  const store = await openDatabase(database, { dataFolder });
  try {
    const rows = await store.db.selectFrom('decider_examples').select('id').execute();
    const there = new Set(rows.map(({ id }) => id));
    assert.deepEqual(
      told.filter((id) => !there.has(id)),
      [],
    );
  } finally {
    await store.close();
  }
}

/** At the end of a fit that replaces another, and of a first one where that makes a difference. */
const rounds: readonly Pick<Round, 'moment' | 'known'>[] = [
  ...moments.map((moment) => ({ moment, known: 1 })),
  { moment: 'within', known: 0 },
  { moment: 'after', known: 0 },
];
