import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { modelList, refuse, reply, startScriptedNestor, type Route } from '../support/scripted-nestor.ts';
import { startServer } from '../support/server.ts';
import { jsonOf, openConsole, spawnNestor } from './support.ts';

const refund = 'refund=Is the customer asking for money back?';
const topic = 'topic=billing,technical,other';
const ofTable = [...'decide --csv in.csv --column text --out out.csv --noul'.split(' '), refund];

interface Reply {
  readonly model: string;
  readonly answers: Readonly<Record<string, { readonly type: string; readonly legend?: unknown }>>;
}

/** The state `limited …` is refused so often: more often than any other failure is tried again. */
const limitedTimes = 8;

/** Answers every question the same; the state `fail` is refused, `busy` the first time only. */
function scriptedDecisions(onAsked: (count: number) => void): Route {
  let count = 0;
  const seen = new Set<string>();
  const limited = new Map<string, number>();
  return ({ body }, response) => {
    onAsked(++count);
    const { state } = body as { readonly state: string };
    if (state === 'fail') return refuse(response, 400, 'state is refused');
    const times = (limited.get(state) ?? 0) + 1;
    limited.set(state, times);
    if (state.startsWith('limited') && times <= limitedTimes) return refuse(response, 429, 'slow down', 1);
    if (state === 'busy' && !seen.has(state)) {
      seen.add(state);
      return refuse(response, 429, 'slow down', 20);
    }
    reply(response, {
      model: 'acme-decider',
      answers: {
        refund: { type: 'noul', noul: 0.75 },
        topic: { type: 'choice', choice: 'billing', confidence: 0.5, probabilities: { billing: 1 } },
      },
      usage: { input_tokens: 1, output_tokens: 2 },
    });
  };
}

