import { join } from 'node:path';

/** Where the journals of all servers on a data folder lie. */
export function ledgerFolderOf(dataFolder: string): string {
  return join(dataFolder, 'usage-journal');
}
