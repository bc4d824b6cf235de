import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { jsonOf, openConsole } from '../commands/support.ts';
import { startScriptedNestor, type Route } from '../support/scripted-nestor.ts';
import { startServer, untilDocs } from '../support/server.ts';

interface Report {
  readonly complete: boolean;
  readonly failed: number;
  readonly first_failure: string | null;
  readonly measures: Readonly<Record<string, number | null>>;
  readonly answers: readonly { readonly question: string; readonly stated: boolean; readonly text: string }[];
}

const guide = fileURLToPath(new URL('../search/questions/guide.jsonl', import.meta.url));
const key = 'k-0123456789';

/** A chat completion of one source and one sentence. */
const completion: Route = (_asked, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      choices: [{ message: { content: 'The kea is a parrot [1].' } }],
      search_results: [{ title: 'Kea', url: 'https://birds.example/kea' }],
    }),
  );
};

function refuse(status: number, headers: Readonly<Record<string, string>> = {}): Route {
  return (_asked, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { message: 'No.' } }));
  };
}

const questions = (count: number): string =>
  Array.from(
    { length: count },
    (_, at) => `{"question": "Kea ${at}?", "pages": ["/kea"], "holds": "parrot"}\n`,
  ).join('');

suite('nestor eval --answers', () => {
  test('asks a real server all questions about the guide, and nothing when there is none', async (t) => {
    const { folder, nestor } = openConsole(t);
    const server = await startServer(t, { config: 'rate_limits: { enabled: false }', withDocs: true });
    await untilDocs(server);
    const none = '{"question": "How many moons does Saturn have?", "pages": []}\n';
    writeFileSync(join(folder, 'none.jsonl'), none);
    const line = ['eval', '--answers', guide, 'none.jsonl', '--concurrency', '2'];
    const report = jsonOf<Report>(await nestor([...line, '--json'], { api: server }));
    const { measures, complete, failed } = report;
    t.diagnostic(JSON.stringify(measures));
    assert.deepEqual([complete, failed, measures['questions']], [true, 0, 95]);
    // The same floors as those of the answers without a server.
    const atLeast = {
      hit1: 0.72,
      hit5: 0.92,
      first_citation_right: 0.76,
      right: 0.57,
      refused_unanswerable: 1,
    };
    for (const [name, floor] of Object.entries(atLeast))
      assert.ok((measures[name] ?? 0) >= floor, `${name}: ${JSON.stringify(measures)}`);
    assert.ok((measures['wrong'] ?? 1) <= 0.39, JSON.stringify(measures));
    assert.equal(report.answers.at(-1)?.stated, false);
    const table = await nestor(['eval', '--answers', 'none.jsonl'], { api: server, isTerminal: true });
    assert.equal(table.out, 'questions                    1\nrefused where none does  1.000\n');
    assert.match(table.err, /1\/1 \(100 %\), [\d.]+\/s, 0 s left/);
  });

  test('waits where a server asks for it, and goes on', async (t) => {
    const { folder, nestor } = openConsole(t);
    writeFileSync(join(folder, 'mine.jsonl'), questions(3));
    let asked = 0;
    const route: Route = (request, response) =>
      (++asked === 2 ? refuse(429, { 'retry-after-ms': '1' }) : completion)(request, response);
    const { url } = await startScriptedNestor(t, { 'POST /chat/completions': route });
    const line = ['eval', '--answers', 'mine.jsonl', '--model', 'acme', '--json'];
    const { measures, failed } = jsonOf<Report>(await nestor(line, { api: { url, key } }));
    assert.deepEqual([failed, asked, measures['right'], measures['supported_sentences']], [0, 4, 1, null]);
  });

  test('counts what fails and gives up when nothing is answered', async (t) => {
    const { folder, nestor } = openConsole(t);
    writeFileSync(join(folder, 'mine.jsonl'), questions(12));
    let asked = 0;
    const often: Route = (request, response) =>
      (++asked % 2 === 0 ? refuse(502) : completion)(request, response);
    const half = await startScriptedNestor(t, { 'POST /chat/completions': often });
    const line = ['eval', '--answers', 'mine.jsonl', '--model', 'acme'];
    const report = jsonOf<Report>(await nestor([...line, '--json'], { api: { url: half.url, key } }));
    assert.deepEqual(
      [report.failed, report.measures['questions'], report.first_failure],
      [6, 6, 'No. (502)'],
    );
    const down = await startScriptedNestor(t, { 'POST /chat/completions': refuse(502) });
    const { code, out, err } = await nestor(line, { api: { url: down.url, key } });
    assert.deepEqual([code, out, err, down.asked.length], [1, '', 'nestor: No. (502)\n', 10]);
  });

  test('what was answered by then is told when it is interrupted', async (t) => {
    const { folder, nestor } = openConsole(t);
    writeFileSync(join(folder, 'mine.jsonl'), questions(3));
    const stop = new AbortController();
    let asked = 0;
    const route: Route = (request, response) => {
      if (++asked === 2) stop.abort();
      else completion(request, response);
    };
    const { url } = await startScriptedNestor(t, { 'POST /chat/completions': route });
    const line = ['eval', '--answers', 'mine.jsonl', '--model', 'acme'];
    const { code, out } = await nestor(line, { api: { url, key }, signal: stop.signal });
    assert.equal(code, 130);
    assert.match(out, /^questions +1\n[^]*Interrupted: not every question was asked\.\n$/);
  });

  test('a wrong line, option or expression is told before anything is asked', async (t) => {
    const { folder, nestor } = openConsole(t);
    writeFileSync(join(folder, 'mine.jsonl'), '{"question": "Why?"}');
    const api = { url: 'http://127.0.0.1:9', key };
    for (const [argv, code, told] of [
      [['--answers', 'mine.jsonl'], 1, 'mine.jsonl:1: it says nothing of a right answer'],
      [['--answers', 'no.jsonl'], 2, 'no.jsonl cannot be read (ENOENT)'],
      [['--answers', guide, '--refusal', '('], 2, '--refusal takes a regular expression'],
      [['--answers', guide, '--engine', 'words'], 2, "Unknown option '--engine'"],
      [['--answers'], 2, '--answers lacks its value'],
    ] as const) {
      const ended = await nestor(['eval', ...argv], { api });
      assert.deepEqual([ended.code, ended.out], [code, ''], ended.err);
      assert.ok(ended.err.includes(told), ended.err);
    }
    const help = await nestor(['eval', '--answers', '--help'], { api });
    assert.match(help.out, /^nestor eval --answers FILE…: /);
    assert.match((await nestor(['eval', '--help'])).out, /nestor eval --answers --help/);
  });
});
