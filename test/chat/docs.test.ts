import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startServer } from '../support/server.ts';
import { docsQuestions } from '../search/asked-questions.ts';

/**
 * A whole server with nothing configured: no model, no engine, only what it was shipped with. Searches wait for half of that
 * time for the documentation, which a busy machine may need longer for than they wait as a rule.
 */
const server = await startServer(
  { after },
  { config: 'rate_limits: { enabled: false }\nsearch: { timeout_s: 120 }', withDocs: true },
);

interface Reply {
  readonly choices: readonly [{ readonly message: { readonly content: string } }];
  readonly citations: readonly string[];
  readonly search_results: readonly { readonly url: string }[];
}

async function ask(content: string): Promise<{ readonly text: string; readonly cited: readonly string[] }> {
  const response = await server.post('/chat/completions', {
    model: 'svc',
    messages: [{ role: 'user', content }],
  });
  const reply = (await response.json()) as Reply;
  assert.equal(response.status, 200, JSON.stringify(reply));
  const text = reply.choices[0].message.content;
  // What stands in quoted code is no marker.
  const prose = text.replaceAll(/```[^]*?```|`[^`]*`/g, '');
  const numbers = [...prose.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number));
  const cited = numbers.map((number) => {
    const url = reply.citations[number - 1];
    assert.ok(url !== undefined, `the marker [${number}] has a source`);
    return url;
  });
  return { text, cited: [...new Set(cited)] };
}

const isPage = (url: string, page: string): boolean =>
  new URL(url).pathname.endsWith(page.replace(/\.md$/, ''));

test('asked as soon as a new server listens, "How do I revoke a token?" is answered from the page on keys, with a citation', async () => {
  const { text, cited } = await ask('How do I revoke a token?');
  assert.match(text, /revoke_auth_token/);
  assert.ok(cited[0] !== undefined && isPage(cited[0], 'guide/keys.md'), `${text} ${cited.join(' ')}`);
});

test('of the questions on the documentation at least 80 % are answered with the right page', async (t) => {
  const missed: string[] = [];
  let [first, right] = [0, 0];
  for (const [question, ...pages] of docsQuestions) {
    const isRight = (url: string) => pages.some((page) => isPage(url, page));
    const { cited } = await ask(question);
    const [best] = cited;
    if (best !== undefined && isRight(best)) first++;
    if (cited.some(isRight)) right++;
    else missed.push(`${question} -> ${cited.join(' ')}`);
  }
  const all = docsQuestions.length;
  t.diagnostic(`the right page is cited for ${right} of ${all}, first for ${first}`);
  for (const line of missed) t.diagnostic(line);
  assert.ok(right / all >= 0.8, `${right} of ${all}`);
});

for (const question of [
  'Who won the football world cup of 1954?',
  'What is the boiling point of tungsten?',
  'How do I bake sourdough bread with rye flour?',
])
  test(`what is not there is said to be so: ${question}`, async () => {
    const { text } = await ask(question);
    assert.match(text, /No sentence of the sources answers this question|was given no sources/, text);
  });
