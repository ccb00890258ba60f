/** A value of a service that is left out, and why. The rest of the service works. */
export interface Problem {
  /** The path of the field, such as `spec.externalIPs[1]`. */
  readonly field: string;
  readonly value: string;
  readonly state: string;
}

export function problemText({ field, value, state }: Problem): string {
  return `Cannot use ${field} ${JSON.stringify(value)}: ${state}`;
}
