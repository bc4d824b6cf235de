/** URL of a module beside another, for workers and child processes: `.ts` in the source, `.js` in the package. */
export function moduleBeside(name: string, importerUrl: string): URL {
  return new URL(`./${name}${importerUrl.endsWith('.ts') ? '.ts' : '.js'}`, importerUrl);
}
