type Store = Pick<Storage, 'getItem' | 'setItem'>;

const storageName = 'nestor.jobs';
/** Jobs are kept for some days; nobody asks more within them by hand. */
const kept = 200;
const lettersMax = 300;

/** The server tells the answer of a job and not its question, so this browser remembers those that were asked in it. */
export function rememberQuestion(store: Store, id: string, question: string): void {
  const others = read(store).filter(([other]) => other !== id);
  const short = question.length > lettersMax ? `${question.slice(0, lettersMax)}…` : question;
  const all = [...others, [id, short] as const].slice(-kept);
  try {
    store.setItem(storageName, JSON.stringify(all));
  } catch {
    // The browser has no room left: the job is known by its id.
  }
}

/** Null for a job that was created elsewhere. */
export function questionOf(store: Store, id: string): string | null {
  return read(store).find(([other]) => other === id)?.[1] ?? null;
}

function read(store: Store): readonly (readonly [string, string])[] {
  try {
    const known: unknown = JSON.parse(store.getItem(storageName) ?? '[]');
    if (!Array.isArray(known)) return [];
    return known.filter((entry): entry is [string, string] => Array.isArray(entry) && entry.length === 2);
  } catch {
    return [];
  }
}
