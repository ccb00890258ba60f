// Approves client certificates of nodes for authorised users: a node may renew its own, and users with the
// right to do so may request any node's.

import { Controller } from "../../../api/client/controller.ts";
import { isForbidden, isNotFound } from "../../../api/client/errors.ts";
import type { CertificateSigningRequest } from "../../../api/types/certificates.ts";
import type { ControllerContext } from "../context.ts";
import { hasCondition } from "./conditions.ts";
import type { CertificateSigner } from "./signer.ts";

const ways = [
  {
    subresource: "selfnodeclient",
    isOwn: true,
    message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
  },
  {
    subresource: "nodeclient",
    isOwn: false,
    message: "Auto approving kubelet client certificate after SubjectAccessReview.",
  },
];

export function approvingController(
  context: ControllerContext,
  signer: CertificateSigner,
): Controller {
  const { client, informers, log } = context;
  const requests = client.resource("certificates.k8s.io/v1", "CertificateSigningRequest");
  const informer = informers.of(requests);

  const mayAsk = async (
    { spec }: CertificateSigningRequest,
    subresource: string,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const { username: user = "", uid = "", groups = [], extra = {} } = spec;
    const about = { group: "certificates.k8s.io", resource: "certificatesigningrequests" };
    const resourceAttributes = { ...about, verb: "create", version: "*", subresource };
    const { body } = await client.transport.send({
      method: "POST",
      path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        spec: { user, uid, groups, extra, resourceAttributes },
      }),
      signal,
    });
    const { status } = JSON.parse(body.toString()) as { status?: { allowed?: boolean } };
    return status?.allowed === true;
  };

  const reconcile = async (name: string, signal: AbortSignal): Promise<void> => {
    const request = informer.get(name);
    if (request === undefined || request.status?.certificate) return;
    if (hasCondition(request, "Approved") || hasCondition(request, "Denied")) return;
    const user = signer.nodeUserOf(request.spec);
    if (user === undefined) return;
    for (const { subresource, isOwn, message } of ways) {
      if (isOwn && request.spec.username !== user) continue;
      if (!(await mayAsk(request, subresource, signal))) continue;
      const approved = { type: "Approved", status: "True", reason: "AutoApproved", message };
      const conditions = [...(request.status?.conditions ?? []), approved];
      const object = { ...request, status: { ...request.status, conditions } };
      try {
        await requests.updateInside(object, "approval", { signal });
      } catch (error) {
        // A node of that name has registered meanwhile, or the request is gone.
        if (!isForbidden(error) && !isNotFound(error)) throw error;
        log.warn("Cannot approve a certificate request", { name, error });
      }
      return;
    }
  };

  return new Controller({
    ...context,
    sources: [informer],
    reconcile,
  });
}
