import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { CitationFilter } from '../../src/features/agent/citation-filter.ts';
import { CitationIndex } from '../../src/features/agent/citation-index.ts';
import { headingsOf, splitPassages } from '../../src/features/index/split.ts';
import { parseGlob } from '../../src/kernel/kit/glob.ts';
import { EventReader } from '../../src/kernel/kit/sse-reader.ts';
import { tokenize } from '../../src/kernel/kit/words.ts';
import { toBlocks } from '../../src/features/models/providers/extractive/markdown.ts';
import { splitSentences } from '../../src/features/models/providers/extractive/sentences.ts';
import { ThinkSplitter } from '../../src/features/models/providers/openai-compatible/think-splitter.ts';
import { StopScanner } from '../../src/features/models/stop-scanner.ts';
import { programSizeOf } from '../../src/features/models/structured-pattern.ts';
import { stripFences } from '../../src/features/models/structured-schema.ts';
import { toPlainText } from '../../src/features/search/hits.ts';
import { decodeText } from '../../src/features/search/page/charset.ts';
import { detectLanguage } from '../../src/features/search/page/detect-language.ts';
import { hiddenRules } from '../../src/features/search/page/html-hidden.ts';
import { trimSource } from '../../src/features/search/page/html-source.ts';
import { toLines, toPdfText } from '../../src/features/search/page/pdf-text.ts';
import { tidyLine, tidyText } from '../../src/features/search/page/tidy.ts';
import { cutToSentence } from '../../src/features/search/snippets.ts';
import { attribute, neutralise } from '../../src/features/tools/context-block.ts';
import { parseFrontMatter } from '../../src/features/skills/bundle.ts';
import { assertLinear, costOf } from '../support/growth.ts';

/** What texts of strangers are made of when they mean harm. */
const units = [
  'a', ' ', '\n', '0', '<', '`', '[', '](', '[1', '<!--', '<script', '<p ', '</', '/*', '{', '}', '&#', '# ', '\u0301\u0323', '漢', '. ', '" ', '< ',
]; // prettier-ignore

const repeat = (unit: string, size: number): string => unit.repeat(Math.ceil(size / unit.length));

type Scan = (text: string) => unknown;

/** On the whole of a text at once. */
const scanners: Readonly<Record<string, Scan>> = {
  tokenize,
  tidyText,
  tidyLine,
  detectLanguage,
  trimSource,
  hiddenRules,
  headingsOf,
  toPlainText,
  neutralise,
  attribute,
  toBlocks,
  splitSentences,
  stripFences,
  programSizeOf,
  decodeText: (text) => decodeText(Buffer.from(text), null),
  splitPassages: (text) => splitPassages(text, 1_024),
  cutToSentence: (text) => cutToSentence(text, 160),
  toPdfText: (text) => toPdfText([toLines([{ str: text, transform: [1, 0, 0, 9, 0, 0], hasEOL: true }])]),
};

/** On a text that comes in pieces of one letter. */
const streams: Readonly<Record<string, Scan>> = {
  'citation filter': (text) => {
    const filter = new CitationFilter(new CitationIndex());
    for (const piece of text) filter.push(piece);
    return filter.end();
  },
  'think splitter': (text) => {
    const splitter = new ThinkSplitter(true);
    for (const piece of text) splitter.push(piece);
    return splitter.end();
  },
  'stop scanner': (text) => {
    const scanner = new StopScanner(['\n\n\n', '<!--x', 'aab']);
    for (const piece of text) scanner.push(piece);
    return scanner.end();
  },
  'event reader': (text) => {
    const reader = new EventReader(8_388_608);
    for (const piece of text) reader.push(Buffer.from(piece));
    return reader.end();
  },
};

suite('what reads texts of strangers', () => {
  const check = (name: string, scan: Scan, sizeMax: number) =>
    test(`${name} costs what its text is long`, () => {
      for (const unit of units)
        assertLinear(`${name} on ${JSON.stringify(unit)}`, (size) => repeat(unit, size), scan, sizeMax);
    });
  for (const [name, scan] of Object.entries(scanners)) void check(name, scan, 131_072);
  for (const [name, scan] of Object.entries(streams)) void check(name, scan, 32_768);

  test('the front matter of a skill costs what it is long', () => {
    const keysOf = (size: number) => Array.from({ length: size / 8 }, (_, at) => `k${at}: 1\n`);
    const parse = (text: string) => {
      try {
        return parseFrontMatter(text);
      } catch {
        // Refused, which has to be as cheap.
        return null;
      }
    };
    const forms = {
      keys: (size: number) => keysOf(size).join(''),
      'keys on a line': (size: number) => `{${keysOf(size).join(',')}}`,
      anchors: (size: number) => `[${repeat('&a ', size)}]`,
    };
    for (const [name, make] of Object.entries(forms)) {
      // What is quadratic in it is small beside the rest until the text is long.
      const parts = Array.from({ length: 8 }, () => make(16_384));
      const ratio = costOf([make(131_072)], parse) / costOf(parts, parse);
      assert.ok(ratio < 3, `${name}: ${ratio}`);
    }
  });

  test('a glob costs what it and the path are long', () => {
    for (const unit of ['{', '{a,', '[', '*a', '..', '**/', '[a-'])
      assertLinear(`parsing ${unit}`, (size) => repeat(unit, size), parseGlob, 16_384);
    const glob = parseGlob('**/*a*a*a*a*a*a*a*ab');
    assert.ok(glob !== null);
    assertLinear('matching', (size) => 'a'.repeat(size), glob, 131_072);
  });
});
