// Made from the tables of src/api/schema by `make types`: change those.

import type { ListMeta, NamedMeta } from "./meta.ts";

/** Asks for a certificate of a key. */
export interface CertificateSigningRequest {
  apiVersion: "certificates.k8s.io/v1";
  kind: "CertificateSigningRequest";
  metadata: NamedMeta;
  spec: CertificateSigningRequestSpec;
  status?: CertificateSigningRequestStatus;
}

export interface CertificateSigningRequestCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastUpdateTime?: string;
  lastTransitionTime?: string;
}

export interface CertificateSigningRequestList {
  apiVersion: "certificates.k8s.io/v1";
  kind: "CertificateSigningRequestList";
  metadata: ListMeta;
  items: CertificateSigningRequest[];
}

export interface CertificateSigningRequestSpec {
  request: string;
  signerName: string;
  expirationSeconds?: number;
  usages?: string[];
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}

export interface CertificateSigningRequestStatus {
  conditions?: CertificateSigningRequestCondition[];
  certificate?: string;
}
