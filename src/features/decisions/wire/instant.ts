import { Type } from 'typebox';

export const Instant = Type.String({ format: 'date-time' });

export function toInstant(ms: number): string {
  return new Date(ms).toISOString();
}

export function toInstantOrNull(ms: number | null): string | null {
  return ms === null ? null : toInstant(ms);
}
