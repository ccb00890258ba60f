// Signs certificates for the signers of Kubernetes, with the cluster's root.
import type { Authority } from "./authority.ts";
import {
  clientFault,
  nodeClientFault,
  nodeServingFault,
  type RequestedCertificate,
  readRequest,
  requestText,
} from "./certificate-request.ts";

export interface SigningRequest {
  readonly signerName: string;
  /** The request: base64 of PEM. */
  readonly request: string;
  readonly usages?: readonly string[] | undefined;
  readonly expirationSeconds?: number | undefined;
}

export interface CertificateSigner {
  /** Returns the user name in the certificate, if it is a node's client certificate. */
  nodeUserOf(request: SigningRequest): string | undefined;
  /** Signs a request; `undefined` when it is for another signer. */
  sign(
    request: SigningRequest,
  ): Promise<{ readonly certificate: string } | { readonly fault: string } | undefined>;
}

const node = "kubernetes.io/kube-apiserver-client-kubelet";

type FaultOf = (asked: RequestedCertificate, usages: readonly string[]) => string | undefined;

const signers: Readonly<Record<string, { readonly fault: FaultOf; readonly serves: boolean }>> = {
  "kubernetes.io/kube-apiserver-client": {
    fault: (_, usages) => clientFault(usages),
    serves: false,
  },
  [node]: { fault: nodeClientFault, serves: false },
  "kubernetes.io/kubelet-serving": { fault: nodeServingFault, serves: true },
};

export function certificateSigner(authority: Authority): CertificateSigner {
  return {
    nodeUserOf({ signerName, request, usages = [] }) {
      if (signerName !== node) return undefined;
      const asked = readRequest(requestText(request));
      return nodeClientFault(asked, usages) === undefined ? asked.commonName : undefined;
    },
    async sign({ signerName, request, usages = [], expirationSeconds }) {
      const signer = signers[signerName];
      if (signer === undefined) return undefined;
      const pem = requestText(request);
      const asked = readRequest(pem);
      const fault = signer.fault(asked, usages);
      if (fault !== undefined) return { fault };
      const { commonName, organizations, dnsNames, addresses } = asked;
      const subject = { commonName, organizations };
      const lifetimeMs = expirationSeconds === undefined ? undefined : 1000 * expirationSeconds;
      const certificate = signer.serves
        ? await authority.signServer(pem, subject, { dnsNames, addresses, lifetimeMs })
        : await authority.signClient(pem, subject, lifetimeMs);
      return { certificate };
    },
  };
}
