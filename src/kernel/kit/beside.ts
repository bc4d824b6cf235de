/**
 * The URL of a module that lies beside another, for workers and child processes. From source
 * it ends in `.ts`; in the package, whose types were taken off, in `.js`.
 */
export function moduleBeside(name: string, importerUrl: string): URL {
  return new URL(`./${name}${importerUrl.endsWith('.ts') ? '.ts' : '.js'}`, importerUrl);
}
