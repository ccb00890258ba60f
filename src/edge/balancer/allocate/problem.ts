/** The reason why a service does not have all the addresses it asks for. */
export interface AllocationProblem {
  readonly reason: "BadRequest" | "FamilyMismatch" | "NotInPool" | "Taken" | "NoPool" | "Exhausted";
  /** The message: "Cannot assign …: …". */
  readonly message: string;
}
