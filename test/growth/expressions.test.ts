import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { costOf, isLinear } from '../support/growth.ts';
import { expressionsOf } from '../support/imports.ts';
import { pumpsOf } from '../support/pumps.ts';
import { roundsOf, variationsOf } from '../support/rounds.ts';

const root = new URL('../../', import.meta.url);

/** What the operator writes, on the command line and in files, is nobody else's. */
const trusted =
  /^src\/(?:kernel\/(?:config|commands)|features\/(?:[a-z]+\/commands|decisions\/evaluation))\b/;

/** Small ones first: an exponential cost shows before it is paid. */
const sizes = [16, 24, 36, 54, 81, 120, 180, 270, 400, 600, 16_000].filter(
  (_, at) => at % roundsOf(2, 1) === 0 || at === 1,
);
const sizeMax = 16_000;
/**
 * Of the texts of `sizeMax` that cost an expression so much, the dearest: one that grows with the square of its text is
 * among them, and an expression that looks 200 letters ahead has a hundred others.
 */
const measuredMax = roundsOf(8, 1_000);
/** A linear one costs a hundredth of it. Unit: µs. */
const suspiciousUs = 3_000;

test('no expression in the sources takes longer in proportion, the longer its text is', () => {
  const slow: string[] = [];
  const known = new Set<string>();
  for (const file of globSync(['src/**/*.ts', 'console/src/**/*.ts'], { cwd: root }).toSorted()) {
    if (/\.(?:test|fixture)\.ts$/.test(file) || trusted.test(file)) continue;
    for (const expression of expressionsOf(readFileSync(new URL(file, root), 'utf8'))) {
      if (known.has(String(expression))) continue;
      known.add(String(expression));
      const pump = slowPumpOf(expression);
      if (pump !== null) slow.push(`${file}: ${expression} on ${JSON.stringify(pump.slice(0, 40))}`);
    }
  }
  assert.ok(known.size > 300);
  assert.deepEqual(slow, []);
});

/** The test above does not see these. Each was read, and is linear but for the first; a new one is to be read before it stands here. */
const builtFromStrings = [
  // A pattern of who runs the command, on answers that the same command has asked for.
  'src/features/client/answers/questions.ts',
  'src/features/decisions/rules/detectors/amounts.ts',
  'src/features/models/providers/local/tool-format.ts',
  'src/features/models/providers/openai-compatible/refusal.ts',
  'src/features/models/services.ts',
  'src/features/search/page/docx.ts',
  'src/features/search/page/html-hidden.ts',
  'src/features/search/page/html-source.ts',
  'src/features/search/page/markdown-comments.ts',
  'src/features/tools/context-block.ts',
  'src/kernel/http/transport.ts',
  'src/kernel/http/validate.ts',
  'src/kernel/kit/csv.ts',
  'src/kernel/kit/text.ts',
];

test('expressions that are built from strings stand where they were read', () => {
  const found = globSync(['src/**/*.ts', 'console/src/**/*.{ts,tsx}'], { cwd: root })
    .filter((file) => !/\.(?:test|fixture)\.ts$/.test(file) && !trusted.test(file))
    .filter((file) => readFileSync(new URL(file, root), 'utf8').includes('new RegExp('));
  assert.deepEqual(found.toSorted(), builtFromStrings);
});

test('an expression that goes back and forth is found out', () => {
  const endless = [/\s+$/, /^(?:a|a)*$/, /<!--[^]*?-->/, /^\s*(?:<!--[^]*?-->\s*)*<rss/];
  for (const expression of variationsOf(endless, 2))
    assert.notEqual(slowPumpOf(expression), null, String(expression));
  for (const expression of [/^\s+/, /(?<!\s)\s+$/, /[^"]*"/y, /a{1,20}$/])
    assert.equal(slowPumpOf(expression), null, String(expression));
});

function slowPumpOf(expression: RegExp): string | null {
  const search = (text: string) => applyTo(expression, text);
  for (const size of sizes) {
    const suspicious: { readonly at: number; readonly text: string; readonly costUs: number }[] = [];
    let place = 0;
    for (const text of pumpsOf(expression, size)) {
      const at = place++;
      if (isQuick(text, search) || costOf([text], search) < suspiciousUs) continue;
      const costUs = costOf([text], search);
      if (costUs < suspiciousUs) continue;
      // What is exponential, or as dear as that, is told before the next text is tried.
      if (size === sizeMax && costUs < 5 * suspiciousUs) suspicious.push({ at, text, costUs });
      else if (!isLinearAt(expression, at, search)) return text;
    }
    const dearest = suspicious.toSorted((a, b) => b.costUs - a.costUs).slice(0, measuredMax);
    const slow = dearest.find(({ at }) => !isLinearAt(expression, at, search));
    if (slow !== undefined) return slow.text;
  }
  return null;
}

/** By the clock, which is read in a hundredth of the time: CPU time is never more. */
function isQuick(text: string, search: (text: string) => void): boolean {
  const startedMs = performance.now();
  search(text);
  return (performance.now() - startedMs) * 1_000 < suspiciousUs;
}

function isLinearAt(expression: RegExp, at: number, search: (text: string) => void): boolean {
  const make = (length: number) => pumpsOf(expression, length).drop(at).next().value ?? '';
  return isLinear(make, search, 65_536);
}

/** As it is used: everywhere in the text, or at its first place. */
function applyTo(expression: RegExp, text: string): void {
  if (expression.global) text.replaceAll(expression, '');
  else expression.test(text);
}
