/** A value that a migration could not carry over as it was. */
export interface Finding {
  readonly cluster: string;
  readonly use: "api" | "ingress";
  readonly text: string;
  readonly problem: string;
}
