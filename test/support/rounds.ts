import { test, type TestContext } from 'node:test';

/** Set by `npm run test:long`. */
export const isLongRun = process.env['NESTOR_TEST_LONG'] === '1';

/** A test of the long run alone: a variation of what `npm test` sees, or as dear as ten others. */
export function longTest(name: string, work: (t: TestContext) => void | Promise<void>): void {
  void test(name, { skip: !isLongRun && 'in the long run' }, work);
}

/**
 * How often a test repeats what goes wrong at random moments only: `usual` in `npm test`, `long` in `npm run test:long`,
 * which decides whether a change lands. NESTOR_TEST_ROUNDS sets another number for one file by hand.
 */
export function roundsOf(usual: number, long: number): number {
  const given = process.env['NESTOR_TEST_ROUNDS'];
  if (given !== undefined) return Number(given);
  return isLongRun ? long : usual;
}

/** Variations of one claim: every so manieth from the first on in `npm test`, and all of them in the long run. */
export function variationsOf<Variation>(all: readonly Variation[], step: number): readonly Variation[] {
  return isLongRun ? all : all.filter((_, index) => index % step === 0);
}
