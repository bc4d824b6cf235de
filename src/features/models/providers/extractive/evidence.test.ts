import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { loadWordVectors } from '../../../../kernel/kit/word-vectors.ts';
import { emptyRequest, type SourcePassage } from '../../model.ts';
import { openExtractiveProvider } from './index.ts';

const vectors = loadWordVectors();
const [offered] = openExtractiveProvider({ name: 'embedded', vectors: () => vectors }).models();

async function answer(question: string, sources: readonly SourcePassage[]): Promise<string> {
  const turns = [{ role: 'user', parts: [{ type: 'text', text: question }] }] as const;
  let text = '';
  const request = { ...emptyRequest, turns, sources };
  for await (const batch of offered?.model.stream(request, new AbortController().signal) ?? [])
    for (const event of batch) if (event.type === 'text-delta') text += event.text;
  return text;
}

function page(id: number, title: string, text: string): SourcePassage {
  return { id, title, url: `https://x.example/${title}`, text };
}

const logger = page(
  1,
  'log-writer',
  `# log-writer

The logger writes log lines to a file by default. Each write of the logger waits for the file of the logger.

## Rotation

To rotate the file of the logger, call \`reopen()\`. The logger has no dependencies.

## Listening

The logger starts to listen when the process starts.

## Status

Send a 403 for any file that is hidden.`,
);

const refusal = /^No sentence of the sources answers this question\. Closest section/;

suite('what is near is no answer', () => {
  const refused: Readonly<Record<string, string>> = {
    'a thing that the page never names': 'Which database does log-writer write its log lines to by default?',
    'the maximum of something that it never counts':
      'What is the maximum length of a log line in log-writer?',
    'a number where it has none': 'How many processes does log-writer start?',
    'a value of another kind': 'Which port does log-writer listen on?',
    'a person where it names none': 'Who wrote log-writer?',
    'a date where it has none': 'When was log-writer written?',
    'a way with something that it never names': 'How do I encrypt the file of log-writer?',
    'nothing but the name of the page': 'How does log-writer authenticate customers?',
  };
  for (const [what, question] of Object.entries(refused)) {
    test(`asked for ${what}`, async () => {
      assert.match(await answer(question, [logger]), refusal);
    });
  }

  const answered: Readonly<Record<string, RegExp>> = {
    'What does log-writer write log lines to by default?': /to a file by default/,
    'How do I rotate the file of log-writer?': /reopen\(\)/,
    'How many dependencies does log-writer have?': /no dependencies/,
    'When does log-writer start to listen?': /when the process starts/,
    'Which status is sent for a hidden file?': /Send a 403/,
  };
  for (const [question, holds] of Object.entries(answered)) {
    test(`"${question}" is answered by what names it`, async () => {
      const text = await answer(question, [logger]);
      assert.match(text, holds);
      assert.doesNotMatch(text, refusal);
    });
  }
});

test('what names none of the rare words of a question is no answer', async () => {
  const question = 'Does log-writer read hexadecimal lines?';
  assert.match(await answer(question, [logger]), refusal);
  const other = page(
    1,
    'log-writer',
    '# log-writer\n\nThe reader takes hexadecimal and decimal lines of text.',
  );
  assert.match(await answer(question, [other]), /hexadecimal and decimal/);
});

test('a sentence that only repeats the question is no answer', async () => {
  const engines = page(
    1,
    'Engines',
    '# Engines\n\nAn engine is what answers decisions.\n\n## Which one\n\nThe header `x-engine` of a decision names the engine that answers.',
  );
  assert.match(await answer('which engine answers my decisions', [engines]), /x-engine/);
});

test('numbers in the middle of code tell no count, and one that is set does', async () => {
  const code = (line: string) =>
    page(
      1,
      'log-writer',
      `# log-writer\n\n\`\`\`js\n// How many files does log-writer open?\n${line}\n\`\`\``,
    );
  const question = 'How many files does log-writer open?';
  assert.match(await answer(question, [code("open('utf8;q=0.8', files)")]), refusal);
  assert.match(await answer(question, [code('open({ files: 8 })')]), /files: 8/);
});

