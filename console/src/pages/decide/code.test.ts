import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { toCode } from './code.ts';
import { parseJson, toPlain } from './json-text.ts';

const request = {
  model: 'm',
  state: 'it\'s "quoted" $HOME `id` \\ back\nJSON\n\u2028\u202e ünïcødé 🙂',
  questions: {
    ['__proto__']: { type: 'noul', instructions: 'x' },
    "o'k": { type: 'score', criteria: [1.5e21, true, null, {}] },
  },
};

// That they run is shown with a shell, Node and Python in test/console/decide.test.ts.
suite('the same request as code', () => {
  test('curl carries exactly the request, in lines of which none ends the here-document early', () => {
    const { code } = codeOf('curl');
    const lines = code.split('\n');
    assert.deepEqual(lines.slice(-2), ['JSON', '']);
    assert.deepEqual(JSON.parse(lines.slice(1, -2).join('\n')), request);
    assert.equal(lines.filter((line) => line === 'JSON').length, 1);
    assert.match(code, /<<'JSON'/);
  });

  test('the key is named by its variable', () => {
    for (const { code } of toCode('http://127.0.0.1:8787', request)) assert.match(code, /NESTOR_ROOT_KEY/);
  });

  test('characters that hide or turn what is shown are escaped', () => {
    for (const { code } of toCode('http://127.0.0.1:8787', request))
      assert.doesNotMatch(code, /[\u2028\u202e]/);
  });

  test('digits beyond those of a number stand there as they were written', () => {
    const state = toPlain(parseJson('{"id":12345678901234567891}').value);
    for (const { language, code } of toCode('http://127.0.0.1:8787', { ...request, state }))
      assert.ok(
        code.includes(
          language === 'TypeScript'
            ? '"id": JSON.rawJSON("12345678901234567891")'
            : '"id": 12345678901234567891\n',
        ),
        language,
      );
  });

  test('a question called __proto__ is part of the object in TypeScript', () => {
    const body = /JSON\.stringify\(([^]*)\),\n\}\);/.exec(codeOf('TypeScript').code)?.[1] ?? '';
    const read: unknown = runInNewContext(`JSON.stringify(${body})`);
    assert.deepEqual(JSON.parse(String(read)), request);
  });

  function codeOf(wanted: string): { readonly code: string } {
    const found = toCode('http://[::1]:8787', request).find(({ language }) => language === wanted);
    assert.ok(found !== undefined);
    return found;
  }
});
