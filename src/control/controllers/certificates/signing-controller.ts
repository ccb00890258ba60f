// Signs approved certificate requests, and reports why if it cannot.

import { Controller } from "../../../api/client/controller.ts";
import { isNotFound } from "../../../api/client/errors.ts";
import type { CertificateSigningRequest } from "../../../api/types/certificates.ts";
import type { ControllerContext } from "../context.ts";
import { hasCondition } from "./conditions.ts";
import type { CertificateSigner } from "./signer.ts";

export function signingController(
  context: ControllerContext,
  signer: CertificateSigner,
): Controller {
  const { client, informers } = context;
  const requests = client.resource("certificates.k8s.io/v1", "CertificateSigningRequest");
  const informer = informers.of(requests);

  const reconcile = async (name: string, signal: AbortSignal): Promise<void> => {
    const request = informer.get(name);
    if (request === undefined || !isWaiting(request)) return;
    const signed = await signer.sign(request.spec);
    if (signed === undefined) return;
    const status =
      "fault" in signed
        ? withFailure(request, signed.fault)
        : { ...request.status, certificate: Buffer.from(signed.certificate).toString("base64") };
    try {
      await requests.updateStatus({ ...request, status }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };

  return new Controller({
    ...context,
    sources: [informer],
    reconcile,
  });
}

function isWaiting(request: CertificateSigningRequest): boolean {
  return (
    hasCondition(request, "Approved") &&
    !hasCondition(request, "Denied") &&
    !hasCondition(request, "Failed") &&
    !request.status?.certificate
  );
}

function withFailure({ status }: CertificateSigningRequest, message: string) {
  const reason = "SignerValidationFailure";
  const failed = { type: "Failed", status: "True", reason, message };
  return { ...status, conditions: [...(status?.conditions ?? []), failed] };
}
