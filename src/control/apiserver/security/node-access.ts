// The node authorizer: decides by verb and resource, and by the objects that pods bound to the node refer to.
// What a node may write is checked by the node restriction, which sees the objects.
import { read, rule } from "../../../api/kinds/rbac.ts";
import { directoriesOfNode, nodeOfDirectory } from "../../../api/kinds/storage.ts";
import type { PersistentVolume } from "../../../api/types/core.ts";
import type { Attributes, Authorizer, Decision, User } from "../access.ts";
import { ipamAccount } from "./ipam-account.ts";
import { nodeRules } from "./node-rules.ts";
import type { ObjectReader } from "./objects.ts";
import { claimNames, configMapNames, type PodLike, secretNames } from "./pod-references.ts";
import { covers, type PolicyRule } from "./rbac-rule.ts";

const prefix = "system:node:";
const group = "system:nodes";
const leaseNamespace = "kube-node-lease";
const mirrorAnnotation = "kubernetes.io/config.mirror";
/** The suffix, after a node's name, of the lease by which announcers of load balancers find each other. */
export const announcerSuffix = ".announcer.tandem.internal";

/** The rules that Tandem's agent needs beyond a kubelet's: routes, proxy, DNS, virtual addresses. */
const additional: readonly PolicyRule[] = [
  rule(read, "core", "nodes pods namespaces endpoints"),
  // Pods are patched with the annotation of their network status; the restriction allows nothing else.
  rule("patch", "core", "pods"),
  rule(read, "discovery.k8s.io", "endpointslices"),
  rule(read, "networking.k8s.io", "servicecidrs networkpolicies"),
  rule(read, "policy.networking.k8s.io", "clusternetworkpolicies"),
  rule(read, "k8s.cni.cncf.io", "network-attachment-definitions"),
];

export function nodeNameOf(user: User): string | undefined {
  if (!user.name.startsWith(prefix) || !user.groups.includes(group)) return undefined;
  return user.name.slice(prefix.length);
}

export function nodeAuthorizer(objects: ObjectReader): Authorizer {
  return {
    authorize(user, attributes): Decision {
      const node = nodeNameOf(user);
      if (node === undefined) return { allowed: false };
      if (node === "") return { allowed: false, reason: `unknown node for user "${user.name}"` };
      if (additional.some((each) => covers(each, attributes))) return { allowed: true };
      const narrow = narrowed[`${attributes.group}/${attributes.resource}`];
      if (narrow !== undefined) return narrow({ node, attributes, objects });
      return { allowed: nodeRules.some((each) => covers(each, attributes)) };
    },
  };
}

interface Question {
  readonly node: string;
  readonly attributes: Attributes;
  readonly objects: ObjectReader;
}

type Narrow = (question: Question) => Decision;

/** The checks by group and resource, where the verb alone does not decide. */
const narrowed: Readonly<Record<string, Narrow>> = {
  "/secrets": readReferred((pod, name) => secretNames(pod).has(name)),
  "/configmaps": readReferred((pod, name) => configMapNames(pod).has(name)),
  "/persistentvolumeclaims": claims,
  "/persistentvolumes": volumes,
  "storage.k8s.io/volumeattachments": ({ node }) => unrelated(node),
  "resource.k8s.io/resourceclaims": ({ node }) => unrelated(node),
  "/serviceaccounts": accounts,
  "coordination.k8s.io/leases": leases,
  "storage.k8s.io/csinodes": csiNodes,
  "resource.k8s.io/resourceslices": ({ attributes }) => ({ allowed: attributes.verb === "create" }),
  "/nodes": ({ attributes: { verb, subresource } }) => ({
    allowed:
      subresource === undefined
        ? ["create", "update", "patch"].includes(verb)
        : subresource === "status" && ["update", "patch"].includes(verb),
  }),
  "/pods": ({ attributes: { verb, subresource } }) => ({
    allowed: podVerbs[subresource ?? ""]?.includes(verb) ?? false,
  }),
};

const podVerbs: Readonly<Record<string, readonly string[]>> = {
  "": ["create", "delete"],
  status: ["update", "patch"],
  eviction: ["create"],
};

function readReferred(refers: (pod: PodLike, name: string) => boolean): Narrow {
  return (question) => {
    const { verb, subresource, namespace } = question.attributes;
    if (!["get", "list", "watch"].includes(verb)) {
      return { allowed: false, reason: "can only read resources of this type" };
    }
    if (subresource !== undefined) return { allowed: false, reason: "cannot read subresource" };
    if (namespace === undefined) {
      return { allowed: false, reason: "can only read namespaced object of this type" };
    }
    return referred(question, refers);
  };
}

