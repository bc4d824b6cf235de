/** Ways to write one unit, its dimension, and how many of the base unit it is. */
const spellings: readonly (readonly [base: string, factor: number, names: string])[] = [
  ['ms', 1, 'ms msec msecs millisecond milliseconds millisekunde millisekunden'],
  ['ms', 1_000, 's sec secs second seconds sekunde sekunden'],
  ['ms', 60_000, 'min mins minute minutes minuten'],
  ['ms', 3_600_000, 'h hr hrs hour hours stunde stunden'],
  ['ms', 86_400_000, 'day days tag tage tagen'],
  ['ms', 604_800_000, 'week weeks woche wochen'],
  ['month', 1, 'month months monat monate monaten'],
  ['month', 12, 'year years jahr jahre jahren'],
  ['byte', 1, 'byte bytes'],
  ['byte', 1_000, 'kb kilobyte kilobytes'],
  ['byte', 1_000_000, 'mb megabyte megabytes'],
  ['byte', 1_000_000_000, 'gb gigabyte gigabytes'],
  ['byte', 1_000_000_000_000, 'tb terabyte terabytes'],
  ['byte', 1_024, 'kib kibibyte kibibytes'],
  ['byte', 1_048_576, 'mib mebibyte mebibytes'],
  ['byte', 1_073_741_824, 'gib gibibyte gibibytes'],
  ['metre', 0.001, 'mm millimetre millimetres millimeter millimeters'],
  ['metre', 0.01, 'cm centimetre centimetres centimeter centimeters'],
  ['metre', 1, 'm metre metres meter meters'],
  ['metre', 1_000, 'km kilometre kilometres kilometer kilometers'],
  ['gram', 1, 'g gram grams gramm'],
  ['gram', 1_000, 'kg kilogram kilograms kilogramm'],
  ['percent', 1, '% percent prozent'],
  ['usd', 1, '$ usd dollar dollars'],
  ['eur', 1, '€ eur euro euros'],
  ['gbp', 1, '£ gbp pound pounds'],
];

export interface Measure {
  readonly base: string;
  readonly factor: number;
}

const measures: ReadonlyMap<string, Measure> = new Map(
  spellings.flatMap(([base, factor, names]) =>
    names.split(' ').map((name) => [name, { base, factor }] as const),
  ),
);

export const measureOf = (word: string): Measure | undefined => measures.get(word.toLowerCase());

/** Words that multiply the number before them. */
const scales: ReadonlyMap<string, number> = new Map([
  ['hundred', 100],
  ['thousand', 1_000],
  ['million', 1_000_000],
  ['millions', 1_000_000],
  ['billion', 1_000_000_000],
  ['billions', 1_000_000_000],
]);

export const scaleOf = (word: string): number | undefined => scales.get(word.toLowerCase());

const counts = 'two three four five six seven eight nine ten eleven twelve';
/** "One" is mostly no number. */
const numerals: ReadonlyMap<string, number> = new Map([
  ...counts.split(' ').map((word, at) => [word, at + 2] as const),
  ['twenty', 20],
  ['thirty', 30],
  ['forty', 40],
  ['fifty', 50],
]);

export const numeralOf = (word: string): number | undefined => numerals.get(word.toLowerCase());

const monthNames = `january jan januar jänner januari enero janvier|february feb februar febrero février|march mar märz
  marzo mars|april apr abril avril|may mai mayo|june jun juni junio juin|july jul juli julio juillet|august aug agosto
  août|september sep sept septiembre septembre|october oct oktober okt octubre octobre|november nov noviembre
  novembre|december dec dezember dez diciembre décembre`;
const months: ReadonlyMap<string, number> = new Map(
  monthNames.split('|').flatMap((names, at) => names.split(/\s+/).map((name) => [name, at + 1] as const)),
);

/** 1 to 12. */
export const monthOf = (word: string): number | undefined => months.get(word.toLowerCase());
