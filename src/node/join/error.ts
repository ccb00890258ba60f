type JoinReason = "Unreachable" | "WrongAuthority" | "Refused";

/** The error of a machine that could not become a node, with a reason. */
export class JoinError extends Error {
  override readonly name = "JoinError";
  readonly reason: JoinReason;

  constructor(reason: JoinReason, server: URL, state: string, options?: ErrorOptions) {
    super(`Cannot join the cluster at ${server.origin}: ${state}`, options);
    this.reason = reason;
  }
}
