/** Why a node does not take a pod, as it stands in the pod's status. */
export interface Refusal {
  readonly reason: string;
  readonly message: string;
}
