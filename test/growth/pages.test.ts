import { test } from 'node:test';

import { isAllowed, parseRobots } from '../../src/features/search/page/robots-rules.ts';
import { choosePassages, cutToSentence, joinPassages } from '../../src/features/search/snippets.ts';
import { assertLinear } from '../support/growth.ts';

test('no text makes the cost grow faster than its size', () => {
  const agents = (size: number) => `${'User-agent: *\n'.repeat(size / 16)}${'Disallow: /x\n'.repeat(500)}`;
  assertLinear('agents', agents, (text) => parseRobots(text, 'Nestor'), 262_144);
  for (const sign of ['#', ':', ' ', '\n', '%', '$', 'a'])
    assertLinear(
      sign,
      (size) => sign.repeat(size),
      (text) => parseRobots(text, 'Nestor'),
    );
});

test('an address costs no more than the rules and it are long, wherever wildcards stand', () => {
  const wild = (size: number) => {
    const rules = parseRobots(`User-agent: *\nDisallow: /${'*a'.repeat(size)}b`, 'Nestor');
    return { rules, url: `https://site.example/${'a'.repeat(size)}` };
  };
  assertLinear('one rule', wild, ({ rules, url }) => isAllowed(rules, url));
  const line = `Disallow: /${'*a'.repeat(200)}b\n`;
  const many = (size: number) => ({
    rules: parseRobots(`User-agent: *\n${line.repeat(500)}`, 'Nestor'),
    url: `https://site.example/${'a'.repeat(size)}`,
  });
  assertLinear('many rules', many, ({ rules, url }) => isAllowed(rules, url), 4_096);
  const long = (size: number) => ({
    rules: parseRobots(`User-agent: *\nDisallow: *${'a'.repeat(size / 2)}b`, 'Nestor'),
    url: `https://site.example/${'a'.repeat(size)}`,
  });
  assertLinear('a long part', long, ({ rules, url }) => isAllowed(rules, url));
});

test('a hostile text costs no more than one of its length', () => {
  for (const unit of ['."', '.)', '#', '\n', '\n\n#', '!', 'a.', '。', '<b']) {
    const make = (size: number) => unit.repeat(size / unit.length);
    assertLinear(JSON.stringify(unit), make, (text) => {
      joinPassages(choosePassages(text, '', ['a']), 5_000);
      cutToSentence(text, 5_000);
    });
  }
});
