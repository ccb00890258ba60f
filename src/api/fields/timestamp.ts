// Times as the API writes them, RFC 3339 in UTC.

/** A time in whole seconds (`metav1.Time`), from a Date or from milliseconds since 1970. */
export function timestamp(time: Date | number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** A time in microseconds (`metav1.MicroTime`), as leases and audit events have it. */
export function microTimestamp(time: Date | number): string {
  return new Date(time).toISOString().replace("Z", "000Z");
}
