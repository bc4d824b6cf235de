const fenceLine = /^\s{0,8}(?<mark>`{3,}|~{3,})(?<language>[^`\s]*)/;

/**
 * An excerpt whose blocks of code begin and end in it: passages are cut inside of long ones, and a fence that stays open
 * has everything behind it read as code.
 */
export function closeFences(text: string): string {
  const { open, first } = fencesOf(text);
  if (open === null || first === null) return text;
  // Odd, and the first one names no language: where nothing else tells, it ends code that began before the excerpt.
  if (first.language === '' && !text.startsWith('#')) return `${first.mark}\n${text}`;
  return `${text}\n${open}`;
}

/** Whether a text ends inside of a block of code. */
export const endsInCode = (text: string): boolean => fencesOf(text).open !== null;

interface Fence {
  readonly mark: string;
  readonly language: string;
}

function fencesOf(text: string): { readonly open: string | null; readonly first: Fence | null } {
  let open: string | null = null;
  let first: Fence | null = null;
  for (const line of text.split('\n')) {
    const { mark, language = '' } = fenceLine.exec(line)?.groups ?? {};
    if (mark === undefined) continue;
    first ??= { mark, language };
    if (open === null) open = mark;
    else if (mark.startsWith(open) && language === '') open = null;
  }
  return { open, first };
}
