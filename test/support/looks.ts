import { roundsOf, variationsOf } from './rounds.ts';

/**
 * How a page of the console is looked at: a wide window, a phone's or a tablet's, by day or by night. Each page is loaded
 * once at a width; what colours alone decide is looked at in both schemes there, by `assertContrastIn`.
 */
export const allLooks = [
  { width: 1440, scheme: 'light', other: 'dark' },
  { width: 390, scheme: 'dark', other: 'light' },
  { width: 900, scheme: 'light', other: 'dark' },
] as const;

/** Two widths and each scheme once in the usual run, and every width in both schemes in the long one. */
export const looks = allLooks.slice(0, roundsOf(2, allLooks.length));

/** For longer flows of one page, which `shell.test.ts` opens in all of `looks`: one in the usual run. */
export const flowWidths = variationsOf([1440, 390, 900] as const, 3);

/**
 * For longer flows that are to be seen by day and by night: one in the usual run, and each width in the long one. Where a
 * page breaks a line does not depend on its colours, and `shell.test.ts` has the colours looked at in both schemes.
 */
export const flowLooks = allLooks.slice(0, roundsOf(1, 3));
