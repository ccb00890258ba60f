/** Why something of an Ingress is not served as it is written; its owner is told by an event. */
export interface Problem {
  /** One word in camel case, for machines. */
  readonly reason: "Refused" | "Conflict" | "MissingBackend" | "MissingCertificate" | "Ignored";
  /** "Cannot …: …", with the field and the value. */
  readonly message: string;
}

/** A value that is not what its field takes. The message says what it takes. */
export class UnfitValue extends Error {
  override readonly name = "UnfitValue";
}

export function refused(field: string, value: string, state: string): Problem {
  const shown = value.length > 100 ? `${value.slice(0, 100)}…` : value;
  return { reason: "Refused", message: `Cannot serve ${field} ${JSON.stringify(shown)}: ${state}` };
}
