/** Engines that were renamed. Configurations, calibrations and stored vectors may say the old name. */
const renamed: ReadonlyMap<string, string> = new Map([['baseline', 'words']]);

/** The name that an engine has today. */
export const toEngineName = (name: string): string => renamed.get(name) ?? name;