test('a section whose heading asks the question is quoted from its beginning', async () => {
  const reasons = ['It loses lines.', 'It is slow.', 'It is old.', 'It is large.', 'It is not kept.'];
  const conclusion = 'Whoever may lose lines can use log-writer without harm.';
  const text = ['## Why not log-writer?', ...reasons, conclusion].join('\n\n');
  const said = await answer('Why should I not use log-writer?', [page(1, 'other-writer', text)]);
  assert.match(said, /^\*\*Why not log-writer\?\*\*\n\nIt loses lines\. \[1\]/);
});

test('an order is answered as a question how to: with the code above what explains it', async () => {
  const install = page(
    1,
    'Getting started',
    '# Getting started\n\n## 1. Start\n\n```sh\nnpm start\n```\n\nThe first start installs what is missing and starts the server.',
  );
  assert.match(await answer('install and start the server', [install]), /npm start/);
});

suite('a number is of the thing that was asked for', () => {
  const text = [
    '# event-waiter',
    'New rules of event-waiter come every 3 to 5 months. The listener of event-waiter is called once.',
    'Since event-waiter was updated, events are kept when there are two lists. Its list is kept for 20 minutes.',
    'A wildcard matches exactly one level of event-waiter. At most 40 events are kept.',
  ].join('\n\n');
  const waiter = page(1, 'event-waiter', text);

  test('and not of another thing', async () => {
    for (const question of ['How many rules does event-waiter have?', 'When was event-waiter updated?'])
      assert.match(await answer(question, [waiter]), refusal, question);
    const called = page(1, 'event-waiter', 'The listener of event-waiter is called once, with 8 arguments.');
    const wait = 'How long does the listener of event-waiter wait?';
    assert.match(await answer(wait, [called]), refusal);
  });

  test('which may be one, or a time that passes', async () => {
    assert.match(
      await answer('How many levels does a wildcard match in event-waiter?', [waiter]),
      /one level/,
    );
    assert.match(await answer('How many events are kept at most in event-waiter?', [waiter]), /40 events/);
    assert.match(await answer('How long is the list kept in event-waiter?', [waiter]), /20 minutes/);
  });
});

test('the name in a question of yes or no stands on the page that answers', async () => {
  const archive = page(
    1,
    'archive-maker',
    '# archive-maker\n\nBy default, archives compress every file with gzip.',
  );
  assert.match(await answer('Does zipper compress files by default?', [archive]), refusal);
  assert.match(await answer('Does archive-maker compress files by default?', [archive]), /every file/);
});

test('a person is also one by an account or an address, and not two words of a sentence', async () => {
  const security = page(
    1,
    'es-reader',
    '# es-reader\n\nIn Node.js, this module reads vulnerability reports.\n\n## Security\n\nPlease email @reader to report a vulnerability.',
  );
  assert.match(await answer('Whom do I email about a vulnerability in es-reader?', [security]), /@reader/);
  const none = page(1, 'es-reader', '# es-reader\n\nIn Node.js, es-reader was written to read errors.');
  assert.match(await answer('Who wrote es-reader?', [none]), refusal);
});

test('digits of names are no number', async () => {
  const parser = page(
    1,
    'body-reader',
    'The largest part of a body that the reader reads is of UTF-8 or ISO-8859-1.',
  );
  assert.match(await answer('What is the largest body that body-reader reads?', [parser]), refusal);
});

test('the page whose name was asked for comes before one with nearly the same name', async () => {
  const text = 'A deep object is limited by an option: circular parts of the object are left out.';
  const [fast, safe] = [page(1, 'fast-safe-writer', text), page(2, 'safe-writer', text)];
  assert.match(await answer('How does safe-writer limit a deep object?', [fast, safe]), /^[^[]*\[2\]/);
  assert.match(await answer('How does fast-safe-writer limit a deep object?', [fast, safe]), /^[^[]*\[1\]/);
  assert.match(await answer('How is a deep object limited?', [fast, safe]), /^[^[]*\[1\]/);
});
