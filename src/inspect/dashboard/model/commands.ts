// The commands that print what a view shows. Names may come from the address of the page, which anybody can write:
// each is one word, whatever it contains.

import { shellWord } from "../../../base/program/shell-word.ts";
import type { TableName } from "./rows.ts";
import type { ObjectPlace } from "./what-is.ts";

export function tableCommand(table: TableName, namespace: string | undefined): string {
  return table === "nodes"
    ? "kubectl get nodes --output wide"
    : `kubectl get ${table} ${within(namespace)} --output wide`;
}

export function mapCommand(choice: { service?: string; namespace?: string }): string {
  const [namespace, name] = choice.service?.split("/") ?? [choice.namespace, undefined];
  const where = namespace ? ` --namespace ${shellWord(namespace)}` : "";
  return `tandem map${name ? ` --service ${shellWord(name)}` : ""}${where} --output svg`;
}

/** Ranges with their use, and announced addresses. */
export function topCommand(namespace: string | undefined): string {
  return namespace === undefined ? "tandem top" : `tandem top --namespace ${shellWord(namespace)}`;
}

export function holdersCommand(
  { hasIpam }: { readonly hasIpam: boolean },
  namespace: string | undefined,
): string {
  const kinds = ["pods", "services", ...(hasIpam ? ["ippools", "nodeslicepools"] : [])].join(",");
  const holders = `kubectl get ${kinds} ${within(namespace)} --output yaml`;
  return `kubectl get nodes --output wide; ${holders}`;
}

export function objectCommand({ kind, namespace, name }: ObjectPlace): string {
  const where = namespace === undefined ? "" : ` --namespace ${shellWord(namespace)}`;
  const isOurs = kind !== "Ingress";
  return `${isOurs ? "tandem" : "kubectl"} describe ${kind.toLowerCase()} ${shellWord(name)}${where}`;
}

export const checkCommand = "tandem check";

export function policiesCommand(namespace: string | undefined): string {
  return `kubectl get networkpolicies ${within(namespace)} --output wide`;
}

export function podRulesCommand({ namespace, name }: Required<Omit<ObjectPlace, "kind">>): string {
  return `tandem policy show ${shellWord(`${namespace}/${name}`)}`;
}

/** Nodes count in their metrics what policies deny. */
export const denialsCommand =
  "for node in $(kubectl get nodes --output jsonpath='{.items[*].metadata.name}'); do " +
  'kubectl get --raw "/api/v1/nodes/$node/proxy/metrics"; done | grep tandem_policy_denied_packets_total';

export function eventsCommand(
  { kind, namespace, name }: ObjectPlace,
  only: string | undefined,
): string {
  const about = shellWord(`involvedObject.kind=${kind},involvedObject.name=${name}`);
  return `kubectl get events ${within(namespace ?? only)} --field-selector ${about}`;
}

export function logsCommand({ namespace = "", name }: ObjectPlace, container: string): string {
  const [where, pod, inside] = [namespace, name, container].map(shellWord);
  return `kubectl logs --follow ${pod} --namespace ${where} --container ${inside}`;
}

function within(namespace: string | undefined): string {
  return namespace === undefined ? "--all-namespaces" : `--namespace ${shellWord(namespace)}`;
}
