// The node restriction: a node may write about itself and about pods bound to it, but nothing that would
// attract pods or permissions. Messages are those of Kubernetes' NodeRestriction.
import { sameMeaning } from "../../../api/kinds/equality.ts";
import { directoryFinalizer, nodeOfDirectory } from "../../../api/kinds/storage.ts";
import type { CertificateSigningRequest } from "../../../api/types/certificates.ts";
import type { Node, PersistentVolume, Pod } from "../../../api/types/core.ts";
import type { Admission, Attributes } from "../access.ts";
import { forbidden, notFound } from "../errors.ts";
import { readRequest, requestText } from "./certificate-request.ts";
import { isIpamAccount, leaseNames, nodeNameOf } from "./node-access.ts";
import { forbiddenLabels } from "./node-labels.ts";
import type { ObjectReader, SecurityObject } from "./objects.ts";
import { type PodLike, referredKind } from "./pod-references.ts";

const mirrorAnnotation = "kubernetes.io/config.mirror";
const networkStatus = ["k8s.v1.cni.cncf.io/network-status", "k8s.v1.cni.cncf.io/networks-status"];
const nodeSigners = [
  "kubernetes.io/kubelet-serving",
  "kubernetes.io/kube-apiserver-client-kubelet",
];

interface Write {
  /** The name of the node, quoted for messages. */
  readonly who: string;
  readonly node: string;
  readonly attributes: Attributes;
  readonly old: SecurityObject | undefined;
  readonly object: SecurityObject | undefined;
  readonly objects: ObjectReader;
}

/** Returns why a node may not write this; `undefined` when it may. */
type Check = (write: Write) => string | undefined;

export function nodeRestriction(objects: ObjectReader): Admission {
  return {
    admit(user, attributes, { old, new: object }) {
      const node = nodeNameOf(user);
      if (node === undefined) return;
      const { group, resource } = attributes;
      const name = attributes.name ?? nameOf(object) ?? "";
      const write = { who: JSON.stringify(node), node, attributes, old, object, objects };
      const why = checks[`${group}/${resource}`]?.(write);
      if (why !== undefined) throw forbidden({ group, name: resource }, name, why);
    },
  };
}

function nameOf(object: SecurityObject | undefined): string | undefined {
  return object?.metadata?.name;
}

const checks: Readonly<Record<string, Check>> = {
  "/pods": checkPod,
  "/nodes": checkNode,
  "/persistentvolumes": checkVolume,
  "/serviceaccounts": checkToken,
  "coordination.k8s.io/leases": checkLease,
  "storage.k8s.io/csinodes": checkCsiNode,
  "certificates.k8s.io/certificatesigningrequests": checkCertificateRequest,
};

function checkPod(write: Write): string | undefined {
  const { who, node, attributes, old, object, objects } = write;
  const { verb, subresource, namespace = "", name = "" } = attributes;
  if (subresource === "eviction" || verb === "delete" || verb === "deletecollection") {
    const pod: PodLike | undefined = old ?? objects.get("pods", namespace, name);
    if (pod === undefined) throw notFound({ group: "", name: "pods" }, name);
    if (pod.spec?.nodeName === node) return undefined;
    const what = subresource === "eviction" ? "evict" : "delete";
    return `node ${who} can only ${what} pods with spec.nodeName set to itself`;
  }
  if (subresource === undefined && old === undefined) return checkMirrorPod(write, object as Pod);
  if (subresource !== undefined && subresource !== "status") {
    return `unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`;
  }
  const [before, after] = [old as Pod, object as Pod];
  const what = subresource === "status" ? "update pod status for pods" : "modify pods";
  if (before.spec.nodeName !== node) {
    return `node ${who} can only ${what} with spec.nodeName set to itself`;
  }
  if (!sameMeaning(before.metadata.labels, after.metadata.labels)) {
    return `node ${who} cannot update labels through pod status`;
  }
  if (!sameMeaning(before.status?.resourceClaimStatuses, after.status?.resourceClaimStatuses)) {
    return `node ${who} cannot update resource claim statues`;
  }
  if (subresource === undefined && !sameMeaning(withoutStatus(before), withoutStatus(after))) {
    return `node ${who} can only change the network status of pods`;
  }
  return undefined;
}

/** Returns a pod without the fields that its node may write. */
function withoutStatus({ metadata, spec }: Pod): object {
  const { managedFields: _, resourceVersion: __, annotations = {}, ...rest } = metadata;
  const others = Object.entries(annotations).filter(([key]) => !networkStatus.includes(key));
  return { metadata: { ...rest, annotations: Object.fromEntries(others) }, spec };
}

/** Checks a new pod: nodes may only create mirror pods, and these may not refer to other objects. */
function checkMirrorPod({ who, node }: Write, pod: Pod): string | undefined {
  if (pod.metadata.annotations?.[mirrorAnnotation] === undefined) {
    return `pod does not have "${mirrorAnnotation}" annotation, node ${who} can only create mirror pods`;
  }
  if (pod.spec.nodeName !== node) {
    return `node ${who} can only create pods with spec.nodeName set to itself`;
  }
  const owners = pod.metadata.ownerReferences ?? [];
  const isOwn = owners.every(({ kind, name, apiVersion }) => {
    return apiVersion === "v1" && kind === "Node" && name === node;
  });
  if (!isOwn) return `node ${who} can only create pods with an owner reference set to itself`;
  const kind = referredKind(pod);
  return kind && `node ${who} can not create pods that reference ${kind}`;
}