suite('nestor decide', () => {
  test('asks all kinds of questions at once and shows bars, plain where no terminal is', async (t) => {
    const { nestor } = openConsole(t);
    const api = await startServer(t);
    const argv = [
      'decide',
      'I was charged twice',
      '--noul',
      refund,
      '--choice',
      topic,
      '--score',
      'anger=calm,furious',
    ];
    const plain = await nestor(argv, { api });
    assert.deepEqual([plain.code, plain.err], [0, '']);
    for (const pattern of [
      /^refund +(yes|no)$/m,
      /^ +yes +[█░]+ +0\.\d{3}$/m,
      /^topic +\w+ \(confidence/m,
      /^ +furious /m,
    ])
      assert.match(plain.out, pattern);
    assert.ok(!plain.out.includes('\u001b'));
    const painted = await nestor(argv, { api, isTerminal: true });
    assert.ok(painted.out.includes('\u001b[1mrefund\u001b[22m'));
    const noColour = await nestor(argv, { api, isTerminal: true, isPlain: true });
    assert.equal(noColour.out, plain.out);
  });

  test('--json prints what the server sent, names untouched', async (t) => {
    const { nestor } = openConsole(t);
    const api = await startServer(t);
    const argv = ['--choice', 'isSpam={"ja":"yes","nein":null}', '--about', 'isSpam=Is it spam?', '--json'];
    const { model, answers } = jsonOf<Reply>(
      await nestor(['decide', '-', ...argv], { api, stdin: 'Buy now!\n' }),
    );
    assert.deepEqual([model, Object.keys(answers)], ['svc-decider-v1-27b', ['isSpam']]);
  });

  test('takes questions from YAML or a request, and the state from a file', async (t) => {
    const { nestor, folder } = openConsole(t);
    const api = await startServer(t);
    writeFileSync(join(folder, 'q.yaml'), 'refund:\n  type: noul\n  instructions: Money back?\n');
    const request = { state: 'x', questions: { mood: { type: 'score', criteria: ['bad', 'good'] } } };
    writeFileSync(join(folder, 'q.json'), JSON.stringify(request));
    writeFileSync(join(folder, 'state.json'), '{"text":"I want it back"}');
    const yaml = await nestor(['decide', '--file', 'state.json', '--questions', 'q.yaml', '--json'], { api });
    assert.deepEqual(Object.keys(jsonOf<Reply>(yaml).answers), ['refund']);
    const json = await nestor(['decide', 'x', '--questions', 'q.json', '--noul', 'Really?', '--json'], {
      api,
    });
    assert.deepEqual(Object.keys(jsonOf<Reply>(json).answers), ['mood', 'q2']);
  });

  test('integers of a state, of questions and of a reply keep every digit', async (t) => {
    const { nestor, folder } = openConsole(t);
    const asked: string[] = [];
    const legend = '{"0":{"id":12345678901234567891},"1":"high"}';
    const reply = `{"model":"m","answers":{"f":{"type":"noul","noul":1},"x":{"type":"score","score":0,"confidence":1,"legend":${legend},"probabilities":{"0":1,"1":0}}}}`;
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        asked.push(Buffer.concat(chunks).toString('utf8'));
        response.writeHead(200, { 'content-type': 'application/json' }).end(reply);
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    t.after(() => server.close());
    const api = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'svc-any' };
    writeFileSync(join(folder, 'state.json'), '{"id":12345678901234567891}');
    writeFileSync(join(folder, 'q.json'), '{"f":{"type":"noul","instructions":[-9007199254740993]}}');
    const argv = ['decide', '--file', 'state.json', '--questions', 'q.json', '--model', 'm', '--json'];
    const { out } = await nestor([...argv, '--score', 'x=[{"id":12345678901234567891},"high"]'], { api });
    assert.match(asked[0] ?? '', /"state":\{"id":12345678901234567891\}/);
    assert.match(asked[0] ?? '', /"instructions":\[-9007199254740993\]/);
    assert.match(asked[0] ?? '', /"criteria":\[\{"id":12345678901234567891\},"high"\]/);
    assert.match(out, /12345678901234567891/);
    writeFileSync(
      join(folder, 'q.yaml'),
      'f: { type: noul, instructions: [-9007199254740993, 0.5, 0x10] }\n12: { type: noul, instructions: { id: 12345678901234567891 } }\n',
    );
    await nestor(['decide', 'x', '--questions', 'q.yaml', '--model', 'm', '--json'], { api });
    assert.match(asked[1] ?? '', /"instructions":\[-9007199254740993,0\.5,16\]/);
    assert.match(asked[1] ?? '', /"12":\{"type":"noul","instructions":\{"id":12345678901234567891\}\}/);
  });

  test('a wrong command line is told before anything is sent, and a refusal of the server in one line', async (t) => {
    const { nestor, folder } = openConsole(t);
    const api = await startServer(t);
    writeFileSync(join(folder, 'a.csv'), 'text,other\na,b\n');
    const csv = ['--csv', 'a.csv', '--noul', refund];
    const cases: readonly (readonly [argv: readonly string[], code: number, message: RegExp])[] = [
      [['x'], 2, /No question/],
      [['x', '--choice', 'a,b'], 2, /--choice takes NAME=/],
      [['x', '--noul', 'a=b', '--choice', 'a=b'], 2, /two questions called "a"/],
      [['x', '--noul', 'a', '--about', 'b=c'], 2, /--about names "b"/],
      [['x', '--questions', 'nothing.yaml'], 2, /nothing\.yaml cannot be read \(ENOENT\)/],
      [['x', '--noul', 'a', '--out', 'b'], 2, /--out belongs to --csv/],
      [['x', '--noul', 'a', '--url', 'ftp://x'], 2, /http or https/],
      [['--noul', 'a'], 2, /STATE is missing/],
      [csv, 2, /--column is missing/],
      [[...csv, '--column', 'text'], 2, /--out is missing/],
      [[...csv, '--column', 'nope', '--out', 'b.csv'], 2, /no column "nope"; it has text, other/],
      [['x', '--noul', 'a', '--model', 'nope'], 1, /Invalid model 'nope'.*\(400, request [0-9a-f-]{36}\)/],
      [['x', '--noul', 'a', '--key', 'wrong-key-0123456789'], 1, /Invalid API key.*right key/],
      [
        ['x', '--noul', 'a', '--url', 'http://127.0.0.1:9'],
        1,
        /127\.0\.0\.1:9 cannot be reached: ECONNREFUSED\. Is a server/,
      ],
    ];
    for (const [argv, code, message] of cases) {
      const ended = await nestor(['decide', ...argv], { api });
      assert.match(ended.err, message, argv.join(' '));
      assert.equal(ended.code, code, `${argv.join(' ')}: ${ended.err}`);
      assert.match(ended.err, /^nestor: [^\n]+\n$/);
      assert.equal(ended.out, '');
    }
  });

  test('runs as a process of its own, with the server and the key from the environment', async (t) => {
    const server = await startServer(t);
    const env = { NESTOR_URL: server.url, NESTOR_KEY: server.key };
    const { code, out, err } = await spawnNestor(['decide', 'Give me my money', '--noul', refund], env);
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^refund +(yes|no)\n/);
  });
});

