import type { SourcePassage } from '../../model.ts';

/** What a page is about by its title and the end of its address, which may be a name where the title is "Usage". */
export const toSubject = (source: SourcePassage | undefined): string =>
  source === undefined ? '' : `${source.title} ${addressEnd.exec(source.url)?.[0] ?? ''}`;

const addressEnd = /(?:\/[^/?#]+){1,2}\/?(?=$|[?#])/;
