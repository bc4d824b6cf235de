import { errorCode } from '../kit/errors.ts';
interface Listening {
  readonly host: string;
  readonly port: number;
  /** The variable that sets the port. */
  readonly variable: string;
}

/** Adds a remedy to the system's error. */
export function toListenError(error: unknown, { host, port, variable }: Listening): unknown {
  const place = `${host}:${port}`;
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return new Error(
        `${place} is taken, perhaps by a Nestor that runs already. ${variable} sets another port.`,
      );
    case 'EACCES':
      return new Error(
        `${place} may not be opened: ports below 1024 need rights. ${variable} sets another port.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new Error(
        `${place} is no address of this machine. NESTOR_HOST sets another: 127.0.0.1, or 0.0.0.0 for all.`,
      );
    default:
      return error;
  }
}