function checkNode({ who, node, attributes, old, object }: Write): string | undefined {
  const name = attributes.name ?? object?.metadata?.name;
  if (name !== node) return `node ${who} is not allowed to modify node "${name}"`;
  if (object === undefined) return undefined;
  const [before, after] = [old as Node | undefined, object as Node];
  const labels = forbiddenLabels(before?.metadata.labels ?? {}, after.metadata.labels ?? {});
  const { configSource } = after.spec;
  const isNewSource = configSource && !sameMeaning(configSource, before?.spec.configSource);
  if (isNewSource) {
    return before === undefined
      ? `node ${who} is not allowed to create pods with a non-nil configSource`
      : `node ${who} is not allowed to update configSource to a new non-nil configSource`;
  }
  if (before === undefined) {
    return labels.length === 0
      ? undefined
      : `node ${who} is not allowed to set the following labels: ${labels.join(", ")}`;
  }
  if (!sameMeaning(before.spec.taints, after.spec.taints)) {
    return `node ${who} is not allowed to modify taints`;
  }
  if (!sameMeaning(before.metadata.ownerReferences, after.metadata.ownerReferences)) {
    return `node ${who} is not allowed to modify ownerReferences`;
  }
  return labels.length === 0 ? undefined : `is not allowed to modify labels: ${labels.join(", ")}`;
}

/** Checks a volume: its node may say that it has seen to the directory of one that is being deleted. */
function checkVolume({ who, node, old, object }: Write): string | undefined {
  const [before, after] = [old, object] as (PersistentVolume | undefined)[];
  const only = `node ${who} can only let go of volumes that are its directories and are being deleted`;
  if (before === undefined || after === undefined) return only;
  if (nodeOfDirectory(before) !== node || before.metadata.deletionTimestamp === undefined) {
    return only;
  }
  const finalizers = (before.metadata.finalizers ?? []).filter(
    (each) => each !== directoryFinalizer,
  );
  const { managedFields: _, resourceVersion: __, ...metadata } = after.metadata;
  const { managedFields: ___, resourceVersion: ____, ...known } = before.metadata;
  const expected = { ...before, metadata: { ...known, finalizers } };
  const { finalizers: left = [] } = metadata;
  const given = { ...after, metadata: { ...metadata, finalizers: left } };
  return sameMeaning(expected, given) ? undefined : only;
}

interface TokenRequestLike {
  readonly spec?: {
    readonly audiences?: readonly string[];
    readonly boundObjectRef?: {
      readonly apiVersion?: string;
      readonly kind?: string;
      readonly name?: string;
      readonly uid?: string;
    };
  };
}

/** Checks a token request: tokens must be bound to the node's own pods, for audiences these ask for. */
function checkToken({ node, attributes, object, objects }: Write): string | undefined {
  if (attributes.subresource !== "token") return undefined;
  const { boundObjectRef, audiences = [] } = (object as TokenRequestLike).spec ?? {};
  const { apiVersion, kind, name = "", uid = "" } = boundObjectRef ?? {};
  if (isIpamAccount(attributes) && kind === "Node") {
    if (name !== node) return "node requested token bound to a different node";
    if (uid === "") return "node requested token with a node binding without a uid";
    return audiences.length === 0 ? undefined : "node may only request a token for this API";
  }
  if ((apiVersion !== undefined && apiVersion !== "v1") || kind !== "Pod" || name === "") {
    return "node requested token not bound to a pod";
  }
  if (uid === "") return "node requested token with a pod binding without a uid";
  const pod: PodLike | undefined = objects.get("pods", attributes.namespace ?? "", name);
  if (pod === undefined) throw notFound({ group: "", name: "pods" }, name);
  if (pod.metadata?.uid !== uid) {
    return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  }
  if (pod.spec?.nodeName !== node) {
    return "node requested token bound to a pod scheduled on a different node";
  }
  if (pod.spec.serviceAccountName !== attributes.name) {
    return "node requested token bound to a pod of another service account";
  }
  if (audiences.length > 1) return "node may only request 0 or 1 audiences";
  const asked = (pod.spec.volumes ?? []).flatMap(({ projected }) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken: token }) =>
      token === undefined ? [] : [token.audience ?? ""],
    ),
  );
  const [audience = ""] = audiences;
  if (asked.includes(audience)) return undefined;
  return `audience "${audience}" not found in pod spec volume, system:node:${node} is not authorized to request tokens for this audience`;
}

/** Checks the name of a lease here, since the authorizer does not see it on create. */
function checkLease({ who, node, attributes, object }: Write): string | undefined {
  const name = attributes.name ?? object?.metadata?.name ?? "";
  if (attributes.namespace !== "kube-node-lease") {
    return `can only access leases in the "kube-node-lease" system namespace`;
  }
  if (leaseNames(node).includes(name)) return undefined;
  return `node ${who} can only access node lease with the same name as the requesting node`;
}

/** Checks the name of a CSINode here, since the authorizer does not see it on create. */
function checkCsiNode({ node, attributes, object }: Write): string | undefined {
  if ((attributes.name ?? object?.metadata?.name) === node) return undefined;
  return "can only access CSINode with the same name as the requesting node";
}

function checkCertificateRequest({ node, old, object }: Write): string | undefined {
  if (old !== undefined) return undefined;
  const { spec } = object as CertificateSigningRequest;
  if (!nodeSigners.includes(spec.signerName)) return undefined;
  const { commonName } = readRequest(requestText(spec.request));
  const own = `system:node:${node}`;
  return commonName === own ? undefined : `can only create a node CSR with CN=${own}`;
}
