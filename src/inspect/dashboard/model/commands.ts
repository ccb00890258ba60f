// The commands that print what a view shows.

import type { TableName } from "./rows.ts";
import type { ObjectPlace } from "./what-is.ts";

export function tableCommand(table: TableName, namespace: string | undefined): string {
  const where = namespace === undefined ? "--all-namespaces" : `--namespace ${namespace}`;
  return table === "nodes"
    ? "kubectl get nodes --output wide"
    : `kubectl get ${table} ${where} --output wide`;
}

export function mapCommand(choice: { service?: string; namespace?: string }): string {
  const [namespace, name] = choice.service?.split("/") ?? [choice.namespace, undefined];
  const where = namespace ? ` --namespace ${namespace}` : "";
  return `tandem map${name ? ` --service ${name}` : ""}${where} --output svg`;
}

export const rangesCommand =
  "kubectl get nodes --output custom-columns=NAME:.metadata.name,RANGES:.spec.podCIDRs; " +
  "kubectl get servicecidrs,addresspools";

export function objectCommand({ kind, namespace, name }: ObjectPlace): string {
  const where = namespace === undefined ? "" : ` --namespace ${namespace}`;
  const isOurs = kind !== "Ingress";
  return `${isOurs ? "tandem" : "kubectl"} describe ${kind.toLowerCase()} ${name}${where}`;
}

export const checkCommand = "tandem check";

export const announcementsCommand =
  "kubectl get leases --namespace kube-node-lease --selector tandem.internal/announcer; tandem vip status";

export function policiesCommand(pod: { namespace?: string; name?: string }): string {
  return pod.name === undefined
    ? "kubectl get networkpolicies --all-namespaces"
    : `tandem policy show ${pod.namespace}/${pod.name}`;
}

export function logsCommand({ namespace, name }: ObjectPlace, container: string): string {
  return `kubectl logs --follow ${name} --namespace ${namespace} --container ${container}`;
}
