const resultNotADatabase = 26;
const resultCorrupt = 11;

/** Whether a result code means a broken file; the low byte of an extended code is the plain one. */
export function isDamage(errcode: number | null): boolean {
  return errcode !== null && [resultCorrupt, resultNotADatabase].includes(errcode & 0xff);
}

export const damageRemedy =
  'stop the server and put a backup in its place with nestor restore FILE, or save what can be read with sqlite3 FILE .recover';