function claims(question: Question): Decision {
  const { verb, subresource } = question.attributes;
  const refers = (pod: PodLike, name: string) => claimNames(pod).has(name);
  if (subresource === "status") {
    if (verb === "update" || verb === "patch") return referred(question, refers);
    return { allowed: false, reason: "can only get/update/patch this type" };
  }
  if (verb !== "get") {
    return { allowed: false, reason: "can only get individual resources of this type" };
  }
  if (subresource !== undefined) return { allowed: false, reason: "cannot get subresource" };
  return referred(question, refers);
}

/**
 * Allows volumes that claims of the node's pods are bound to, to be read; and those that are directories of the
 * node, to be followed and let go. The restriction checks what is written.
 */
function volumes(question: Question): Decision {
  const { node, attributes, objects } = question;
  const { verb, subresource, name, labelSelector } = attributes;
  if (subresource !== undefined) return { allowed: false, reason: "cannot get subresource" };
  if (verb === "list" || verb === "watch") {
    return labelSelector === directoriesOfNode(node) ? { allowed: true } : unrelated(node);
  }
  const volume = objects.get("persistentvolumes", "", name ?? "") as PersistentVolume | undefined;
  if (volume === undefined) return unrelated(node);
  if (verb === "patch" && nodeOfDirectory(volume) === node) return { allowed: true };
  if (verb !== "get") {
    return { allowed: false, reason: "can only get individual resources of this type" };
  }
  const { claimRef } = volume.spec;
  if (claimRef === undefined) return unrelated(node);
  const { namespace = "", name: claim = "" } = claimRef;
  const wanted = { ...question, attributes: { ...attributes, namespace, name: claim } };
  return referred(wanted, (pod, each) => claimNames(pod).has(each));
}

function accounts(question: Question): Decision {
  const { verb, subresource, name } = question.attributes;
  const runs = (pod: PodLike, account: string) => pod.spec?.serviceAccountName === account;
  if (verb === "get" && subresource === undefined) return readReferred(runs)(question);
  if (verb !== "create" || name === undefined) {
    const reason = "can only create tokens for individual service accounts";
    return { allowed: false, reason };
  }
  if (subresource !== "token") {
    return { allowed: false, reason: "can only create token subresource of serviceaccount" };
  }
  if (isIpamAccount(question.attributes)) return { allowed: true };
  return referred(question, runs);
}

/** Whether an account is that of the IPAM plugin, which runs on every node outside of pods. */
export function isIpamAccount(account: Pick<Attributes, "namespace" | "name">): boolean {
  return account.namespace === ipamAccount.namespace && account.name === ipamAccount.name;
}

/** Allows objects that pods bound to the node refer to, except mirror pods, which the node itself writes. */
function referred(
  { node, attributes, objects }: Question,
  refers: (pod: PodLike, name: string) => boolean,
): Decision {
  const { namespace, name } = attributes;
  if (name === undefined) return { allowed: false, reason: "No Object name found" };
  for (const pod of objects.list("pods") as Iterable<PodLike>) {
    if (pod.spec?.nodeName !== node || pod.metadata?.namespace !== namespace) continue;
    if (pod.metadata?.annotations?.[mirrorAnnotation] !== undefined) continue;
    if (refers(pod, name)) return { allowed: true };
  }
  return unrelated(node);
}

function unrelated(node: string): Decision {
  return {
    allowed: false,
    reason: `no relationship found between node '${node}' and this object`,
  };
}

function leases({ node, attributes }: Question): Decision {
  const { verb, namespace, name } = attributes;
  const isPeering = ["list", "watch"].includes(verb) && namespace === leaseNamespace;
  // Announcers of load balancers find each other by their leases.
  if (isPeering) return { allowed: true };
  if (!["get", "create", "update", "patch", "delete"].includes(verb)) {
    const reason = "can only get, create, update, patch, or delete a node lease";
    return { allowed: false, reason };
  }
  if (namespace !== leaseNamespace) {
    const reason = `can only access leases in the "${leaseNamespace}" system namespace`;
    return { allowed: false, reason };
  }
  if (verb === "create" || leaseNames(node).includes(name ?? "")) return { allowed: true };
  const reason = "can only access node lease with the same name as the requesting node";
  return { allowed: false, reason };
}

/** Returns the names of a node's own leases. */
export function leaseNames(node: string): readonly string[] {
  return [node, `${node}${announcerSuffix}`];
}

function csiNodes({ node, attributes: { verb, subresource, name } }: Question): Decision {
  const isOwn = verb === "create" || name === node;
  const verbs = ["get", "create", "update", "patch", "delete"];
  return { allowed: verbs.includes(verb) && subresource === undefined && isOwn };
}