suite('nestor decide --csv', () => {
  const open = async (
    t: Parameters<typeof openConsole>[0],
    table: string,
    onAsked: (count: number) => void = () => {},
  ) => {
    const opened = openConsole(t);
    const routes = { 'GET /v1/models': modelList, 'POST /v1/decisions': scriptedDecisions(onAsked) };
    const scripted = await startScriptedNestor(t, routes);
    const write = (text: string) => writeFileSync(join(opened.folder, 'in.csv'), text);
    write(table);
    const api = { url: scripted.url, key: 'k-0123456789' };
    const argv = [...ofTable, '--choice', topic];
    const run = (...more: readonly string[]) => opened.nestor([...argv, ...more], { api });
    const read = () => readFileSync(join(opened.folder, 'out.csv'), 'utf8');
    const decided = () => scripted.asked.filter(({ path }) => path === '/v1/decisions');
    return { ...opened, run, read, write, decided, api };
  };

  test('keeps rows and order, adds a column for each answer, and waits when the server asks for it', async (t) => {
    const { run, read, decided, folder } = await open(t, '\ufeffid,text\n1,"a, ""b""\nc"\n2,busy\n3,x\n');
    const { code, out, err } = await run('--concurrency', '2');
    assert.deepEqual([code, out, err], [0, '3 of 3 rows answered, written to out.csv\n', '']);
    assert.equal(
      read(),
      'id,text,refund,topic,topic.confidence,error\n1,"a, ""b""\nc",0.75,billing,0.5,\n2,busy,0.75,billing,0.5,\n3,x,0.75,billing,0.5,\n',
    );
    assert.equal(decided().length, 4, 'the busy row is asked twice');
    assert.deepEqual(readdirSync(folder).toSorted(), ['in.csv', 'out.csv']);
    const again = await run();
    assert.deepEqual([again.code, again.err], [1, 'nestor: out.csv exists and is left as it is.\n']);
  });

  test('a row that is refused is told in the table, and only such rows are asked again', async (t) => {
    const { run, read, decided } = await open(t, 'text\nx\nfail\ny\n');
    const first = await run('--concurrency', '1');
    assert.equal(first.code, 1);
    assert.match(first.err, /1 rows failed; the column "error" says why/);
    assert.match(read(), /\nfail,,,,"?state is refused \(400, request req-1\)"?\n/);
    assert.equal(decided().length, 3);
    await run();
    assert.deepEqual(
      decided()
        .slice(3)
        .map(({ body }) => (body as { readonly state: string }).state),
      ['fail'],
    );
  });

  test('a table of which no row was answered can be asked again', async (t) => {
    const { run, decided } = await open(t, 'text\nfail\n');
    assert.equal((await run()).code, 1);
    const again = await run();
    assert.match(again.out, /^0 of 1 rows answered/);
    assert.equal(decided().length, 2);
  });

  test('a run that was broken off goes on where it stopped, also after half a line', async (t) => {
    const stop = new AbortController();
    const rows = Array.from({ length: 30 }, (_, n) => `row ${n}`);
    const { run, read, decided, nestor, api, folder } = await open(
      t,
      `text\n${rows.join('\n')}\n`,
      (count) => {
        if (count === 5) stop.abort();
      },
    );
    const argv = [...ofTable, '--choice', topic];
    const stopped = await nestor([...argv, '--concurrency', '1'], { api, signal: stop.signal });
    assert.equal(stopped.code, 130);
    assert.match(stopped.err, /of 30 rows are answered; the same command goes on/);
    const partial = readdirSync(folder).find((name) => name.endsWith('.partial'));
    // What a killed process leaves: some rows, and half of one.
    const name = partial ?? assert.fail('nothing was kept of the run');
    const kept = readFileSync(join(folder, name), 'utf8').split('\n').slice(0, 1).join('\n');
    writeFileSync(join(folder, name), `${kept}\n[1,["0.7`);
    const before = decided().length;
    const { code } = await run();
    assert.equal(code, 0);
    assert.equal(decided().length - before, rows.length - 1);
    assert.equal(read().split('\n').length, rows.length + 2);
  });

  test('a rate limit ends no run, however often a row meets it', async (t) => {
    const rows = Array.from({ length: 50 }, (_, at) => `limited ${at}`);
    const { run, read, decided, folder } = await open(t, `text\n${rows.join('\n')}\n`);
    const { code, err } = await run('--concurrency', '16');
    assert.deepEqual([code, err], [0, '']);
    assert.equal(read().trimEnd().split('\n').length, rows.length + 1);
    assert.ok(!read().includes('slow down'));
    assert.equal(decided().length, rows.length * (limitedTimes + 1));
    assert.deepEqual(readdirSync(folder).toSorted(), ['in.csv', 'out.csv']);
  });

  test('a server that is gone ends the run with what is answered so far', async (t) => {
    const { nestor } = await open(t, 'text\nx\n');
    const api = { url: 'http://127.0.0.1:9', key: 'k' };
    const argv = [...ofTable, '--model', 'm'];
    const { code, err } = await nestor(argv, { api, signal: AbortSignal.timeout(2_000) });
    assert.notEqual(code, 0);
    assert.match(err, /0 of 1 rows are answered; the same command goes on from there/);
  });
});

