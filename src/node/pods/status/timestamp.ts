/** RFC 3339 in whole seconds, as the API writes times. */
export function timestamp(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
