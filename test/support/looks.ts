import { roundsOf, variationsOf } from './rounds.ts';

/** How a page of the console is looked at: a wide window, a tablet's or a phone's, by day or by night. */
export const allLooks = [
  { width: 1440, scheme: 'light' },
  { width: 390, scheme: 'dark' },
  { width: 900, scheme: 'light' },
  { width: 1440, scheme: 'dark' },
  { width: 390, scheme: 'light' },
  { width: 900, scheme: 'dark' },
] as const;

/** Each width and each scheme once in the usual run, and every pair of them in the long one. */
export const looks = allLooks.slice(0, roundsOf(2, allLooks.length));

/** For longer flows of one page, which `shell.test.ts` opens in all of `looks`: one in the usual run. */
export const flowWidths = variationsOf([1440, 390, 900] as const, 3);

/**
 * For longer flows that are to be seen by day and by night: one in the usual run, and each width in the long one. Where a
 * page breaks a line does not depend on its colours, and `shell.test.ts` has the colours looked at in every pair.
 */
export const flowLooks = allLooks.slice(0, roundsOf(1, 3));
