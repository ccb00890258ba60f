// The commands that print what a view shows. Names may come from the address of the page, which anybody can write:
// each is one word, whatever it contains.

import { shellWord } from "../../../base/program/shell-word.ts";
import type { TableName } from "./rows.ts";
import type { ObjectPlace } from "./what-is.ts";

export function tableCommand(table: TableName, namespace: string | undefined): string {
  const where =
    namespace === undefined ? "--all-namespaces" : `--namespace ${shellWord(namespace)}`;
  return table === "nodes"
    ? "kubectl get nodes --output wide"
    : `kubectl get ${table} ${where} --output wide`;
}

export function mapCommand(choice: { service?: string; namespace?: string }): string {
  const [namespace, name] = choice.service?.split("/") ?? [choice.namespace, undefined];
  const where = namespace ? ` --namespace ${shellWord(namespace)}` : "";
  return `tandem map${name ? ` --service ${shellWord(name)}` : ""}${where} --output svg`;
}

export const rangesCommand =
  "kubectl get nodes --output custom-columns=NAME:.metadata.name,RANGES:.spec.podCIDRs; " +
  "kubectl get servicecidrs,addresspools";

export function objectCommand({ kind, namespace, name }: ObjectPlace): string {
  const where = namespace === undefined ? "" : ` --namespace ${shellWord(namespace)}`;
  const isOurs = kind !== "Ingress";
  return `${isOurs ? "tandem" : "kubectl"} describe ${kind.toLowerCase()} ${shellWord(name)}${where}`;
}

export const checkCommand = "tandem check";

export const announcementsCommand =
  "kubectl get leases --namespace kube-node-lease --selector tandem.internal/announcer; tandem vip status";

export function policiesCommand(pod: { namespace?: string; name?: string }): string {
  return pod.name === undefined
    ? "kubectl get networkpolicies --all-namespaces"
    : `tandem policy show ${shellWord(`${pod.namespace}/${pod.name}`)}`;
}

export function logsCommand({ namespace = "", name }: ObjectPlace, container: string): string {
  const [where, pod, inside] = [namespace, name, container].map(shellWord);
  return `kubectl logs --follow ${pod} --namespace ${where} --container ${inside}`;
}
