import assert from 'node:assert/strict';
import { matchesGlob } from 'node:path';
import { suite, test } from 'node:test';

import { parseGlob } from './glob.ts';

const pieces = ['a', 'ab', '*', '?', '**', '/', '.md', '[ab]', '[!a]', '{a,b}', '{a,bc,}', '{a,{b,c}}', '/**', '**/']; // prettier-ignore
const names = ['a', 'b', '/a', '/a/b', 'ab', 'abc', '.a', 'a.md', 'aab/b', '.a/b', 'a/b/ab', 'c/.a/b/']; // prettier-ignore

suite('globs', () => {
  test('a path is meant when Node says so, for patterns of one to three pieces', () => {
    let meant = 0;
    for (const first of pieces)
      for (const second of ['', ...pieces])
        for (const third of ['', ...pieces]) {
          const pattern = first + second + third;
          const glob = parseGlob(pattern);
          if (glob === null) continue;
          for (const path of names) {
            assert.equal(glob(path), matchesGlob(path, pattern), `${pattern} ${path}`);
            if (glob(path)) meant++;
          }
        }
    assert.ok(meant > 1_000, `${meant}`);
  });

  test('a pattern that a regular expression takes minutes for is answered, whatever the path', () => {
    const path = `${'a/'.repeat(500)}${'a'.repeat(4_000)}`;
    for (const pattern of [`**/${'*a'.repeat(100)}b`, `${'**/a/'.repeat(100)}b`, '{a,b}'.repeat(6)])
      assert.equal(parseGlob(pattern)?.(path), false, pattern);
    assert.equal(parseGlob(`**/${'*a'.repeat(100)}`)?.(path), true);
  });

  test('groups, ranges and too many alternatives are no pattern', () => {
    for (const pattern of ['+(a|b)', 'x/!(a)', '{1..9}', '{a,b}'.repeat(7), `{${'a,'.repeat(100)}}`, '[[:alpha:]]'])
      assert.equal(parseGlob(pattern), null, pattern); // prettier-ignore
    for (const pattern of ['{a', 'a}', '[a', '(a)', 'a..b'])
      assert.equal(parseGlob(pattern)?.(pattern), true, pattern);
  });
});
