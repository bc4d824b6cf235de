/** A heading as it was read: `text` is without markup and pictures. */
export interface TitleHeading {
  readonly depth: number;
  readonly text: string;
}

/**
 * What a document of Markdown is called: the heading of the first level that it begins with, in HTML as well, or of a README
 * without one its folder, which is mostly named as the project is. "Usage" and "Table of contents" name no document.
 */
export function markdownTitle(headings: readonly TitleHeading[], source: string, url: string): string {
  const isName = ({ text }: TitleHeading): boolean => /\p{L}{2}/u.test(text) && !ofSection.test(text);
  const [first] = headings;
  if (first?.depth === 1 && isName(first)) return first.text;
  const named = first?.depth === 1 ? first : headings.find((one) => isName(one));
  return htmlTitle(source) ?? folderName(url) ?? named?.text ?? first?.text ?? '';
}

const ofSection =
  /^(?:the )?(?:usage|basic usage|features|install(?:ation|ing)?|setup|intro(?:duction)?|getting started|quick ?-?start|overview|about|api|docs|documentation|examples?|contents|table of contents|toc|description|readme)\W*$/i;

/** Where headings in HTML are looked for. Unit: characters. */
const beginning = 4_000;

function htmlTitle(source: string): string | null {
  const found = /<h1\b[^>]{0,200}>(?<inner>[^]{1,1000}?)<\/h1>/i.exec(source.slice(0, beginning));
  const text = withoutTags(found?.groups?.['inner'] ?? '');
  return /\p{L}{2}/u.test(text) ? text : null;
}

export const withoutTags = (text: string): string =>
  text
    .replaceAll(/<[^<>]{1,300}>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Of `…/left-pad/README.md` "left-pad", with the scope of a package. */
function folderName(url: string): string | null {
  const path = /(?<scope>@[^/@]+\/)?(?<folder>[^/@][^/]*)\/readme(?:\.[\w-]+)?$/i.exec(
    URL.parse(url)?.pathname ?? '',
  )?.groups;
  if (path === undefined) return null;
  try {
    return decodeURIComponent(`${path['scope'] ?? ''}${path['folder'] ?? ''}`);
  } catch {
    // A percent sign that escapes nothing.
    return null;
  }
}
