import { Fault } from '../../../kernel/faults.ts';

/** Starts of a piece that did not end, after which its rows are asked one by one. */
const startsOneByOne = 3;
/** Starts after which the row at which they ended is refused: one that takes the process with it must not for ever. */
const startsMax = 6;

interface Started {
  /** Times that the piece was begun since one of its rows was last stored, this one included. */
  readonly starts: number;
}

/** The process ended so often with the piece under way that one of its rows may be why. */
export const isSuspect = ({ starts }: Started): boolean => starts > startsOneByOne;

/** It ended as often with the first row of the piece alone. */
export const isGuilty = ({ starts }: Started): boolean => starts > startsMax;

/** What the rest of a piece goes on with when some of it was stored. */
export const startsAfter = (piece: Started): number => (isGuilty(piece) ? startsOneByOne : piece.starts - 1);

/** The error of a row that is not asked again. */
export const endedEachTime = (): Fault =>
  new Fault('internal', 'The server ended each time it was asked this');
