// Admission of CertificateSigningRequests: the server records the requester, approval and signing need a
// permission for the signer, and a node's certificate holds only that node's names.

import { dnsSubdomain } from "../../../api/fields/names.ts";
import { sameMeaning } from "../../../api/kinds/equality.ts";
import type { CertificateSigningRequest } from "../../../api/types/certificates.ts";
import { defined } from "../../../base/json/defined.ts";
import type { Admission, Attributes, Completion, User } from "../access.ts";
import { forbidden, invalid } from "../errors.ts";
import {
  isSignedByItsKey,
  type RequestedCertificate,
  readRequest,
  requestText,
} from "./certificate-request.ts";
import { isAlive } from "./node-life.ts";
import { type ServerIdentity, servingNames } from "./node-names.ts";
import type { ObjectReader } from "./objects.ts";
import type { RbacAuthorizer } from "./rbac.ts";

const group = "certificates.k8s.io";
const plural = "certificatesigningrequests";
const clientSigner = "kubernetes.io/kube-apiserver-client";
const nodeSigners = [
  "kubernetes.io/kube-apiserver-client-kubelet",
  "kubernetes.io/kubelet-serving",
];
const nodePrefix = "system:node:";
const longestRequest = 16 * 1024;

export const certificateRequestCompletion: Completion = {
  async complete(attributes, object, user) {
    if (!isAbout(attributes)) return;
    const request = object as CertificateSigningRequest;
    const { username: _, uid: __, groups: ___, extra: ____, ...asked } = request.spec;
    request.spec = { ...asked, ...requestor(user) };
    const fault = await requestFault(request.spec.request ?? "");
    if (fault === undefined) return;
    const kind = { group, name: "CertificateSigningRequest" };
    throw invalid(kind, request.metadata?.name ?? "", [
      { type: "FieldValueInvalid", field: "spec.request", value: asked.request, detail: fault },
    ]);
  },
};

export interface CertificateRequestOptions {
  readonly rbac: RbacAuthorizer;
  readonly objects: ObjectReader;
  readonly server: ServerIdentity;
  readonly now: () => Date;
}

export function certificateRequestAdmission(options: CertificateRequestOptions): Admission {
  return {
    admit(user, attributes, change) {
      if (!isAbout(attributes)) return;
      const request = (change.old ?? change.new) as CertificateSigningRequest;
      const refuse = (why: string) =>
        forbidden({ group, name: plural }, request.metadata.name, why);
      const { signerName } = request.spec;
      const isApproval = attributes.subresource === "approval";
      if (isApproval && !maySign(options.rbac, { user, verb: "approve", signerName })) {
        throw refuse(`user not permitted to approve requests with signerName "${signerName}"`);
      }
      if (attributes.subresource === "status" && changesStatus(change)) {
        if (!maySign(options.rbac, { user, verb: "sign", signerName })) {
          throw refuse(`user not permitted to sign requests with signerName "${signerName}"`);
        }
      }
      if (change.old !== undefined && !isApproval) return;
      if (isApproval && !isApproved(change.new)) return;
      const asked = readRequest(requestText(request.spec.request));
      if (signerName === clientSigner && asked.organizations.includes("system:masters")) {
        throw refuse(`use of ${clientSigner} signer with system:masters group is not allowed`);
      }
      const fault = nodeSigners.includes(signerName)
        ? nodeFault(asked, request, options)
        : undefined;
      if (fault !== undefined) throw refuse(fault);
    },
  };
}

/** Returns why a node's certificate is refused; checked again at approval, since much may have changed. */
function nodeFault(
  { commonName, dnsNames, addresses }: RequestedCertificate,
  { spec }: CertificateSigningRequest,
  { objects, server, now }: CertificateRequestOptions,
): string | undefined {
  // Other faults of the request are reported by the signer.
  if (!commonName.startsWith(nodePrefix)) return undefined;
  const nodeName = commonName.slice(nodePrefix.length);
  if (dnsSubdomain(nodeName).length > 0) return `"${nodeName}" is not the name of a node`;
  const node = objects.get("nodes", "", nodeName);
  const isToken = spec.groups?.includes("system:bootstrappers") === true;
  if (isToken && node !== undefined && isAlive(node, objects, now())) {
    return `there is a node "${nodeName}", and it is alive`;
  }
  const wanted = { dnsNames, addresses };
  const { names, refusal } = servingNames({ nodeName, wanted }, { objects, server });
  if (refusal !== undefined) return refusal;
  const kept = names.dnsNames.length + names.addresses.length;
  // The request is refused as a whole: a signer cannot leave out some of its names.
  return kept < dnsNames.length + addresses.length
    ? "a name or an address is the API server's"
    : undefined;
}

function isAbout(attributes: Attributes): boolean {
  return attributes.group === group && attributes.resource === plural;
}

function requestor({ name, uid, groups, extra }: User): Partial<CertificateSigningRequest["spec"]> {
  return {
    username: name,
    ...defined({ uid }),
    groups: [...groups],
    ...(extra === undefined
      ? {}
      : { extra: Object.fromEntries(Object.entries(extra).map(([key, all]) => [key, [...all]])) }),
  };
}

async function requestFault(base64: string): Promise<string | undefined> {
  if (base64.length > longestRequest) return `must be no longer than ${longestRequest} characters`;
  try {
    const pem = requestText(base64);
    readRequest(pem);
    return (await isSignedByItsKey(pem)) ? undefined : "its own signature is wrong";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function isApproved(object: object | undefined): boolean {
  const { status } = (object ?? {}) as Partial<CertificateSigningRequest>;
  return (status?.conditions ?? []).some(({ type }) => type === "Approved");
}

function changesStatus({ old, new: object }: { old?: object; new?: object }): boolean {
  const status = (one: object | undefined) => (one as Partial<CertificateSigningRequest>)?.status;
  return !sameMeaning(status(old), status(object));
}

/** Returns whether the user has the permission for a signer, or for all signers of its domain. */
function maySign(
  rbac: RbacAuthorizer,
  { user, verb, signerName }: { user: User; verb: string; signerName: string },
): boolean {
  const about = { verb, group, version: "*", resource: "signers", path: "" };
  return [signerName, `${signerName.split("/")[0]}/*`].some(
    (name) => rbac.authorize(user, { ...about, name }).allowed,
  );
}
