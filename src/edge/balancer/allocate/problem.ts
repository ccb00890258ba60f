/** Why a service has not all the addresses it asks for. */
export interface AllocationProblem {
  readonly reason: "BadRequest" | "FamilyMismatch" | "NotInPool" | "Taken" | "NoPool" | "Exhausted";
  /** "Cannot assign …: …". */
  readonly message: string;
}
