// The type table of certificates.k8s.io/v1, one line per field. The grammar is in ../parse.ts.

export const certificates = `
CertificateSigningRequest kind # Asks for a certificate of a key.
  metadata 1 meta.ObjectMeta
  spec!    2 CertificateSigningRequestSpec
  status   3 CertificateSigningRequestStatus

CertificateSigningRequestCondition
  type!              1 string
  status!            6 string
  reason             2 string
  message            3 string
  lastUpdateTime     4 time
  lastTransitionTime 5 time

CertificateSigningRequestList kind
  metadata 1 meta.ListMeta
  items!   2 [CertificateSigningRequest]

CertificateSigningRequestSpec
  request!          1 bytes
  signerName!       7 string
  expirationSeconds 8 *int32
  usages            5 [string] atomic
  username          2 string
  uid               3 string
  groups            4 [string] atomic
  extra             6 {ExtraValue}

CertificateSigningRequestStatus
  conditions  1 [CertificateSigningRequestCondition] map(type)
  certificate 2 bytes

ExtraValue = [string]
`;
