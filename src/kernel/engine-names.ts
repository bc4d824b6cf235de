/** Engines that were renamed. Configurations, calibrations and stored vectors may say the old name. */
const renamed: ReadonlyMap<string, string> = new Map([['baseline', 'words']]);

/** The names under which what an engine made may be stored. */
export const namesOf = (name: string): readonly string[] => [
  name,
  ...[...renamed].filter(([, now]) => now === name).map(([old]) => old),
];

/** The name that an engine has today. */
export const toEngineName = (name: string): string => renamed.get(name) ?? name;
