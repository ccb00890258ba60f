/** Formats a time as the API does: RFC 3339 in whole seconds. */
export function timestamp(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
