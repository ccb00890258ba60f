/** The reason why a part of an Ingress is not served as written; an event tells its owner. */
export interface Problem {
  /** The reason in one word in camel case, for machines. */
  readonly reason: "Refused" | "Conflict" | "MissingBackend" | "MissingCertificate" | "Ignored";
  /** The message: "Cannot …: …", with the field and the value. */
  readonly message: string;
}

/** The error of a value that its field does not accept. The message says what it accepts. */
export class UnfitValue extends Error {
  override readonly name = "UnfitValue";
}

export function refused(field: string, value: string, state: string): Problem {
  const shown = value.length > 100 ? `${value.slice(0, 100)}…` : value;
  return { reason: "Refused", message: `Cannot serve ${field} ${JSON.stringify(shown)}: ${state}` };
}
