import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { UnreadableFile } from './job.ts';
import { isAllowed, parseRobots } from './robots-rules.ts';

const allows = (text: string, path: string) =>
  isAllowed(parseRobots(text, 'Nestor/0.1'), `https://site.example${path}`);
const forbids = (pattern: string, path: string) => !allows(`User-agent: *\nDisallow: ${pattern}`, path);

suite('rules of robots.txt', () => {
  test('patterns match as RFC 9309 says', () => {
    const cases: readonly (readonly [pattern: string, path: string, isForbidden: boolean])[] = [
      ['/fish', '/fish/salmon.html', true],
      ['/fish', '/Fish', false],
      ['/fish*', '/fishheads', true],
      ['/fish/', '/fish', false],
      ['/*.php', '/folder/any.php.file', true],
      ['/*.php$', '/filename.php', true],
      ['/*.php$', '/filename.php5', false],
      ['/*.php$', '/a.php/b.php', true],
      ['/fish*.php', '/fishheads/catfish.php?id=1', true],
      ['/fish*.php', '/Fish.PHP', false],
      ['/a$', '/a', true],
      ['/a$', '/ab', false],
      ['/a*$', '/ab', true],
      ['*b', '/ab', true],
      ['/*a*b*c', '/xaxbxc', true],
      ['/*a*b*c', '/xcxbxa', false],
      ['/**a***b$', '/xaxbxb', true],
      ['/*aba$', '/ab', false],
      ['/ba*aba$', '/baba', false],
      ['/?q=', '/?q=1', true],
      ['/m%c3%bc', '/m%C3%BC/x', true],
      ['/mü', '/m%C3%BC/x', true],
      ['', '/anything', false],
    ];
    for (const [pattern, path, isForbidden] of cases)
      assert.equal(forbids(pattern, path), isForbidden, `${pattern} and ${path}`);
  });

  test('the longest rule decides, and of two equally long ones that which allows', () => {
    const text =
      'User-agent: *\nDisallow: /docs\nAllow: /docs/open\nDisallow: /a*\nAllow: /a$\nDisallow: /same\nAllow: /same';
    assert.deepEqual(
      ['/docs/x', '/docs/open/x', '/same'].map((path) => allows(text, path)),
      [false, true, true],
    );
  });

  test('a crawler keeps to the groups that name it, else to those for all', () => {
    const text = [
      '\ufeff# a comment', 'USER-AGENT: other', 'User-agent: nestor # us', 'Disallow: /ours', 'Crawl-delay: 0.5', '',
      'User-agent: *', 'Disallow: /', 'Crawl-delay: 9', 'Sitemap: https://site.example/map.xml', 'Sitemap: map.xml',
      'User-agent: Nestor/2', 'Disallow: /more', 'nonsense',
    ].join('\r\n'); // prettier-ignore
    const rules = parseRobots(text, 'Nestor/0.1');
    assert.deepEqual([rules.delayMs, rules.sitemaps], [500, ['https://site.example/map.xml']]);
    assert.deepEqual(
      ['/', '/ours', '/more'].map((path) => isAllowed(rules, `https://site.example${path}`)),
      [true, false, false],
    );
    assert.equal(allows('User-agent: nestor\n\nUser-agent: *\nDisallow: /', '/'), false);
    assert.equal(allows('User-agent: nestor\nDisallow:\n\nUser-agent: *\nDisallow: /', '/'), true);
  });

  test('more rules than a crawler can keep to are refused', () => {
    const refuse = (line: string, count: number) => () =>
      parseRobots(`User-agent: *\n${line.repeat(count)}`, 'Nestor');
    assert.throws(refuse('Disallow: /*a\n', 501), UnreadableFile);
    assert.throws(refuse('Disallow: /a\n', 20_001), UnreadableFile);
    // Those for others are theirs.
    parseRobots(`User-agent: other\n${'Disallow: /*a\n'.repeat(501)}`, 'Nestor');
  });
});
