// What a node may do. The authorizer decides by verb and resource; the restriction looks at the
// objects, so that a node writes only about itself and about pods bound to it.
import type { Admission, Attributes, Authorizer, Decision, User } from "../access.ts";
import type { ObjectReader, SecurityObject } from "./objects.ts";
import { configMapNames, type PodLike, secretNames } from "./pod-references.ts";
import { covers, type PolicyRule } from "./rbac-rule.ts";

const prefix = "system:node:";
const group = "system:nodes";

const read = ["get", "list", "watch"];
const leaseNamespace = "kube-node-lease";
/** After a node's name: the lease of its announcer, by which those of load balancers know each other. */
const announcerSuffix = ".announcer.tandem.internal";
const whereabouts = ["ippools", "overlappingrangeipreservations", "nodeslicepools"];

/** What every node may do; secrets, configmaps, tokens and its own objects are looked at one by one. */
const always: readonly PolicyRule[] = [
  {
    apiGroups: [""],
    resources: ["services", "endpoints", "nodes", "pods", "namespaces"],
    verbs: read,
  },
  { apiGroups: [""], resources: ["nodes"], verbs: ["create"] },
  { apiGroups: [""], resources: ["pods"], verbs: ["create"] },
  { apiGroups: ["", "events.k8s.io"], resources: ["events"], verbs: ["create", "patch", "update"] },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: read },
  { apiGroups: ["networking.k8s.io"], resources: ["servicecidrs"], verbs: read },
  { apiGroups: ["k8s.cni.cncf.io"], resources: ["network-attachment-definitions"], verbs: read },
  { apiGroups: ["whereabouts.cni.cncf.io"], resources: whereabouts, verbs: ["*"] },
  { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
  { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
];
const pods: PolicyRule = {
  apiGroups: [""],
  resources: ["pods", "pods/status", "pods/eviction"],
  verbs: ["create", "update", "patch", "delete"],
};
const itself: readonly PolicyRule[] = [
  { apiGroups: [""], resources: ["nodes", "nodes/status"], verbs: ["update", "patch"] },
  {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    verbs: ["get", "create", "update", "patch", "delete"],
  },
];

const peers: PolicyRule = {
  apiGroups: ["coordination.k8s.io"],
  resources: ["leases"],
  verbs: ["list", "watch"],
};

export function nodeNameOf(user: User): string | undefined {
  if (!user.name.startsWith(prefix) || !user.groups.includes(group)) return undefined;
  return user.name.slice(prefix.length);
}

export function nodeAuthorizer(objects: ObjectReader): Authorizer {
  return {
    authorize(user, attributes): Decision {
      const node = nodeNameOf(user);
      if (node === undefined) return { allowed: false };
      if (always.some((rule) => covers(rule, attributes))) return { allowed: true };
      if (covers(pods, attributes)) return { allowed: true };
      if (attributes.namespace === leaseNamespace && covers(peers, attributes)) {
        return { allowed: true };
      }
      if (itself.some((rule) => covers(rule, attributes))) return aboutItself(node, attributes);
      return aboutItsPods(node, attributes, objects);
    },
  };
}

/** Refuses changes to other nodes and to pods that are bound elsewhere. */
export function nodeRestriction(
  objects: ObjectReader,
  forbidden: (message: string) => Error,
): Admission {
  return {
    admit(user, attributes, change) {
      const node = nodeNameOf(user);
      if (node === undefined || attributes.group !== "") return;
      if (attributes.resource === "nodes") {
        const name = attributes.name ?? nameOf(change.new);
        if (name !== node) throw forbidden(`node "${node}" cannot modify node "${name}"`);
      }
      if (attributes.resource === "serviceaccounts" && attributes.subresource === "token") {
        checkTokenRequest(node, { attributes, request: change.new ?? {}, objects }, forbidden);
      }
      if (attributes.resource === "pods") {
        const pod = podOf(attributes, change, objects);
        if (pod?.spec?.nodeName !== node) {
          throw forbidden(`node "${node}" can only modify pods with spec.nodeName set to itself`);
        }
        if (attributes.verb === "create" && attributes.subresource === undefined) {
          checkMirrorPod(node, pod, forbidden);
        }
      }
    },
  };
}

function aboutItself(node: string, attributes: Attributes): Decision {
  const isLease = attributes.resource === "leases";
  const own = isLease ? attributes.namespace === leaseNamespace : true;
  const names = isLease ? [node, `${node}${announcerSuffix}`] : [node];
  // A create does not name its object in the path; the restriction looks at the object itself.
  const named = names.includes(attributes.name ?? "") || attributes.verb === "create";
  if (own && named) return { allowed: true };
  return { allowed: false, reason: `node "${node}" may only touch its own ${attributes.resource}` };
}

function aboutItsPods(node: string, attributes: Attributes, objects: ObjectReader): Decision {
  const { resource, subresource, namespace, name, verb } = attributes;
  if (attributes.group === "" && namespace !== undefined && name !== undefined) {
    const uses =
      resource === "serviceaccounts" && subresource === "token" && verb === "create"
        ? (pod: PodLike) => (pod.spec?.serviceAccountName ?? "default") === name
        : read.includes(verb) && subresource === undefined
          ? referencesOf[resource]?.(name)
          : undefined;
    if (uses !== undefined) {
      for (const pod of objects.list("pods") as Iterable<PodLike>) {
        if (pod.spec?.nodeName === node && pod.metadata?.namespace === namespace && uses(pod)) {
          return { allowed: true };
        }
      }
      return {
        allowed: false,
        reason: `no relationship found between node "${node}" and this object`,
      };
    }
  }
  return { allowed: false };
}

/** Resource → whether a pod refers to the object of this name. */
const referencesOf: Readonly<Record<string, (name: string) => (pod: PodLike) => boolean>> = {
  secrets: (name) => (pod) => secretNames(pod).has(name),
  configmaps: (name) => (pod) => configMapNames(pod).has(name),
  serviceaccounts: (name) => (pod) => (pod.spec?.serviceAccountName ?? "default") === name,
};

function podOf(
  attributes: Attributes,
  change: { old?: object; new?: object },
  objects: ObjectReader,
): PodLike | undefined {
  if (attributes.subresource === "eviction" || attributes.verb === "delete") {
    return objects.get("pods", attributes.namespace ?? "", attributes.name ?? "");
  }
  return change.old ?? change.new;
}

interface TokenRequestLike {
  readonly spec?: {
    readonly boundObjectRef?: {
      readonly kind?: string;
      readonly name?: string;
      readonly uid?: string;
    };
  };
}

/** A node gets tokens only for the pods it runs, and only such that end with them. */
function checkTokenRequest(
  node: string,
  asked: { attributes: Attributes; request: TokenRequestLike; objects: ObjectReader },
  forbidden: (message: string) => Error,
): void {
  const { attributes, request, objects } = asked;
  const { kind, name = "", uid = "" } = request.spec?.boundObjectRef ?? {};
  const refuse = (what: string) => forbidden(`node "${node}" requested ${what}`);
  if (kind !== "Pod" || name === "") throw refuse("a token that is not bound to a pod");
  if (uid === "") throw refuse("a token with a pod binding without a uid");
  const pod: PodLike | undefined = objects.get("pods", attributes.namespace ?? "", name);
  if (pod?.spec?.nodeName !== node) {
    throw refuse("a token bound to a pod scheduled on a different node");
  }
}

/** A node creates pods only to show the static pods it runs, and those reach for nothing. */
function checkMirrorPod(node: string, pod: PodLike, forbidden: (message: string) => Error): void {
  if (pod.metadata?.annotations?.["kubernetes.io/config.mirror"] === undefined) {
    throw forbidden(`node "${node}" can only create mirror pods`);
  }
  if (secretNames(pod).size > 0 || pod.spec?.serviceAccountName !== undefined) {
    throw forbidden(`node "${node}" can not create pods that reference secrets or accounts`);
  }
}

function nameOf(object: SecurityObject | undefined): string | undefined {
  return object?.metadata?.name;
}