suite('nestor decide --batch', () => {
  test('sends a file, waits for it and writes a result for every row, also of one sent before', async (t) => {
    const server = await startServer(t, { config: JSON.stringify({ decisions: { engine: 'words' } }) });
    const { nestor, folder } = openConsole(t);
    const api = { url: server.url, key: server.key };
    const rows = Array.from({ length: 700 }, (_, at) =>
      JSON.stringify({ id: at, state: `Order ${at} is late` }),
    );
    writeFileSync(join(folder, 'rows.jsonl'), `${rows.join('\n')}\n`);
    const batch = ['decide', '--batch', 'rows.jsonl', '--noul', refund];
    const ended = await nestor([...batch, '--out', 'out.jsonl'], { api });
    assert.equal(ended.code, 0, ended.err);
    assert.match(ended.err, /700 of 700 rows answered/);
    const written = readFileSync(join(folder, 'out.jsonl'), 'utf8');
    const ids = written.trimEnd().split('\n').map((line) => (JSON.parse(line) as { id: number }).id); // prettier-ignore
    assert.deepEqual(ids, [...rows.keys()]);
    const sent = await nestor([...batch, '--no-wait'], { api });
    assert.match(sent.out, /^batch_\w{24}\n$/);
    const later = await nestor(['decide', '--job', sent.out.trim()], { api });
    assert.deepEqual([later.code, later.out], [0, written]);
    const again = await nestor([...batch, '--out', 'out.jsonl'], { api });
    assert.deepEqual([again.code, again.err.includes('exists and is left as it is')], [2, true]);
  });

  test('a file that is refused is told with its line, and nothing is sent for a wrong command line', async (t) => {
    const server = await startServer(t, { config: JSON.stringify({ decisions: { engine: 'words' } }) });
    const { nestor, folder } = openConsole(t);
    const api = { url: server.url, key: server.key };
    writeFileSync(join(folder, 'rows.jsonl'), '{"state":"x"}\n{"state":5}\n');
    const batch = ['decide', '--batch', 'rows.jsonl', '--noul', refund];
    const refused = await nestor(batch, { api });
    assert.equal(refused.code, 1);
    assert.match(refused.err, /line 2: state must be a string, object or array/);
    for (const [argv, message] of [
      [[...batch, 'STATE'], /take the place of STATE/],
      [[...batch, '--job', 'x'], /either --batch or --job/],
      [['decide', '--job', 'x', '--noul', refund], /sent with it/],
      [['decide', 'x', '--noul', refund, '--no-wait'], /--no-wait belongs to --batch/],
      [['decide', '--batch', 'none.jsonl'], /none\.jsonl cannot be read/],
    ] as const) {
      const { code, err } = await nestor(argv, { api });
      assert.equal(code, 2, argv.join(' '));
      assert.match(err, message);
    }
  });
});
