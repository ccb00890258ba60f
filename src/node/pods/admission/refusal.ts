/** The reason why a node rejects a pod, as the pod's status shows it. */
export interface Refusal {
  readonly reason: string;
  readonly message: string;
}
