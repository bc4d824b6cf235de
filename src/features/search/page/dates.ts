/** YYYY-MM-DD as it stands at the beginning of an ISO date; the writer's own day, whatever the time zone. */
const isoDate = /^\s*(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})(?!\d)/;
const compactDate = /^\s*(?:D:)?(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})(?:\d{6}(?!\d)|(?!\d))/;
// RFC 1123 and 850, and "March 5, 2024": with a month in letters and a year of four digits only.
const dayFirst =
  /^\s*(?:[A-Za-z]{3,9},?\s+)?(?<day>\d{1,2})(?:st|nd|rd|th)?[ -](?<month>[A-Za-z]{3,9})\.?,?[ -](?<year>\d{4})\b/;
const monthFirst =
  /^\s*(?:[A-Za-z]{3,9},\s+)?(?<month>[A-Za-z]{3,9})\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?<year>\d{4})\b/;

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const dayMs = 86_400_000;

/**
 * A date that was found, as YYYY-MM-DD; null for what is none, does not exist in the calendar or lies in the
 * future. A day of tolerance covers the clocks of other time zones. 1970-01-01 is how programs write "none".
 */
export function toPageDate(text: string | null | undefined, nowMs: number): string | null {
  if (text === null || text === undefined || text.length > 200) return null;
  const found = isoDate.exec(text) ?? compactDate.exec(text) ?? dayFirst.exec(text) ?? monthFirst.exec(text);
  if (found?.groups === undefined) return null;
  const { year = '', month = '', day = '' } = found.groups;
  const monthNumber = /^\d/.test(month) ? Number(month) : months.indexOf(month.slice(0, 3).toLowerCase()) + 1;
  const time = Date.UTC(Number(year), monthNumber - 1, Number(day));
  const date = new Date(time);
  const exists = date.getUTCMonth() === monthNumber - 1 && date.getUTCDate() === Number(day);
  if (!exists || Number(year) < 1500 || time > nowMs + dayMs) return null;
  const iso = date.toISOString().slice(0, 10);
  return iso === '1970-01-01' || iso === '1969-12-31' ? null : iso;
}

/** Both dates of a page, as far as they fit together: nothing changes before it is published. */
export function pairDates(date: string | null, lastUpdated: string | null) {
  const isBefore = date !== null && lastUpdated !== null && lastUpdated < date;
  return { date, lastUpdated: isBefore ? null : lastUpdated };
}

/** The `Last-Modified` of a head, unless the page was made for the answer that carried it. */
export function modifiedHeader(
  lastModified: string | undefined,
  sent: string | undefined,
  nowMs: number,
): string | null {
  const time = Date.parse(lastModified ?? '');
  if (Number.isNaN(time)) return null;
  const answered = Date.parse(sent ?? '');
  if (Math.abs((Number.isNaN(answered) ? nowMs : answered) - time) < 120_000) return null;
  return toPageDate(lastModified, nowMs);
}
