const resultNotADatabase = 26;
const resultCorrupt = 11;

/** Whether a result of SQLite says that the file itself is broken; extended codes have the plain one in the low byte. */
export function isDamage(errcode: number | null): boolean {
  return errcode !== null && [resultCorrupt, resultNotADatabase].includes(errcode & 0xff);
}

/** What to do then. */
export const damageRemedy =
  'stop the server and put a backup in its place with nestor restore FILE, or save what can be read with sqlite3 FILE .recover';
