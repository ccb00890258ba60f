import type { CertificateSigningRequest } from "../../../api/types/certificates.ts";

export function hasCondition({ status }: CertificateSigningRequest, type: string): boolean {
  return (status?.conditions ?? []).some((condition) => condition.type === type);
}
