/** Formats a time as RFC 3339 in whole seconds, as the API does. */
export function timestamp(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
